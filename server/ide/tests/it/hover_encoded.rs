//! Hover on values that become operands whose bits have a meaning: descriptors of matrices and of instructions, cache policies.

use crate::hover::hover_at;
use expect_test::{Expect, expect};

fn module(launch: &str, statements: &str) -> String {
    format!(
        ".version 9.0\n.target sm_100a\n.address_size 64\n.shared .align 1024 .b8 tile[4096];\n{launch}\n\
         .visible .entry k(.param .u64 desc, .param .u32 low)\n{{\n\
         .reg .pred %p<4>;\n.reg .b32 %r<16>;\n.reg .b64 %rd<16>;\n{statements}\nret;\n}}\n"
    )
}

fn text(launch: &str, statements: &str) -> String {
    hover_at(&module(launch, statements)).expect("a hover").1.markdown
}

/// The part of a hover about the operand, without the declaration and the uses of registers.
fn check(launch: &str, statements: &str, expected: &Expect) {
    let text = text(launch, statements);
    let parts =
        text.split("\n\n").skip_while(|part| !part.starts_with("The value becomes ") && !part.starts_with("**`b`: "));
    let parts: Vec<&str> =
        parts.take_while(|part| !part.contains("// ") && !part.starts_with("```ptx\n.reg")).collect();
    expected.assert_eq(&format!("{}\n", parts.join("\n\n")));
}

const MMA: &str = "tcgen05.mma.cta_group::1.kind::f16 [%r1], %rd1, %rd2, 0x8200490, %p1;";

