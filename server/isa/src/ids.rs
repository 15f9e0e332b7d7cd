//! Names of the tables as enumerations, which the build script generates from the data files.
//!
//! Code refers to a modifier, a slot or an operand by a variant, so that a misspelt name does not compile. A `match` over
//! [`Exec`] is exhaustive, so it does not compile if it has no arm for a new key.

use crate::emit::Emit;
use std::fmt::{self, Write};

include!(concat!(env!("OUT_DIR"), "/ids.rs"));

impl Modifier {
    /// The name without its dot.
    pub fn word(self) -> &'static str {
        self.name().trim_start_matches('.')
    }
}

macro_rules! printed {
    ($($name:ident)*) => {$(
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.name())
            }
        }
    )*};
}
printed!(Exec Modifier OperandName SlotName);

macro_rules! emit_variant {
    ($($name:ident)*) => {$(
        impl Emit for $name {
            fn emit(&self, out: &mut String) {
                // Writing to a String cannot fail.
                let _ = write!(out, concat!(stringify!($name), "::{:?}"), self);
            }
        }
    )*};
}
emit_variant!(Exec OperandName SlotName);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found() {
        assert!(Exec::NAMES.is_sorted() && Modifier::NAMES.is_sorted(), "look-up halves the list");
        assert!(SlotName::NAMES.is_sorted() && OperandName::NAMES.is_sorted(), "look-up halves the list");
        assert!(Modifier::ALL.iter().all(|m| Modifier::of(m.name()) == Some(*m)));
        let found = (Modifier::of(".L2::128B"), SlotName::of("cta_group"), OperandName::of("scale_d"));
        assert_eq!(found, (Some(Modifier::L2_128B), Some(SlotName::CtaGroup), Some(OperandName::ScaleD)));
        assert_eq!((Modifier::of("sat"), SlotName::of(".sat"), OperandName::of("")), (None, None, None));
    }

    #[test]
    #[cfg(not(feature = "live"))]
    fn tables_have_the_ids_of_their_names() {
        let forms = || crate::ISA.opcodes.iter().flat_map(|o| o.entries).flat_map(|e| e.forms);
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
    #[cfg(all(feature = "compiler", not(feature = "live")))]
    fn tables_compiled_at_run_time_have_the_same_ids() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("data");
        let mut files = crate::compiler::read(&folder).expect("the data files");
        for (name, _) in &mut files {
            let file = name.rsplit(['/', '\\']).next().unwrap_or(name);
            *name = format!("server/isa/data/{file}");
        }
        let isa = crate::compiler::compile(&files).expect("data without mistakes");
        assert!(isa == crate::ISA, "a name has another variant");
    }
}
