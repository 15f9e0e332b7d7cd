; Made from tree-sitter-ptx/queries/tags.scm by tests/editors/sync-queries.sh: edit that file, not this one.

(function name: (identifier) @name) @definition.function
