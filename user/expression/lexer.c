// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "lexer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../base/values.h"

static bool is_blank(char character)
{
	return character == ' ' || character == '\t' || character == '\n';
}

static bool is_digit(char character)
{
	return character >= '0' && character <= '9';
}

/* Bytes above ASCII are of names in UTF-8. */
static bool is_letter(char character)
{
	return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z') ||
	       character == '_' || (unsigned char)character >= 0x80;
}

static bool is_word(char character)
{
	return is_letter(character) || is_digit(character);
}

/* ---- numbers --------------------------------------------------------------------------------- */

static size_t number_end(const char *text, size_t at)
{
	while (is_word(text[at]) || (text[at] == '.' && is_digit(text[at + 1])))
		at++;
	return at;
}

static bool ends_with(const char *word, const char *end)
{
	size_t length = strlen(word), tail = strlen(end);

	return length > tail && strcmp(word + length - tail, end) == 0;
}

static bool is_duration(const char *word)
{
	return strncmp(word, "0x", 2) != 0 && ends_with(word, "s");
}

static int refuse_number(const char *word, struct token *token, struct expression_error *error)
{
	size_t digits = strspn(word, "0123456789");
	const char *rest = word + digits;

	if (*rest == '.' || strcmp(rest, "f") == 0 ||
	    ((*rest == 'e' || *rest == 'E') && is_digit(rest[1])))
		return expression_refuse(error, token->where,
					 "floating point cannot be compared in the kernel");
	if (*rest == '\0' || strncmp(word, "0x", 2) == 0)
		return expression_refuse(error, token->where, "%s is no number of 64 bits", word);
	return expression_refuse(
		error, token->where,
		"a number cannot end in \"%s\": sizes end in K, M or G, times in ns, us, ms or s",
		rest);
}

static int take_word(const char *word, struct token *token, struct expression_error *error)
{
	size_t length = strlen(word);

	if (is_duration(word)) {
		token->kind = TOKEN_DURATION;
		return time_parse(word, 1, &token->number) ? refuse_number(word, token, error) : 0;
	}
	if (length > 1 && word[0] == '0' && is_digit(word[1]))
		return expression_refuse(
			error, token->where,
			"a number cannot begin with 0: write %s in decimal, or in hexadecimal with 0x",
			word);
	if (strncmp(word, "0x", 2) == 0 || strncmp(word, "0X", 2) == 0) {
		if (!digits_parse(word + 2, length - 2, 16, &token->number))
			return 0;
	} else if (!size_parse(word, &token->number)) {
		return 0;
	}
	return refuse_number(word, token, error);
}

static int lex_number(const char *text, struct token *token, struct expression_error *error)
{
	char *word;
	int err;

	token->kind = TOKEN_NUMBER;
	token->where.to = number_end(text, token->where.from);
	word = strndup(text + token->where.from, token->where.to - token->where.from);
	if (!word)
		return -ENOMEM;
	err = take_word(word, token, error);
	free(word);
	return err;
}

/* ---- strings and characters -------------------------------------------------------------------- */

static int hex_digit(char character)
{
	if (is_digit(character))
		return character - '0';
	if (character >= 'a' && character <= 'f')
		return character - 'a' + 10;
	return character >= 'A' && character <= 'F' ? character - 'A' + 10 : -1;
}

/* The character behind a backslash at *at, which is moved behind it; -1 when it is none. */
static int unescape(const char *text, size_t *at)
{
	static const char names[] = "ntr0\\\"'*?", meant[] = "\n\t\r\0\\\"'*?";
	const char *name = text[*at] ? strchr(names, text[*at]) : NULL;

	if (name) {
		++*at;
		return (unsigned char)meant[name - names];
	}
	if (text[*at] != 'x' || hex_digit(text[*at + 1]) < 0 || hex_digit(text[*at + 2]) < 0)
		return -1;
	*at += 3;
	return hex_digit(text[*at - 2]) * 16 + hex_digit(text[*at - 1]);
}

/* One character of the text, which may be written with a backslash. */
static int read_character(const char *text, size_t *at, int *character,
			  struct expression_error *error)
{
	size_t from = *at;

	*character = (unsigned char)text[(*at)++];
	if (*character != '\\')
		return 0;
	*character = unescape(text, at);
	if (*character >= 0)
		return 0;
	return expression_refuse(error, (struct extent){ from, from + 1 + (text[*at] != '\0') },
				 "a backslash stands before n t r 0 \\ \" ' * ? or xNN only");
}

static int lex_character(const char *text, struct token *token, struct expression_error *error)
{
	size_t at = token->where.from + 1;
	const char *end = strchr(text + at, '\'');
	int character, err;

	token->where.to = at;
	if (!text[at] || !end)
		return expression_refuse(error, token->where, "the ' is not closed");
	err = read_character(text, &at, &character, error);
	if (err)
		return err;
	token->where.to = at + 1;
	if (text[at] != '\'' || at == token->where.from + 1) {
		token->where.to = (size_t)(end - text) + 1;
		return expression_refuse(error, token->where,
					 "'' is for one character; a string is written with \"\"");
	}
	token->kind = TOKEN_NUMBER;
	token->number = (uint64_t)character;
	return 0;
}

