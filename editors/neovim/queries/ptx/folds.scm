; Made from tree-sitter-ptx/queries/folds.scm by tests/editors/sync-queries.sh: edit that file, not this one.

[
  (block)
  (section_directive)
  (parameter_list)
  (argument_list)
  (initializer_list)
  (vector)
  (comment)
] @fold
