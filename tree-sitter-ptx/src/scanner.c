// Detects the end of unfinished statements.
//
// In PTX a line end has no meaning, so after `add.u32 %r1,` the parser continues with the next line: a half-typed
// statement would swallow the following one. This scanner examines the line after a line end. If that line can only
// begin a statement, the scanner returns a zero-width token after the last token. The grammar allows nothing but `;`
// after that token.
//
// It must never do so in a program that assembles. So "can only begin a statement" is defined strictly: a label, a
// guard, a directive that is not also a modifier, or an opcode with an operand (two words, or a word with a modifier
// and an operand, without a comma in between). A statement on the same line as the unfinished one is left to error
// recovery.
//
// Its second kind of token is the text after an unknown directive, up to the end of this directive.
//
// The scanner has no state, so it allocates and serialises nothing.

#include "tree_sitter/parser.h"

// In the same order as `externals` in grammar.js.
enum Token { STOP, STOP_AFTER_WORD, STOP_AFTER, STOP_AT_BRACE, STOP_IN_HEADER, DIRECTIVE_TEXT, STOP_INSIDE, STOP_OPERAND, STOP_AFTER_GUARD, RUN_END, MODULO };

// Size of a buffer for the longest directive below, with its terminating zero.
#define WORD_MAX 24

// One of 2^CUT_BITS examined instructions begins a new run. CUT_TEXT is the number of its characters that are read.
#define CUT_BITS 6
#define CUT_TEXT 32

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

// Skips the white space of `extras`. Returns whether it contained a line end.
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

// The context of a dot-word at the beginning of a line: what it may be other than a directive that begins a statement.
enum Place {
  ANYWHERE, // nothing that such a directive can be too
  AFTER_WORD, // a modifier: `ld` and `.global` may be on two lines
  IN_HEADER, // a directive of the header
};

// Replaces strcmp, because a parser in WebAssembly has few functions of the C library.
static bool equal(const char *a, const char *b) {
  while (*a && *a == *b) a++, b++;
  return *a == *b;
}

static bool is_one_of(const char *word, const char *const *words) {
  for (; *words; words++) {
    if (equal(word, *words)) return true;
  }
  return false;
}

static bool begins_item(const char *word, enum Place place) {
  static const char *const ITEMS[] = {
    "version", "target", "address_size", "entry", "func", "visible", "extern", "common", "reg", "sreg", "tex", "alias", "file",
    "section", "loc", "loc_intermediate", "branchtargets", "calltargets", "callprototype", NULL,
  };
  static const char *const ITEMS_OR_MODIFIERS[] = {"weak", "global", "const", "shared", "local", "param", NULL};
  static const char *const ITEMS_OR_HEADER[] = {"pragma", NULL};
  return is_one_of(word, ITEMS) || (place != AFTER_WORD && is_one_of(word, ITEMS_OR_MODIFIERS)) ||
         (place != IN_HEADER && is_one_of(word, ITEMS_OR_HEADER));
}

// Reads a word. Returns false if it is longer than any word that matters here.
static bool read_word(TSLexer *lexer, char *word) {
  unsigned length = 0;
  for (; is_word(lexer->lookahead); advance(lexer)) {
    if (length < WORD_MAX) word[length++] = (char)lexer->lookahead;
  }
  if (length == WORD_MAX) length = 0;
  word[length] = 0;
  return length > 0;
}

static bool item_follows(TSLexer *lexer, enum Place place) {
  char word[WORD_MAX];
  advance(lexer);
  // `.param::entry` is a different word.
  return read_word(lexer, word) && lexer->lookahead != ':' && begins_item(word, place);
}

// After a word: returns whether `:` follows that is not the first half of `::`.
static bool colon_follows(TSLexer *lexer) {
  if (lexer->lookahead != ':') return false;
  advance(lexer);
  return lexer->lookahead != ':';
}

// The token before the line end.
enum Before {
  OPERATOR, // an opcode, a comma, an operator: an operand may follow
  BRACKET, // the same inside brackets, where no statement can end
  OPERAND, // a complete operand
};

