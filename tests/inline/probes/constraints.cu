// Constraints and C++ types: what nvcc takes as an operand.

// probe: constraint-r
__global__ void f(int *p) {
  int sum;
  asm("add.s32 %0, %1, %2;" : "=r"(sum) : "r"(p[0]), "r"(p[1]));
  *p = sum;
}

// probe: constraint-h
__global__ void f(unsigned short *p) {
  asm("add.u16 %0, %1, %2;" : "=h"(p[2]) : "h"(p[0]), "h"(p[1]));
}

// probe: constraint-l
__global__ void f(unsigned long long *p) {
  asm("mad.wide.u32 %0, %1, 3, %2;" : "=l"(p[0]) : "r"(7), "l"(p[1]));
}

// probe: constraint-l-pointer
__global__ void f(int *p) {
  asm volatile("st.global.u32 [%0], %1;" ::"l"(p), "r"(1) : "memory");
}

// probe: constraint-f
__global__ void f(float *p) {
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(p[0]) : "f"(p[1]));
}

// probe: constraint-d
__global__ void f(double *p) {
  asm("fma.rn.f64 %0, %1, %1, %1;" : "=d"(p[0]) : "d"(p[1]));
}

// probe: constraint-q
__global__ void f(__int128 *p) {
  __int128 value = p[0], old;
  asm volatile("mov.b128 %0, %1;" : "=q"(old) : "q"(value));
  p[1] = old;
}

// probe: constraint-b-predicate
__global__ void f(int *p, bool yes) {
  asm("selp.b32 %0, 1, 2, %1;" : "=r"(*p) : "b"(yes));
}

// probe: constraint-n
__global__ void f(int *p) {
  asm("add.s32 %0, %0, %1;" : "+r"(*p) : "n"(4 * 8));
}

// probe: constraint-enum
enum Mode { First = 1, Second };
__global__ void f(int *p, Mode mode) {
  asm("add.s32 %0, %0, %1;" : "+r"(*p) : "r"(mode));
}

// probe: constraint-i
__global__ void f(int *p) {
  asm("add.s32 %0, %0, %1;" : "+r"(*p) : "i"(4)); //! asm-constraint
}

// probe: constraint-m
__global__ void f(int *p) {
  asm("ld.global.u32 %0, %1;" : "=r"(*p) : "m"(p[1])); //! asm-constraint
}

// probe: constraint-g
__global__ void f(int *p) {
  asm("add.s32 %0, %0, %1;"
      : "+r"(*p)
      : "g"(p[1])); //! asm-constraint
}

// probe: constraint-x
__global__ void f(float *p) {
  asm("add.f32 %0, %0, %1;"
      : "+f"(*p)
      : "x"(p[1])); //! asm-constraint
}

// probe: constraint-two-letters
__global__ void f(int *p) {
  asm("add.s32 %0, %0, %1;"
      : "+r"(*p)
      : "ri"(p[1])); //! asm-constraint
}

// probe: constraint-empty
__global__ void f(int *p) {
  asm("add.s32 %0, %0, %1;"
      : "+r"(*p)
      : ""(p[1])); //! asm-constraint
}

// probe: constraint-output-without-equals
__global__ void f(int *p) {
  asm("mov.u32 %0, 1;"
      : "r"(*p)); //! asm-access
}

// probe: constraint-input-with-equals
__global__ void f(int *p) {
  asm("add.s32 %0, %0, %1;"
      : "+r"(*p)
      : "=r"(p[1])); //! asm-access
}

// probe: constraint-input-with-plus
__global__ void f(int *p) {
  asm("add.s32 %0, %0, %1;"
      : "+r"(*p)
      : "+r"(p[1])); //! asm-access
}

// probe: constraint-early-clobber
__global__ void f(int *p) {
  int sum;
  asm("add.s32 %0, %1, %2;"
      : "=&r"(sum)
      : "r"(p[0]), "r"(p[1]));
  *p = sum;
}

