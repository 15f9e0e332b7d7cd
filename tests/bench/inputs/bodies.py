"""Many statements of one kind."""

from .common import kernel, lines, listed, ptx


@ptx
def instructions(n):
    return kernel(lines(n, "add.s32 %r1, %r2, %r3;"))


@ptx
def chain_of_values(n):
    return kernel(lines(n, "add.s32 %r{i}, %r{p}, 1;") + f"st.global.b32 [%rd1], %r{n - 1};\n", declare=f".reg .b32 %r<{n}>; .reg .b64 %rd<4>;")


@ptx
def values_live_at_once(n):
    return kernel(
        lines(n, "mov.u32 %r{i}, {i};") + lines(n, "st.global.b32 [%rd1], %r{i};"), declare=f".reg .b32 %r<{n}>; .reg .b64 %rd<4>;"
    )


@ptx
def names_that_are_not_declared(n):
    return kernel(lines(n, "mov.u32 %x{i}, %y{i};"))


@ptx
def one_name_that_is_not_declared(n):
    return kernel(lines(n, "mov.u32 %x, %y;"))


@ptx
def unknown_opcodes(n):
    return kernel(lines(n, "foo{i} %r1;"))


@ptx
def unknown_opcodes_between_others(n):
    return kernel(lines(n, "foo{i} %r1;\nadd.s32 %r1, %r2, %r3;"))


@ptx
def unknown_modifiers(n):
    return kernel(lines(n, "add.foo{i} %r1, %r2, %r3;"))


@ptx
def different_mnemonics(n):
    return kernel(lines(n, "add.s32.a{i}.b{i}.c{i} %r1, %r2, %r3;"))


@ptx
def missing_semicolons(n):
    return kernel(lines(n, "add.s32 %r1, %r2, %r3"))


@ptx
def missing_operands(n):
    return kernel(lines(n, "add.s32 %r1, %r2;"))


@ptx
def wrong_types(n):
    return kernel(lines(n, "add.f32 %r1, %r2, %r3;"))


@ptx
def semicolons(n):
    return kernel(lines(n, ";"))


@ptx
def semicolons_on_a_line(n):
    return kernel(";" * n + "\n")


@ptx
def guards(n):
    return kernel(lines(n, "@%p1 add.s32 %r1, %r2, %r3;"))


@ptx
def guards_in_one_statement(n):
    return kernel("@%p1 " * n + "add.s32 %r1, %r2, %r3;\n")


@ptx
def labels(n):
    return kernel(lines(n, "L{i}: add.s32 %r1, %r2, %r3;"))


@ptx
def labels_in_a_row(n):
    return kernel(lines(n, "L{i}:"))


@ptx
def labels_in_a_row_with_branches(n):
    return kernel(lines(n, "L{i}:") + lines(n, "@%p1 bra L{i};"))


@ptx
def labels_of_one_name(n):
    return kernel(lines(n, "L: add.s32 %r1, %r2, %r3;"))


@ptx
def branches_to_one_label(n):
    return kernel("L:\n" + lines(n, "@%p1 bra L;"))


@ptx
def branches_to_a_missing_label(n):
    return kernel(lines(n, "@%p1 bra L;"))


@ptx
def branches_to_missing_labels(n):
    return kernel(lines(n, "@%p1 bra L{i};"))


@ptx
def branches_to_nearly_labels(n):
    return kernel(lines(n, "label_{i}: @%p1 bra lable_{i};"))


@ptx
def branches_forwards(n):
    return kernel(lines(n, "@%p1 bra E;") + "E:\n")


@ptx
def ifs_in_a_row(n):
    return kernel(lines(n, "setp.eq.s32 %p1, %r1, {i};\n@%p1 bra L{i};\nadd.s32 %r1, %r1, %r2;\nL{i}:"))


