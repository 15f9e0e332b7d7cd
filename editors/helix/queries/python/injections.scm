; Helix reads this file in place of its own. The first two rules are those that Helix 25.07 has.
((comment) @injection.content
 (#set! injection.language "comment"))

(call
  function: (attribute
    object: (identifier) @_module (#eq? @_module "re")
    attribute: (identifier) @_function (#any-of? @_function "compile" "search" "match" "fullmatch" "sub" "subn" "findall" "finditer" "split"))
  arguments: (argument_list
    . (string
        (string_content) @injection.content))
  (#set! injection.language "regex"))

; PTX in calls that take it. Constraints such as "=r,r" have neither a dot nor a semicolon.
(call
  function: [
    (identifier) @_call
    (attribute attribute: (identifier) @_call)
  ]
  arguments: (argument_list [
    (string (string_content) @injection.content)
    (concatenated_string (string (string_content) @injection.content))
    (keyword_argument value: (string (string_content) @injection.content))
  ])
  (#any-of? @_call "inline_asm" "inline_asm_elementwise" "elementwise_inline_asm" "inline_ptx")
  (#match? @injection.content "[.;]")
  (#set! injection.language "ptx"))
