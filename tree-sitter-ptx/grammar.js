/**
 * @file PTX, the assembly language of NVIDIA GPUs, versions 1.0 to 9.5.
 * @license MIT OR Apache-2.0
 *
 * The grammar describes shapes, not instructions: an opcode is a word and a modifier is a dot-word, so that a new PTX version needs no
 * new grammar. Only directives are keywords, because each has its own syntax.
 *
 * Three decisions shape the rest:
 *
 * - Every item is allowed at every level, and statements are allowed at the top level. NVIDIA's assembler is stricter. But a missing
 *   brace then causes one MISSING node instead of an ERROR over the rest of the file, which keeps reparsing fast.
 * - A statement ends at its line end if the next line can only begin another statement. The external scanner (src/scanner.c) reports this
 *   with a zero-width token, which appears in the tree as `unclosed`. This syntax error is cheap, because the parser never has to recover
 *   from it. With an ordinary MISSING node, the parser would find it cheaper to skip short statements than to insert the node.
 * - Every dot-word is one token, `modifier`, which is renamed according to its position (type, member name, ...). The keywords are
 *   extracted from it, so `.global` is a state space in a declaration and a modifier in `ld.global`.
 */

/// <reference types="tree-sitter-cli/dsl" />
// @ts-check

/** Precedences, from the loosest to the tightest; the operators are ordered as in C. */
const PREC = {
  leaf: -1, ternary: 1, or: 2, and: 3, bit_or: 4, bit_xor: 5, bit_and: 6, equality: 7, comparison: 8, shift: 9, sum: 10,
  product: 11, unary: 12, operand: 13,
};

/** The binary operators by precedence. */
const binaryOperators = ($) => [
  [PREC.or, ['||']], [PREC.and, ['&&']], [PREC.bit_or, ['|']], [PREC.bit_xor, ['^']], [PREC.bit_and, ['&']],
  [PREC.equality, ['==', '!=']], [PREC.comparison, ['<', '<=', '>', '>=']], [PREC.shift, ['<<', '>>']],
  [PREC.sum, ['+', '-']], [PREC.product, ['*', '/', alias($._modulo, '%')]],
];

const STATE_SPACES = [
  '.const', '.global', '.local', '.param', '.reg', '.shared', '.sreg', '.tex', '.surf',
  '.shared::cta', '.shared::cluster', '.param::entry', '.param::func',
];

/** The types of DWARF data, listed because a line of data has no terminator and the next one begins with its type. */
const SECTION_TYPES = [
  '.b8', '.b16', '.b32', '.b64', '.u8', '.u16', '.u32', '.u64', '.s8', '.s16', '.s32', '.s64',
  '.byte', '.2byte', '.4byte', '.8byte', '.quad',
];

/** A size without an expression: a literal or any word. A separate token for `WARP_SZ` would impair error recovery. */
const number = ($) => choice($.integer, $.identifier);

/** A number of a directive. Here `WARP_SZ` is a token: behind `.loc 1 3`, any other word is a label or an instruction. */
const directiveNumber = ($) => choice($.integer, alias('WARP_SZ', $.integer));

/** A choice that also accepts a single rule. */
const oneOf = (rules) => rules.length === 1 ? rules[0] : choice(...rules);
const list = (rule) => seq(rule, repeat(seq(',', rule)));
/** One of the given words, as a leaf with the given node kind. */
const leaf = (words, kind) => choice(...words.map((word) => alias(word, kind)));

/** A closing token, or the beginning of a statement on the next line, which leaves a visible, empty node. */
const closing = ($, close) => choice(close, alias($._stop_after, $.unclosed));

/** A required operand, or the end of an unfinished statement because the next line begins another one. */
const wanted = ($, rule) => choice(rule, alias($._stop_operand, $.unclosed));

/** A bracketed list. Without its end it may end in a comma; the brace of a block ends every open bracket except a brace. */
const bracketed = ($, open, rule, close) => {
  const brace = close === '}' ? [] : [$._stop_at_brace];
  const stops = leaf([$._stop_inside, ...brace], $.unclosed);
  const ends = choice(closing($, close), ...brace.map((stop) => alias(stop, $.unclosed)), seq(',', stops));
  return seq(open, choice(close, stops, seq(list(rule), ends)));
};

/** A function instead of a rule: a hidden node for each operand would reduce the speed by a tenth. */
const placedOperand = ($) => choice(
  field('operand', $._operand),
  // `[a].unified`
  seq(field('operand', choice($.address, $.index)), field('suffix', $.modifier)),
);

