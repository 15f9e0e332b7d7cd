; extends

; The text is cut at each `\$`, so the parts are combined.
(macrocall_expression
  (macro_identifier (identifier) @_macro)
  (argument_list . (string_literal (content) @injection.content))
  (#eq? @_macro "asmcall")
  (#set! injection.combined)
  (#set! injection.language "ptx"))
