// Labels, registers and braces: what one statement leaves to another.

// probe: label-once
__global__ void f(int *p) {
  asm volatile("{ .reg .pred q; setp.eq.s32 q, %0, 0; @q bra DONE; mov.u32 %0, 2; }\nDONE:" : "+r"(p[0]));
}

// probe: label-in-braces-twice
__device__ __forceinline__ void g(int *p) {
  asm volatile("{\nbra DONE;\nDONE:\n}" : "+r"(p[0]));
}
__global__ void f(int *p) { g(p); g(p + 1); }

// probe: label-outside-braces-inlined-twice
__device__ __forceinline__ void g(int *p) {
  asm volatile("bra DONE;\nDONE: mov.u32 %0, 1;" : "+r"(p[0])); //! asm-label: we warn only, since a function that is not inlined twice compiles
}
__global__ void f(int *p) { g(p); g(p + 1); }

// probe: label-twice-in-one-statement
__global__ void f(int *p) {
  asm volatile("{\n"
      "AGAIN: add.u32 %0, %0, 1;\n"
      "AGAIN: add.u32 %0, %0, 1;\n" //! ptx
      "}" : "+r"(p[0]));
}

// probe: label-unknown
__global__ void f(int *p) {
  asm volatile("bra.uni NOWHERE;"); //! ptx
}

// probe: label-of-another-statement
__global__ void f(int *p) {
  asm volatile("bra LATER;");
  p[0] = 1;
  asm volatile("LATER:");
}

// probe: reg-outside-braces
__global__ void f(int *p) {
  asm volatile(".reg .u32 t; add.u32 t, %0, 1; mov.u32 %0, t;" : "+r"(p[0]));
}

// probe: reg-outside-braces-inlined-twice
__device__ __forceinline__ void g(int *p) {
  asm volatile(".reg .u32 t; add.u32 t, %0, 1; mov.u32 %0, t;" : "+r"(p[0])); //! asm-label: we warn only, since a function that is not inlined twice compiles
}
__global__ void f(int *p) { g(p); g(p + 1); }

// probe: reg-outside-braces-of-later-statement
__global__ void f(int *p) {
  asm volatile(".reg .u32 t;");
  asm volatile("add.u32 t, %0, 1;" ::"r"(p[0]));
  asm volatile("mov.u32 %0, t;" : "=r"(p[0]));
}

// probe: reg-outside-braces-of-later-statement-mismatch
__global__ void f(int *p) {
  asm volatile(".reg .b64 t;");
  asm volatile("add.u32 t, %0, 1;" ::"r"(p[0])); //! ptx
}

// probe: reg-used-before-declared
__global__ void f(int *p) {
  asm volatile("add.u32 t, %0, 1;" ::"r"(p[0])); //! ptx
  asm volatile(".reg .u32 t;");
}

// probe: reg-in-braces-of-later-statement
__global__ void f(int *p) {
  asm volatile("{ .reg .u32 t; mov.u32 t, 1; }");
  asm volatile("mov.u32 %0, t;" : "=r"(p[0])); //! ptx
}

// probe: reg-undeclared
__global__ void f(int *p) {
  asm volatile("mov.u32 %0, t;" : "=r"(p[0])); //! ptx
}

// probe: reg-declared-twice
__global__ void f(int *p) {
  asm volatile("{ .reg .u32 t;\n"
               ".reg .u32 t;\n" //! ptx
               "mov.u32 %0, 1; }" : "=r"(p[0]));
}

// probe: reg-shadows-in-braces
__global__ void f(int *p) {
  asm volatile(".reg .u32 t; { .reg .f32 t; mov.f32 t, 0f3f800000; } mov.u32 t, 1; mov.u32 %0, t;" : "=r"(p[0]));
}

// probe: reg-vector
__global__ void f(int *p) {
  asm volatile("{ .reg .v2 .u32 t; mov.v2.u32 t, {%1, %1}; mov.u32 %0, t.x; }" : "=r"(p[0]) : "r"(p[1]));
}

// probe: reg-range
__global__ void f(int *p) {
  asm volatile("{ .reg .u32 t<4>; mov.u32 t3, %1; mov.u32 %0, t3; }" : "=r"(p[0]) : "r"(p[1]));
}

// probe: reg-range-exceeded
__global__ void f(int *p) {
  asm volatile("{ .reg .u32 t<4>; mov.u32 t4, %0; }" ::"r"(p[1])); //! ptx
}

// probe: braces-over-two-statements
__global__ void f(int *p) {
  asm volatile("{ .reg .pred q; setp.ne.s32 q, %0, 0; @!q bra SKIP;" ::"r"(p[0]));
  asm volatile("st.global.u32 [%0], 7; SKIP: }" ::"l"(p) : "memory");
}

// probe: braces-over-two-statements-register
__global__ void f(int *p) {
  asm volatile("{ .reg .u32 t;");
  asm volatile("mov.u32 t, %0;" ::"r"(p[1]));
  asm volatile("add.u32 %0, t, 1; }" : "=r"(p[0]));
}

// probe: brace-never-closed
__global__ void f(int *p) {
  asm volatile("{ add.u32 %0, %0, 1;" : "+r"(p[0])); //! ptx
}

// probe: brace-never-opened
__global__ void f(int *p) {
  asm volatile("add.u32 %0, %0, 1; }" : "+r"(p[0])); //! ptx
}

// probe: shared-variable
__global__ void f(int *p) {
  asm volatile("{ .shared .align 4 .u32 s; st.shared.u32 [s], %1; ld.shared.u32 %0, [s]; }" : "=r"(p[0]) : "r"(p[1]));
}

// probe: global-variable-of-the-file
__device__ int counter;
__global__ void f(int *p) {
  asm volatile("ld.global.u32 %0, [counter];" : "=r"(p[0]));
  counter = p[0];
}

// probe: function-of-the-text
__global__ void f(int *p) {
  asm volatile("{ .param .b32 a; st.param.b32 [a], %0; }" ::"r"(p[0]));
}

// probe: call-of-unknown-function
__global__ void f(int *p) {
  asm volatile("call.uni nobody;"); //! ptx
}

// probe: file-scope
asm(".global .u32 counter;");
__global__ void f(int *p) { p[0] = 1; }

// probe: pragma
__global__ void f(int *p) {
  asm volatile(".pragma \"nounroll\";");
  p[0] = 1;
}

// probe: ret
__global__ void f(int *p) {
  asm volatile("ret;");
}

// probe: exit-and-trap
__global__ void f(int *p) {
  asm volatile("trap; exit;");
}
