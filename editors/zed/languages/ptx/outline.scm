(function
  (function_kind) @context
  name: (_) @name) @item

(source_file
  (variable_declaration
    (declarator name: (_) @name) @item))

(label name: (_) @name) @item
