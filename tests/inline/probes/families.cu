// Ordinary PTX of many families, on targets that have it and on targets that do not.

// probe: shfl-sync
__global__ void f(int *p) {
  asm volatile("shfl.sync.bfly.b32 %0, %1, 16, 31, 0xffffffff;" : "=r"(p[0]) : "r"(p[1]));
}

// probe: shfl-without-sync
__global__ void f(int *p) {
  asm volatile("shfl.bfly.b32 %0, %1, 16, 31;" : "=r"(p[0]) : "r"(p[1])); //! ptx
}

// probe: vote-ballot
__global__ void f(int *p, bool yes) {
  asm volatile("vote.sync.ballot.b32 %0, %1, 0xffffffff;" : "=r"(p[0]) : "b"(yes));
}

// probe: redux
__global__ void f(int *p) {
  asm volatile("redux.sync.add.s32 %0, %1, 0xffffffff;" : "=r"(p[0]) : "r"(p[1])); //! ptx sm_75
}

// probe: redux-f32
__global__ void f(float *p) {
  asm volatile("redux.sync.max.f32 %0, %1, 0xffffffff;" : "=f"(p[0]) : "f"(p[1])); //! ptx sm_75 sm_80 sm_90a sm_120a
}

// probe: lop3
__global__ void f(int *p) {
  asm("lop3.b32 %0, %1, %2, %3, 0xe8;" : "=r"(p[0]) : "r"(p[1]), "r"(p[2]), "r"(p[3]));
}

// probe: prmt
__global__ void f(int *p) {
  asm("prmt.b32 %0, %1, %2, 0x5410;" : "=r"(p[0]) : "r"(p[1]), "r"(p[2]));
}

// probe: bfe-and-bfi
__global__ void f(int *p) {
  asm("bfe.u32 %0, %1, 4, 8; bfi.b32 %0, %0, %1, 8, 8;" : "=r"(p[0]) : "r"(p[1]));
}

// probe: carry-chain
__global__ void f(int *p) {
  asm("add.cc.u32 %0, %2, 1; addc.u32 %1, %3, 0;" : "=r"(p[0]), "=r"(p[1]) : "r"(p[2]), "r"(p[3]));
}

// probe: carry-chain-other-order
__global__ void f(int *p) {
  asm("add.u32.cc %0, %1, 1;" : "=r"(p[0]) : "r"(p[2]));
}

// probe: dp4a
__global__ void f(int *p) {
  asm("dp4a.s32.u32 %0, %1, %2, %0;" : "+r"(p[0]) : "r"(p[1]), "r"(p[2]));
}

// probe: dp2a-without-half
__global__ void f(int *p) {
  asm("dp2a.s32.s32 %0, %1, %2, %0;" : "+r"(p[0]) : "r"(p[1]), "r"(p[2])); //! ptx
}

// probe: mul-without-mode
__global__ void f(int *p) {
  asm("mul.s32 %0, %1, %2;" : "=r"(p[0]) : "r"(p[1]), "r"(p[2])); //! ptx
}

// probe: half-fma
__global__ void f(int *p) {
  asm("fma.rn.f16x2 %0, %1, %2, %0;" : "+r"(p[0]) : "r"(p[1]), "r"(p[2]));
}

// probe: half-fma-without-rounding
__global__ void f(int *p) {
  asm("fma.f16x2 %0, %1, %2, %0;" : "+r"(p[0]) : "r"(p[1]), "r"(p[2])); //! ptx
}

// probe: bfloat-fma
__global__ void f(int *p) {
  asm("fma.rn.bf16x2 %0, %1, %2, %0;" : "+r"(p[0]) : "r"(p[1]), "r"(p[2])); //! ptx sm_75
}

// probe: bfloat-add
__global__ void f(int *p) {
  asm("add.bf16x2 %0, %1, %2;" : "=r"(p[0]) : "r"(p[1]), "r"(p[2])); //! ptx sm_75 sm_80
}

// probe: packed-f32-add
__global__ void f(long long *p) {
  asm("add.rn.f32x2 %0, %1, %2;" : "=l"(p[0]) : "l"(p[1]), "l"(p[2])); //! ptx sm_75 sm_80 sm_90a
}

