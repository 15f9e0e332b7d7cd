//! Tests that every form of `cvt` in the data files, with all its modifiers, has a conversion, and that none panics.

use super::super::{ConversionFormat, ConversionRounding, Sources, compile};
use super::{ConvertRandom, options};

/// Returns all combinations of modifiers of a form: the text and the value of each slot.
fn spellings(form: &ptx_isa::tables::Form) -> Vec<(String, Vec<&'static str>)> {
    let mut spellings = vec![(String::new(), Vec::new())];
    for slot in form.slots {
        let mut longer = Vec::new();
        for (modifiers, types) in &spellings {
            if slot.optional {
                longer.push((modifiers.clone(), types.clone()));
            }
            for value in slot.values {
                let mut types: Vec<&'static str> = types.clone();
                let mut modifiers = modifiers.clone();
                if slot.is_type {
                    types.push(value.trim_start_matches('.'));
                } else {
                    modifiers.push_str(value);
                }
                longer.push((modifiers, types));
            }
        }
        spellings = longer;
    }
    spellings
}

#[test]
fn every_form_of_the_data_files() {
    let entry = ptx_isa::ISA.opcode("cvt").unwrap().entries.iter().find(|entry| entry.name == "cvt").unwrap();
    let mut random = ConvertRandom::new(4);
    let mut count = 0;
    for form in entry.forms {
        for (modifiers, types) in spellings(form) {
            let [to, from] = types.as_slice() else { panic!("{}", form.text) };
            let text = format!("cvt{modifiers}.{to}.{from}");
            let (from, to) = (ConversionFormat::named(from).unwrap(), ConversionFormat::named(to).unwrap());
            let conversion = compile(from, to, options(&modifiers));
            let conversion = conversion.unwrap_or_else(|| panic!("{text}"));
            for _ in 0..64 {
                let mut any = || random.next() & random.next() ^ random.next();
                let sources = Sources { a: any(), b: any(), e: any(), f: any(), extra: any() };
                let result = conversion.run(&sources);
                conversion.marks(&sources);
                let lane = if to.bits() == 64 { 64 } else { 32 };
                let width = if to.is_signed_integer() { lane } else { to.bits() };
                assert!(u128::from(result) >> width == 0, "{text} {sources:x?} {result:x}");
            }
            count += 1;
        }
    }
    assert!(count > 1_000, "{count}");
    assert_eq!(ConversionRounding::named("rs"), Some(ConversionRounding::Rs));
}
