; Made from tree-sitter-ptx/queries/injections.scm by tests/editors/sync-queries.sh: edit that file, not this one.

((comment) @injection.content
  (#set! injection.language "comment"))

((preprocessor_line) @injection.content
  (#set! injection.language "c"))
