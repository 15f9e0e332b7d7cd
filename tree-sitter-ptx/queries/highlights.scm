; Colours for PTX. The capture names are those that Neovim and Helix share; where a more special one is unknown, both fall
; back to what stands before its last dot. Later patterns win. Opcodes, state spaces, types, other modifiers, registers, predicates,
; special registers, parameters, labels and numbers each have a capture of their own, so that a theme can tell them apart.

(comment) @comment
(preprocessor_line) @keyword.directive
(string) @string
(integer) @number
(float) @number.float
(version_number) @number.float
(bank) @number

; Directives
[
  ".version" ".target" ".address_size"
  ".alias" ".file" ".loc" ".loc_intermediate" ".pragma" ".section"
  ".branchtargets" ".calltargets" ".callprototype"
  ".align" ".attribute" ".ptr" ".language"
  "@@dwarf" "function_name" "inlined_at"
] @keyword.directive

(directive_name) @keyword.directive
(noreturn_directive) @keyword.directive
(unknown_directive name: (directive_name) @keyword)
(target_name) @constant
(linkage) @keyword.modifier
(function_kind) @keyword.function
(state_space) @keyword.modifier.space
(attribute_name) @attribute
(section_name) @module
(section_kind) @attribute
(address_operator) @function.builtin

; Types
(type) @type.builtin
(vector_type) @type.builtin

; Names
(identifier) @variable
(register) @variable
(sink) @variable.builtin
((identifier) @constant.builtin
  (#eq? @constant.builtin "WARP_SZ"))
(parameter name: (_) @variable.parameter)
(field_initializer name: (identifier) @property)
(member member: (member_name) @property)
(label name: (_) @label)
(branch_targets_directive target: (_) @label)
(call_targets_directive target: (_) @function)
(alias_directive name: (_) @function aliasee: (_) @function)
(function name: (_) @function)

; Compilers name predicates so. The register of a guard is one, whatever its name.
((register) @variable.predicate
  (#match? @variable.predicate "^[%]p[0-9]*$"))
(guard (register) @variable.predicate)
(guard (identifier) @variable.predicate)

; What `.param` addresses.
(instruction
  (modifier) @_space
  operand: (address [
    (identifier) @variable.parameter
    (offset base: (identifier) @variable.parameter)
  ])
  (#match? @_space "^[.]param(::(entry|func))?$"))

((register) @variable.builtin
  (#match? @variable.builtin "^[%](tid|ntid|laneid|warpid|nwarpid|ctaid|nctaid|smid|nsmid|gridid|clusterid|nclusterid|cluster_ctaid|cluster_nctaid|cluster_ctarank|cluster_nctarank|is_explicit_cluster|lanemask_(eq|le|lt|ge|gt)|clock|clock_hi|clock64|pm[0-7](_64)?|envreg[0-9]+|globaltimer(_lo|_hi)?|reserved_smem_offset_(begin|end|cap|0|1)|total_smem_size|aggr_smem_size|dynamic_smem_size|current_graph_exec|perctamemory(offset|size))$"))

; Instructions
(instruction
  opcode: (opcode) @_opcode
  operand: (identifier) @label
  (#eq? @_opcode "bra"))

; The callee stands before its arguments, or right after the opcode; what follows the arguments is a prototype.
(instruction
  opcode: (opcode) @_opcode
  operand: (identifier) @function.call
  .
  operand: (argument_list)
  (#eq? @_opcode "call"))
(instruction
  opcode: (opcode) @_opcode
  .
  (modifier)?
  .
  operand: (identifier) @function.call
  (#eq? @_opcode "call"))

; After the patterns that only look at an opcode: in Helix the last capture of a word counts, whatever its name.
(opcode) @function.builtin
((opcode) @keyword.return
  (#any-of? @keyword.return "ret" "exit" "trap" "brkpt"))
((opcode) @keyword
  (#any-of? @keyword "bra" "brx" "call"))
(modifier) @attribute.modifier
((modifier) @type.builtin
  (#match? @type.builtin "^[.](pred|v[248]|b(1|4|8|16|32|64|128)|[us](2|4|8|16|32|64)(x2|x4)?|s2f6x2|b?f16(x2)?|f32(x2)?|f64|tf32|u?e[0-9]m[0-9]+(x2|x4)?|texref|samplerref|surfref)$"))
((modifier) @keyword.modifier.space
  (#match? @keyword.modifier.space "^[.](const|global|local|param|shared|tex)(::(entry|func|cta|cluster))?$"))

(guard "@" @operator)
(guard "!" @operator)

; Punctuation and operators
[";" ","] @punctuation.delimiter
["(" ")" "[" "]" "{" "}"] @punctuation.bracket
(label ":" @punctuation.delimiter)
[
  "=" "+" "-" "*" "/" "%" "!" "~" "&" "|" "^" "&&" "||"
  "<<" ">>" "<" ">" "<=" ">=" "==" "!=" "?" ":"
] @operator
(register_range ["<" ">"] @punctuation.bracket)
