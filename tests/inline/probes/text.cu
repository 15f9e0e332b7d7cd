// The text: semicolons, literals in pieces, escapes, raw strings, splices, macros, comments.

// probe: semicolon-missing
__global__ void f(int *p) {
  asm volatile("add.s32 %0, %1, 1" : "=r"(p[0]) : "r"(p[1])); //! asm-missing-semicolon
  p[2] = 1;
}

// probe: semicolon-missing-last-of-two
__global__ void f(int *p) {
  asm volatile("add.s32 %0, %1, 1;\n"
               "add.s32 %0, %0, 1" : "=r"(p[0]) : "r"(p[1])); //! asm-missing-semicolon
  p[2] = 1;
}

// probe: semicolon-missing-before-second-line
__global__ void f(int *p) {
  asm volatile("add.s32 %0, %1, 1\n" //! ptx
               "add.s32 %0, %0, 1;" : "=r"(p[0]) : "r"(p[1]));
  p[2] = 1;
}

// probe: semicolon-missing-before-brace
__global__ void f(int *p) {
  asm volatile("{ .reg .u32 t; mov.u32 t, %1; add.s32 %0, t, 1 }" : "=r"(p[0]) : "r"(p[1])); //! ptx
}

// probe: semicolon-not-needed-after-brace
__global__ void f(int *p) {
  asm volatile("{ add.s32 %0, %1, 1; }" : "=r"(p[0]) : "r"(p[1]));
}

// probe: semicolon-after-brace
__global__ void f(int *p) {
  asm volatile("{ add.s32 %0, %1, 1; };" : "=r"(p[0]) : "r"(p[1])); //! ptx
}

// probe: semicolon-twice
__global__ void f(int *p) {
  asm volatile("add.s32 %0, %1, 1;;" : "=r"(p[0]) : "r"(p[1])); //! ptx
}

// probe: semicolon-alone
__global__ void f() {
  asm volatile(";"); //! ptx
}

// probe: text-empty
__global__ void f(int *p) {
  asm volatile("" ::: "memory");
}

// probe: text-comment-only
__global__ void f(int *p) {
  asm volatile("// nothing here\n");
}

// probe: text-line-comment-last
__global__ void f(int *p) {
  asm volatile("add.s32 %0, %1, 1; // one more" : "=r"(p[0]) : "r"(p[1]));
}

// probe: text-line-comment-swallows
__global__ void f(int *p) {
  asm volatile("add.s32 %0, // sum " //! asm-missing-semicolon
               "%1, 1;" : "=r"(p[0]) : "r"(p[1]));
  p[2] = 1;
}

// probe: text-block-comment-open
__global__ void f(int *p) {
  asm volatile("add.s32 %0, %1, 1; /* never closed" : "=r"(p[0]) : "r"(p[1])); //! ptx
}

// probe: literals-in-pieces
__global__ void f(int *p) {
  asm volatile("add" ".s32" " %" "0, %1" ", 1;" : "=r"(p[0]) : "r"(p[1]));
}

// probe: literals-in-pieces-opcode-wrong
__global__ void f(int *p) {
  asm volatile("add" ".s33" " %0, %1" ", 1;" : "=r"(p[0]) : "r"(p[1])); //! ptx
}

// probe: literals-without-newline
__global__ void f(int *p) {
  asm volatile("{.reg .u32 t;"
               "add.s32 t, %1, 1;"
               "add.s32 %0, t, 1;}"
               : "=r"(p[0]) : "r"(p[1]));
}

// probe: literals-run-together
__global__ void f(int *p) {
  asm volatile("{.reg .u32" //! ptx
               "t; mov.u32 %0, t;}"
               : "=r"(p[0]));
}

// probe: escape-tab-and-hex
__global__ void f(int *p) {
  asm volatile("\tadd.s32\x20%0, \061, \x31;\r\n" : "=r"(p[0]));
}

// probe: escape-unicode-in-comment
__global__ void f(int *p) {
  asm volatile("add.s32 %0, %0, 1; /* \u00e4 ä */" : "+r"(p[0]));
}

// probe: escape-quotes
__global__ void f(int *p) {
  asm volatile(".loc 1 1 1; add.s32 %0, %0, 1; // \"quoted\" \\ \?" : "+r"(p[0])); //! ptx
}

// probe: escape-question-mark
__global__ void f(int *p) {
  asm volatile("add.s32 %0, %0, 1; // why\?\?" : "+r"(p[0]));
}

// probe: raw-string
__global__ void f(int *p) {
  asm volatile(R"({
    .reg .u32 t;
    add.u32 t, %1, 1;
    add.u32 %0, t, t;
  })" : "=r"(p[0]) : "r"(p[1]));
}

// probe: raw-string-error
__global__ void f(int *p) {
  asm volatile(R"({
    .reg .u32 t;
    add.u32 t, %1, 1;
    addd.u32 %0, t, t; //! ptx
  })" : "=r"(p[0]) : "r"(p[1]));
}

