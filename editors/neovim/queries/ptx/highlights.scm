; Made from tree-sitter-ptx/queries/highlights.scm by tests/editors/sync-queries.sh: edit that file, not this one.

(comment) @comment @spell
(opcode) @function.builtin
(modifier) @attribute
(type) @type.builtin
(register) @variable.builtin
(identifier) @variable
(integer) @number
(float) @number.float
(string) @string
(label) @label
(state_space) @keyword.modifier
(function_kind) @keyword.function
(linkage) @keyword.modifier
(preprocessor_line) @keyword.directive
(directive_name) @keyword
[".version" ".target" ".address_size"] @keyword.directive
(version_number) @number.float
(target_name) @constant.builtin
(member_name) @variable.member
["(" ")" "[" "]" "{" "}"] @punctuation.bracket
["," ";"] @punctuation.delimiter
