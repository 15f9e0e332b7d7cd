//! Completion is ordered by frequency of use (docs/dev/usage.md), and offers items for values and CUDA names.

use crate::completion::{at, in_kernel, kernel};
use ptx_ide::{CompletionOptions, Completions, completion, signature_help};
use ptx_syntax::Snapshot;

fn first(found: &Completions, most: usize) -> Vec<&str> {
    found.items.iter().take(most).map(|i| i.label.as_str()).collect()
}

fn place(found: &Completions, label: &str) -> usize {
    found.items.iter().position(|i| i.label == label).unwrap_or(usize::MAX)
}

#[test]
fn modifiers_by_what_follows_the_prefix() {
    let found = in_kernel("ld.$0");
    for space in [".global", ".shared", ".param"] {
        assert!(first(&found, 8).contains(&space), "{space}: {:?}", first(&found, 8));
    }
    assert_eq!(first(&in_kernel("mma.sync.aligned.$0"), 1), [".m16n8k16"]);
    let found = in_kernel("shfl.sync.$0");
    assert!(place(&found, ".bfly") < place(&found, ".b32"), "{:?}", first(&found, 8));
    assert!(place(&found, ".idx") < place(&found, ".b32"), "{:?}", first(&found, 8));
}

#[test]
fn opcodes_by_use() {
    let found = in_kernel("ld.param.u64 %rd1, [out];\n    $0");
    assert!(place(&found, "ld") < 5 && place(&found, "abs") > 20, "{:?}", first(&found, 8));
    assert_eq!(first(&in_kernel("@%p1 $0"), 1), ["bra"]);
}

#[test]
fn special_registers_and_parameters() {
    let found = in_kernel("mov.u32 %r1, $0");
    assert!(place(&found, "%tid.x") < 3, "{:?}", first(&found, 8));
    let found = in_kernel("ld.param.u64 %rd1, [out];\n    ld.param.u32 %r1, [$0");
    assert_eq!(first(&found, 1), ["n"]);
}

#[test]
fn what_is_written_and_not_read_comes_first() {
    let found = in_kernel("mov.u32 %r1, 1;\n    mov.u32 %r2, 2;\n    add.u32 %r3, %r2, 1;\n    add.u32 %r4, %r3, $0");
    assert_eq!(first(&found, 1), ["%r1"]);
}

#[test]
fn words_and_compound_names() {
    for (typed, word, name) in
        [("mbarrier", "mbarrier", "mbarrier.init"), ("cp", "cp", "cp.async"), ("tcgen05", "tcgen05", "tcgen05.alloc")]
    {
        let found = in_kernel(&format!("{typed}$0"));
        assert!(
            place(&found, word) < usize::MAX && place(&found, name) < usize::MAX,
            "{typed}: {:?}",
            first(&found, 8)
        );
    }
}

#[test]
fn cuda_names_find_ptx() {
    for (cuda, ptx) in [
        ("__shfl_xor_sync", "shfl.sync.bfly.b32"),
        ("atomicAdd", "atom.add.u32"),
        ("__syncthreads", "bar.sync 0"),
        ("__popc", "popc.b32"),
    ] {
        let found = in_kernel(&format!("{cuda}$0"));
        let item =
            found.items.iter().find(|i| i.label == ptx).unwrap_or_else(|| panic!("{cuda}: {:?}", first(&found, 8)));
        assert!(item.filter.as_deref().is_some_and(|f| f.starts_with(cuda)), "{item:?}");
    }
    for (typed, ptx) in [
        ("threadIdx", "%tid.x"),
        ("threadIdx.", "%tid.x"),
        ("threadIdx.x", "%tid.x"),
        ("threadidx.y", "%tid.y"),
        ("blockIdx.y", "%ctaid.y"),
        ("blockDim.", "%ntid.z"),
        ("gridDim.x", "%nctaid.x"),
        ("warpSize", "WARP_SZ"),
    ] {
        let (text, found) = at(&kernel("7.8", "sm_80", &format!("mov.u32 %r1, {typed}$0;")));
        let item = found.items.iter().find(|i| i.label == ptx).unwrap_or_else(|| panic!("{typed}: {found:?}"));
        assert_eq!(item.new_text(), ptx);
        assert_eq!(&text[found.insert.clone()], typed, "an item replaces the whole name");
        assert!(item.detail.contains("in CUDA"), "{item:?}");
    }
    // A CUDA name finds a directive where the directive is allowed; items that the target does not support are marked.
    assert_eq!(first(&in_kernel("__shared__$0"), 1), [".shared"]);
    let (_, found) = at(&kernel("6.3", "sm_60", "__reduce_add_sync$0"));
    assert!(found.items[0].label == "redux.sync.add.s32" && found.items[0].unavailable.is_some(), "{found:?}");
}

#[test]
fn values_with_their_meaning() {
    let found = in_kernel("lop3.b32 %r1, %r2, %r3, %r4, $0");
    assert!(place(&found, "0x96") < 3 && place(&found, "0xE8") < 3, "{:?}", first(&found, 8));
    let value = |text: &str, label: &str| {
        let found = in_kernel(text);
        found.items.iter().find(|i| i.label == label).map(|i| i.detail.clone())
    };
    let whole = Some("the whole warp is one segment".to_owned());
    assert_eq!(value("shfl.sync.bfly.b32 %r1, %r2, 1, $0", "31"), whole);
    assert_eq!(value("shfl.sync.up.b32 %r1, %r2, 1, $0", "0"), whole);
}

