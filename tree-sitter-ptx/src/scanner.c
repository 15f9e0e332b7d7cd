// The end of a statement that was never finished.
//
// PTX does not heed line ends, so `add.u32 %r1,` goes on reading whatever the next line holds, and a half-typed statement would
// swallow the one after it. This scanner looks at the line after a line end. Where it can only begin a statement, the scanner
// returns a token of no width after the last token, and the grammar allows nothing but `;` behind that.
//
// It must never fire on a program that assembles. So "can only begin a statement" is read strictly: a label, a guard, a
// directive that is no modifier as well, or an opcode that is followed by an operand (two words, or a word with a modifier and
// an operand, without a comma between). A statement on the line that began the unfinished one is left to error recovery.
//
// Its second token is the text behind a directive that nobody knows, up to where such a directive ends.
//
// There is no state: nothing is allocated or serialised.

#include <string.h>

#include "tree_sitter/parser.h"

// In the order of `externals` in grammar.js.
enum Token { STOP, STOP_AT_BRACE, STOP_IN_HEADER, DIRECTIVE_TEXT };

// The longest directive below, and its end.
#define WORD_MAX 24

void *tree_sitter_ptx_external_scanner_create(void) { return NULL; }

void tree_sitter_ptx_external_scanner_destroy(void *payload) { (void)payload; }

unsigned tree_sitter_ptx_external_scanner_serialize(void *payload, char *buffer) {
  (void)payload;
  (void)buffer;
  return 0;
}

void tree_sitter_ptx_external_scanner_deserialize(void *payload, const char *buffer, unsigned length) {
  (void)payload;
  (void)buffer;
  (void)length;
}

static bool is_word_start(int32_t c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
}

static bool is_digit(int32_t c) { return c >= '0' && c <= '9'; }

static bool is_word(int32_t c) { return is_word_start(c) || is_digit(c); }

static void advance(TSLexer *lexer) { lexer->advance(lexer, false); }

static void skip_word(TSLexer *lexer) {
  while (is_word(lexer->lookahead)) advance(lexer);
}

static void skip_blanks(TSLexer *lexer) {
  while (lexer->lookahead == ' ' || lexer->lookahead == '\t') advance(lexer);
}

// White space as in `extras`. Returns whether a line ended in it.
static bool skip_space(TSLexer *lexer) {
  bool line_ended = false;
  for (;; advance(lexer)) {
    switch (lexer->lookahead) {
      case '\n': line_ended = true; break;
      case ' ': case '\t': case '\r': case '\f': case '\v': break;
      default: return line_ended;
    }
  }
}

// Directives that begin a statement and are never modifiers. State spaces that are modifiers too (`.global`) are left out:
// `ld` and `.global` may stand on two lines. In the header of a function no modifier can stand, so there they count.
static bool begins_item(const char *word, bool in_header) {
  static const char *const ITEMS[] = {
    "version", "target", "address_size", "entry", "func", "visible", "extern", "common", "reg", "sreg", "alias", "file",
    "section", "loc", "loc_intermediate", "branchtargets", "calltargets", "callprototype", "tex", "align",
  };
  static const char *const ITEMS_OR_MODIFIERS[] = {"weak", "global", "const", "shared", "local", "param"};
  for (unsigned i = 0; i < sizeof ITEMS / sizeof *ITEMS; i++) {
    if (strcmp(word, ITEMS[i]) == 0) return true;
  }
  if (!in_header) return strcmp(word, "pragma") == 0;
  for (unsigned i = 0; i < sizeof ITEMS_OR_MODIFIERS / sizeof *ITEMS_OR_MODIFIERS; i++) {
    if (strcmp(word, ITEMS_OR_MODIFIERS[i]) == 0) return true;
  }
  return false;
}

static bool item_follows(TSLexer *lexer, bool in_header) {
  char word[WORD_MAX];
  unsigned length = 0;
  advance(lexer);
  while (is_word(lexer->lookahead)) {
    if (length == WORD_MAX - 1) return false;
    word[length++] = (char)lexer->lookahead;
    advance(lexer);
  }
  word[length] = 0;
  // `.param::entry` is a word of its own.
  return lexer->lookahead != ':' && begins_item(word, in_header);
}

