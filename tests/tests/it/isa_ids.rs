//! The enumerations that are generated from the names in the data files.

use ptx_isa::compiler::ids::{source, variant};
use ptx_isa::compiler::{compile, read};
use ptx_isa::{ISA, Modifier, OperandName, SlotName};
use std::path::Path;

#[test]
fn names_are_found() {
    // Look-up halves the list, so each name is found only where the list is sorted.
    assert!(Modifier::ALL.iter().all(|m| Modifier::of(m.name()) == Some(*m)));
    assert!(SlotName::ALL.iter().all(|s| SlotName::of(s.name()) == Some(*s)));
    assert!(OperandName::ALL.iter().all(|o| OperandName::of(o.name()) == Some(*o)));
    let found = (Modifier::of(".L2::128B"), SlotName::of("cta_group"), OperandName::of("scale_d"));
    assert_eq!(found, (Some(Modifier::L2_128B), Some(SlotName::CtaGroup), Some(OperandName::ScaleD)));
    assert_eq!((Modifier::of("sat"), SlotName::of(".sat"), OperandName::of("")), (None, None, None));
}

#[test]
fn tables_have_the_ids_of_their_names() {
    let forms = || ISA.opcodes.iter().flat_map(|o| o.entries).flat_map(|e| e.forms);
    for slot in forms().flat_map(|f| f.slots) {
        assert_eq!(slot.set.map(SlotName::name), Some(slot.name).filter(|n| !n.starts_with('.')));
        assert!(slot.values.iter().all(|v| Modifier::of(v).is_some()), "{:?}", slot.values);
    }
    for value in forms().flat_map(|f| f.operands).flat_map(|o| o.pattern.values()) {
        assert_eq!(value.id.map(OperandName::name), Some(value.name));
    }
}

/// The build script does not have the enumerations yet and prints the names of their variants; tables read at run time
/// look them up.
#[test]
fn tables_compiled_at_run_time_have_the_same_ids() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../server/isa/data");
    let mut files = read(&folder).expect("the data files");
    for (name, _) in &mut files {
        let file = name.rsplit(['/', '\\']).next().unwrap_or(name);
        *name = format!("server/isa/data/{file}");
    }
    let isa = compile(&files).expect("data without mistakes");
    assert!(isa == ISA, "a name has another variant");
}

/// The source generated for a fixture.
fn made(text: &str) -> Result<String, String> {
    let head = "type u32 uint 32\nmodifier .sat Saturates\nmodifier .lo Low\nmodifier .hi High\nfamily f EntryFamily\n";
    let isa = compile(&[("x.isa".to_owned(), format!("{head}{text}"))]).expect("a fixture without mistakes");
    source(&isa)
}

fn entry(key: &str) -> String {
    let form = "  form add{.sat}.mode.u32 d\n    mode = lo hi\n    d: write u32\n";
    format!("opcode add\n  summary Adds.\n  exec {key}\n{form}")
}

#[test]
fn names_become_variants() {
    let all = [
        ("mbarrier.try_wait", "MbarrierTryWait"),
        (".sat", "Sat"),
        (".NaN", "NaN"),
        (".noComplete", "NoComplete"),
        (".m16n8k16", "M16n8k16"),
        (".shared::cta", "SharedCta"),
        (".L2::128B", "L2_128B"),
        (".sp::2:4", "Sp2_4"),
        (".32x128b", "_32x128b"),
        (".warpx2::02_13", "Warpx2_02_13"),
    ];
    assert!(all.iter().all(|(name, expected)| variant(name) == *expected), "{:?}", all.map(|(n, _)| variant(n)));
}

#[test]
fn keys_modifiers_slots_and_operands_become_enumerations() {
    let made = made(&(entry("m.try_wait") + &entry("a.b"))).expect("no clash");
    assert!(made.contains("    /// `a.b`, of `add`.\n    AB,\n"), "{made}");
    assert!(made.find("AB,") < made.find("MTryWait,"), "{made}");
    for variant in ["Hi", "Lo", "Sat", "U32", "Mode", "D"] {
        assert!(made.contains(&format!("\n    {variant},\n")), "{variant}: {made}");
    }
    assert!(made.contains("        \"m.try_wait\",\n"), "{made}");
}

#[test]
fn two_names_of_one_variant_are_a_mistake() {
    let clash = made(&(entry("m.try_wait") + &entry("m_try.wait")));
    assert_eq!(clash, Err("`m.try_wait` and `m_try.wait` make the same variant `MTryWait`".to_owned()));
}