// probe: tanh
__global__ void f(float *p) {
  asm("tanh.approx.f32 %0, %1;" : "=f"(p[0]) : "f"(p[1]));
}

// probe: rcp-without-approximation
__global__ void f(float *p) {
  asm("rcp.f32 %0, %1;" : "=f"(p[0]) : "f"(p[1])); //! ptx
}

// probe: cvt-f16
__global__ void f(float *p, unsigned short *q) {
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(q[0]) : "f"(p[1]));
}

// probe: cvt-without-rounding
__global__ void f(float *p, unsigned short *q) {
  asm("cvt.f16.f32 %0, %1;" : "=h"(q[0]) : "f"(p[1])); //! ptx
}

// probe: cvt-bf16x2
__global__ void f(float *p, int *q) {
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(q[0]) : "f"(p[1]), "f"(p[2])); //! ptx sm_75
}

// probe: cvt-e4m3
__global__ void f(float *p, unsigned short *q) {
  asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(q[0]) : "f"(p[1]), "f"(p[2])); //! ptx sm_75 sm_80
}

// probe: cvt-e2m1
__global__ void f(float *p, unsigned short *q) {
  asm("{ .reg .b8 t; cvt.rn.satfinite.e2m1x2.f32 t, %1, %2; mov.b16 %0, {t, t}; }" : "=h"(q[0]) : "f"(p[1]), "f"(p[2])); //! ptx sm_75 sm_80 sm_90a
}

// probe: cvt-e4m3-into-r
__global__ void f(float *p, int *q) {
  asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=r"(q[0]) : "f"(p[1]), "f"(p[2])); //! ptx
}

// probe: load-cache-hints
__global__ void f(int *p) {
  asm volatile("ld.global.nc.L1::no_allocate.L2::128B.u32 %0, [%1];" : "=r"(p[0]) : "l"(p));
}

// probe: load-cache-hints-other-order
__global__ void f(int *p) {
  asm volatile("ld.global.L1::no_allocate.nc.u32 %0, [%1];" : "=r"(p[0]) : "l"(p));
}

// probe: load-acquire
__global__ void f(int *p) {
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(p[0]) : "l"(p) : "memory");
}

// probe: load-volatile-with-scope
__global__ void f(int *p) {
  asm volatile("ld.volatile.sys.global.u32 %0, [%1];" : "=r"(p[0]) : "l"(p) : "memory"); //! ptx
}

// probe: store-release-without-scope
__global__ void f(int *p) {
  asm volatile("st.release.global.u32 [%0], 1;" ::"l"(p) : "memory"); //! ptx
}

// probe: red-acq-rel
__global__ void f(int *p) {
  asm volatile("red.acq_rel.gpu.global.add.u32 [%0], 1;" ::"l"(p) : "memory"); //! ptx
}

// probe: red-add-half
__global__ void f(int *p) {
  asm volatile("red.global.add.noftz.f16x2 [%0], %1;" ::"l"(p), "r"(1) : "memory");
}

// probe: red-vector
__global__ void f(float *p) {
  asm volatile("red.global.add.v2.f32 [%0], {%1, %2};" ::"l"(p), "f"(p[0]), "f"(p[1]) : "memory"); //! ptx sm_75 sm_80
}

// probe: atom-cas-128
__global__ void f(__int128 *p) {
  __int128 old, a = p[1];
  asm volatile("atom.global.cas.b128 %0, [%1], %2, %2;" : "=q"(old) : "l"(p), "q"(a) : "memory"); //! ptx sm_75 sm_80
  p[2] = old;
}

// probe: atom-cas-too-few
__global__ void f(int *p) {
  asm volatile("atom.global.cas.b32 %0, [%1], 1;" : "=r"(p[1]) : "l"(p) : "memory"); //! ptx
}

// probe: cp-async
__global__ void f(int *p, unsigned s) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\n" //! ptx sm_75
               "cp.async.commit_group;\ncp.async.wait_group %2;" ::"r"(s), "l"(p), "n"(1) : "memory");
}

