/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Stacks merged from the root: each node is a frame, its children what it called. Nodes carry
 * weights of two classes, so that one tree can hold time on and off the CPU.
 */
#ifndef TRACER_FLAME_TREE_H
#define TRACER_FLAME_TREE_H

#include <stddef.h>
#include <stdint.h>

enum flame_kind {
	FLAME_ROOT, /* "all", and what --by asks for */
	FLAME_USER,
	FLAME_KERNEL,
	FLAME_NOTE,	  /* says something about the event: [no stack], [still blocked] */
	FLAME_INCOMPLETE, /* outer frames are missing here */
};

enum flame_class {
	FLAME_ON,
	FLAME_OFF,
	FLAME_CLASSES,
};

struct flame_node {
	char *name; /* as it will be shown: escaped already */
	enum flame_kind kind;
	uint32_t id;	/* in order of arrival; 0 is the root */
	uint32_t depth; /* the root's is 0 */
	struct flame_node *parent;
	uint64_t weight[FLAME_CLASSES]; /* its own and all its descendants' */
	uint64_t own[FLAME_CLASSES];	/* of stacks that end here */
	/* Valid after flame_tree_sort(): */
	struct flame_node **child;
	size_t child_count;
	size_t place;	/* among its parent's children */
	uint64_t start; /* sum of the weights left of it */
};

struct flame_tree;

struct flame_tree *flame_tree_new(void);
void flame_tree_free(struct flame_tree *tree);
struct flame_node *flame_tree_root(const struct flame_tree *tree);
size_t flame_tree_size(const struct flame_tree *tree);

/* The child of that name, made when there was none. NULL without memory. */
struct flame_node *flame_tree_child(struct flame_tree *tree, struct flame_node *parent,
				    enum flame_kind kind, const char *name);
/* A stack of that weight ends at node: it and its ancestors grow. */
void flame_node_add(struct flame_node *node, enum flame_class class, uint64_t weight);
uint64_t flame_node_total(const struct flame_node *node);

/*
 * Orders children: those purely on the CPU, mixed ones, those purely off it, and by name within;
 * then lays them side by side. No child may be added afterwards.
 */
void flame_tree_sort(struct flame_tree *tree);
/* The node after this one, parents before children; NULL after the last. Needs flame_tree_sort(). */
const struct flame_node *flame_node_next(const struct flame_node *node);
/* The same, but without this node's descendants. */
const struct flame_node *flame_node_skip(const struct flame_node *node);

#endif
