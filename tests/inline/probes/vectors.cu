// Vector operands, packing, addresses.

// probe: vector-load
__global__ void f(int4 *p) {
  int4 v;
  asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(p + 1));
  *p = v;
}

// probe: vector-load-too-few
__global__ void f(int4 *p) {
  int4 v = *p;
  asm volatile("ld.global.v4.u32 {%0, %1, %2}, [%3];" : "=r"(v.x), "=r"(v.y), "=r"(v.z) : "l"(p + 1)); //! ptx
  *p = v;
}

// probe: vector-load-v3
__global__ void f(int4 *p) {
  int4 v = *p;
  asm volatile("ld.global.v3.u32 {%0, %1, %2}, [%3];" : "=r"(v.x), "=r"(v.y), "=r"(v.z) : "l"(p + 1)); //! ptx
  *p = v;
}

// probe: vector-load-v8
__global__ void f(int *p) {
  asm volatile("ld.global.v8.u32 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8];" //! ptx sm_75 sm_80 sm_90a
    : "=r"(p[0]), "=r"(p[1]), "=r"(p[2]), "=r"(p[3]), "=r"(p[4]), "=r"(p[5]), "=r"(p[6]), "=r"(p[7]) : "l"(p + 8));
}

// probe: vector-discard
__global__ void f(int4 *p) {
  int x;
  asm volatile("ld.global.v4.u32 {%0, _, _, _}, [%1];" : "=r"(x) : "l"(p + 1));
  p->x = x;
}

// probe: vector-mixed-registers
__global__ void f(float2 *p) {
  float x;
  int y;
  asm volatile("ld.global.v2.f32 {%0, %1}, [%2];" : "=f"(x), "=r"(y) : "l"(p + 1));
  p->x = x + y;
}

// probe: pack
__global__ void f(long long *p, int a) {
  asm("mov.b64 %0, {%1, %1};" : "=l"(*p) : "r"(a));
}

// probe: pack-wrong-size
__global__ void f(int *p, int a) {
  asm("mov.b32 %0, {%1, %1};" : "=r"(*p) : "r"(a)); //! ptx
}

// probe: unpack
__global__ void f(long long *p, int *q) {
  asm("mov.b64 {%0, %1}, %2;" : "=r"(q[0]), "=r"(q[1]) : "l"(*p));
}

// probe: unpack-discard
__global__ void f(long long *p, int *q) {
  asm("mov.b64 {%0, _}, %1;" : "=r"(q[0]) : "l"(*p));
}

// probe: pack-halves
__global__ void f(int *p, short a, short b) {
  asm("mov.b32 %0, {%1, %2};" : "=r"(*p) : "h"(a), "h"(b));
}

// probe: address-offset
__global__ void f(int *p) {
  asm volatile("ld.global.u32 %0, [%1 + 16];" : "=r"(*p) : "l"(p));
}

// probe: address-shared-32
__global__ void f(int *p, unsigned a) {
  asm volatile("ld.shared.u32 %0, [%1];" : "=r"(*p) : "r"(a));
}

// probe: address-global-32
__global__ void f(int *p, unsigned a) {
  asm volatile("ld.global.u32 %0, [%1];" : "=r"(*p) : "r"(a)); //! ptx
}

// probe: address-generic-32
__global__ void f(int *p, unsigned a) {
  asm volatile("ld.u32 %0, [%1];" : "=r"(*p) : "r"(a)); //! ptx
}

// probe: address-of-half
__global__ void f(int *p, unsigned short a) {
  asm volatile("ld.shared.u32 %0, [%1];" : "=r"(*p) : "h"(a));
}

// probe: address-without-brackets
__global__ void f(int *p) {
  asm volatile("ld.global.u32 %0, %1;" : "=r"(*p) : "l"(p)); //! ptx
}

// probe: address-conversion
__global__ void f(int *p) {
  unsigned a;
  asm("{ .reg .u64 t; cvta.to.shared.u64 t, %1; cvt.u32.u64 %0, t; }" : "=r"(a) : "l"(p));
  *p = a;
}