// After a word: `:`, but not the first half of `::`.
static bool colon_follows(TSLexer *lexer) {
  if (lexer->lookahead != ':') return false;
  advance(lexer);
  return lexer->lookahead != ':';
}

// A label, or an opcode with something that makes it no operand.
static bool labelled_or_instruction_follows(TSLexer *lexer) {
  skip_word(lexer);
  unsigned modifiers = 0;
  while (lexer->lookahead == '.') {
    modifiers++;
    advance(lexer);
    while (is_word(lexer->lookahead) || lexer->lookahead == ':') advance(lexer);
  }
  int32_t next = lexer->lookahead;
  bool apart = next == ' ' || next == '\t';
  skip_blanks(lexer);
  next = lexer->lookahead;
  if (modifiers == 0) {
    return colon_follows(lexer) || (apart && (is_word(next) || next == '%'));
  }
  // `V.x` alone may be an operand; two modifiers may not.
  return modifiers > 1 || is_word(next) || next == '%' || next == '[' || next == '{' || next == '(';
}

static bool statement_follows(TSLexer *lexer, bool in_header) {
  switch (lexer->lookahead) {
    case '@': return true;
    case '.': return item_follows(lexer, in_header);
    case '%':
      advance(lexer);
      skip_word(lexer);
      skip_blanks(lexer);
      return colon_follows(lexer);
    default: return is_word_start(lexer->lookahead) && labelled_or_instruction_follows(lexer);
  }
}

// After a comma or an open parenthesis an unknown directive goes on to the next line, unless a statement begins there.
// Otherwise it goes on only where the line begins with what no statement begins with.
static bool text_goes_on(TSLexer *lexer, int32_t last) {
  int32_t next = lexer->lookahead;
  if (lexer->eof(lexer) || next == '}' || next == '{' || next == '#' || next == '/') return false;
  if (last == ',' || last == '(' || last == '=') return next != '@' && next != '.' && !statement_follows(lexer, true);
  return !is_word_start(next) && next != '@' && next != '.' && next != '%';
}

// To `;`, to a brace, to a directive, to a comment, or to the end of the line.
static bool scan_directive_text(TSLexer *lexer) {
  int32_t last = 0;
  lexer->mark_end(lexer);
  while (!lexer->eof(lexer)) {
    switch (lexer->lookahead) {
      case ';': case '{': case '}': case '/': case '#': return true;
      case '.':
        if (item_follows(lexer, true)) return true;
        last = '.';
        lexer->mark_end(lexer);
        break;
      case '"':
        do advance(lexer);
        while (lexer->lookahead != '"' && lexer->lookahead != '\n' && !lexer->eof(lexer));
        if (lexer->lookahead == '"') advance(lexer);
        last = '"';
        lexer->mark_end(lexer);
        break;
      case '\n':
        skip_space(lexer);
        if (!text_goes_on(lexer, last)) return true;
        break;
      case ' ': case '\t': case '\r': case '\f': case '\v': advance(lexer); break;
      default:
        last = lexer->lookahead;
        advance(lexer);
        lexer->mark_end(lexer);
    }
  }
  return true;
}

bool tree_sitter_ptx_external_scanner_scan(void *payload, TSLexer *lexer, const bool *valid_symbols) {
  (void)payload;
  // These two never meet in one state, except in error recovery, where all tokens are valid.
  if (valid_symbols[STOP] && valid_symbols[STOP_IN_HEADER]) return false;

  if (valid_symbols[DIRECTIVE_TEXT]) {
    lexer->result_symbol = DIRECTIVE_TEXT;
    return scan_directive_text(lexer);
  }

  lexer->mark_end(lexer);
  bool line_ended = skip_space(lexer);
  if (valid_symbols[STOP_AT_BRACE] && lexer->lookahead == '}') {
    lexer->result_symbol = STOP_AT_BRACE;
    return true;
  }
  if (!line_ended || !statement_follows(lexer, valid_symbols[STOP_IN_HEADER])) return false;
  lexer->result_symbol = valid_symbols[STOP] ? STOP : STOP_IN_HEADER;
  return true;
}
