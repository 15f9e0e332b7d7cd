; Made from tree-sitter-ptx/queries/tags.scm by tests/editors/sync-queries.sh: edit that file, not this one.

(function
  name: (_) @name) @definition.function

(source_file
  (variable_declaration
    (declarator name: (_) @name)) @definition.constant)

(alias_directive
  name: (_) @name) @definition.function

(instruction
  opcode: (opcode) @_opcode
  operand: (identifier) @name
  .
  operand: (argument_list)
  (#eq? @_opcode "call")) @reference.call
