use super::{MAX_SHORT, MAX_TEXT, both_names, demangle, mangled_names, short_name, shorten};
use std::time::{Duration, Instant};

fn full(name: &str) -> String {
    demangle(name).map_or_else(|| "–".to_owned(), |d| d.full)
}

#[test]
fn cpp_names() {
    assert_eq!(full("_Z3fooPfi"), "foo(float*, int)");
    assert_eq!(full("_ZZ3cgkPiE2sm"), "cgk(int*)::sm");
    assert_eq!(full("_Z4gemmIfLi128EEvPT_"), "void gemm<float, 128>(float*)");
    assert_eq!(short_name("_Z4gemmIfLi128EEvPT_"), "gemm<float, 128>");
    assert_eq!(full("_ZN12_GLOBAL__N_13fooEv"), "(anonymous namespace)::foo()");
    // Numba stores options in ABI tags.
    let numba = "_ZN8__main__3selB4v122B92cw51cXTLSUwv1sDUaKthrqNgqqmjgOR3W3CwAkMXLaJtQYkOIgxJU0gCqOkEJoHkbttqdVhoqlspQGNFHSgJ5BnXagIAE5ArrayIiLi1E1A7mutable7alignedEi";
    assert_eq!(short_name(numba), "__main__::sel");
}

#[test]
fn what_compilers_append() {
    assert_eq!(full("_Z3fooPf_param_0"), "foo(float*) [param 0]");
    assert_eq!(short_name("_Z3fooPf_param_12"), "param_12");
    assert_eq!(full("_Z3foov.llvm.123"), "foo() [clone .llvm.123]");
    assert_eq!(full("_Z3foov_$_llvm_$_123"), "foo() [clone .llvm.123]");
    assert_eq!(full("$_Z3foov$__internal_accurate_pow"), "foo() [internal_accurate_pow]");
    assert_eq!(full("%_Z3foov"), "foo()");
    assert_eq!(full("__nv_static_28__1a2b3c4d_4_x_cu_3c4d__Z3foov"), "static foo()");
}

#[test]
fn rust_names() {
    assert_eq!(full("_ZN4core3fmt9Formatter3new17h0123456789abcdefE"), "core::fmt::Formatter::new");
    assert_eq!(
        full("_ZN45_$LT$f32$u20$as$u20$core_$__$_ops_$__$_arith_$__$_Add$GT$3add17h0123456789abcdefE"),
        full("_ZN45_$LT$f32$u20$as$u20$core..ops..arith..Add$GT$3add17h0123456789abcdefE"),
    );
    assert_eq!(full("_RNvCs1234_7mycrate3foo"), "mycrate::foo");
    assert_eq!(full("_RNvCs1234_7mycrate3foo_param_1"), "mycrate::foo [param 1]");
    assert_eq!(short_name("_RINvNtC3std3mem8align_ofdE"), "std::mem::align_of::<f64>");
}

#[test]
fn other_names() {
    for name in
        ["foo", "%r1", "$L__BB0_1", "_Z", "_R", "_Zfoo", "_Z3foo-", "_Z3foovX", "__nv_static_", "", "_", "_Z999foo"]
    {
        assert_eq!(demangle(name), None, "{name}");
        assert_eq!(both_names(name), name);
    }
    assert_eq!(both_names("_Z3foov"), "foo (_Z3foov)");
}

#[test]
fn short_forms() {
    let short = |name: &str, max| {
        let out = shorten(name, max);
        assert!(out.chars().count() <= max, "{out}");
        out
    };
    assert_eq!(short("a::kernel<float, 128>", 60), "a::kernel<float, 128>");
    assert_eq!(short("kernel<Policy<int, 32>, float, 128>", 30), "kernel<Policy<…>, float, 128>");
    assert_eq!(short("kernel<Policy<int, 32>, float, 128>", 25), "kernel<Policy<…>, …>");
    assert_eq!(short("one::two::three::kernel<float>::inner", 20), "…::kernel<…>::inner");
    assert_eq!(short("a::operator<< <Long<int>, Other>", 22), "a::operator<< <…>");
    assert_eq!(short("abcdefghij", 5), "abcd…");
    assert_eq!(short("a<b<c>", 5), "a<b<…");
}

/// A name of a few hundred bytes can stand for gigabytes.
#[test]
fn neither_time_nor_length_explodes() {
    let nested = "P".repeat(2000);
    let mut bomb = "_Z1f1AIiE".to_owned();
    for n in 0..30u32 {
        let digit = char::from_digit(n, 36).unwrap_or('0').to_ascii_uppercase();
        bomb.push_str(&format!("1AIS{digit}_S{digit}_S{digit}_E"));
    }
    let names = [
        format!("_Z1f{nested}i"),
        format!("_Z{}", "N1A".repeat(1000)),
        format!("_Z1f{}", "1AI".repeat(1000)),
        format!("_Z1fI{}E", "XplLi1E".repeat(500)),
        format!("_Z1f{}", "DpT_".repeat(500)),
        format!("_Z1fIJ{}EEvDpT_", "i".repeat(3000)),
        format!("_R{}C1a", "INvC1a1b".repeat(400)),
        bomb,
    ];
    for name in names {
        let start = Instant::now();
        if let Some(found) = demangle(&name) {
            assert!(found.full.len() <= MAX_TEXT + 64 && found.short.chars().count() <= MAX_SHORT, "{name}");
        }
        assert!(start.elapsed() < Duration::from_secs(10), "{name}: {:?}", start.elapsed());
    }
}

#[test]
fn the_names_in_a_message_are_told() {
    let names = mangled_names("no function `_Z3addii` is declared here, nor `foo`: see `_Z3addii` and `_Z3subii`");
    assert_eq!(names, [("_Z3addii", "add(int, int)".to_owned()), ("_Z3subii", "sub(int, int)".to_owned())]);
    assert!(mangled_names("_Z3addii without backticks, `%r1`, an odd one `_Z3addi").is_empty());
}
