// `%` in the text: indices, names, modifiers, `%%`, `%=`.

// probe: index-too-large
__global__ void f(int *p) {
  asm("add.s32 %0, %1, %2;" : "=r"(p[0]) : "r"(p[1])); //! asm-operand-index
}

// probe: index-too-large-second-line
__global__ void f(int *p) {
  asm volatile("{\n"
      ".reg .b32 t;\n"
      "add.s32 t, %1, 1;\n"
      "add.s32 %0, t, %3;\n" //! asm-operand-index
      "}"
      : "=r"(p[0]) : "r"(p[1]), "r"(p[2]));
}

// probe: index-too-large-in-comment
__global__ void f(int *p) {
  asm("add.s32 %0, %1, 1; // %2" : "=r"(p[0]) : "r"(p[1])); //! asm-operand-index
}

// probe: index-of-two-digits
__global__ void f(int *p) {
  asm volatile("{\n add.s32 %0, %10, %11;\n}"
      : "=r"(p[0])
      : "r"(p[1]), "r"(p[2]), "r"(p[3]), "r"(p[4]), "r"(p[5]), "r"(p[6]), "r"(p[7]), "r"(p[8]), "r"(p[9]), "r"(p[10]), "r"(p[11]));
}

// probe: index-with-leading-zero
__global__ void f(int *p) {
  asm("add.s32 %0, %01, 1;" : "=r"(p[0]) : "r"(p[1])); //? undeclared-name: numbers with leading zeros are not operands here
}

// probe: operand-name
__global__ void f(int *p) {
  asm("add.s32 %[sum], %1, 1;" : [sum] "=r"(p[0]) : "r"(p[1])); //! asm-operand-name
}

// probe: operand-name-unused
__global__ void f(int *p) {
  asm("add.s32 %0, %1, 1;" : [sum] "=r"(p[0]) : [a] "r"(p[1]));
}

// probe: operand-name-unknown
__global__ void f(int *p) {
  asm("add.s32 %0, %[a], 1;" : "=r"(p[0]) : "r"(p[1])); //! asm-operand-name
}

// probe: modifier-x
__global__ void f(int *p) {
  asm("add.s32 %0, %x1, 1;" : "=r"(p[0]) : "r"(p[1])); //! asm-operand-modifier
}

// probe: modifier-r
__global__ void f(int *p) {
  asm("add.s32 %0, %r1, 1;" : "=r"(p[0]) : "r"(p[1])); //! asm-operand-modifier
}

// probe: modifier-p
__global__ void f(int *p) {
  asm volatile("{ .reg .pred %p1; setp.eq.s32 %p1, %0, 0; }" ::"r"(p[1])); //! asm-operand-modifier
}

// probe: modifier-escaped
__global__ void f(int *p) {
  asm volatile("{ .reg .pred %%p1; setp.eq.s32 %%p1, %0, 0; }" ::"r"(p[1]));
}

// probe: name-unescaped
__global__ void f(int *p) {
  asm("add.u32 %0, %laneid, 1;" : "=r"(p[0])); //! ptx
}

// probe: name-unescaped-moved
__global__ void f(int *p) {
  asm("mov.u32 %0, %laneid;" : "=r"(p[0]));
}

// probe: name-unescaped-of-register
__global__ void f(int *p) {
  asm("{ .reg .u32 %t; mov.u32 %t, 1; add.u32 %0, %t, 1; }" : "=r"(p[0]));
}

// probe: name-escaped
__global__ void f(int *p) {
  asm("mov.u32 %0, %%laneid;" : "=r"(p[0]));
}

// probe: name-escaped-with-member
__global__ void f(int *p) {
  asm("mov.u32 %0, %%tid.x;" : "=r"(p[0]));
}

// probe: percent-without-operands
__global__ void f(int *p) {
  asm volatile("{ .reg .u32 t; mov.u32 t, %laneid; }");
}

// probe: double-percent-without-operands
__global__ void f(int *p) {
  asm volatile("{ .reg .u32 t; mov.u32 t, %%laneid; }"); //! asm-percent
}

// probe: double-percent-without-operands-but-colons
__global__ void f(int *p) {
  asm volatile("{ .reg .u32 t; mov.u32 t, %%laneid; }" :::"memory"); //! asm-percent
}

// probe: double-percent-without-operands-empty-lists
__global__ void f(int *p) {
  asm volatile("{ .reg .u32 t; mov.u32 t, %%laneid; }" ::); //! asm-percent
}

// probe: percent-without-operands-but-colons
__global__ void f(int *p) {
  asm volatile("{ .reg .u32 t; mov.u32 t, %laneid; }" :::"memory");
}

// probe: unique-with-operands
__global__ void f(int *p) {
  asm volatile("{\n"
      ".reg .pred q;\n"
      "AGAIN_%=:\n"
      "setp.eq.s32 q, %0, 0;\n"
      "@q bra AGAIN_%=;\n"
      "}" ::"r"(p[0]));
}

// probe: unique-without-operands
__global__ void f() {
  asm volatile("{\nbra DONE_%=;\n" //! asm-percent
               "DONE_%=:\n}");
}

// probe: percent-at-the-end
__global__ void f(int *p) {
  asm("add.s32 %0, %1, 1; // 100 %" : "=r"(p[0]) : "r"(p[1])); //! asm-percent
}

// probe: percent-before-blank-in-comment
__global__ void f(int *p) {
  asm("add.s32 %0, %1, 1; // 100 % sure\n" : "=r"(p[0]) : "r"(p[1]));
}

// probe: percent-before-blank
__global__ void f(int *p) {
  asm("add.s32 % 0, %1, 1;" : "=r"(p[0]) : "r"(p[1])); //! ptx
}

// probe: percent-index-without-operands
__global__ void f() {
  asm volatile("{ .reg .u32 t; mov.u32 t, %0; }"); //! asm-operand-index
}

// probe: register-percent-digit-without-operands
__global__ void f() {
  asm volatile("{ .reg .u32 %0; mov.u32 %0, 1; }"); //? asm-operand-index: such names are taken for operands that are missing
}

// probe: triple-percent
__global__ void f(int *p) {
  asm("mov.u32 %0, %%%1;" : "=r"(p[0]) : "r"(p[1])); //! ptx
}

// probe: dollar-name
__global__ void f(int *p) {
  asm("{ .reg .u32 $t; mov.u32 $t, 1; add.u32 %0, $t, 1; }" : "=r"(p[0]));
}

// probe: braces-and-bars
__global__ void f(int *p) {
  asm("{ .reg .pred q|r; }" ::"r"(p[0])); //! ptx
}

// probe: predicate-pair
__global__ void f(int *p) {
  asm volatile("{ .reg .pred q, r; setp.eq.s32 q|r, %0, 1; selp.b32 %0, 1, 2, r; }" : "+r"(p[0]));
}
