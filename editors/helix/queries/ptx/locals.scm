; Made from tree-sitter-ptx/queries/locals.scm by tests/editors/sync-queries.sh: edit that file, not this one.

(block) @local.scope
