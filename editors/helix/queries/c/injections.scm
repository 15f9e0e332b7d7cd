; Helix reads this file in place of its own. The first two rules are those that Helix 25.07 has.
((comment) @injection.content
 (#set! injection.language "comment"))

((preproc_arg) @injection.content
 (#set! injection.language "c")
 (#set! injection.include-children))

; PTX in the text of `asm`. Other processors' assembly has no word like `.u32` behind an opcode.
(gnu_asm_expression
  assembly_code: [
    (string_literal (string_content) @injection.content)
    (concatenated_string (string_literal (string_content) @injection.content))
  ]
  (#match? @injection.content "\\.[a-z]|@!?%?[a-z]")
  (#set! injection.language "ptx"))