// Returns whether a label or an instruction follows. An instruction is an opcode with an operand, or with a modifier
// that cannot be a member: members have one letter (`.x`, `.r`). After an operand, the next operand would need a comma
// first. So any word begins a statement there, unless a comma follows the word: then the comma before it is missing.
static bool labelled_or_instruction_follows(TSLexer *lexer, enum Before before) {
  char word[WORD_MAX];
  read_word(lexer, word);
  unsigned modifiers = 0, length = 0;
  while (lexer->lookahead == '.') {
    modifiers++;
    advance(lexer);
    for (length = 0; is_word(lexer->lookahead) || lexer->lookahead == ':'; length++) advance(lexer);
  }
  int32_t next = lexer->lookahead;
  bool apart = next == ' ' || next == '\t';
  skip_blanks(lexer);
  next = lexer->lookahead;
  if (before == OPERAND) return next != ',' && next != ')' && next != ']';
  if (before == BRACKET && next == ';') return true;
  // The only operand with a parenthesis is `generic(x)`.
  if (modifiers == 0 && next == '(') return !equal(word, "generic");
  if (modifiers == 0) return colon_follows(lexer) || (apart && (is_word(next) || next == '%'));
  // A single `V.x` may be an operand; a word with two modifiers or a longer one may not.
  return modifiers > 1 || length > 1 || is_word(next) || next == '%' || next == '[' || next == '{' || next == '(';
}

// Skips white space and comments.
static void skip_extras(TSLexer *lexer) {
  for (skip_space(lexer); lexer->lookahead == '/'; skip_space(lexer)) {
    advance(lexer);
    if (lexer->lookahead == '/') {
      while (lexer->lookahead != '\n' && !lexer->eof(lexer)) advance(lexer);
    } else if (lexer->lookahead == '*') {
      advance(lexer);
      for (int32_t last = 0; !(last == '*' && lexer->lookahead == '/') && !lexer->eof(lexer); advance(lexer)) {
        last = lexer->lookahead;
      }
      advance(lexer);
    } else {
      return;
    }
  }
}

static bool statement_follows(TSLexer *lexer, enum Place place, enum Before before) {
  // Treat the end of the text like a following function, because large texts are parsed in chunks.
  if (lexer->eof(lexer)) return true;
  switch (lexer->lookahead) {
    case '@': return true;
    case '.': return item_follows(lexer, place);
    case '%':
      advance(lexer);
      skip_word(lexer);
      skip_blanks(lexer);
      return colon_follows(lexer);
    // The brace begins a block instead of a list if a statement follows it.
    case '{':
      if (place == IN_HEADER) return false;
      advance(lexer);
      skip_extras(lexer);
      return lexer->lookahead != '{' && !lexer->eof(lexer) && statement_follows(lexer, ANYWHERE, BRACKET);
    // In a header a word is the name of the function.
    default: return place != IN_HEADER && is_word_start(lexer->lookahead) && labelled_or_instruction_follows(lexer, before);
  }
}

// After a guard: returns whether anything but an instruction follows, that is, another guard, a directive, a label, or
// the end of the block.
static bool no_instruction_follows(TSLexer *lexer, bool line_ended) {
  int32_t next = lexer->lookahead;
  if (lexer->eof(lexer) || next == '}') return true;
  if (!line_ended) return false;
  if (next == '@' || next == '.') return true;
  if (next != '%' && !is_word_start(next)) return false;
  advance(lexer);
  skip_word(lexer);
  skip_blanks(lexer);
  return colon_follows(lexer);
}

// Returns whether the text of an unknown directive continues on the next line. After a comma or inside parentheses it
// does, unless a statement begins there. Otherwise it does only if the line begins with a token that begins no
// statement.
static bool text_goes_on(TSLexer *lexer, bool expects_more) {
  int32_t next = lexer->lookahead;
  if (lexer->eof(lexer) || next == '@' || next == '#') return false;
  if (expects_more) return next == '.' || !statement_follows(lexer, ANYWHERE, OPERATOR);
  return !is_word_start(next) && next != '.' && next != '%';
}

