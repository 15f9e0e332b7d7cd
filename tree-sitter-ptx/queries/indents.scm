; Neovim reads @indent.*, Helix @indent and @outdent; each passes over the names of the other.

[
  (block)
  (section_directive)
  (parameter_list)
  (argument_list)
  (initializer_list)
] @indent.begin @indent

["}" ")"] @indent.branch @indent.end @outdent

; Labels stand at the margin of their block.
(label) @indent.branch

(comment) @indent.auto
(ERROR) @indent.auto
