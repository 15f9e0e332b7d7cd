; Append this to the file of the same name in the runtime of Helix, which has no other way to extend one.

; cuda-oxide's macro. Its constraints are in brackets of their own.
(macro_invocation
  macro: [
    (identifier) @_macro
    (scoped_identifier name: (identifier) @_macro)
  ]
  (token_tree [
    (string_literal (string_content) @injection.content)
    (raw_string_literal (string_content) @injection.content)
  ])
  (#eq? @_macro "ptx_asm")
  (#set! injection.language "ptx"))

; `asm!` with a register class of the nvptx targets.
(macro_invocation
  macro: [
    (identifier) @_macro
    (scoped_identifier name: (identifier) @_macro)
  ]
  (token_tree
    [
      (string_literal (string_content) @injection.content)
      (raw_string_literal (string_content) @injection.content)
    ]
    (token_tree . (identifier) @_class .))
  (#eq? @_macro "asm")
  (#any-of? @_class "reg16" "reg32" "reg64")
  (#set! injection.language "ptx"))

; `asm!` without one: other processors' assembly has neither a type like `.u32` behind an opcode nor such opcodes.
(macro_invocation
  macro: [
    (identifier) @_macro
    (scoped_identifier name: (identifier) @_macro)
  ]
  (token_tree [
    (string_literal (string_content) @injection.content)
    (raw_string_literal (string_content) @injection.content)
  ])
  (#eq? @_macro "asm")
  (#match? @injection.content "\\b[a-uw-z]\\w*(\\.[a-z0-9_:]+)*\\.([busf](8|16|32|64|128)|pred|b?f16x2|bf16)\\b|^\\s*(\\{\\{)?\\s*(bar|barrier|membar|fence\\.(proxy|sc|acq_rel)|cp\\.(async|reduce)|wgmma|mbarrier|tcgen05|vote)\\.[a-z]|\\.reg\\s+\\.|@!?%\\w+\\s+[a-z]")
  (#set! injection.language "ptx"))
