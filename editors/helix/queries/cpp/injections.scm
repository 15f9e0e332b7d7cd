; Helix reads this file in place of its own. The first two rules are those that Helix 25.07 has.
; inherits: c

((preproc_arg) @injection.content
 (#set! injection.language "cpp")
 (#set! injection.include-children))

(raw_string_literal
  delimiter: (raw_string_delimiter) @injection.language
  (raw_string_content) @injection.content)

(gnu_asm_expression
  assembly_code: (raw_string_literal (raw_string_content) @injection.content)
  (#match? @injection.content "\\.[a-z]|@!?%?[a-z]")
  (#set! injection.language "ptx"))
