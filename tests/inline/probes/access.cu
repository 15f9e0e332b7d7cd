// Inputs that are written, outputs that are not, unused results.

// probe: input-written
__global__ void f(int *p) {
  int a = p[1];
  asm volatile("add.u32 %0, %0, 1;" ::"r"(a)); // (!) asm-input-written
  p[0] = a;
}

// probe: output-read-before-written
__global__ void f(int *p) {
  int a;
  asm volatile("add.u32 %0, %0, 1;" : "=r"(a));
  p[0] = a;
}

// probe: read-write
__global__ void f(int *p) {
  asm volatile("add.u32 %0, %0, 1;" : "+r"(p[0]));
}

// probe: read-write-counts-once
__global__ void f(int *p) {
  asm volatile("add.u32 %0, %1, %2;" : "+r"(p[0]) : "r"(p[1]), "r"(p[2]));
}

// probe: output-never-written
__global__ void f(int *p) {
  int a;
  asm volatile("{ .reg .u32 t; mov.u32 t, %1; }" : "=r"(a) : "r"(p[1]));
  p[0] = a;
}

// probe: output-written-under-guard
__global__ void f(int *p) {
  int a;
  asm volatile("{ .reg .pred q; setp.eq.s32 q, %1, 0; @q mov.u32 %0, 1; }" : "=r"(a) : "r"(p[1]));
  p[0] = a;
}

// probe: operand-unused
__global__ void f(int *p) {
  asm volatile("mov.u32 %0, 1;" : "=r"(p[0]) : "r"(p[1]));
}

// probe: atomic-without-volatile
__global__ void f(int *p) {
  int old;
  asm("atom.global.add.u32 %0, [%1], 1;" : "=r"(old) : "l"(p));
}

// probe: fence-without-memory
__global__ void f(int *p) {
  asm volatile("fence.acq_rel.gpu;");
  asm volatile("bar.sync 0;");
}

// probe: store-without-memory
__global__ void f(int *p) {
  asm volatile("st.global.u32 [%0], 1;" ::"l"(p));
}

// probe: outputs-before-inputs
__global__ void f(int *p) {
  int a, b;
  asm volatile("mov.u32 %0, 1; add.u32 %1, %2, %0;" : "=r"(a), "=r"(b) : "r"(p[1]));
  p[0] = a + b;
}

// probe: same-variable-twice
__global__ void f(int *p) {
  int a = p[1];
  asm volatile("add.u32 %0, %1, 1;" : "=r"(a) : "r"(a));
  p[0] = a;
}