// probe: cp-async-cg-of-8
__global__ void f(int *p, unsigned s) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 8;" ::"r"(s), "l"(p) : "memory"); //! ptx
}

// probe: cp-async-wait-register
__global__ void f(int *p, int n) {
  asm volatile("cp.async.wait_group %0;" ::"r"(n) : "memory"); //! ptx
}

// probe: cp-async-bulk
__global__ void f(int *p, unsigned s, unsigned b) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 256, [%2];" ::"r"(s), "l"(p), "r"(b) : "memory"); //! ptx sm_75 sm_80
}

// probe: cp-async-bulk-tensor
__global__ void f(void *map, unsigned s, unsigned b, int x, int y) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes " //! ptx sm_75 sm_80
               "[%0], [%1, {%3, %4}], [%2];" ::"r"(s), "l"(map), "r"(b), "r"(x), "r"(y) : "memory");
}

// probe: cp-async-bulk-tensor-coordinates
__global__ void f(void *map, unsigned s, unsigned b, int x, int y) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
               "[%0], [%1, {%3, %4, %4}], [%2];" ::"r"(s), "l"(map), "r"(b), "r"(x), "r"(y) : "memory"); //! ptx
}

// probe: cp-reduce-without-operation
__global__ void f(int *p, unsigned s) {
  asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.u32 [%0], [%1], 64;" ::"l"(p), "r"(s) : "memory"); //! ptx
}

// probe: mbarrier-loop
__global__ void f(unsigned b, int phase) {
  asm volatile(
      "{\n"
      ".reg .pred done;\n"
      "WAIT:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n" //! ptx sm_75 sm_80
      "@!done bra WAIT;\n"
      "}" ::"r"(b), "r"(phase) : "memory");
}

// probe: mbarrier-init
__global__ void f(unsigned b) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(b), "r"(1) : "memory"); //! ptx sm_75
}

// probe: barrier-cluster
__global__ void f() {
  asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory"); //! ptx sm_75 sm_80
}

// probe: barrier-number
__global__ void f() {
  asm volatile("bar.sync %0, %1;" ::"r"(1), "n"(128) : "memory");
}

// probe: barrier-number-too-large
__global__ void f() {
  asm volatile("bar.sync 16, 128;" ::: "memory"); //! ptx
}

// probe: barrier-threads-not-of-a-warp
__global__ void f() {
  asm volatile("bar.sync 1, 33;" ::: "memory"); //! ptx
}

// probe: fence-proxy
__global__ void f() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); //! ptx sm_75 sm_80
}

// probe: fence-without-scope
__global__ void f() {
  asm volatile("fence.acq_rel;" ::: "memory"); //! ptx
}

// probe: setmaxnreg
__global__ void f() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(240)); //! ptx sm_75 sm_80
}

// probe: setmaxnreg-not-of-eight
__global__ void f() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(100)); //! ptx
}

// probe: elect
__global__ void f(int *p) {
  asm volatile("{ .reg .pred q; elect.sync _|q, 0xffffffff; selp.u32 %0, 1, 0, q; }" : "=r"(*p)); //! ptx sm_75 sm_80
}

// probe: griddepcontrol
__global__ void f() {
  asm volatile("griddepcontrol.wait;" ::: "memory"); //! ptx sm_75 sm_80
}

// probe: ldmatrix
__global__ void f(int *p, unsigned a) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(p[0]), "=r"(p[1]), "=r"(p[2]), "=r"(p[3]) : "r"(a));
}

// probe: ldmatrix-too-few
__global__ void f(int *p, unsigned a) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1}, [%2];" : "=r"(p[0]), "=r"(p[1]) : "r"(a)); //! ptx
}

// probe: stmatrix
__global__ void f(int *p, unsigned a) {
  asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1, %2};" ::"r"(a), "r"(p[0]), "r"(p[1]) : "memory"); //! ptx sm_75 sm_80
}

// probe: mma-m16n8k8
__global__ void f(float *p, int *q) {
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
    : "+f"(p[0]), "+f"(p[1]), "+f"(p[2]), "+f"(p[3]) : "r"(q[0]), "r"(q[1]), "r"(q[2]));
}

