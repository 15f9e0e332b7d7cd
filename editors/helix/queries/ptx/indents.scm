; Helix's own dialect: what is inside is one level deeper, what is captured as @outdent closes it.

[
  (block)
  (parameter_list)
  (initializer_list)
  (section_directive)
] @indent

[
  "}"
  ")"
] @outdent
