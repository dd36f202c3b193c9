/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Children are found through one hash table of (parent, name) for the whole tree. Sorting puts all
 * nodes in one array by parent, so that the children of a node are a slice of it. Nothing recurses:
 * stacks may be deep.
 */
#include "flame_tree.h"

#include <stdlib.h>
#include <string.h>

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#define FIRST_CAPACITY 1024

struct entry {
	struct flame_node node;
	UT_hash_handle hh;
	char key[]; /* the parent's id, then the name */
};

struct flame_tree {
	struct entry *table;
	struct flame_node **nodes; /* by id until sorted */
	size_t size, capacity;
};

static int reserve(struct flame_tree *tree)
{
	size_t capacity = tree->capacity ? tree->capacity * 2 : FIRST_CAPACITY;
	struct flame_node **nodes;

	if (tree->size < tree->capacity)
		return 0;
	if (capacity > UINT32_MAX)
		return -1;
	nodes = reallocarray(tree->nodes, capacity, sizeof(struct flame_node *));
	if (!nodes)
		return -1;
	tree->nodes = nodes;
	tree->capacity = capacity;
	return 0;
}

/* Adds an entry whose key is filled. NULL without memory; the entry is then freed. */
static struct flame_node *adopt(struct flame_tree *tree, struct entry *entry, size_t key_size)
{
	if (reserve(tree))
		goto cleanup;
	HASH_ADD_KEYPTR(hh, tree->table, entry->key, key_size, entry);
	if (!entry->hh.tbl)
		goto cleanup;
	entry->node.id = (uint32_t)tree->size;
	tree->nodes[tree->size++] = &entry->node;
	return &entry->node;
cleanup:
	free(entry);
	return NULL;
}

static struct entry *entry_new(uint32_t parent, const char *name, size_t length)
{
	struct entry *entry = calloc(1, sizeof(*entry) + sizeof(parent) + length + 1);

	if (!entry)
		return NULL;
	memcpy(entry->key, &parent, sizeof(parent));
	memcpy(entry->key + sizeof(parent), name, length);
	entry->node.name = entry->key + sizeof(parent);
	return entry;
}

struct flame_tree *flame_tree_new(void)
{
	static const char name[] = "all";
	struct flame_tree *tree = calloc(1, sizeof(*tree));
	struct entry *root;

	if (!tree)
		return NULL;
	/* A parent that no node can have. */
	root = entry_new(UINT32_MAX, name, strlen(name));
	if (!root || !adopt(tree, root, sizeof(uint32_t) + strlen(name))) {
		flame_tree_free(tree);
		return NULL;
	}
	return tree;
}

void flame_tree_free(struct flame_tree *tree)
{
	struct entry *entry, *next;

	if (!tree)
		return;
	HASH_ITER(hh, tree->table, entry, next) {
		HASH_DEL(tree->table, entry);
		free(entry);
	}
	free(tree->nodes);
	free(tree);
}

struct flame_node *flame_tree_root(const struct flame_tree *tree)
{
	return tree->nodes[0];
}

size_t flame_tree_size(const struct flame_tree *tree)
{
	return tree->size;
}

struct flame_node *flame_tree_child(struct flame_tree *tree, struct flame_node *parent,
				    enum flame_kind kind, const char *name)
{
	size_t length = strlen(name), key_size = sizeof(parent->id) + length;
	struct entry *entry = entry_new(parent->id, name, length), *found;

	if (!entry)
		return NULL;
	HASH_FIND(hh, tree->table, entry->key, key_size, found);
	if (found) {
		free(entry);
		return &found->node;
	}
	entry->node.kind = kind;
	entry->node.parent = parent;
	entry->node.depth = parent->depth + 1;
	return adopt(tree, entry, key_size);
}

void flame_node_add(struct flame_node *node, enum flame_class class, uint64_t weight)
{
	node->own[class] += weight;
	for (; node; node = node->parent)
		node->weight[class] += weight;
}

uint64_t flame_node_total(const struct flame_node *node)
{
	return node->weight[FLAME_ON] + node->weight[FLAME_OFF];
}

/* 0 purely on the CPU, 1 mixed, 2 purely off */
static int mixture(const struct flame_node *node)
{
	if (node->weight[FLAME_OFF] == 0)
		return 0;
	return node->weight[FLAME_ON] ? 1 : 2;
}

static int compare(const void *left, const void *right)
{
	const struct flame_node *a = *(struct flame_node *const *)left;
	const struct flame_node *b = *(struct flame_node *const *)right;

	if (!a->parent || !b->parent) /* the root is first */
		return (a->parent != NULL) - (b->parent != NULL);
	if (a->parent != b->parent)
		return a->parent->id < b->parent->id ? -1 : 1;
	if (mixture(a) != mixture(b))
		return mixture(a) - mixture(b);
	return strcmp(a->name, b->name);
}

/*
 * Beside its left neighbour. What a node has of its own is right of its children, but in a mixed one
 * its own time on the CPU is on the left, where all time on the CPU is.
 */
static void lay_out(struct flame_node *node)
{
	const struct flame_node *parent = node->parent, *left;

	if (node->place) {
		left = parent->child[node->place - 1];
		node->start = left->start + flame_node_total(left);
	} else {
		node->start = parent->start + (mixture(parent) == 1 ? parent->own[FLAME_ON] : 0);
	}
}

void flame_tree_sort(struct flame_tree *tree)
{
	qsort(tree->nodes, tree->size, sizeof(struct flame_node *), compare);
	for (size_t i = 1; i < tree->size; i++) {
		struct flame_node *node = tree->nodes[i], *parent = node->parent;

		if (parent->child_count == 0)
			parent->child = &tree->nodes[i];
		node->place = parent->child_count++;
	}
	/* Parents have lower ids than their children, so they are laid out before them. */
	for (size_t i = 1; i < tree->size; i++)
		lay_out(tree->nodes[i]);
}

const struct flame_node *flame_node_skip(const struct flame_node *node)
{
	for (; node->parent; node = node->parent) {
		if (node->place + 1 < node->parent->child_count)
			return node->parent->child[node->place + 1];
	}
	return NULL;
}

const struct flame_node *flame_node_next(const struct flame_node *node)
{
	return node->child_count ? node->child[0] : flame_node_skip(node);
}
