; extends

(gnu_asm_expression
  assembly_code: (raw_string_literal (raw_string_content) @injection.content)
  (#match? @injection.content "\\v\\.\\a|\\@!?\\%?\\a")
  (#set! injection.language "ptx"))