@ptx
def ifs_nested(n):
    return kernel(lines(n, "setp.eq.s32 %p1, %r1, {i};\n@%p1 bra L{i};\nadd.s32 %r1, %r1, %r2;") + lines(n, "L{b}:\nadd.s32 %r1, %r1, 1;"))


@ptx
def ifs_to_the_end(n):
    return kernel(lines(n, "setp.eq.s32 %p1, %r1, {i};\n@%p1 bra E;\nadd.s32 %r1, %r1, %r2;") + "E:\nst.global.b32 [%rd1], %r1;\n")


@ptx
def loops_in_a_row(n):
    return kernel(lines(n, "L{i}:\nadd.s32 %r1, %r1, 1;\nsetp.lt.s32 %p1, %r1, {i};\n@%p1 bra L{i};"))


@ptx
def loops_nested(n):
    return kernel(lines(n, "L{i}:\nadd.s32 %r1, %r1, 1;") + lines(n, "add.s32 %r2, %r2, 1;\nsetp.lt.s32 %p1, %r2, %r1;\n@%p1 bra L{b};"))


@ptx
def loops_that_share_a_header(n):
    return kernel("L:\n" + lines(n, "add.s32 %r1, %r1, 1;\nsetp.lt.s32 %p1, %r1, {i};\n@%p1 bra L;"))


@ptx
def loops_that_overlap(n):
    return kernel(lines(n, "L{i}:\nadd.s32 %r1, %r1, 1;\nsetp.lt.s32 %p1, %r1, {i};\n@%p1 bra L{p};"))


@ptx
def loops_with_values(n):
    body = lines(n, "mov.u32 %r{i}, {i};\nL{i}:\nadd.s32 %r{i}, %r{i}, %r{p};\nsetp.lt.s32 %p1, %r{i}, 100;\n@%p1 bra L{i};")
    return kernel(body + f"st.global.b32 [%rd1], %r{n - 1};\n", declare=f".reg .b32 %r<{n}>; .reg .pred %p<2>; .reg .b64 %rd<4>;")


@ptx
def values_through_branches(n):
    body = lines(n, "mov.u32 %r{i}, {i};\nsetp.lt.s32 %p1, %r{i}, 100;\n@%p1 bra L{i};\nadd.s32 %r0, %r0, 1;\nL{i}:")
    return kernel(body + lines(n, "st.global.b32 [%rd1], %r{i};"), declare=f".reg .b32 %r<{n}>; .reg .pred %p<2>; .reg .b64 %rd<4>;")


@ptx
def values_that_are_never_set(n):
    return kernel(
        lines(n, "@%p1 bra L{i};\nadd.s32 %r0, %r{i}, 1;\nL{i}:"), declare=f".reg .b32 %r<{n}>; .reg .pred %p<2>; .reg .b64 %rd<4>;"
    )


@ptx
def code_that_is_unreachable(n):
    return kernel(lines(n, "ret;\nadd.s32 %r1, %r2, %r3;"))


@ptx
def returns(n):
    return kernel(lines(n, "@%p1 ret;\nadd.s32 %r1, %r2, %r3;"))


@ptx
def traps(n):
    return kernel(lines(n, "@%p1 trap;\n@%p2 exit;"))


@ptx
def barriers(n):
    return kernel(lines(n, "bar.sync 0;"))


@ptx
def barriers_in_branches(n):
    return kernel(
        "mov.u32 %r1, %tid.x;\n" + lines(n, "setp.eq.s32 %p1, %r1, {i};\n@%p1 bra L{i};\nbar.sync {i};\nL{i}:"),
    )


@ptx
def barriers_of_many_names(n):
    return kernel(lines(n, "barrier.cta.sync.aligned {i}, 64;"))


@ptx
def mbarriers(n):
    shared = lines(n, ".shared .align 8 .b64 m{i};")
    return kernel(shared + lines(n, "mbarrier.init.shared.b64 [m{i}], 1;\nmbarrier.arrive.shared.b64 %rd1, [m{i}];"))


