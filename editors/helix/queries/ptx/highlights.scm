; Made from tree-sitter-ptx/queries/highlights.scm by tests/editors/sync-queries.sh: edit that file, not this one.

(comment) @comment
(opcode) @function.builtin
(modifier) @attribute
(type) @type.builtin
(register) @variable.builtin
(identifier) @variable
(integer) @constant.numeric
(float) @constant.numeric.float
(string) @string
(label) @label
(state_space) @keyword.storage.modifier
(function_kind) @keyword.function
(linkage) @keyword.storage.modifier
(preprocessor_line) @keyword.directive
(directive_name) @keyword
[".version" ".target" ".address_size"] @keyword.directive
(version_number) @constant.numeric.float
(target_name) @constant.builtin
(member_name) @variable.other.member
["(" ")" "[" "]" "{" "}"] @punctuation.bracket
["," ";"] @punctuation.delimiter
