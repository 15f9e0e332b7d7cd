; What `m a f`, `m i f`, `] f`, `m a a`, `] c` and their kin select.

(function
  body: (block)? @function.inside) @function.around

(parameter_list
  ((parameter) @parameter.inside . ","? @parameter.around) @parameter.around)

(instruction
  operand: (_) @parameter.inside @parameter.around)

(comment) @comment.inside

(comment)+ @comment.around

(initializer_list
  (_) @entry.inside) @entry.around