// Reads the text of an unknown directive: up to `;`, a brace, a directive, a comment, or the end of the line.
static bool scan_directive_text(TSLexer *lexer) {
  unsigned depth = 0;
  bool after_comma = false;
  lexer->mark_end(lexer);
  while (!lexer->eof(lexer)) {
    int32_t next = lexer->lookahead;
    if (next == ';' || next == '{' || next == '}' || next == '/' || next == '#') return true;
    if (next == '\n') {
      skip_space(lexer);
      if (!text_goes_on(lexer, after_comma || depth > 0)) return true;
      continue;
    }
    if (next == ' ' || next == '\t' || next == '\r' || next == '\f' || next == '\v') {
      advance(lexer);
      continue;
    }
    if (next == '.') {
      // Inside parentheses there are parameters. A directive that is not also a modifier still ends the text.
      if (item_follows(lexer, depth > 0 ? AFTER_WORD : ANYWHERE)) return true;
    } else if (next == '"') {
      // As the token of a string, it ends with its line.
      do advance(lexer);
      while (lexer->lookahead != '"' && lexer->lookahead != '\n' && lexer->lookahead != '\r' && !lexer->eof(lexer));
      if (lexer->lookahead == '"') advance(lexer);
    } else {
      if (next == '(') depth++;
      if (next == ')' && depth > 0) depth--;
      advance(lexer);
    }
    after_comma = next == ',';
    lexer->mark_end(lexer);
  }
  return true;
}

// Returns whether a list of statements is split before the following text. This text decides, so that a split stays
// where it is while other places are edited. The text is an instruction up to its first comma. Compilers number their
// registers consecutively, so it differs between instructions. Only the opcodes of long straight-line kernels (add,
// fma, ld, mov, mma, ...) are examined, because reading ahead costs time.
static bool cuts_here(TSLexer *lexer) {
  skip_space(lexer);
  int32_t first = lexer->lookahead;
  if (first != 'a' && first != 'f' && first != 'l' && first != 'm') return false;
  uint32_t hash = 0;
  for (unsigned i = 0; i < CUT_TEXT && !lexer->eof(lexer); i++) {
    int32_t c = lexer->lookahead;
    if (c == ',' || c == ';' || c == '\n') break;
    hash = (hash ^ (uint32_t)c) * 0x9E3779B1u;
    advance(lexer);
  }
  return hash >> (32 - CUT_BITS) == 0;
}

bool tree_sitter_ptx_external_scanner_scan(void *payload, TSLexer *lexer, const bool *valid_symbols) {
  (void)payload;
  // These two are never valid in the same state, except in error recovery, where all tokens are valid.
  if (valid_symbols[STOP_AFTER] && valid_symbols[STOP_IN_HEADER]) return false;

  if (valid_symbols[DIRECTIVE_TEXT]) {
    lexer->result_symbol = DIRECTIVE_TEXT;
    return scan_directive_text(lexer);
  }

  lexer->mark_end(lexer);
  if (valid_symbols[RUN_END]) {
    lexer->result_symbol = RUN_END;
    return cuts_here(lexer);
  }
  bool line_ended = skip_space(lexer) || lexer->eof(lexer);
  if (valid_symbols[STOP_AFTER_GUARD]) {
    lexer->result_symbol = STOP_AFTER_GUARD;
    return no_instruction_follows(lexer, line_ended);
  }
  if (valid_symbols[STOP_AT_BRACE] && lexer->lookahead == '}') {
    lexer->result_symbol = STOP_AT_BRACE;
    return true;
  }
  if (valid_symbols[STOP] && lexer->lookahead == ';') {
    lexer->result_symbol = STOP;
    return true;
  }
  if (valid_symbols[MODULO] && lexer->lookahead == '%') {
    advance(lexer);
    if (is_word(lexer->lookahead)) {
      // A register after an operand: a label on the next line, or an error that the scanner does not handle.
      if (!line_ended) return false;
      skip_word(lexer);
      skip_blanks(lexer);
      lexer->result_symbol = STOP_AFTER;
      return valid_symbols[STOP_AFTER] && colon_follows(lexer);
    }
    lexer->mark_end(lexer);
    lexer->result_symbol = MODULO;
    return true;
  }
  if (!line_ended) return false;
  enum Place place = valid_symbols[STOP_AFTER_WORD] ? AFTER_WORD : valid_symbols[STOP_IN_HEADER] ? IN_HEADER : ANYWHERE;
  enum Before before = valid_symbols[STOP_AFTER] ? OPERAND : valid_symbols[STOP_INSIDE] ? BRACKET : OPERATOR;
  if (!statement_follows(lexer, place, before)) return false;
  lexer->result_symbol = valid_symbols[STOP_AFTER]        ? STOP_AFTER
                         : valid_symbols[STOP_INSIDE]     ? STOP_INSIDE
                         : valid_symbols[STOP_OPERAND]    ? STOP_OPERAND
                         : valid_symbols[STOP_IN_HEADER]  ? STOP_IN_HEADER
                         : valid_symbols[STOP_AFTER_WORD] ? STOP_AFTER_WORD
                                                          : STOP;
  return true;
}
