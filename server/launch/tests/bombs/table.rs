//! The kernels.

use super::Bomb;

const PLAIN: Bomb = Bomb::PLAIN;

/// The kernels.
pub const BOMBS: &[Bomb] = &[
    Bomb { name: "additions", again: "add.u32 %r0, %r0, 1;", ..PLAIN },
    Bomb {
        name: "branches that part lanes",
        again: "xor.b32 %r0, %r0, 1; and.b32 %r1, %r0, 1; setp.eq.u32 %p0, %r1, 0; @%p0 bra next; add.u32 %r2, %r0, 1;\nnext: add.u32 %r0, %r0, 2;",
        ..PLAIN
    },
    Bomb {
        name: "divisions",
        again: "mul.f32 %f1, %f1, %f1; div.rn.f32 %f2, %f1, %f2; sqrt.rn.f32 %f3, %f2; sin.approx.f32 %f4, %f3;",
        before: "mov.f32 %f1, 0f3F8CCCCD; mov.f32 %f2, 0f3F800000;",
        ..PLAIN
    },
    Bomb {
        name: "double precision",
        before: "mov.f64 %e1, 0d3FF199999999999A; mov.f64 %e2, 0d3FF3333333333333;",
        again: "fma.rn.f64 %e3, %e1, %e2, %e1; div.rn.f64 %e3, %e1, %e2; sqrt.rn.f64 %e3, %e1; rcp.rn.f64 %e3, %e2; fma.rz.f64 %e3, %e1, %e2, %e3; add.rm.f64 %e3, %e1, %e2; div.rp.f64 %e3, %e1, %e2; sqrt.rz.f64 %e3, %e1;",
        ..PLAIN
    },
    Bomb {
        name: "directed rounding",
        before: "mov.f32 %f1, 0f3F8CCCCD; mov.f32 %f2, 0f3F900000;",
        again: "fma.rz.f32 %f3, %f1, %f2, %f1; div.rp.f32 %f3, %f1, %f2; sqrt.rm.f32 %f3, %f1; rcp.rz.f32 %f3, %f2; add.rm.f32 %f3, %f1, %f2; mul.rp.f32 %f3, %f1, %f2;",
        ..PLAIN
    },
    Bomb {
        name: "approximations",
        before: "mov.f32 %f1, 0f3F8CCCCD; mov.f32 %f2, 0f3F900000;",
        again: "sin.approx.f32 %f3, %f1; cos.approx.f32 %f3, %f1; ex2.approx.f32 %f3, %f1; lg2.approx.f32 %f3, %f1; rsqrt.approx.f32 %f3, %f1; tanh.approx.f32 %f3, %f1; div.full.f32 %f3, %f1, %f2; rcp.approx.ftz.f64 %e1, %e2;",
        ..PLAIN
    },
    Bomb {
        name: "halves",
        before: "mov.b32 %r1, 0x3c003c01; mov.b32 %r2, 0x3f803f81; mov.b32 %r3, %r1; mov.b32 %r4, %r2;",
        again: "fma.rn.f16x2 %r5, %r1, %r3, %r1; ex2.approx.f16x2 %r5, %r1; tanh.approx.f16x2 %r5, %r1; fma.rn.bf16x2 %r5, %r2, %r4, %r2; tanh.approx.bf16x2 %r5, %r2; max.f16x2 %r5, %r1, %r3;",
        ..PLAIN
    },
    Bomb {
        name: "conversions",
        before: "mov.f32 %f1, 0f3F8CCCCD; mov.f32 %f2, 0f3F900000; mov.f64 %e1, 0d3FF199999999999A; mov.b16 %h1, 0x3839;",
        again: "cvt.rn.satfinite.e4m3x2.f32 %h2, %f1, %f2; cvt.rn.f16x2.e4m3x2 %r1, %h1; cvt.rna.tf32.f32 %r2, %f1; cvt.rn.f32.f64 %f3, %e1; cvt.rzi.s64.f64 %d0, %e1; cvt.rn.bf16x2.f32 %r3, %f1, %f2; cvt.rn.f64.s64 %e2, %d0;",
        ..PLAIN
    },
    Bomb {
        name: "whole numbers",
        before: "mov.u64 %d0, 123456789123; mov.u64 %d1, 97;",
        again: "div.s64 %d2, %d0, %d1; rem.u64 %d2, %d0, %d1; mul.hi.u64 %d2, %d0, %d1; mad.hi.s32 %r1, %r0, %r0, %r0; bfind.u64 %r2, %d0; fns.b32 %r3, 0xf0f0f0f0, 3, 2; dp4a.s32.s32 %r4, %r0, %r0, %r0; popc.b64 %r5, %d0; brev.b64 %d3, %d0;",
        ..PLAIN
    },
    Bomb {
        name: "video instructions",
        again: "vadd4.u32.u32.u32 %r1, %r0, %r0, %r0; vabsdiff4.u32.u32.u32.add %r1, %r0, %r0, %r0; vmad.u32.u32.u32 %r2, %r0, %r0, %r0; vset2.u32.u32.lt %r3, %r0, %r0, %r0; prmt.b32 %r4, %r0, %r0, 0x3021; lop3.b32 %r5, %r0, %r0, %r0, 0x96; shf.l.wrap.b32 %r6, %r0, %r0, 3;",
        ..PLAIN
    },
    Bomb {
        name: "extended arithmetic and vectors",
        before: "mov.u64 %d0, 5;",
        again: "add.cc.u32 %r1, %r0, %r0; addc.cc.u32 %r2, %r0, %r0; madc.hi.u32 %r3, %r0, %r0, %r0; mov.b128 %q, {%d0, %d0}; mov.b128 {%d1, %d2}, %q; bfi.b64 %d3, %d0, %d1, 3, 9;",
        ..PLAIN
    },
    // Blocks.
    Bomb { name: "two thousand million blocks", launch: "grid=2147483647 block=32 x=u32[4]:zero", ..PLAIN },
    Bomb { name: "blocks of 1,024 threads", launch: "grid=2147483647 block=1024 x=u32[4]:zero", ..PLAIN },
    Bomb {
        name: "blocks that fill shared memory",
        launch: "grid=100000 block=1024 x=u32[4]:zero",
        before: "mov.u32 %r1, s; mad.lo.u32 %r1, %r0, 16, %r1; mov.u32 %r2, 0; st.shared.v4.u32 [%r1], {%r2, %r2, %r2, %r2}; st.shared.v4.u32 [%r1+16384], {%r2, %r2, %r2, %r2};",
        ..PLAIN
    },
    Bomb { name: "clusters of 16 blocks", launch: "grid=1073741824 block=128 cluster=16 x=u32[4]:zero", ..PLAIN },
    Bomb {
        name: "blocks that wait for each other",
        launch: "grid=2000 block=1024 x=u32[4]:zero",
        again: "ld.relaxed.gpu.global.u32 %r1, [%x]; setp.eq.u32 %p0, %r1, 1; @%p0 ret; nanosleep.u32 100;",
        ..PLAIN
    },
    Bomb {
        name: "one warp that sleeps in a cluster of 512",
        launch: "grid=16 block=1024 cluster=16 x=u32[4]:zero",
        before: "mov.u32 %r1, %cluster_ctarank; shl.b32 %r1, %r1, 10; or.b32 %r1, %r1, %r0; setp.ge.u32 %p0, %r1, 32; @%p0 ret;",
        again: "nanosleep.u32 100;",
        ..PLAIN
    },
    // Barriers.
    Bomb {
        name: "barriers of 1,024 threads",
        launch: "grid=64 block=1024 x=u32[4]:zero",
        again: "bar.sync 0;",
        ..PLAIN
    },
    Bomb {
        name: "barriers that reduce",
        launch: "grid=64 block=1024 x=u32[4]:zero",
        again: "setp.eq.u32 %p0, %r0, 3; bar.red.popc.u32 %r1, 0, %p0;",
        ..PLAIN
    },
    Bomb {
        name: "barriers of clusters",
        launch: "grid=64 block=1024 cluster=16 x=u32[4]:zero",
        again: "barrier.cluster.arrive; barrier.cluster.wait;",
        ..PLAIN
    },
    Bomb {
        name: "fences",
        launch: "grid=64 block=1024 x=u32[65536]:zero",
        before: "mad.wide.u32 %y, %r0, 4, %x;",
        again: "st.global.u32 [%y], %r0; membar.gl; atom.global.add.u32 %r1, [%x], 1;",
        ..PLAIN
    },
    Bomb {
        name: "releases and acquires",
        launch: "grid=512 block=256 x=u32[65536]:zero",
        before: "mov.u32 %r1, %ctaid.x; mad.wide.u32 %y, %r1, 4, %x;",
        again: "st.release.gpu.global.u32 [%y], %r0; ld.acquire.gpu.global.u32 %r2, [%x];",
        ..PLAIN
    },
    Bomb {
        name: "barriers of the grid",
        launch: "grid=1000 block=32 x=u32[1024]:zero",
        before: "mov.u32 %r1, 0;",
        again: "add.u32 %r1, %r1, 1000; atom.acq_rel.gpu.global.add.u32 %r2, [%x], 1;\nwait: ld.acquire.gpu.global.u32 %r2, [%x]; setp.lt.u32 %p0, %r2, %r1; @%p0 bra wait;",
        ..PLAIN
    },
    Bomb {
        name: "blocks that wait for an mbarrier",
        launch: "grid=2000 block=1024 x=u32[4]:zero",
        before: "mov.u32 %r1, s; mov.u32 %r2, bar; setp.ne.u32 %p0, %r0, 0; @%p0 bra ready; mbarrier.init.shared.b64 [%r2], 2000;\nready: bar.sync 0; mad.lo.u32 %r1, %r0, 16, %r1; mad.wide.u32 %y, %r0, 0, %x; mov.u32 %r3, 0;\nfill: cp.async.ca.shared.global [%r1], [%y], 16; cp.async.commit_group; add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 100; @%p1 bra fill;",
        again: "mbarrier.try_wait.parity.shared.b64 %p0, [%r2], 0;",
        ..PLAIN
    },
    // Memory.
    Bomb {
        name: "loads",
        launch: "grid=1 block=1024 x=u32[65536]:zero",
        before: "mad.wide.u32 %y, %r0, 4, %x;",
        again: "ld.global.u32 %r1, [%y];",
        ..PLAIN
    },
    Bomb {
        name: "wide loads",
        target: "sm_100a",
        launch: "grid=1 block=1024 x=u32[65536]:zero",
        before: "mad.wide.u32 %y, %r0, 32, %x;",
        again: "ld.global.v8.b32 {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}, [%y];",
        ..PLAIN
    },
    Bomb {
        name: "wide stores",
        target: "sm_100a",
        launch: "grid=1 block=1024 x=u32[65536]:zero",
        before: "mad.wide.u32 %y, %r0, 32, %x;",
        again: "st.global.v8.b32 [%y], {%r0, %r0, %r0, %r0, %r0, %r0, %r0, %r0};",
        ..PLAIN
    },
    Bomb {
        name: "stores that race",
        launch: "grid=1 block=1024 x=u32[65536]:zero",
        again: "st.global.u32 [%x], %r0;",
        ..PLAIN
    },
    Bomb {
        name: "unwritten memory",
        launch: "grid=1 block=1024 x=u32[65536]:poison",
        before: "mad.wide.u32 %y, %r0, 4, %x;",
        again: "ld.global.u32 %r1, [%y];",
        ..PLAIN
    },
    Bomb {
        name: "generic loads of shared and global memory",
        before: "mov.u32 %r1, s; cvt.u64.u32 %d0, %r1; cvta.shared.u64 %d0, %d0; st.u32 [%d0], 1; and.b32 %r1, %r0, 1; setp.eq.u32 %p0, %r1, 0; selp.b64 %y, %d0, %x, %p0; bar.sync 0;",
        again: "ld.u32 %r2, [%y];",
        ..PLAIN
    },
    Bomb {
        name: "stores to another block of the cluster",
        launch: "grid=2 block=256 cluster=2 x=u32[4]:zero",
        before: "mov.u32 %r1, s; mad.lo.u32 %r1, %r0, 4, %r1; mapa.shared::cluster.u32 %r1, %r1, 1;",
        again: "st.shared::cluster.u32 [%r1], %r0;",
        ..PLAIN
    },
    Bomb {
        name: "random stores to a gigabyte",
        launch: "grid=64 block=1024 x=u32[268435456]:zero",
        before: "mov.u32 %r3, %ctaid.x; mad.lo.u32 %r3, %r3, 1024, %r0; mul.lo.u32 %r3, %r3, 747796405;",
        again: "mad.lo.u32 %r3, %r3, 1664525, 1013904223; shr.u32 %r4, %r3, 2; and.b32 %r4, %r4, 0x3ffffffc; cvt.u64.u32 %y, %r4; add.u64 %y, %y, %x; st.global.u32 [%y], %r3;",
        ..PLAIN
    },
    Bomb {
        name: "random bytes of a gigabyte",
        launch: "grid=64 block=1024 x=u8[1073741824]:zero",
        before: "mov.u32 %r3, %ctaid.x; mad.lo.u32 %r3, %r3, 1024, %r0; mul.lo.u32 %r3, %r3, 747796405;",
        again: "mad.lo.u32 %r3, %r3, 1664525, 1013904223; shr.u32 %r4, %r3, 2; cvt.u64.u32 %y, %r4; add.u64 %y, %y, %x; st.global.u8 [%y], %r3;",
        ..PLAIN
    },
    Bomb {
        name: "random atomics on a gigabyte",
        launch: "grid=64 block=1024 x=u32[268435456]:zero",
        before: "mov.u32 %r3, %ctaid.x; mad.lo.u32 %r3, %r3, 1024, %r0; mul.lo.u32 %r3, %r3, 747796405;",
        again: "mad.lo.u32 %r3, %r3, 1664525, 1013904223; shr.u32 %r4, %r3, 2; and.b32 %r4, %r4, 0x3ffffffc; cvt.u64.u32 %y, %r4; add.u64 %y, %y, %x; atom.global.add.u32 %r5, [%y], 1;",
        ..PLAIN
    },
    Bomb {
        name: "random releases in a gigabyte",
        launch: "grid=64 block=1024 x=u32[268435456]:zero",
        before: "mov.u32 %r3, %ctaid.x; mad.lo.u32 %r3, %r3, 1024, %r0; mul.lo.u32 %r3, %r3, 747796405;",
        again: "mad.lo.u32 %r3, %r3, 1664525, 1013904223; shr.u32 %r4, %r3, 2; and.b32 %r4, %r4, 0x3ffffffc; cvt.u64.u32 %y, %r4; add.u64 %y, %y, %x; st.release.gpu.global.u32 [%y], %r3;",
        ..PLAIN
    },
    Bomb {
        name: "random approximations in a gigabyte",
        launch: "grid=64 block=1024 x=u32[268435456]:zero",
        before: "mov.u32 %r3, %ctaid.x; mad.lo.u32 %r3, %r3, 1024, %r0; mul.lo.u32 %r3, %r3, 747796405; mov.f32 %f1, 0f3F8CCCCD; ex2.approx.f32 %f1, %f1;",
        again: "mad.lo.u32 %r3, %r3, 1664525, 1013904223; shr.u32 %r4, %r3, 2; and.b32 %r4, %r4, 0x3ffffffc; cvt.u64.u32 %y, %r4; add.u64 %y, %y, %x; st.global.f32 [%y], %f1;",
        ..PLAIN
    },
    Bomb {
        name: "numbers that are overwritten",
        launch: "grid=64 block=1024 x=u32[16777216]:const(7)",
        before: "mov.u32 %r3, %ctaid.x; mad.lo.u32 %r3, %r3, 1024, %r0; mad.wide.u32 %y, %r3, 16, %x; add.u64 %d1, %x, 67108864;",
        again: "st.global.v4.u32 [%y], {%r0, %r0, %r0, %r0}; add.u64 %y, %y, 1048576; setp.ge.u64 %p0, %y, %d1; @%p0 sub.u64 %y, %y, 67108864;",
        ..PLAIN
    },
    Bomb {
        name: "a gigabyte that is never read",
        launch: "grid=1 block=32 x=u32[268435456]:zero",
        again: "add.u32 %r0, %r0, 1;",
        ..PLAIN
    },
    Bomb {
        name: "local memory of 64,000 threads",
        launch: "grid=64 block=1024 x=u32[4]:zero",
        before: ".local .align 16 .b8 l[524000]; mov.u64 %y, l;",
        again: "st.local.u32 [%y], %r0; add.u64 %y, %y, 4096;",
        ..PLAIN
    },
    Bomb {
        name: "discarded memory",
        launch: "grid=1 block=1024 x=u32[65536]:zero",
        before: "mad.wide.u32 %y, %r0, 128, %x;",
        again: "discard.global.L2 [%y], 128;",
        ..PLAIN
    },
    // Atomics.
    Bomb {
        name: "reductions of one word",
        launch: "grid=16 block=1024 x=u32[4]:zero",
        again: "red.global.add.u32 [%x], 1;",
        ..PLAIN
    },
    Bomb {
        name: "reductions of vectors",
        launch: "grid=1 block=1024 x=f32[65536]:zero",
        before: "mad.wide.u32 %y, %r0, 16, %x; mov.f32 %f1, 0f3F800000;",
        again: "red.global.v4.f32.add [%y], {%f1, %f1, %f1, %f1};",
        ..PLAIN
    },
    Bomb {
        name: "exchanges of 128 bits",
        launch: "grid=1 block=1024 x=u32[65536]:zero",
        before: "mad.wide.u32 %y, %r0, 16, %x; mov.u64 %d0, 1; mov.b128 %q, {%d0, %d0};",
        again: "atom.global.exch.b128 %q, [%y], %q;",
        ..PLAIN
    },
    Bomb {
        name: "multimem reductions",
        launch: "grid=1 block=1024 x=f32[65536]:zero",
        before: "mad.wide.u32 %y, %r0, 16, %x; mov.f32 %f1, 0f3F800000;",
        again: "multimem.red.relaxed.gpu.global.add.v4.f32 [%y], {%f1, %f1, %f1, %f1}; multimem.ld_reduce.relaxed.gpu.global.add.v4.f32 {%f2, %f3, %f4, %f5}, [%y];",
        ..PLAIN
    },
    // The copy engine.
    Bomb {
        name: "bulk copies of 40,960 bytes",
        launch: "grid=64 block=32 x=u32[10240]:zero",
        before: "mov.u32 %r1, s; mov.u32 %r2, bar; setp.ne.u32 %p0, %r0, 0; @%p0 bra ready; mbarrier.init.shared.b64 [%r2], 1; fence.mbarrier_init.release.cluster;\nready: bar.sync 0; @%p0 ret; mov.u32 %r3, 0;",
        again: "mbarrier.arrive.expect_tx.shared.b64 _, [%r2], 40960; cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%x], 40960, [%r2];\nwait: mbarrier.try_wait.parity.shared.b64 %p1, [%r2], %r3; @!%p1 bra wait; xor.b32 %r3, %r3, 1;",
        ..PLAIN
    },
    Bomb {
        name: "bulk copies of all lanes",
        launch: "grid=64 block=32 x=u32[10240]:zero",
        before: "mov.u32 %r1, s; fence.proxy.async;",
        again: "cp.async.bulk.global.shared::cta.bulk_group [%x], [%r1], 40960; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;",
        ..PLAIN
    },
    Bomb {
        name: "bulk reductions",
        launch: "grid=4 block=32 x=u32[10240]:zero",
        before: "mov.u32 %r1, s;",
        again: "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%x], [%r1], 40960; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;",
        ..PLAIN
    },
    Bomb {
        name: "prefetches of blocks",
        launch: "grid=4 block=32 x=u32[10240]:zero",
        again: "cp.async.bulk.prefetch.L2.global [%x], 40960;",
        ..PLAIN
    },
    Bomb {
        name: "zeros for shared memory",
        target: "sm_100a",
        before: "mov.u32 %r1, s; cvt.u64.u32 %d0, %r1; mov.u64 %d1, 40960;",
        again: "st.bulk.shared::cta [%d0], %d1, 0;",
        ..PLAIN
    },
    Bomb {
        name: "small asynchronous copies",
        launch: "grid=1 block=1024 x=u32[65536]:zero",
        before: "mov.u32 %r1, s; mad.lo.u32 %r1, %r0, 16, %r1; mad.wide.u32 %y, %r0, 16, %x;",
        again: "cp.async.cg.shared.global [%r1], [%y], 16; cp.async.commit_group; cp.async.wait_group 0;",
        ..PLAIN
    },
    Bomb {
        name: "copies in flight",
        launch: "grid=1 block=1024 x=u32[65536]:zero",
        before: "mov.u32 %r1, s; mad.lo.u32 %r1, %r0, 16, %r1; mad.wide.u32 %y, %r0, 16, %x;",
        again: "cp.async.cg.shared.global [%r1], [%y], 16;",
        ..PLAIN
    },
    Bomb {
        name: "groups of no copies",
        launch: "grid=1 block=1024 x=u32[65536]:zero",
        before: "mov.u32 %r1, s; mad.lo.u32 %r1, %r0, 16, %r1; mad.wide.u32 %y, %r0, 16, %x; cp.async.cg.shared.global [%r1], [%y], 16;",
        again: "cp.async.commit_group;",
        ..PLAIN
    },
    Bomb {
        name: "tensor copies",
        launch: "grid=1 block=32\nparams: map={tensor_map=t type=f32 dims=[64,160] box=[64,160]}\nbuffers: t=f32[64*160]:iota",
        before: "mov.u32 %r1, s; mov.u32 %r2, bar; mov.b64 %y, map; cvta.param.u64 %y, %y; mbarrier.init.shared.b64 [%r2], 1; fence.mbarrier_init.release.cluster; setp.ne.u32 %p0, %r0, 0; @%p0 ret; mov.u32 %r3, 0; mov.u32 %r4, 0;",
        again: "mbarrier.arrive.expect_tx.shared.b64 _, [%r2], 40960; cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%y, {%r4, %r4}], [%r2];\nwait: mbarrier.try_wait.parity.shared.b64 %p1, [%r2], %r3; @!%p1 bra wait; xor.b32 %r3, %r3, 1;",
        ..PLAIN
    },
    Bomb {
        name: "tensor reductions",
        launch: "grid=1 block=32\nparams: map={tensor_map=t type=f32 dims=[64,160] box=[64,160]}\nbuffers: t=f32[64*160]:iota",
        before: "mov.u32 %r1, s; mov.b64 %y, map; cvta.param.u64 %y, %y; mov.u32 %r4, 0;",
        again: "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%y, {%r4, %r4}], [%r1]; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;",
        ..PLAIN
    },
    Bomb {
        name: "tensor copies of small rows",
        launch: "grid=1 block=32\nparams: map={tensor_map=t type=u8 dims=[16,256] box=[16,256]}\nbuffers: t=u8[16*256]:iota",
        before: "mov.u32 %r1, s; mov.b64 %y, map; cvta.param.u64 %y, %y; mov.u32 %r4, 0;",
        again: "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%y, {%r4, %r4}], [%r1]; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;",
        ..PLAIN
    },
    Bomb {
        name: "asynchronous stores",
        launch: "grid=2 block=32 cluster=2 x=u32[4]:zero",
        before: "mov.u32 %r1, s; mov.u32 %r2, bar; mbarrier.init.shared.b64 [%r2], 1; mapa.shared::cluster.u32 %r1, %r1, 1; mapa.shared::cluster.u32 %r2, %r2, 1; barrier.cluster.arrive; barrier.cluster.wait;",
        again: "st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%r1], {%r0, %r0, %r0, %r0}, [%r2];",
        ..PLAIN
    },
    Bomb {
        name: "mbarriers",
        launch: "grid=64 block=1024 x=u32[4]:zero",
        before: "mov.u32 %r1, s; mad.lo.u32 %r1, %r0, 8, %r1; mbarrier.init.shared.b64 [%r1], 1;",
        again: "mbarrier.arrive.shared.b64 %d0, [%r1]; mbarrier.test_wait.shared.b64 %p0, [%r1], %d0;",
        ..PLAIN
    },
    // Matrices.
    Bomb {
        name: "products of halves",
        before: "mov.b32 %r1, 0; mov.f32 %f1, 0f00000000; mov.f32 %f2, 0f00000000; mov.f32 %f3, 0f00000000; mov.f32 %f4, 0f00000000;",
        again: "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r1, %r1, %r1}, {%r1, %r1}, {%f1, %f2, %f3, %f4};",
        ..PLAIN
    },
    Bomb {
        name: "products of bytes",
        before: "mov.b32 %r1, 0; mov.b32 %r2, 0; mov.b32 %r3, 0; mov.b32 %r4, 0; mov.b32 %r5, 0;",
        again: "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%r2, %r3, %r4, %r5}, {%r1, %r1, %r1, %r1}, {%r1, %r1}, {%r2, %r3, %r4, %r5};",
        ..PLAIN
    },
    Bomb {
        name: "products of bits",
        before: "mov.b32 %r1, 0; mov.b32 %r2, 0; mov.b32 %r3, 0; mov.b32 %r4, 0; mov.b32 %r5, 0;",
        again: "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.xor.popc {%r2, %r3, %r4, %r5}, {%r1, %r1, %r1, %r1}, {%r1, %r1}, {%r2, %r3, %r4, %r5};",
        ..PLAIN
    },
    Bomb {
        name: "matrices from shared memory",
        before: "mov.u32 %r1, s; mad.lo.u32 %r1, %r0, 16, %r1; mov.b32 %r2, 0; st.shared.v4.b32 [%r1], {%r2, %r2, %r2, %r2}; bar.sync 0;",
        again: "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r2, %r3, %r4, %r5}, [%r1];",
        ..PLAIN
    },
    Bomb {
        name: "products of warpgroups",
        launch: "grid=4 block=128 x=u32[4]:zero",
        before: "mov.u64 %d0, 0x0000000800400000; mov.u32 %r1, s; shr.u32 %r1, %r1, 4; cvt.u64.u32 %d1, %r1; or.b64 %d0, %d0, %d1;\nmov.f32 %f0, 0f00000000; mov.f32 %f1, %f0; mov.f32 %f2, %f0; mov.f32 %f3, %f0; mov.f32 %f4, %f0; mov.f32 %f5, %f0; mov.f32 %f6, %f0; mov.f32 %f7, %f0; mov.f32 %f8, %f0; mov.f32 %f9, %f0; mov.f32 %f10, %f0; mov.f32 %f11, %f0; mov.f32 %f12, %f0; mov.f32 %f13, %f0; mov.f32 %f14, %f0; mov.f32 %f15, %f0;",
        again: "wgmma.fence.sync.aligned; wgmma.mma_async.sync.aligned.m64n32k16.f32.f16.f16 {%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8, %f9, %f10, %f11, %f12, %f13, %f14, %f15}, %d0, %d0, 1, 1, 1, 0, 0; wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;",
        ..PLAIN
    },
    Bomb {
        name: "products of warpgroups in flight",
        launch: "grid=4 block=128 x=u32[4]:zero",
        before: "mov.u64 %d0, 0x0000000800400000; mov.u32 %r1, s; shr.u32 %r1, %r1, 4; cvt.u64.u32 %d1, %r1; or.b64 %d0, %d0, %d1;\nmov.f32 %f0, 0f00000000; mov.f32 %f1, %f0; mov.f32 %f2, %f0; mov.f32 %f3, %f0; wgmma.fence.sync.aligned;",
        again: "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %d0, %d0, 1, 1, 1, 0, 0; wgmma.commit_group.sync.aligned;",
        ..PLAIN
    },
    Bomb {
        name: "products in tensor memory",
        target: "sm_100a",
        launch: "grid=1 block=128 x=u32[4]:zero",
        before: "mov.u32 %r1, bar; setp.ge.u32 %p1, %r0, 32; @%p1 bra ready; tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r1], 256;\nready: bar.sync 0; ld.shared.b32 %r2, [%r1]; mov.u64 %d0, 0x0000400800800000; setp.ne.u32 %p0, %r0, 0; @%p0 bra end; mov.u32 %r3, 0x08400010; setp.ne.u32 %p2, 0, 0;",
        again: "tcgen05.mma.cta_group::1.kind::f16 [%r2], %d0, %d0, %r3, %p2; bra again;\nend:\n",
        ..PLAIN
    },
    Bomb {
        name: "loads from tensor memory",
        target: "sm_100a",
        launch: "grid=1 block=128 x=u32[4]:zero",
        before: "mov.u32 %r1, bar; setp.ge.u32 %p1, %r0, 32; @%p1 bra ready; tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r1], 256;\nready: bar.sync 0; ld.shared.b32 %r2, [%r1]; shl.b32 %r3, %r0, 16; and.b32 %r3, %r3, 0x600000; add.u32 %r2, %r2, %r3;",
        again: "tcgen05.st.sync.aligned.32x32b.x8.b32 [%r2], {%r0, %r0, %r0, %r0, %r0, %r0, %r0, %r0}; tcgen05.wait::st.sync.aligned; tcgen05.ld.sync.aligned.32x32b.x8.b32 {%r10, %r11, %r12, %r13, %r14, %r15, %r16, %r17}, [%r2]; tcgen05.wait::ld.sync.aligned;",
        ..PLAIN
    },
    // Calls and functions of the system.
    Bomb {
        name: "calls",
        declared: ".func (.param .b32 r) f(.param .b32 a) { .reg .b32 %a; ld.param.b32 %a, [a]; add.u32 %a, %a, 1; st.param.b32 [r], %a; ret; }",
        again: "{ .param .b32 a; .param .b32 r; st.param.b32 [a], %r0; call (r), f, (a); ld.param.b32 %r0, [r]; }",
        ..PLAIN
    },
    Bomb {
        name: "calls with structures",
        declared: ".func f(.param .align 16 .b8 a[4096]) { ret; }",
        before: "",
        again: "{ .param .align 16 .b8 a[4096]; st.param.b32 [a], %r0; call f, (a); }",
        ..PLAIN
    },
    Bomb {
        name: "recursion",
        declared: ".func f(.param .b32 a) { .reg .b32 %a<200>; ld.param.b32 %a0, [a]; add.u32 %a199, %a0, 1; { .param .b32 b; st.param.b32 [b], %a199; call f, (b); } ret; }",
        launch: "grid=64 block=1024 x=u32[4]:zero",
        before: "{ .param .b32 a; st.param.b32 [a], %r0; call f, (a); }",
        ..PLAIN
    },
    Bomb {
        name: "printing",
        declared: ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n.global .align 1 .b8 fmt[8] = { 37, 49, 50, 48, 48, 100, 10, 0 };",
        before: ".local .align 8 .b8 l[8]; st.local.u32 [l], %r0; mov.u64 %d0, fmt; cvta.global.u64 %d0, %d0; mov.u64 %d1, l; cvta.local.u64 %d1, %d1;",
        again: "{ .param .b64 f; .param .b64 a; .param .b32 r; st.param.b64 [f], %d0; st.param.b64 [a], %d1; call (r), vprintf, (f, a); }",
        ..PLAIN
    },
    Bomb {
        name: "printing of long strings",
        declared: ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n.global .align 1 .b8 fmt[9] = { 37, 115, 37, 115, 37, 115, 37, 115, 0 };",
        launch: "grid=1 block=32 x=u8[65536]:const(65)",
        before: ".local .align 8 .b8 l[32]; st.local.u64 [l], %x; st.local.u64 [l+8], %x; st.local.u64 [l+16], %x; st.local.u64 [l+24], %x; mov.u64 %d0, fmt; cvta.global.u64 %d0, %d0; mov.u64 %d1, l; cvta.local.u64 %d1, %d1;",
        again: "{ .param .b64 f; .param .b64 a; .param .b32 r; st.param.b64 [f], %d0; st.param.b64 [a], %d1; call (r), vprintf, (f, a); }",
        ..PLAIN
    },
    Bomb {
        name: "formats of 60,000 strings",
        declared: ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);",
        launch: "grid=1 block=32 x=u16[65536]:const(29477)",
        before: "mov.u16 %h0, 0; st.global.u16 [%x+60000], %h0;",
        again: "{ .param .b64 f; .param .b64 a; .param .b32 r; st.param.b64 [f], %x; st.param.b64 [a], %x; call (r), vprintf, (f, a); }",
        ..PLAIN
    },
    Bomb {
        name: "the heap",
        declared: ".extern .func (.param .b64 r) malloc(.param .b64 n);\n.extern .func free(.param .b64 p);",
        launch: "grid=64 block=1024 x=u32[4]:zero",
        again: "{ .param .b64 n; .param .b64 r; st.param.b64 [n], 64; call (r), malloc, (n); ld.param.b64 %d0, [r]; }\nsetp.eq.u64 %p0, %d0, 0; @!%p0 st.u32 [%d0], %r0;",
        ..PLAIN
    },
    Bomb {
        name: "the heap, taken and given back",
        declared: ".extern .func (.param .b64 r) malloc(.param .b64 n);\n.extern .func free(.param .b64 p);",
        launch: "grid=64 block=1024 x=u32[4]:zero",
        again: "{ .param .b64 n; .param .b64 r; st.param.b64 [n], 64; call (r), malloc, (n); ld.param.b64 %d0, [r]; }\n{ .param .b64 p; st.param.b64 [p], %d0; call free, (p); }",
        ..PLAIN
    },
    // Images.
    Bomb {
        name: "texture reads",
        launch: "grid=1 block=1024\nparams: x={image=2d size=[64,64] format=un8x4 fill=iota filter=linear}",
        before: "cvt.rn.f32.u32 %f1, %r0; mov.f32 %f2, 0f3F000000;",
        again: "tex.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [%x, {%f1, %f2}];",
        ..PLAIN
    },
    Bomb {
        name: "surface stores",
        launch: "grid=1 block=1024\nparams: x={image=2d size=[64,64] format=u32 fill=zero}",
        before: "and.b32 %r1, %r0, 63; shl.b32 %r1, %r1, 2; shr.u32 %r2, %r0, 6;",
        again: "sust.b.2d.b32.clamp [%x, {%r1, %r2}], %r0;",
        ..PLAIN
    },
    // Votes and exchanges of lanes.
    Bomb {
        name: "matches of lanes",
        again: "match.any.sync.b32 %r1, %r0, 0xffffffff; shfl.sync.idx.b32 %r2, %r1, 3, 31, 0xffffffff; redux.sync.add.s32 %r3, %r0, 0xffffffff;",
        ..PLAIN
    },
    Bomb {
        name: "requests for registers",
        launch: "grid=1 block=128 x=u32[4]:zero",
        again: "setmaxnreg.inc.sync.aligned.u32 232; setmaxnreg.dec.sync.aligned.u32 24;",
        ..PLAIN
    },
    Bomb {
        name: "requests for other blocks",
        target: "sm_100a",
        launch: "grid=2147483647 block=32 x=u32[4]:zero",
        before: "mov.u32 %r1, s; mov.u32 %r2, bar; setp.ne.u32 %p0, %r0, 0; @%p0 ret; mbarrier.init.shared.b64 [%r2], 1; fence.mbarrier_init.release.cluster; mov.u32 %r3, 0;",
        again: "mbarrier.arrive.expect_tx.shared.b64 _, [%r2], 16; clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [%r1], [%r2];\nwait: mbarrier.try_wait.parity.shared.b64 %p1, [%r2], %r3; @!%p1 bra wait; xor.b32 %r3, %r3, 1;",
        ..PLAIN
    },
];