// probe: mma-m16n8k16
__global__ void f(float *p, int *q) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 " //! ptx sm_75
               "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
    : "+f"(p[0]), "+f"(p[1]), "+f"(p[2]), "+f"(p[3]) : "r"(q[0]), "r"(q[1]), "r"(q[2]), "r"(q[3]), "r"(q[4]), "r"(q[5]));
}

// probe: mma-fragment-too-small
__global__ void f(float *p, int *q) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
               "{%0, %1, %2, %3}, {%4, %5}, {%6, %7}, {%0, %1, %2, %3};" //! ptx
    : "+f"(p[0]), "+f"(p[1]), "+f"(p[2]), "+f"(p[3]) : "r"(q[0]), "r"(q[1]), "r"(q[4]), "r"(q[5]));
}

// probe: mma-accumulators-in-r
__global__ void f(int *p, int *q) {
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
    : "+r"(p[0]), "+r"(p[1]), "+r"(p[2]), "+r"(p[3]) : "r"(q[0]), "r"(q[1]), "r"(q[2]));
}

// probe: mma-shape-from-n
__global__ void f(float *p, int *q) {
  asm volatile("mma.sync.aligned.m16n8k%7.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
    : "+f"(p[0]), "+f"(p[1]), "+f"(p[2]), "+f"(p[3]) : "r"(q[0]), "r"(q[1]), "r"(q[2]), "n"(8));
}

// probe: mma-block-scale-lists
__global__ void f(float *p, int *q) {
  asm volatile("mma.sync.aligned.kind::mxf8f6f4.block_scale.scale_vec::1X.m16n8k32.row.col.f32.e4m3.e4m3.f32.ue8m0 " //! ptx sm_75 sm_80 sm_90a sm_100a
               "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3}, {%10}, {0, 0}, {%11}, {0, 0};"
    : "+f"(p[0]), "+f"(p[1]), "+f"(p[2]), "+f"(p[3])
    : "r"(q[0]), "r"(q[1]), "r"(q[2]), "r"(q[3]), "r"(q[4]), "r"(q[5]), "r"(q[6]), "r"(q[7]));
}

// probe: wgmma
__global__ void f(float *p, unsigned long long a, unsigned long long b) {
  asm volatile("{ .reg .pred d; setp.ne.b32 d, %6, 0;\n"
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, d, %7, %8, %9, %10; }" //! ptx sm_75 sm_80 sm_100a sm_120a
    : "+f"(p[0]), "+f"(p[1]), "+f"(p[2]), "+f"(p[3]) : "l"(a), "l"(b), "r"(1), "n"(1), "n"(-1), "n"(0), "n"(1));
}

// probe: wgmma-scale-out-of-range
__global__ void f(float *p, unsigned long long a, unsigned long long b) {
  asm volatile("{ .reg .pred d; setp.ne.b32 d, %6, 0;\n"
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, d, %7, 1, 0, 0; }" //! ptx
    : "+f"(p[0]), "+f"(p[1]), "+f"(p[2]), "+f"(p[3]) : "l"(a), "l"(b), "r"(1), "n"(2));
}

// probe: wgmma-fence
__global__ void f() {
  asm volatile("wgmma.fence.sync.aligned;\nwgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned %0;" ::"n"(0) : "memory"); //! ptx sm_75 sm_80 sm_100a sm_120a
}

// probe: tcgen05-alloc
__global__ void f(unsigned s) {
  asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], %1;" ::"r"(s), "n"(64) : "memory"); //! ptx sm_75 sm_80 sm_90a sm_120a
}

// probe: tcgen05-mma
__global__ void f(unsigned d, unsigned long long a, unsigned long long b, unsigned i) {
  asm volatile("{ .reg .pred q; setp.ne.b32 q, %4, 0;\n"
    "tcgen05.mma.cta_group::1.kind::f16 [%0], %1, %2, %3, q; }" ::"r"(d), "l"(a), "l"(b), "r"(i), "r"(1)); //! ptx sm_75 sm_80 sm_90a sm_120a
}