/// The value of an expression such as `(a & b) | c` for bits of `a`, `b` and `c`. All operators at one level of
/// parentheses are the same, so precedence does not matter.
fn value(words: &str, bits: [bool; 3]) -> bool {
    fn sum(text: &mut std::iter::Peekable<std::str::Chars<'_>>, bits: [bool; 3]) -> bool {
        let term = |text: &mut std::iter::Peekable<std::str::Chars<'_>>| match text.next() {
            Some('(') => {
                let inner = sum(text, bits);
                assert_eq!(text.next(), Some(')'));
                inner
            }
            Some(name @ 'a'..='c') => bits[name as usize - 'a' as usize],
            other => panic!("{other:?} is not an operand"),
        };
        let mut out = term(text);
        while let Some(operator) = text.next_if(|c| *c != ')') {
            let right = term(text);
            out = match operator {
                '&' => out & right,
                '|' => out | right,
                '^' => out ^ right,
                other => panic!("{other} is not an operator"),
            };
        }
        out
    }
    sum(&mut words.replace(' ', "").chars().peekable(), bits)
}

#[test]
fn the_words_of_values_agree_with_the_encodings() {
    let mut tables = 0;
    for row in ptx_isa::VALUES.iter().filter(|v| (v.instruction, v.operand) == ("lop3", "lut")) {
        let number = u8::from_str_radix(row.value.trim_start_matches("0x"), 16).expect("a number");
        for bit in 0..8u8 {
            let bits = [bit & 4 != 0, bit & 2 != 0, bit & 1 != 0];
            let [a, b, c] = bits;
            let expected = match row.words {
                "the majority of a, b and c" => u8::from(a) + u8::from(b) + u8::from(c) > 1,
                words if words.starts_with("a ? b : c") => {
                    if a {
                        b
                    } else {
                        c
                    }
                }
                words => value(words, bits),
            };
            assert_eq!(number >> bit & 1 == 1, expected, "{row:?}");
        }
        tables += 1;
    }
    assert!(tables > 8, "{tables}");
    let encoding = ptx_isa::ISA.encoding("lane-segment").expect("the encoding");
    let field = |name: &str| encoding.fields.iter().find(|f| f.name == name).expect("a field");
    let mut segments = 0;
    for row in ptx_isa::VALUES.iter().filter(|v| (v.instruction, v.operand) == ("shfl.sync", "c")) {
        let digits = row.value.strip_prefix("0x");
        let number = digits.map_or_else(|| row.value.parse(), |d| u64::from_str_radix(d, 16)).expect("a number");
        let (mask, clamp) = (field("segment mask").of(number), field("clamp").of(number));
        assert_eq!(clamp, if row.with == ".up" { 0 } else { 31 }, "{row:?}");
        let meaning = field("segment mask").meaning(mask).expect("a meaning");
        let words =
            row.words.trim_start_matches("31: ").replace("the whole warp is one segment", "one segment of 32 lanes");
        assert_eq!(words, meaning, "{row:?}");
        segments += 1;
    }
    assert!(segments > 8, "{segments}");
}

#[test]
fn nothing_of_the_module_in_a_body() {
    let found = in_kernel(".$0");
    for name in [".sreg", ".target", ".alias"] {
        assert_eq!(place(&found, name), usize::MAX, "{name}: {:?}", first(&found, 40));
    }
    assert!(place(&found, ".reg") < 5 && place(&found, ".pragma") < usize::MAX, "{:?}", first(&found, 40));
    assert!(found.items.iter().all(|i| !i.detail.contains('`')));
}

#[test]
fn a_directive_leaves_a_blank() {
    let (_, found) = at(".version 8.0\n.$0");
    let item = found.items.iter().find(|i| i.label == ".target").expect(".target");
    assert_eq!(item.new_text(), ".target ");
}

#[test]
fn the_active_signature_has_room_for_what_is_written() {
    let text = kernel("7.8", "sm_80", "cp.async.cg.shared.global [tile], [%rd1], 16, %r1;");
    let at = text.find("[tile], [").expect("the statement") + 2;
    let help = signature_help(&Snapshot::new(&text), at).expect("signatures");
    assert!(help.signatures[help.active].parameters.len() >= 4, "{:?}", help.signatures[help.active].label);
}

/// The first offered items at the beginning of many positions are legal there.
#[test]
fn modifiers_that_are_offered_first_lead_on() {
    let text = kernel("8.0", "sm_90", "\n    @");
    let offset = text.find("\n    @").expect("the place") + 5;
    for head in ["ld", "st", "cvt", "shfl", "mma", "atom", "setp", "mul", "mad", "bar", "cp", "red", "ldmatrix"] {
        let mut mnemonic = head.to_owned();
        for _ in 0..12 {
            let mut new = text.clone();
            new.replace_range(offset..offset + 1, &format!("{mnemonic}."));
            let found = completion(&Snapshot::new(&new), offset + mnemonic.len() + 1, CompletionOptions::default());
            let Some(best) = found.items.first() else { break };
            mnemonic.push_str(&best.label);
        }
        let all: Vec<String> = mnemonic.split('.').skip(1).map(|m| format!(".{m}")).collect();
        let all: Vec<&str> = all.iter().map(String::as_str).collect();
        let opcode = ptx_isa::ISA.opcode(head).expect("an opcode");
        let resolved = ptx_analysis::mnemonic::resolve(opcode, &all).expect("modifiers");
        assert!(resolved.mismatch.is_none(), "{mnemonic}");
    }
}
