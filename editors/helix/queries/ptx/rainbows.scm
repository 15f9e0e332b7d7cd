; Brackets coloured by depth (`editor.rainbow-brackets`, Helix 25.07 and newer).

[
  (block)
  (parameter_list)
  (argument_list)
  (vector)
  (address)
  (initializer_list)
  (array_suffix)
  (parenthesized_expression)
] @rainbow.scope

["(" ")" "[" "]" "{" "}"] @rainbow.bracket