// probe: constraint-tied-digit
__global__ void f(int *p) {
  int sum;
  asm("add.s32 %0, %0, %2;"
      : "=r"(sum)
      : "0"(p[0]), "r"(p[1])); //! asm-constraint
  *p = sum;
}

// probe: constraint-n-of-variable
__global__ void f(int *p, int n) {
  asm("add.s32 %0, %0, %1;"
      : "+r"(*p)
      : "n"(n)); //! asm-constraint: whether an expression is constant is a matter of C++
}

// probe: constraint-n-as-output
__global__ void f(int *p) {
  int n;
  asm(""
      : "=n"(n)); //! asm-constraint: constants as outputs are not looked for
  *p = n;
}

// probe: constraint-upper-case
__global__ void f(int *p) {
  asm("add.s32 %0, %0, %1;"
      : "+r"(*p)
      : "R"(p[1])); //! asm-constraint
}

// probe: type-short-in-r
__global__ void f(short *p, int *q) {
  asm("add.s32 %0, %0, %1;"
      : "+r"(*q)
      : "r"(*p)); //! asm-constraint: C++ types are not checked
}

// probe: type-bool-in-r
__global__ void f(int *q, bool yes) {
  asm("add.s32 %0, %0, %1;"
      : "+r"(*q)
      : "r"(yes)); //! asm-constraint: C++ types are not checked
}

// probe: type-float-in-r
__global__ void f(int *q, float x) {
  asm("add.s32 %0, %0, %1;"
      : "+r"(*q)
      : "r"(x)); //! asm-constraint: C++ types are not checked
}

// probe: type-int-in-f
__global__ void f(float *q, int x) {
  asm("add.f32 %0, %0, %1;"
      : "+f"(*q)
      : "f"(x)); //! asm-constraint: C++ types are not checked
}

// probe: type-struct
struct Pair { int a, b; };
__global__ void f(long long *q, Pair x) {
  asm("mov.b64 %0, %1;"
      : "=l"(*q)
      : "l"(x)); //! asm-constraint: C++ types are not checked
}

// probe: output-is-an-rvalue
__global__ void f(int a, int b) {
  asm volatile("mov.u32 %0, 1;"
      : "=r"(a + b)); //! asm-access: C++ expressions are not checked
}

// probe: register-f-in-integer-instruction
__global__ void f(int *p, float x) {
  asm("add.u32 %0, %0, %1;" : "+r"(*p) : "f"(x)); //! ptx sm_75 sm_80 sm_90a //? operand-type sm_100a sm_120a: newer compilers declare .b32 for this constraint, older ones .f32
}

// probe: register-r-in-float-instruction
__global__ void f(int *p) {
  asm("add.f32 %0, %0, %1;" : "+r"(p[0]) : "r"(p[1]));
}

// probe: register-l-in-32-bit-instruction
__global__ void f(int *p, long long x) {
  asm("add.u32 %0, %0, %1;" : "+r"(*p) : "l"(x)); //! ptx
}

// probe: register-h-in-32-bit-instruction
__global__ void f(int *p, short x) {
  asm("add.u32 %0, %0, %1;" : "+r"(*p) : "h"(x)); //! ptx
}

// probe: register-d-in-f32-instruction
__global__ void f(float *p, double x) {
  asm("add.f32 %0, %0, %1;" : "+f"(*p) : "d"(x)); //! ptx
}

// probe: register-r-as-predicate
__global__ void f(int *p, int x) {
  asm("selp.b32 %0, 1, 2, %1;" : "=r"(*p) : "r"(x)); //! ptx
}

// probe: predicate-guards
__global__ void f(int *p, bool yes) {
  asm volatile("@%1 st.global.u32 [%0], 1;" ::"l"(p), "b"(yes) : "memory");
}

// probe: register-r-guards
__global__ void f(int *p, int yes) {
  asm volatile("@%1 st.global.u32 [%0], 1;" ::"l"(p), "r"(yes) : "memory"); //! ptx
}

// probe: missing-comma-between-operands
__global__ void f(int *p) {
  asm("add.s32 %0, %1, %2;" : "=r"(p[0]) : "r"(p[1]) "r"(p[2]));
}