// probe: tcgen05-ld
__global__ void f(int *p, unsigned a) {
  asm volatile("tcgen05.ld.sync.aligned.32x32b.x2.b32 {%0, %1}, [%2];" : "=r"(p[0]), "=r"(p[1]) : "r"(a)); //! ptx sm_75 sm_80 sm_90a sm_120a
}

// probe: multimem-red-vector-of-one
__global__ void f(float *p) {
  asm volatile("multimem.red.relaxed.gpu.global.add.f32 [%0], {%1};" ::"l"(p), "f"(p[0]) : "memory"); //! ptx sm_75 sm_80 sm_90a sm_100a sm_120a
}

// probe: multimem-ld-reduce
__global__ void f(float *p) {
  asm volatile("multimem.ld_reduce.relaxed.gpu.global.add.v4.f32 {%0, %1, %2, %3}, [%4];" //! ptx sm_75 sm_80
    : "=f"(p[0]), "=f"(p[1]), "=f"(p[2]), "=f"(p[3]) : "l"(p) : "memory");
}

// probe: clock
__global__ void f(long long *p) {
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(*p));
}

// probe: globaltimer-into-r
__global__ void f(int *p) {
  asm volatile("mov.u64 %0, %%globaltimer;" : "=r"(*p)); //! ptx
}

// probe: special-register-unknown
__global__ void f(int *p) {
  asm volatile("mov.u32 %0, %%lane;" : "=r"(*p)); //! ptx
}

// probe: special-register-cluster
__global__ void f(int *p) {
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(*p)); //! ptx sm_75 sm_80
}

// probe: special-register-written
__global__ void f(int *p) {
  asm volatile("mov.u32 %%laneid, %0;" ::"r"(*p)); //! ptx
}

// probe: mapa
__global__ void f(unsigned *p) {
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(p[0]) : "r"(p[1]), "r"(p[2])); //! ptx sm_75 sm_80
}

// probe: prefetch
__global__ void f(int *p) {
  asm volatile("prefetch.global.L2 [%0];\nprefetch.global.L1 [%0];" ::"l"(p));
}

// probe: createpolicy
__global__ void f(long long *p) {
  asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(*p)); //! ptx sm_75
}

// probe: texture
__global__ void f(float *p, unsigned long long t) {
  asm volatile("tex.2d.v4.f32.f32 {%0, %1, %2, %3}, [%4, {%5, %6}];" : "=f"(p[0]), "=f"(p[1]), "=f"(p[2]), "=f"(p[3]) : "l"(t), "f"(p[4]), "f"(p[5]));
}

// probe: match
__global__ void f(int *p) {
  asm volatile("match.any.sync.b32 %0, %1, 0xffffffff;" : "=r"(p[0]) : "r"(p[1]));
}

// probe: nanosleep
__global__ void f() {
  asm volatile("nanosleep.u32 %0;" ::"r"(20));
}

// probe: brkpt
__global__ void f() {
  asm volatile("brkpt;");
}

// probe: unknown-instruction
__global__ void f(int *p) {
  asm volatile("addd.u32 %0, %0, 1;" : "+r"(*p)); //! ptx
}

// probe: instruction-of-another-processor
__global__ void f(int *p) {
  asm volatile("movl %0, %%eax;" ::"r"(*p)); //! ptx: assembly of another processor is left alone
}

// probe: too-many-operands
__global__ void f(int *p) {
  asm volatile("add.u32 %0, %1, %2, %3;" : "=r"(*p) : "r"(1), "r"(2), "r"(3)); //! ptx
}

// probe: too-few-operands
__global__ void f(int *p) {
  asm volatile("add.u32 %0, %1;" : "=r"(*p) : "r"(1)); //! ptx
}

// probe: result-immediate
__global__ void f(int *p) {
  asm volatile("add.u32 1, %0, %0;" ::"r"(1)); //! ptx
}

// probe: second-instruction-wrong
__global__ void f(int *p) {
  asm volatile("add.u32 %0, %0, 1;\n"
               "shl.u32 %0, %0, 1;\n" //! ptx
               "add.u32 %0, %0, 1;" : "+r"(*p));
}
