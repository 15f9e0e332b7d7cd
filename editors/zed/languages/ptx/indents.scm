(block "}" @end) @indent
(section_directive "}" @end) @indent
(parameter_list ")" @end) @indent
(argument_list ")" @end) @indent
(initializer_list "}" @end) @indent