// probe: raw-string-delimiter
__global__ void f(int *p) {
  asm volatile(R"ptx({ // )" is no end
    add.u32 %0, %1, 1; }
  )ptx" : "=r"(p[0]) : "r"(p[1]));
}

// probe: raw-string-index
__global__ void f(int *p) {
  asm volatile(R"({
    .reg .u32 t;
    add.u32 %0, %1, %2; //! asm-operand-index
  })" : "=r"(p[0]) : "r"(p[1]));
}

// probe: raw-and-ordinary-together
__global__ void f(int *p) {
  asm volatile("{ .reg .u32 t; " R"(
    add.u32 t, %1, 1;
  )" "mov.u32 %0, t; }" : "=r"(p[0]) : "r"(p[1]));
}

// probe: raw-string-backslash
__global__ void f(int *p) {
  asm volatile(R"(add.u32 %0, %1, 1;\n)" : "=r"(p[0]) : "r"(p[1])); //! asm-missing-semicolon
}

// probe: prefix-u8
__global__ void f(int *p) {
  asm volatile(u8"add.u32 %0, %0, 1;" : "+r"(p[0]));
}

// probe: splice-in-literal
__global__ void f(int *p) {
  asm volatile("{ .reg .u32 t; \
    add.u32 t, %1, 1; \
    add.u32 %0, t, t; }" : "=r"(p[0]) : "r"(p[1]));
}

// probe: splice-in-literal-error
__global__ void f(int *p) {
  asm volatile("{ .reg .u32 t; \
    add.u32 t, %1, 1; \
    add.f32 %0, t, q; }" : "=r"(p[0]) : "r"(p[1])); //! ptx
}

// probe: splice-in-opcode
__global__ void f(int *p) {
  asm volatile("add.\
u32 %0, %1, 1;" : "=r"(p[0]) : "r"(p[1]));
}

// probe: splice-in-keyword
__global__ void f(int *p) {
  as\
m volatile("add.u32 %0, %1, 1;" : "=r"(p[0]) : "r"(p[1]));
}

// probe: macro-for-opcode
#define OPCODE "add.u32"
__global__ void f(int *p) {
  asm volatile(OPCODE " %0, %1, 1;" : "=r"(p[0]) : "r"(p[1]));
}

// probe: macro-for-opcode-wrong
#define OPCODE "add.b32"
__global__ void f(int *p) {
  asm volatile(OPCODE " %0, %1, 1;" : "=r"(p[0]) : "r"(p[1])); //! ptx
}

// probe: macro-for-all
#define STEP "add.u32 %0, %1, 1;\n"
__global__ void f(int *p) {
  asm volatile(STEP STEP "mov.u32 %0, %1;" : "=r"(p[0]) : "r"(p[1]));
}

// probe: macro-of-macro
#define SUFFIX ".u32"
#define OPCODE "add" SUFFIX
__global__ void f(int *p) {
  asm volatile(OPCODE " %0, %1, 1;" : "=r"(p[0]) : "r"(p[1]));
}

// probe: macro-with-parameter
#define ADD(type) asm volatile("add." #type " %0, %1, 1;" : "=r"(p[0]) : "r"(p[1]))
__global__ void f(int *p) {
  ADD(u32);
}

// probe: macro-body-statement
#define ADD(a, b) \
  asm volatile("add.u32 %0, %1, 1;" : "=r"(a) : "r"(b))
__global__ void f(int *p) {
  ADD(p[0], p[1]);
}

// probe: macro-body-of-several-lines
#define ADD(a, b) \
  asm volatile("{ .reg .u32 t;" \
               "add.u32 t, %1, 1;" \
               "mov.u32 %0, t; }" \
               : "=r"(a) : "r"(b))
__global__ void f(int *p) {
  ADD(p[0], p[1]);
}

// probe: macro-for-operands
#define OPERANDS "r"(p[1]), "r"(p[2])
__global__ void f(int *p) {
  asm volatile("add.u32 %0, %1, %2;" : "=r"(p[0]) : OPERANDS);
}

// probe: macro-for-clobber
#define CLOBBER "memory"
__global__ void f(int *p) {
  asm volatile("st.global.u32 [%0], 1;" ::"l"(p) : CLOBBER);
}

// probe: macro-named-as-keyword
#define ASM asm volatile
__global__ void f(int *p) {
  ASM("add.u32 %0, %1, 1;" : "=r"(p[0]) : "r"(p[1]));
}

// probe: condition-in-operands
__global__ void f(int *p) {
  asm volatile("add.u32 %0, %1, 1;"
               : "=r"(p[0])
#if 1
               : "r"(p[1])
#else
               : "r"(p[2])
#endif
  );
}

// probe: branch-not-compiled
__global__ void f(int *p) {
#if 0
  asm volatile("this is no statement;");
#endif
  p[0] = 1;
}

// probe: other-processor-not-compiled
__global__ void f(int *p) { p[0] = 1; }
#ifndef __CUDACC__
void host() {
  asm volatile("movq %%rsp, %%rbp; rdtsc" : : : "memory");
}
#endif
