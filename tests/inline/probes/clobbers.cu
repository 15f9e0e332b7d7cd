// Clobbers, `volatile`, `goto`, and other spellings of the statement.

// probe: clobber-memory
__global__ void f(int *p) {
  asm volatile("st.global.u32 [%0], 1;" ::"l"(p) : "memory");
}

// probe: clobber-cc
__global__ void f(int *p) {
  asm volatile("st.global.u32 [%0], 1;" ::"l"(p)
      : "cc"); //! asm-clobber
}

// probe: clobber-register
__global__ void f(int *p) {
  asm volatile("st.global.u32 [%0], 1;" ::"l"(p)
      : "r0"); //! asm-clobber
}

// probe: clobber-memory-and-cc
__global__ void f(int *p) {
  asm volatile("st.global.u32 [%0], 1;" ::"l"(p)
      : "memory", "cc"); //! asm-clobber
}

// probe: clobber-memory-twice
__global__ void f(int *p) {
  asm volatile("st.global.u32 [%0], 1;" ::"l"(p) : "memory", "memory");
}

// probe: clobber-empty
__global__ void f(int *p) {
  asm volatile("st.global.u32 [%0], 1;" ::"l"(p)
      : ""); //! asm-clobber
}

// probe: clobber-in-pieces
__global__ void f(int *p) {
  asm volatile("st.global.u32 [%0], 1;" ::"l"(p) : "mem" "ory");
}

// probe: spelling-asm-volatile
__global__ void f(int *p) {
  __asm__ __volatile__("st.global.u32 [%0], 1;" : : "l"(p) : "memory"); //! ptx: NVRTC knows only asm; nvcc takes this spelling too
}

// probe: spelling-two-underscores
__global__ void f(int *p) {
  __asm volatile("st.global.u32 [%0], 1;" : : "l"(p) : "memory"); //! ptx: NVRTC knows only asm; nvcc takes this spelling too
}

// probe: spelling-blanks
__global__ void f(int *p) {
  asm
  volatile
  (
    "st.global.u32 [%0], 1;"
    :
    :
    "l"  (p)
    :
    "memory"
  );
}

// probe: spelling-comments
__global__ void f(int *p) {
  asm volatile /* stores */ ("st.global.u32 " // the opcode
               /* "not this;" */ "[%0], 1;" : /* none : */ : "l"(p) /* ) */ : "memory");
}

// probe: spelling-inline
__global__ void f(int *p) {
  asm inline("mov.u32 %0, 1;" : "=r"(*p));
}

// probe: asm-goto
__global__ void f(int *p) {
  asm goto("bra %l1;" : : "r"(*p) : : out); //! asm-operand-modifier
  *p = 1;
out:
  return;
}

// probe: asm-in-expression-names
__global__ void f(int *p, int asmx) {
  int a = asmx; // asm("nonsense" : : )
  const char *text = "asm(\"nonsense\")";
  asm("add.s32 %0, %1, 1;" : "=r"(*p) : "r"(a + (int)text[0]));
}

// probe: expression-with-colons-and-strings
struct A { static constexpr int value = 3; };
__device__ int g(const char *text) { return text[0]; }
__global__ void f(int *p, bool yes) {
  asm("add.s32 %0, %1, %2;" : "=r"(*p) : "r"(yes ? A::value : 2), "r"(g("a:b),(\"")));
}

// probe: expression-with-template-arguments
template <int A, int B> __device__ int g() { return A + B; }
__global__ void f(int *p) {
  asm("add.s32 %0, %1, %2;" : "=r"(*p) : "r"(g<1, 2>()), "r"(3));
}

// probe: expression-with-brackets
__global__ void f(int *p) {
  asm("add.s32 %0, %1, %2;" : "=r"(p[(1, 2)]) : "r"(p[p[0]]), "r"(*&p[')' - '(']));
}

// probe: expression-with-lambda
__global__ void f(int *p) {
  asm("add.s32 %0, %1, 1;" : "=r"(*p) : "r"([=] { int a = p[0]; return a ? 1 : 2; }()));
}
