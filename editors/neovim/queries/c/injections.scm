; extends

; PTX in the text of `asm`. Other processors' assembly has no word like `.u32` behind an opcode. C++ and CUDA inherit this.
(gnu_asm_expression
  assembly_code: [
    (string_literal (string_content) @injection.content)
    (concatenated_string (string_literal (string_content) @injection.content))
  ]
  (#match? @injection.content "\\v\\.\\a|\\@!?\\%?\\a")
  (#set! injection.language "ptx"))