export default grammar({
  name: 'ptx',

  word: $ => $.modifier,

  extras: $ => [/[ \t\r\n\f\v\uFEFF]/, $.comment, $.preprocessor_line],

  externals: $ => [
    $._stop, // the next line begins a statement and not an operand, or `;` replaces an operand
    $._stop_after_word, // like _stop, where a dot-word may follow
    $._stop_after, // like _stop, after an operand: any word on the next line begins a statement
    $._stop_at_brace, // the closing brace of a block
    $._stop_in_header, // the next line begins a statement, not a directive of the header
    $.directive_text, // the text after an unknown directive
    $._stop_inside, // like _stop, after a bracket or a comma in it, where no statement can end
    $._stop_operand, // the next line begins a statement, not an operand
    $._stop_after_guard, // the text after a guard begins a statement other than an instruction
    $._run_end, // a good position to split a long list of statements
    $._modulo, // a per cent sign that does not begin a register
  ],

  inline: $ => [$._guarded, $._name, $._symbol, $._leaf, $._operand, $._initializer, $._type, $._space, $._section_symbol],

  rules: {
    source_file: $ => optional($._body),

    // Statements in runs of about a hundred, separated by a token that the scanner derives from the following text. The runs are hidden
    // and only improve the speed. After an edit tree-sitter rebuilds the surrounding repetitions element by element, so a function of
    // 50,000 statements in one repetition would cost tens of milliseconds per keystroke. A run begins with a statement instead of a
    // repetition, because tree-sitter never reuses a node that begins with a repetition as a whole. A run ends before a word, because no
    // complete statement continues with a word.
    _body: $ => choice($._runs, seq(optional($._runs), $._statement, optional($._statements))),

    _runs: $ => repeat1($._run),

    _run: $ => seq($._statement, optional($._statements), $._run_end),

    _statements: $ => repeat1($._statement),

    _statement: $ => choice(
      $.version_directive,
      $.target_directive,
      $.address_size_directive,
      $.function,
      $.variable_declaration,
      $.alias_directive,
      $.file_directive, $.loc_directive, $.loc_intermediate_directive,
      $.pragma_directive,
      $.section_directive,
      $.dwarf_directive,
      $.branch_targets_directive, $.call_targets_directive, $.call_prototype_directive,
      $.unknown_directive,
      $.label,
      $.block,
      $.instruction,
    ),

    // ---- module header

    version_directive: $ => seq(
      '.version',
      optional(field('version', leaf([$.float, $.integer], $.version_number))),
    ),

    target_directive: $ => seq(
      '.target',
      choice(list(field('target', $._target)), alias($._stop, $.unclosed)),
    ),

    _target: $ => alias($.identifier, $.target_name),

    address_size_directive: $ => seq('.address_size', optional(field('size', $.integer))),

    // ---- functions

    // Functions and variables are split into hidden parts, because each optional part doubles the states of a flat rule.
    function: $ => seq(
      $._function_start,
      optional($._signature),
      repeat($._header_directive),
      choice(field('body', $.block), ';', alias($._stop_in_header, $.unclosed)),
    ),

    _function_start: $ => seq(
      optional($._linkages),
      field('kind', leaf(['.entry', '.func'], $.function_kind)),
      optional($._attribute_lists),
    ),

    _signature: $ => choice(
      field('returns', $.parameter_list),
      seq(optional(field('returns', $.parameter_list)), $._named_parameters),
    ),

    _named_parameters: $ => seq(field('name', $._name), optional(field('parameters', $.parameter_list))),

    _linkages: $ => repeat1(leaf(['.extern', '.visible', '.weak', '.common'], $.linkage)),

    _attribute_lists: $ => repeat1($.attribute_list),

    _header_directive: $ => choice(
      $.performance_directive,
      $.noreturn_directive,
      $.abi_preserve_directive,
      $.language_directive,
      $.pragma_directive,
    ),

    // Accept any dot-word: a new or misspelt directive then keeps the body attached to its function.
    performance_directive: $ => seq(
      field('name', alias($.modifier, $.directive_name)),
      optional(list(field('value', choice(directiveNumber($), $.string)))),
    ),

    noreturn_directive: _ => '.noreturn',

    abi_preserve_directive: $ => seq(
      field('name', leaf(['.abi_preserve', '.abi_preserve_control'], $.directive_name)),
      field('count', directiveNumber($)),
    ),

    language_directive: $ => seq('.language', list(field('language', choice($.string, $.integer)))),

    parameter_list: $ => seq('(', optional(list($.parameter)), ')'),

    parameter: $ => prec.right(seq(
      repeat1(choice(
        field('space', $._space),
        $.alignment,
        field('vector', $.vector_type),
        field('type', $._type),
        $.pointer_attribute,
        $.attribute_list,
      )),
      optional(field('name', choice($._name, $.sink))),
      repeat($.array_suffix),
    )),

    pointer_attribute: $ => prec.right(seq(
      '.ptr',
      optional(field('space', $._space)),
      optional($.alignment),
    )),

    attribute_list: $ => seq('.attribute', '(', optional(list($.attribute)), ')'),

    attribute: $ => seq(
      field('name', alias($.modifier, $.attribute_name)),
      optional(seq('(', optional(seq(list(field('argument', $._expression)), optional(alias($._stop_after, $.unclosed)))), ')')),
    ),

    // ---- variables

    variable_declaration: $ => seq(
      $._variable_start,
      optional($._properties),
      choice(
        ';',
        alias($._stop_after_word, $.unclosed),
        seq(list($.declarator), choice(closing($, ';'), seq(',', alias($._stop, $.unclosed), optional(';')))),
      ),
    ),

    _variable_start: $ => seq(
      optional($._linkages),
      repeat(choice($.attribute_list, $.alignment)),
      $._placed_space,
    ),

    _placed_space: $ => seq(field('space', $._space), optional(field('bank', $.bank))),

    _properties: $ => repeat1(choice(
      field('space', $._space),
      $.attribute_list,
      $.alignment,
      field('vector', $.vector_type),
      field('type', $._type),
    )),

    declarator: $ => seq(
      field('name', $._name),
      optional($.register_range),
      repeat($.array_suffix),
      optional(seq('=', choice(field('value', $._initializer), alias($._stop, $.unclosed)))),
    ),

    register_range: $ => seq('<', choice(
      seq(field('count', number($)), closing($, '>')),
      alias($._stop, $.unclosed),
    )),

    array_suffix: $ => seq('[', choice(
      ']',
      alias($._stop, $.unclosed),
      seq(field('size', $._expression), closing($, ']')),
    )),

    alignment: $ => seq('.align', field('value', number($))),

    vector_type: _ => choice('.v2', '.v3', '.v4', '.v8', '.v16', '.v32'),

    // `.const[2]`, before PTX 2.2. No white space is allowed there, which distinguishes it from an address operand.
    bank: _ => token.immediate(/\[[0-9]+\]/),

    _initializer: $ => choice(
      $.initializer_list,
      $.mask_initializer,
      $.generic_address,
      alias($._generic_offset, $.offset),
      $._leaf,
      $._expression,
    ),

    initializer_list: $ => bracketed($, '{', choice($.field_initializer, $._initializer), '}'),

    field_initializer: $ => seq(field('name', $.identifier), '=', field('value', $._initializer)),

    mask_initializer: $ => seq(
      field('mask', $.integer),
      '(',
      field('value', choice($.generic_address, alias($._generic_offset, $.offset), $._expression)),
      closing($, ')'),
    ),

    // The operator is a plain word, because a variable may have the name `generic`.
    generic_address: $ => seq(
      field('operator', alias($.identifier, $.address_operator)),
      '(',
      field('value', $._expression),
      closing($, ')'),
    ),

    _generic_offset: $ => prec.left(PREC.sum, seq(
      field('base', choice($.generic_address, alias($._generic_offset, $.offset))),
      field('operator', choice('+', '-')),
      field('amount', $._expression),
    )),

    // ---- other directives

    alias_directive: $ => seq(
      '.alias', field('name', $._name), ',', field('aliasee', $._name), ';',
    ),

    pragma_directive: $ => seq('.pragma', list(field('text', $.string)), ';'),

    branch_targets_directive: $ => seq('.branchtargets', list($._target_entry), ';'),

    call_targets_directive: $ => seq('.calltargets', list($._target_entry), ';'),

    // `N<5>` stands for the labels N0 to N4.
    _target_entry: $ => seq(field('target', $._name), optional($.register_range)),

    call_prototype_directive: $ => seq(
      '.callprototype',
      $._prototype,
      repeat(choice($.noreturn_directive, $.abi_preserve_directive)),
      ';',
    ),

    _prototype: $ => seq(
      optional(field('returns', $.parameter_list)),
      field('name', choice($.sink, $._name)),
      optional(field('parameters', $.parameter_list)),
    ),

    file_directive: $ => seq(
      '.file',
      optional(field('index', directiveNumber($))),
      optional($._file_path),
    ),

    _file_path: $ => seq(
      field('path', $.string),
      optional(seq(
        ',', field('timestamp', directiveNumber($)),
        optional(seq(',', field('size', directiveNumber($)))),
      )),
    ),

    loc_directive: $ => seq(
      '.loc',
      $._position,
      optional(seq(
        ',', alias($.identifier, 'function_name'), field('function_name', $._section_value),
        ',', alias($.identifier, 'inlined_at'), field('inlined_at', alias($._position, $.position)),
      )),
    ),

    loc_intermediate_directive: $ => seq('.loc_intermediate', $._position),

    _position: $ => prec.right(seq(
      field('file', directiveNumber($)),
      optional(seq(field('line', directiveNumber($)), optional(field('column', directiveNumber($))))),
    )),

    // A section may contain any item: after a missing brace, the rest of the file must not become an ERROR.
    section_directive: $ => seq(
      choice(
        seq('.section', field('name', alias($.modifier, $.section_name))),
        field('name', alias('.nv_intermediate_source_section', $.section_name)),
      ),
      '{',
      repeat(choice($.section_line, $._statement)),
      '}',
    ),

    section_line: $ => seq(
      field('type', leaf(SECTION_TYPES, $.type)),
      choice(list(field('value', $._section_value)), alias($._stop, $.unclosed)),
    ),

    // Not `_expression`: without a terminator, it would take the type of the next line as a member of the value.
    _section_value: $ => choice(
      $.integer,
      $._section_symbol,
      alias($._section_negative, $.unary_expression),
      alias($._section_offset, $.offset),
    ),

    _section_symbol: $ => choice($._name, alias($.modifier, $.section_name)),

    _section_negative: $ => seq(field('operator', '-'), field('argument', $.integer)),

    _section_offset: $ => seq(
      field('base', choice($.integer, $._section_symbol)),
      field('operator', choice('+', '-')),
      field('amount', choice($.integer, $._section_symbol)),
    ),

    dwarf_directive: $ => seq(
      alias(/@@[A-Za-z_]*/, '@@dwarf'),
      field('name', alias($.modifier, $.directive_name)),
      choice(list(field('value', choice($._section_value, $.string, $.section_kind))), alias($._stop, $.unclosed)),
    ),

    section_kind: $ => seq('@', $.identifier),

    // An unknown dot-word, with the unparsed text after it up to `;` or to the end of the line. It must stay local: the scanner ends it
    // before every known directive and every brace, so that a misspelt `.visible` leaves its function intact.
    unknown_directive: $ => prec.right(seq(
      optional($._linkages),
      field('name', alias($.modifier, $.directive_name)),
      field('text', $.directive_text),
      optional(';'),
    )),

    preprocessor_line: _ => token(/#([^\n\\]|\\\r?\n|\\[^\n])*/),

    // ---- statements

    label: $ => seq(field('name', $._name), ':'),

    block: $ => seq('{', optional($._body), '}'),

    // A guard may be on its own line before an instruction, but not before a label, a directive or another guard.
    instruction: $ => choice(
      seq(optional(field('guard', $.guard)), $._guarded),
      seq(field('guard', $.guard), alias($._stop_after_guard, $.unclosed)),
    ),

    _guarded: $ => seq(
      field('opcode', alias($.identifier, $.opcode)),
      repeat(choice($.modifier, $.bank)),
      choice(
        ';',
        leaf([$._stop_after_word, $._stop_at_brace], $.unclosed),
        seq($._operands, choice(
          closing($, ';'),
          seq(',', leaf([$._stop, $._stop_at_brace], $.unclosed), optional(';')),
        )),
      ),
    ),

    // Left-recursive: a repetition has twice the hidden nodes, and instructions have too few operands to benefit from a balanced tree.
    _operands: $ => choice(
      placedOperand($),
      seq($._operands, ',', placedOperand($)),
    ),

    guard: $ => seq(
      '@',
      optional('!'),
      // Only a name is valid here, but other operands must not turn the whole instruction into an error.
      choice(field('predicate', choice($._name, $.member, $.integer)), alias($._stop, $.unclosed)),
    ),

    // ---- operands

    _operand: $ => choice(
      $._leaf,
      $._expression,
      $.sink,
      $.negation,
      $.pair,
      $.vector,
      $.address,
      $.argument_list,
      $.string,
    ),

    _name: $ => choice($.identifier, $.register),

    _symbol: $ => choice($._name, $.member, $.index),

    _leaf: $ => choice($._symbol, $.integer, $.float),

    member: $ => seq(
      field('object', $._name),
      field('member', alias($.modifier, $.member_name)),
    ),

    index: $ => seq(
      field('object', $._name),
      '[',
      choice(
        alias($._stop, $.unclosed),
        seq(field('index', choice($._leaf, $._expression)), closing($, ']')),
      ),
    ),

    negation: $ => prec(PREC.operand, seq('!', field('operand', $._symbol))),

    pair: $ => prec(PREC.operand, seq(
      field('first', choice($._name, $.sink, $.member, $.vector)),
      '|',
      wanted($, field('second', choice($._name, $.sink, $.member, $.vector, $.integer))),
    )),

    vector: $ => bracketed($, '{', $._operand, '}'),

    address: $ => bracketed($, '[', $._operand, ']'),

    argument_list: $ => bracketed($, '(', $._operand, ')'),

    // ---- constant expressions

    // The negative precedence keeps a leaf that is the whole operand free of hidden nodes. Most operands are such leaves, and each hidden
    // node costs time.
    _expression: $ => choice(
      prec(PREC.leaf, $._leaf),
      $.offset,
      $.unary_expression,
      $.binary_expression,
      $.ternary_expression,
      $.cast_expression,
      // One rule for all parentheses, named according to the position: distinguishing them needs more than one token of lookahead.
      prec(PREC.leaf, alias($.argument_list, $.parenthesized_expression)),
    ),

    // The assembler accepts only `+` here, unless the base is WARP_SZ.
    offset: $ => prec.left(PREC.sum, seq(
      field('base', choice($._symbol, $.offset)),
      field('operator', choice('+', '-')),
      wanted($, field('amount', $._expression)),
    )),

    unary_expression: $ => prec.right(PREC.unary, seq(
      field('operator', choice('-', '+', '!', '~')),
      wanted($, field('argument', $._expression)),
    )),

    binary_expression: $ => choice(...binaryOperators($).map(([precedence, operators]) => prec.left(precedence, seq(
      field('left', $._expression),
      field('operator', oneOf(operators)),
      wanted($, field('right', $._expression)),
    )))),

    ternary_expression: $ => prec.right(PREC.ternary, seq(
      field('condition', $._expression),
      '?',
      field('consequence', $._expression),
      choice(
        seq(':', field('alternative', $._expression)),
        alias($._stop_after, $.unclosed),
      ),
    )),

    cast_expression: $ => prec.right(PREC.unary, seq(
      '(', field('type', $._type), ')', field('value', $._expression),
    )),

    // ---- leaves

    _space: $ => leaf(STATE_SPACES, $.state_space),

    _type: $ => alias($.modifier, $.type),

    // `.v4`, `.16x64b`, `.shared::cluster`. A single dot is a modifier too, because the user may be about to type the rest. The rule
    // precedes `float`, so that it wins over `.5` in the few places that allow both.
    modifier: _ => /\.([A-Za-z0-9_$]+(::[A-Za-z0-9_$]*)*(::[0-9]+:[0-9]+)?)?/,

    identifier: _ => /[A-Za-z][A-Za-z0-9_$]*|[_$][A-Za-z0-9_$]+/,

    // A single per cent sign is a register whose name is being typed.
    register: _ => /%[A-Za-z0-9_$]*/,

    sink: _ => '_',

    integer: _ => token(choice(
      /0[xX][0-9a-fA-F]+U?/,
      /0[bB][01]+U?/,
      /0[0-7]*U?/,
      /[1-9][0-9]*U?/,
    )),

    float: _ => token(choice(
      /0[fF][0-9a-fA-F]{8}/,
      /0[dD][0-9a-fA-F]{16}/,
      /[0-9]+\.[0-9]*([eE][+-]?[0-9]+)?/,
      /\.[0-9]+([eE][+-]?[0-9]+)?/,
      /[0-9]+[eE][+-]?[0-9]+/,
    )),

    // A string ends at the end of its line, even without a closing quotation mark.
    string: _ => /"[^"\r\n]*"?/,

    comment: _ => token(choice(
      /\/\/([^\r\n]|\r[^\n])*/,
      // An unclosed comment extends to the end of the file.
      /\/\*([^*]|\*+[^*\/])*(\*+\/)?/,
    )),
  },
});