/* Puts a character behind the pattern; a star behind a star says nothing more. */
static void pattern_put(struct machine_text *pattern, int character, bool is_special)
{
	uint64_t bit = 1ull << pattern->length;

	if (is_special && character == '*') {
		if (pattern->length && pattern->any & bit >> 1)
			return;
		pattern->any |= bit;
	} else if (is_special && character == '?') {
		pattern->one |= bit;
	}
	pattern->text[pattern->length++] = (char)character;
}

static int lex_text(const char *text, struct token *token, struct expression_error *error)
{
	size_t at = token->where.from + 1;

	token->kind = TOKEN_TEXT;
	while (text[at] != '"') {
		bool is_special = text[at] == '*' || text[at] == '?';
		size_t from = at;
		int character, err;

		token->where.to = token->where.from + 1;
		if (!text[at])
			return expression_refuse(error, token->where, "the \" is not closed");
		err = read_character(text, &at, &character, error);
		if (err)
			return err;
		if (!character)
			return expression_refuse(error, (struct extent){ from, at },
						 "a string ends before a NUL");
		token->where.to = at;
		if (token->pattern.length == MACHINE_PATTERN_BYTES)
			return expression_refuse(error, token->where,
						 "a string can have %d characters",
						 MACHINE_PATTERN_BYTES);
		pattern_put(&token->pattern, character, is_special);
	}
	token->where.to = at + 1;
	return 0;
}

/* ---- names and signs --------------------------------------------------------------------------- */

static int lex_name(const char *text, struct token *token, struct expression_error *error)
{
	size_t at = token->where.from;

	token->kind = text[at] == '$' ? TOKEN_FIELD : text[at] == '@' ? TOKEN_PROGRAM : TOKEN_NAME;
	at += token->kind != TOKEN_NAME;
	token->where.to = at;
	token->name.from = at;
	if (!is_letter(text[at]))
		return expression_refuse(error, token->where, "a name follows %c",
					 text[token->where.from]);
	while (is_word(text[at]) ||
	       (text[at] == ':' && text[at + 1] == ':' && is_letter(text[at + 2])))
		at += text[at] == ':' ? 2 : 1;
	token->name.to = token->where.to = at;
	return 0;
}

/* The longer ones first. Those with a message are C's, and not ours. */
static const struct {
	const char *text;
	enum token_kind kind;
	const char *refused;
} signs[] = {
	{ "||", TOKEN_OR, NULL },
	{ "&&", TOKEN_AND, NULL },
	{ "===", TOKEN_END, "equal is ==" },
	{ "==", TOKEN_EQUAL, NULL },
	{ "=~", TOKEN_END, "patterns are compared with ==: name == \"abc*\"" },
	{ "!=", TOKEN_NOT_EQUAL, NULL },
	{ "<<", TOKEN_END, "<< is not known; write the number" },
	{ ">>", TOKEN_END, ">> is not known" },
	{ "<=", TOKEN_LESS_EQUAL, NULL },
	{ ">=", TOKEN_GREATER_EQUAL, NULL },
	{ "->", TOKEN_ARROW, NULL },
	{ "=", TOKEN_END, "nothing can be assigned; equal is ==" },
	{ "|", TOKEN_END, "| is not known; or is ||" },
	{ "^", TOKEN_END, "^ is not known" },
	{ "/", TOKEN_END, "/ is not known" },
	{ "%", TOKEN_END, "% is not known; some low bits are had with &" },
	{ "&", TOKEN_BIT_AND, NULL },
	{ "<", TOKEN_LESS, NULL },
	{ ">", TOKEN_GREATER, NULL },
	{ "+", TOKEN_PLUS, NULL },
	{ "-", TOKEN_MINUS, NULL },
	{ "*", TOKEN_STAR, NULL },
	{ "!", TOKEN_NOT, NULL },
	{ "~", TOKEN_INVERT, NULL },
	{ ".", TOKEN_DOT, NULL },
	{ "(", TOKEN_OPEN, NULL },
	{ ")", TOKEN_CLOSE, NULL },
	{ "[", TOKEN_OPEN_INDEX, NULL },
	{ "]", TOKEN_CLOSE_INDEX, NULL },
	{ ",", TOKEN_COMMA, NULL },
};

static int lex_sign(const char *text, struct token *token, struct expression_error *error)
{
	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++) {
		size_t length = strlen(signs[i].text);

		if (strncmp(text + token->where.from, signs[i].text, length) != 0)
			continue;
		token->kind = signs[i].kind;
		token->where.to = token->where.from + length;
		return signs[i].refused ?
			       expression_refuse(error, token->where, "%s", signs[i].refused) :
			       0;
	}
	token->where.to = token->where.from + 1;
	return expression_refuse(error, token->where, "this character has no meaning here");
}

int lexer_next(const char *text, size_t at, struct token *token, struct expression_error *error)
{
	while (is_blank(text[at]))
		at++;
	memset(token, 0, sizeof(*token));
	token->where = (struct extent){ at, at };
	if (!text[at])
		return 0;
	if (is_digit(text[at]) || (text[at] == '.' && is_digit(text[at + 1])))
		return lex_number(text, token, error);
	if (text[at] == '"')
		return lex_text(text, token, error);
	if (text[at] == '\'')
		return lex_character(text, token, error);
	if (is_letter(text[at]) || text[at] == '$' || text[at] == '@')
		return lex_name(text, token, error);
	return lex_sign(text, token, error);
}