@ptx
def operations_of_one_mbarrier(n):
    return kernel(".shared .align 8 .b64 m;\nmbarrier.init.shared.b64 [m], 1;\n" + lines(n, "mbarrier.arrive.shared.b64 %rd1, [m];"))


@ptx
def waits_for_mbarriers(n):
    body = lines(n, "L{i}:\nmbarrier.try_wait.parity.shared.b64 %p1, [m], 0;\n@!%p1 bra L{i};")
    return kernel(".shared .align 8 .b64 m;\nmbarrier.init.shared.b64 [m], 1;\n" + body)


@ptx
def asynchronous_copies(n):
    return kernel(".shared .b32 s[4];\n" + lines(n, "cp.async.ca.shared.global [s], [%rd1], 4;\ncp.async.commit_group;") + "cp.async.wait_all;\n")


@ptx
def asynchronous_copies_without_a_wait(n):
    return kernel(".shared .b32 s[4];\n" + lines(n, "cp.async.ca.shared.global [s], [%rd1], 4;"))


@ptx
def asynchronous_copies_in_loops(n):
    body = "L{i}:\ncp.async.ca.shared.global [s], [%rd1], 4;\ncp.async.commit_group;\ncp.async.wait_group 1;\nsetp.eq.s32 %p1, %r1, {i};\n@%p1 bra L{i};"
    return kernel(".shared .b32 s[4];\n" + lines(n, body))


@ptx
def bulk_copies(n):
    return kernel(
        ".shared .align 128 .b8 s[128];\n.shared .align 8 .b64 m;\n"
        + lines(n, "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%rd1], 128, [m];")
    )


@ptx
def warpgroup_products(n):
    d = listed(32, "%f{i}")
    return kernel(
        "wgmma.fence.sync.aligned;\n"
        + lines(n, f"wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {{{d}}}, %rd1, %rd2, 1, 1, 1, 0, 0;\nwgmma.commit_group.sync.aligned;"),
        declare=".reg .f32 %f<32>; .reg .b64 %rd<4>;",
    )


@ptx
def register_counts(n):
    return kernel(lines(n, "setmaxnreg.inc.sync.aligned.u32 64;"), before="")


@ptx
def matrix_products(n):
    return kernel(lines(n, "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%f1,%f2,%f3,%f4}, {%r1,%r2,%r3,%r4}, {%r5,%r6}, {%f1,%f2,%f3,%f4};"))


@ptx
def loads_and_stores(n):
    return kernel(lines(n, "ld.global.b32 %r1, [%rd1+{i}];\nst.global.b32 [%rd2+{i}], %r1;"))


@ptx
def addresses_in_a_chain(n):
    return kernel(lines(n, "add.s64 %rd1, %rd1, 4;\nld.global.b32 %r1, [%rd1];"))


@ptx
def addresses_that_double(n):
    return kernel("mov.u32 %r1, %tid.x;\ncvt.u64.u32 %rd1, %r1;\n" + lines(n, "add.s64 %rd1, %rd1, %rd1;\nld.global.b32 %r2, [%rd1];"))


@ptx
def addresses_through_many_registers(n):
    body = lines(n, "add.s64 %rd{i}, %rd{p}, %rd0;\nld.global.b32 %r1, [%rd{i}];")
    return kernel("mov.u64 %rd0, 4;\n" + body, declare=f".reg .b64 %rd<{n}>; .reg .b32 %r<2>;")


@ptx
def selects_in_a_chain(n):
    body = lines(n, "setp.eq.s32 %p1, %r{p}, {i};\nselp.b32 %r{i}, %r{p}, %r0, %p1;")
    return kernel("mov.u32 %r0, %tid.x;\n" + body + f"st.global.b32 [%rd1], %r{n - 1};\n", declare=f".reg .b32 %r<{n}>; .reg .pred %p<2>; .reg .b64 %rd<4>;")
