; extends

; PTX in calls that take it. Constraints such as "=r,r" have neither a dot nor a semicolon.
(call
  function: [
    (identifier) @_function
    (attribute attribute: (identifier) @_function)
  ]
  arguments: (argument_list [
    (string (string_content) @injection.content)
    (concatenated_string (string (string_content) @injection.content))
    (keyword_argument value: (string (string_content) @injection.content))
  ])
  (#any-of? @_function "inline_asm" "inline_asm_elementwise" "elementwise_inline_asm" "inline_ptx")
  (#lua-match? @injection.content "[.;]")
  (#set! injection.language "ptx"))