#[test]
fn a_move_that_makes_a_descriptor() {
    check(
        "",
        &format!("mov.b64 %r$0d2, 0x4000404000010040;\n{MMA}"),
        &expect![[r#"
            The value becomes part of operand `b`:

            ```ptx
            tcgen05.mma.cta_group::1.kind::f16 [%r1], %rd1, %rd2, 0x8200490, %p1;
            ```

            **`b`: Descriptor of a matrix in shared memory**

            - address: 1024
            - leading-dimension offset: 16
            - stride-dimension offset: 1024
            - must be 1: right
            - base offset: 0
            - swizzle: 128 bytes
        "#]],
    );
    for place in ["mo$0v.b64 %rd2, 0x4000404000010040;", "mov.b64 %rd2, 0x40004$004000010040;"] {
        let text = text("", &format!("{place}\n{MMA}"));
        assert!(text.contains("- stride-dimension offset: 1024") && text.contains("`b`"), "{place}:\n{text}");
    }
}

#[test]
fn bits_that_are_put_together() {
    let chain =
        "mov.b64 %rd3, 64;\nshl.b64 %rd4, %rd3, 32;\nor.b64 %rd5, %rd4, 0x4000400000010000;\nadd.s64 %rd2, %rd5, 64;";
    check(
        "",
        &format!("{}\n{MMA}", chain.replace("mov.b64 %rd3", "mov.b64 %r$0d3")),
        &expect![[r#"
            The value becomes part of operand `b`:

            ```ptx
            tcgen05.mma.cta_group::1.kind::f16 [%r1], %rd1, %rd2, 0x8200490, %p1;
            ```

            **`b`: Descriptor of a matrix in shared memory**

            - address: 1024
            - leading-dimension offset: 16
            - stride-dimension offset: 1024
            - must be 1: right
            - base offset: 0
            - swizzle: 128 bytes
        "#]],
    );
    for place in ["%rd4, %rd3", "%rd5, %rd4", "%rd2, %rd5"] {
        let marked = chain.replace(place, &place.replacen("%r", "%r$0", 1));
        let text = text("", &format!("{marked}\n{MMA}"));
        assert!(text.contains("- stride-dimension offset: 1024"), "{place}:\n{text}");
    }
}

#[test]
fn an_address_that_is_known_only_when_it_runs() {
    let chain =
        "mov.u32 %r3, tile;\nbfe.u32 %r4, %r3, 4, 14;\ncvt.u64.u32 %rd6, %r4;\nor.b64 %rd2, %rd6, 0x4000404000010000;";
    check(
        "",
        &format!("{}\n{MMA}", chain.replace("or.b64 %rd2", "or.b64 %r$0d2")),
        &expect![[r#"
            The value becomes part of operand `b`:

            ```ptx
            tcgen05.mma.cta_group::1.kind::f16 [%r1], %rd1, %rd2, 0x8200490, %p1;
            ```

            **`b`: Descriptor of a matrix in shared memory**

            - leading-dimension offset: 16
            - stride-dimension offset: 1024
            - must be 1: right
            - base offset: 0
            - swizzle: 128 bytes

            Known only at run time: address.
        "#]],
    );
    check(
        "",
        &format!("{chain}\n{}", MMA.replace("%rd2,", "%r$0d2,")),
        &expect![[r#"
            **`b`: Descriptor of a matrix in shared memory**

            - leading-dimension offset: 16
            - stride-dimension offset: 1024
            - must be 1: right
            - base offset: 0
            - swizzle: 128 bytes

            Known only at run time: address.
        "#]],
    );
}

#[test]
fn halves_that_are_put_together() {
    let chain = "mov.b32 %r5, 0x10040;\nmov.b32 %r6, 0x40004040;\nmov.b64 %rd2, {%r5, %r6};";
    check(
        "",
        &format!("{}\n{MMA}", chain.replace("mov.b32 %r5", "mov.b32 %r$05")),
        &expect![[r#"
            The value becomes part of operand `b`:

            ```ptx
            tcgen05.mma.cta_group::1.kind::f16 [%r1], %rd1, %rd2, 0x8200490, %p1;
            ```

            **`b`: Descriptor of a matrix in shared memory**

            - address: 1024
            - leading-dimension offset: 16
            - stride-dimension offset: 1024
            - must be 1: right
            - base offset: 0
            - swizzle: 128 bytes
        "#]],
    );
}

#[test]
fn an_argument_of_the_launch() {
    let load = "ld.param.u64 %rd2, [desc];";
    let launch = "//! launch: grid=1 block=32 desc=0x4000404000010040 low=1";
    check(
        launch,
        &format!("{}\n{MMA}", load.replace("%rd2", "%r$0d2")),
        &expect![[r#"
            The value becomes part of operand `b`:

            ```ptx
            tcgen05.mma.cta_group::1.kind::f16 [%r1], %rd1, %rd2, 0x8200490, %p1;
            ```

            **`b`: Descriptor of a matrix in shared memory**

            - address: 1024
            - leading-dimension offset: 16
            - stride-dimension offset: 1024
            - must be 1: right
            - base offset: 0
            - swizzle: 128 bytes

            With the arguments of the launch above the kernel.
        "#]],
    );
    let parameter = module(launch, &format!("{load}\n{MMA}")).replacen("desc,", "de$0sc,", 1);
    let text = hover_at(&parameter).expect("a hover").1.markdown;
    assert!(text.contains("- stride-dimension offset: 1024"), "{text}");
    // Without a launch nothing of it is known, but what it becomes is.
    let text =
        hover_at(&module("", &format!("{}\n{MMA}", load.replace("%rd2", "%r$0d2")))).expect("a hover").1.markdown;
    assert!(text.contains("becomes part of operand `b`") && !text.contains("stride-dimension offset: "), "{text}");
}

#[test]
fn what_does_not_become_a_descriptor_is_a_number() {
    for statements in [
        // Another register, a later value of the same one, the address of a store, a predicate.
        format!("mov.b64 %r$0d3, 0x4000404000010040;\nmov.b64 %rd2, 0;\n{MMA}"),
        format!("mov.b64 %r$0d2, 0x4000404000010040;\nmov.b64 %rd2, 0;\n{MMA}"),
        format!("{MMA}\nmov.b64 %r$0d2, 0x4000404000010040;\nst.shared.b64 [tile], %rd2;"),
        format!("mov.b32 %r$07, 1;\nsetp.eq.u32 %p1, %r7, 0;\nmov.b64 %rd2, 0;\n{MMA}"),
    ] {
        let text = text("", &statements);
        assert!(!text.contains("becomes part") && !text.contains("offset"), "{statements}:\n{text}");
    }
}

#[test]
fn each_use_has_its_own_value() {
    let body = |first: &str, second: &str| {
        format!(
            "mov.b64 %rd2, 0x4000404000010040;\n{}\nadd.s64 %rd2, %rd2, 2;\n{}",
            MMA.replace("%rd2,", first),
            MMA.replace("%rd2,", second)
        )
    };
    let first = text("", &body("%r$0d2,", "%rd2,"));
    let second = text("", &body("%rd2,", "%r$0d2,"));
    assert!(first.contains("- address: 1024\n") && second.contains("- address: 1056\n"), "{first}\n{second}");
}

#[test]
fn values_that_meet_are_those_of_their_writers() {
    let body =
        "@%p1 bra ELSE;\nmov.b64 %rd2, 0x4000404000010040;\nbra END;\nELSE:\nmov.b64 %rd2, 0x8000404000010040;\nEND:\n";
    let swizzle = |place: &str, marked: &str| text("", &format!("{}{MMA}", body.replace(place, marked)));
    let (first, second) = ("mov.b64 %rd2, 0x4", "mov.b64 %rd2, 0x8");
    assert!(swizzle(first, "mov.b64 %r$0d2, 0x4").contains("- swizzle: 128 bytes"));
    assert!(swizzle(second, "mov.b64 %r$0d2, 0x8").contains("- swizzle: 64 bytes"));
    // At the use it is one or the other.
    let at_use = text("", &format!("{body}{}", MMA.replace("%rd2,", "%r$0d2,")));
    assert!(at_use.contains("bits 61–63 – swizzle"), "{at_use}");
}

#[test]
fn descriptors_of_wgmma_and_of_instructions() {
    let wgmma = "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0,%f1,%f2,%f3}, %rd1, %rd2, %p1, 1, 1, 0, 0;";
    let hopper = module("", &format!(".reg .f32 %f<4>;\nmov.b64 %r$0d2, 0x4000004000010040;\n{wgmma}"));
    let text = hover_at(&hopper.replace("sm_100a", "sm_90a")).expect("a hover").1.markdown;
    assert!(text.contains("- stride offset: 1024") && text.contains("- swizzling: 128 bytes"), "{text}");
    let instruction = MMA.replace("0x8200490", "%r2");
    let text = self::text("", &format!("mov.b32 %r$02, 0x8200490;\nmov.b64 %rd2, 0;\n{instruction}"));
    assert!(text.contains("- type of A: `bf16`") && text.contains("- M: 128"), "{text}");
}

#[test]
fn a_descriptor_where_it_is_read() {
    let statements = "or.b64 %rd3, %rd1, 0x4000004000000000;\nmov.b64 %rd2, 0x4000004000000000;\n\
                      wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %rd2, %r$0d2, 0, 1, 1, 0, 0;";
    let module = module("", &format!(".reg .f32 %f<4>;\n{statements}")).replace("sm_100a", "sm_90a");
    let text = hover_at(&module).expect("a hover").1.markdown;
    assert!(text.starts_with("Here: `bdesc`"), "{text}");
    let order = ["**A matrix in shared memory**", "- stride offset: 1024", "- swizzling: 128 bytes", ".reg .b64"];
    let places: Vec<usize> =
        order.iter().map(|part| text.find(part).unwrap_or_else(|| panic!("{part}: {text}"))).collect();
    assert!(places.is_sorted(), "{text}");
}