// probe: trailing-comma-after-operands
__global__ void f(int *p) {
  asm("add.s32 %0, %0, 1;" : "+r"(p[0]) , ); //! asm-constraint: a matter of the C++ grammar
}

// probe: constant-in-r
__global__ void f(int *p) {
  asm("add.s32 %0, %0, %1;" : "+r"(p[0]) : "r"(5));
}

// probe: r-as-immediate-only
__global__ void f(int *p) {
  asm("lop3.b32 %0, %0, 1, 2, %1;" : "+r"(p[0]) : "r"(5)); //! ptx
}

// probe: n-as-immediate-only
__global__ void f(int *p) {
  asm("lop3.b32 %0, %0, 1, 2, %1;" : "+r"(p[0]) : "n"(5));
}

// probe: n-above-eight-bits
__global__ void f(int *p) {
  asm("lop3.b32 %0, %0, 1, 2, %1;" : "+r"(p[0]) : "n"(256));
}

// probe: n-large-becomes-negative
__global__ void f(int *p) {
  asm("add.u32 %0, %0, %1;" : "+r"(p[0]) : "n"(0xffffffffu));
}

// probe: n-template-parameter
template <int N> __device__ void g(int *p) {
  asm("lop3.b32 %0, %0, 1, 2, %1;" : "+r"(p[0]) : "n"(N));
}
__global__ void f(int *p) { g<7>(p); }

// probe: n-constexpr
constexpr int table = 0x96;
__global__ void f(int *p) {
  asm("lop3.b32 %0, %0, 1, 2, %1;" : "+r"(p[0]) : "n"(table));
}

// probe: n-constexpr-above-eight-bits
constexpr int table = 0x196;
__global__ void f(int *p) {
  asm("lop3.b32 %0, %0, 1, 2, %1;" : "+r"(p[0]) : "n"(table));
}

// probe: n-written
__global__ void f(int *p) {
  asm volatile("mov.u32 %0, 1;" ::"n"(1)); //! ptx
}

// probe: n-in-opcode
__global__ void f(int *p) {
  asm("shf.l.wrap.b%1 %0, %0, 3, 4;" : "+r"(p[0]) : "n"(32));
}

// probe: n-in-opcode-wrong
__global__ void f(int *p) {
  asm("shf.l.wrap.b%1 %0, %0, 3, 4;" : "+r"(p[0]) : "n"(31)); //! ptx
}

// probe: n-as-address-offset
__global__ void f(int *p) {
  int x;
  asm volatile("ld.global.u32 %0, [%1+%2];" : "=r"(x) : "l"(p), "n"(8));
  *p = x;
}

// probe: n-as-vector-width
__global__ void f(int *p) {
  int x, y;
  asm volatile("ld.global.v%3.u32 {%0, %1}, [%2];" : "=r"(x), "=r"(y) : "l"(p), "n"(2));
  *p = x + y;
}

// probe: n-as-vector-width-wrong
__global__ void f(int *p) {
  int x, y;
  asm volatile("ld.global.v%3.u32 {%0, %1}, [%2];" : "=r"(x), "=r"(y) : "l"(p), "n"(3)); //! ptx
  *p = x + y;
}

// probe: n-negative
__global__ void f(int *p) {
  asm("add.s32 %0, %0, %1;" : "+r"(p[0]) : "n"(-3));
}

// probe: n-true
__global__ void f(int *p) {
  asm("add.s32 %0, %0, %1;" : "+r"(p[0]) : "n"(true));
}

// probe: n-character
__global__ void f(int *p) {
  asm("add.s32 %0, %0, %1;" : "+r"(p[0]) : "n"('a'));
}

// probe: n-float
__global__ void f(int *p) {
  asm("add.s32 %0, %0, %1;"
      : "+r"(p[0])
      : "n"(1.5f)); //! asm-constraint: C++ types are not checked
}

// probe: n-decimal-in-float-instruction
__global__ void f(float *p) {
  asm("add.f32 %0, %0, %1;" : "+f"(p[0]) : "n"(1)); //! ptx
}
