//! Fits a range of registers to those that are used: declares no more of them, or numbers them without gaps.

use super::assist::Assist;
use crate::TextEdit;
use crate::references::{declaration_at, own_name, references};
use ptx_analysis::DeclarationKind;
use ptx_syntax::Snapshot;
use std::collections::BTreeMap;
use std::ops::Range;

/// Offers both assists at the name of the range in its declaration.
pub fn assists(snapshot: &Snapshot, offset: usize, out: &mut Vec<Assist>) {
    let Some((declaration, node, name)) = declaration_at(snapshot, offset) else { return };
    let Some(declared) = declaration.count.filter(|_| declaration.what == DeclarationKind::Register) else { return };
    if own_name(&declaration) != Some(node.byte_range()) {
        return;
    }
    let Some(count) = count_in(snapshot, declaration.declarator.byte_range(), declared) else { return };
    let mut uses: BTreeMap<u32, Vec<Range<usize>>> = BTreeMap::new();
    for reference in references(snapshot, &declaration, &name) {
        if reference.range == node.byte_range() {
            continue;
        }
        let text = snapshot.text(reference.range.clone());
        // Debugging data, for instance, may name the range in another way.
        let Some(number) = text.strip_prefix(name.as_str()).and_then(|number| number.parse().ok()) else { return };
        uses.entry(number).or_default().push(reference.range.start + name.len()..reference.range.end);
    }
    let Some(last) = uses.keys().next_back().copied() else { return };
    let (fitting, used) = (last.saturating_add(1), u32::try_from(uses.len()).unwrap_or(u32::MAX));
    if fitting < declared {
        let title = format!("Declare only `{name}0` to `{name}{last}`: the others are not used");
        out.push(Assist::new(
            "fit-registers",
            title,
            vec![TextEdit { range: count.clone(), text: fitting.to_string() }],
        ));
    }
    if used < fitting {
        let mut edits = vec![TextEdit { range: count, text: used.to_string() }];
        for (number, (_, places)) in (0u32..).zip(uses).filter(|(number, (old, _))| number != old) {
            edits.extend(places.into_iter().map(|range| TextEdit { range, text: number.to_string() }));
        }
        out.push(Assist::new(
            "renumber-registers",
            format!("Number the {used} registers that are used without gaps"),
            edits,
        ));
    }
}

/// The place of the number in `%r<10>`, if it is written as a plain one.
fn count_in(snapshot: &Snapshot, declarator: Range<usize>, declared: u32) -> Option<Range<usize>> {
    let text = snapshot.text(declarator.clone());
    let (open, close) = (text.find('<')? + 1, text.rfind('>')?);
    let inner = text.get(open..close)?;
    let number = inner.trim();
    let start = declarator.start + open + inner.find(number)?;
    (number == declared.to_string()).then(|| start..start + number.len())
}
