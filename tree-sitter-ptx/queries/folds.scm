[
  (block)
  (section_directive)
  (parameter_list)
  (argument_list)
  (initializer_list)
  (vector)
  (comment)
] @fold
