; Made from tree-sitter-ptx/queries/locals.scm by tests/editors/sync-queries.sh: edit that file, not this one.

[(source_file) (function) (block)] @local.scope

(function name: (_) @local.definition.function)
(parameter name: [(identifier) (register)] @local.definition.parameter)
(variable_declaration (declarator name: (_) @local.definition.var))
(label name: (_) @local.definition)

(identifier) @local.reference
(register) @local.reference
