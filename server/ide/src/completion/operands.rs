//! Completion of operands: names and values that the forms left by the mnemonic and the earlier operands accept, the best
//! match first.

mod literals;
mod pointers;
mod spot;
mod want;

pub use spot::{EnclosingBracket, Fitting, NamesInScope, OperandSpot, callee, fitting};

use super::history::NameRole;
use super::reach::TargetSupport;
use super::scope::{self, Name, Near};
use super::statement::MnemonicAtCursor;
use super::tokens::CompletionTokenKind as TokenKind;
use super::topic::Topic;
use super::usage;
use super::{Item, ItemKind, List, forms};
use literals::{RankedItem, expand, immediates};
use pointers::Pointers;
use ptx_analysis::{NameLookup, OperandKind, OperandSpec, SourceWord, Symbol, VariableOrigin, mnemonic, names};
use ptx_isa::ISA;
use ptx_isa::tables::{OperandAccess, TypeClass};
use ptx_syntax::walk::named_children;
use ptx_syntax::{Node, kinds};
use want::{OperandContext, Want, accepts, fits, rank, takes_special, wanted};

/// What is added to the rank of a register that holds an address of another state space than the operand's.
const POINTS_ELSEWHERE: u32 = 4;
/// Maximum number of bytes after the cursor on its line that are searched for the end of the statement.
const LONGEST_REST: usize = 1 << 12;

impl<'t> List<'_, 't> {
    /// Completes the operand of a guard after `@`: predicates.
    pub(super) fn guard(&mut self) {
        let locals = scope::locals(self.place);
        let near = Near::new(self.place);
        let mut found = Vec::new();
        for local in &locals {
            if let Symbol::Register { ty, elements: 1 } = local.symbol
                && ty.info().class == TypeClass::Pred
            {
                self.registers(local, 0, NameRole::Read, &near, &mut found);
            }
        }
        self.ranked(found);
    }

    /// Completes an operand of an instruction.
    pub(super) fn operand(&mut self, head: &MnemonicAtCursor) {
        let spot = OperandSpot::new(&self.place.before, head.end);
        let before = &self.place.before;
        let last = spot.piece.last().map_or("", |i| before.at(*i));
        let dotted = self.place.kind == Some(TokenKind::Dot);
        if dotted && self.place.touches {
            return match spot.piece.last().and_then(|i| before.kind(*i)) {
                Some(TokenKind::Register | TokenKind::Word) => self.components(head, &spot, last),
                _ if last == "]" && spot.open.is_empty() => self.suffixes(head, spot.index),
                _ => {}
            };
        }
        let negated = last == "!" && spot.piece.len() == 1;
        let bars = spot.piece.iter().filter(|i| before.at(**i) == "|").count();
        let second = last == "|" && spot.piece.len() > 1 && bars == 1;
        if dotted || !(spot.piece.is_empty() || negated || second) {
            return;
        }
        let locals = scope::locals(self.place);
        let names = NamesInScope::new(self.place, &locals);
        let Some(resolved) = mnemonic::resolve(head.opcode, &head.modifiers()) else { return };
        let near = Near::new(self.place);
        let mut fitting = fitting(self.place, head, &spot, &resolved, &names, self.environment);
        if let (Some(best), Some(count)) = (fitting.first(), self.operands_in_all(&spot)) {
            let (cost, rank) = (best.cost, best.status.rank());
            let length = |f: &Fitting| resolved.candidates[f.place.0].variants[f.place.1].operands.len();
            if fitting.iter().any(|f| f.cost == cost && f.status.rank() == rank && length(f) == count) {
                fitting.retain(|f| length(f) == count);
            }
        }
        let Some(best) = fitting.first() else {
            // Either the mnemonic is incomplete, or the tables do not describe its operands: any register may be meant.
            if resolved.mismatch.is_some() || !resolved.entry.checked {
                let mut found = Vec::new();
                for local in locals.iter().filter(|l| matches!(l.symbol, Symbol::Register { .. })) {
                    self.registers(local, 0, NameRole::Read, &near, &mut found);
                }
                self.ranked(found);
            }
            return;
        };
        let (cost, rank) = (best.cost, best.status.rank());
        let mut wants: Vec<Want> = Vec::new();
        for fit in fitting.iter().take_while(|f| f.cost == cost && f.status.rank() == rank) {
            let variant = &resolved.candidates[fit.place.0].variants[fit.place.1];
            if let Some((_, shape)) = variant.operands.get(spot.index) {
                wanted(shape, &spot, negated, second, &mut wants);
            }
        }
        let first = &resolved.candidates[best.place.0].variants[best.place.1];
        let callee = self.callee(callee(before, head, &spot, first).as_deref(), &spot);
        let address_size = self.environment.address_size;
        let mnemonic = format!("{}{}", head.opcode.name, head.before.concat());
        let here = ptx_isa::USAGE.after("operand", &format!("{mnemonic} {}", spot.index));
        let weight = |word: &str| here.iter().find(|(w, _)| *w == word).map_or(0, |(_, w)| *w);
        let is_address = |w: &Want| matches!(w, Want::Address(_) | Want::Base(_));
        let pointers =
            if wants.iter().any(is_address) { Pointers::new(self.place, &names) } else { Pointers::default() };
        let context = OperandContext {
            pointers,
            often_names: 10 * weight("name") >= weight("register") + weight("name") && weight("name") > 0,
            names: &names,
            near: &near,
            locals: &locals,
            callee,
            address_size,
            head,
            mnemonic,
            index: spot.index,
        };
        self.wants(&wants, &context);
        if spot.index == 0
            && spot.open.is_empty()
            && spot.piece.is_empty()
            && self.place.after.len() == 0
            && self.place.word.is_empty()
        {
            for fit in fitting.iter().take_while(|f| f.cost == cost && f.status.rank() == rank).take(8) {
                let candidate = &resolved.candidates[fit.place.0];
                let variant = &candidate.variants[fit.place.1];
                let label = forms::operands(variant).join(", ");
                if variant.operands.len() < 2
                    || !variant.is_offered(candidate.form, &candidate.values, self.environment)
                    || self.items.iter().any(|i| i.kind == ItemKind::Operands && i.label == label)
                {
                    continue;
                }
                let item = Item::new(label, ItemKind::Operands)
                    .detail("all operands")
                    .snippet(format!("{};", forms::snippet(variant, 1)));
                self.push(item);
            }
        }
    }

    /// The called function, or the prototype of an indirect call. While the results are written, its name is after the
    /// closing parenthesis.
    fn callee(&self, name: Option<&str>, spot: &OperandSpot) -> Option<Node<'t>> {
        if !matches!(spot.open.as_slice(), [EnclosingBracket::Parenthesis(_)]) {
            return None;
        }
        let after = &self.place.after;
        let close = (0..after.len()).find(|i| after.at(*i) == ")");
        let behind = close.filter(|i| after.at(i + 1) == ",").map(|i| after.at(i + 2));
        let name = name.or(behind)?;
        let snapshot = self.place.snapshot;
        let function = |name: &str| names::find(snapshot, snapshot.root_at(self.place.start), name);
        if !name.starts_with('%') {
            return function(name).map(|f| f.statement);
        }
        let table = after.at(after.len().checked_sub(1)?);
        let from = snapshot.leaf(self.place.start..self.place.start)?;
        let label = names::find(snapshot, from, table)?.statement;
        let list = label.next_named_sibling()?;
        if list.kind_id() == kinds().call_prototype_directive {
            return Some(list);
        }
        // All functions of a table have the same parameters and results.
        let first = named_children(list).next().filter(|_| list.kind_id() == kinds().call_targets_directive)?;
        function(&snapshot.text(first.byte_range())).map(|f| f.statement)
    }

    /// The number of operands of the statement. `None` if the line has no `;` after the cursor.
    fn operands_in_all(&self, spot: &OperandSpot) -> Option<usize> {
        let rope = self.place.snapshot.rope();
        let line = rope.byte_to_line(self.place.replace.end);
        let end = if line + 1 < rope.len_lines() { rope.line_to_byte(line + 1) } else { rope.len_bytes() };
        let rest = self.place.snapshot.text(self.place.replace.end..end);
        let rest = rest.split("//").next().unwrap_or("");
        if rest.len() > LONGEST_REST || !rest.contains(';') {
            return None;
        }
        let mut depth = spot.open.len();
        let mut behind = 0;
        for word in self.place.after.words(0) {
            match word {
                "[" | "{" | "(" => depth += 1,
                "]" | "}" | ")" => depth = depth.saturating_sub(1),
                "," if depth == 0 => behind += 1,
                _ => {}
            }
        }
        Some(spot.index + 1 + behind)
    }

    fn wants(&mut self, wants: &[Want], context: &OperandContext<'_>) {
        let mut found: Vec<RankedItem> = Vec::new();
        let module = if wants.iter().any(Want::of_module) { scope::of_module(self.place) } else { Vec::new() };
        let labels = if wants.iter().any(Want::of_labels) { self.labels() } else { Vec::new() };
        let all: Vec<&Name> = context.locals.iter().chain(&module).chain(&labels).collect();
        for name in all {
            let Some((want, rank)) = self.best(wants, name, context) else { continue };
            self.names(want, name, rank, context, &mut found);
        }
        for want in wants {
            let Some(spec) = want.spec() else {
                if matches!(want, Want::Sink) {
                    found.push(RankedItem {
                        rank: 1,
                        distance: 0,
                        item: Item::new("_", ItemKind::Word).detail("the result is discarded"),
                    });
                }
                continue;
            };
            if matches!(want, Want::Value(_) | Want::Whole(_)) && spec.value.sink {
                found.push(RankedItem {
                    rank: 5,
                    distance: 0,
                    item: Item::new("_", ItemKind::Word).detail("the result is discarded"),
                });
            }
            if matches!(want, Want::Value(_)) {
                self.values(spec, context, &mut found);
                immediates(spec, self.environment, &mut found);
            }
            if spec.value.special {
                self.special_registers(want, context, &mut found);
            }
        }
        self.ranked(found);
    }

    /// The best matching want for a name, and its rank.
    fn best<'w>(&self, wants: &'w [Want], name: &Name, context: &OperandContext<'_>) -> Option<(&'w Want, u32)> {
        let pointer = self.environment.address_size;
        wants
            .iter()
            .filter(|w| accepts(w, name, self.place, context))
            .map(|w| (w, rank(w, name.symbol, pointer)))
            .min_by_key(|(_, rank)| *rank)
    }

    fn names(
        &mut self,
        want: &Want,
        name: &Name,
        mut rank: u32,
        context: &OperandContext<'_>,
        found: &mut Vec<RankedItem>,
    ) {
        let brackets = matches!(want, Want::Address(_));
        let wrap = |text: &str| if brackets { format!("[{text}]") } else { text.to_owned() };
        let role = match want {
            Want::Argument(OperandAccess::Write, _) => NameRole::Written,
            Want::Base(_) | Want::Address(_) => NameRole::Address,
            _ if want.spec().is_some_and(|s| s.value.access == OperandAccess::Write) => NameRole::Written,
            _ => NameRole::Read,
        };
        if let Want::Whole(spec) = want {
            self.list(spec, name, rank, role == NameRole::Written, context, found);
            return;
        }
        if matches!(name.symbol, Symbol::Register { .. }) {
            let mut registers = Vec::new();
            self.registers(name, rank, role, context.near, &mut registers);
            for RankedItem { rank, item, .. } in &mut registers {
                if let (NameRole::Address, Some(spec)) = (role, want.spec())
                    && context.pointers.contradict(&item.label, spec)
                {
                    *rank += POINTS_ELSEWHERE;
                }
                if brackets {
                    item.text = None;
                    item.label = wrap(&item.label);
                }
            }
            found.append(&mut registers);
            return;
        }
        let kind = match name.symbol {
            Symbol::Function { .. } => ItemKind::Function,
            Symbol::Label | Symbol::Targets { .. } => ItemKind::Label,
            Symbol::Variable(v) if v.origin != VariableOrigin::Body && v.origin != VariableOrigin::Module => {
                ItemKind::Parameter
            }
            _ => ItemKind::Variable,
        };
        let mentioned = self.history().mentions(&name.text);
        // In operands that often name variables in real files, variables are listed among the registers. They come after
        // the one or two values that nothing has read yet. Because a module may have thousands of variables, at most
        // `MAX_OFFERED` are ranked this way.
        const MAX_OFFERED: usize = 3;
        const FRESH: usize = 3;
        const SEEN: usize = 12;
        let listed = || found.iter().filter(|i| i.rank == 0 && i.item.kind == ItemKind::Variable).count();
        let likely = kind == ItemKind::Variable && context.often_names && rank < 8 && listed() < MAX_OFFERED;
        let distance = match kind {
            // Parameters that nothing has read yet come first, in their order.
            ItemKind::Parameter => usize::from(mentioned),
            // Labels are already sorted.
            ItemKind::Label => 0,
            ItemKind::Variable if likely => {
                rank = 0;
                if mentioned { SEEN } else { FRESH }
            }
            _ => context.near.distance(&name.text).unwrap_or(1 << 20),
        };
        let topic = Topic::Declared(name.text.clone(), self.place.start);
        found.push(RankedItem {
            rank,
            distance,
            item: Item::new(wrap(&name.text), kind).detail(&*name.detail).topic(topic),
        });
    }

    /// Enters the registers of one declaration. Of a range, these are the registers in use nearby, the nearest first, and
    /// the next unused one.
    fn registers(&mut self, name: &Name, rank: u32, role: NameRole, near: &Near, found: &mut Vec<RankedItem>) {
        const FAR: usize = 1 << 20;
        // Ranks the unused register after registers that later statements read and no statement has written.
        const NEW: usize = 30;
        const SHORT: u32 = 8;
        let topic = |text: &str| Topic::Declared(text.to_owned(), self.place.start);
        let item = |text: String, detail: String| {
            let topic = topic(&text);
            Item::new(text, ItemKind::Register).detail(detail).topic(topic)
        };
        let Some(count) = name.count else {
            let distance = self.cost(&name.text, role, near.distance(&name.text).unwrap_or(FAR));
            found.push(RankedItem { rank, distance, item: item(name.text.clone(), name.detail.clone()) });
            return;
        };
        let mut numbers = near.of_range(&name.text, count);
        for (number, distance) in &mut numbers {
            *distance = self.cost(&format!("{}{number}", name.text), role, *distance);
        }
        let typed = self.place.word.strip_prefix(&name.text).and_then(|d| d.parse::<u32>().ok());
        if let Some(typed) = typed.filter(|n| *n < count && !numbers.iter().any(|(other, _)| other == n)) {
            numbers.push((typed, FAR));
        }
        let unused = near.used.unused(&name.text, count);
        if let Some(next) = unused {
            // A result usually goes to a new register; a source needs a register that has a value.
            numbers.retain(|(n, _)| *n != next);
            let text = format!("{}{next}", name.text);
            let distance = if role == NameRole::Written { NEW } else { FAR + 1 };
            found.push(RankedItem { rank, distance, item: item(text, format!("{}, not in use yet", name.detail)) });
        }
        // A short range is listed completely.
        if count <= SHORT {
            let others = (0..count).filter(|n| Some(*n) != unused && !numbers.iter().any(|(other, _)| other == n));
            let others: Vec<(u32, usize)> = others.map(|n| (n, FAR + 2)).collect();
            numbers.extend(others);
        }
        for (number, distance) in numbers {
            found.push(RankedItem {
                rank,
                distance,
                item: item(format!("{}{number}", name.text), name.detail.clone()),
            });
        }
        if near.of_range(&name.text, count).is_empty() && unused.is_none() && typed.is_none() && count > 0 {
            found.push(RankedItem { rank, distance: FAR, item: item(format!("{}0", name.text), name.detail.clone()) });
        }
    }

    /// The cost of a register: a smaller cost is likelier. If the surrounding statements do not use the register, the cost
    /// grows with its distance in the text, in bytes.
    fn cost(&self, name: &str, role: NameRole, distance: usize) -> usize {
        const UNSEEN: usize = 500;
        self.history().cost(name, role).unwrap_or(UNSEEN + distance)
    }

    /// Enters a list in braces made of consecutive registers of a range, or one vector register.
    fn list(
        &mut self,
        spec: &OperandSpec,
        name: &Name,
        rank: u32,
        written: bool,
        context: &OperandContext<'_>,
        found: &mut Vec<RankedItem>,
    ) {
        if let Symbol::Register { elements: 2.., .. } = name.symbol {
            let distance = context.near.distance(&name.text).unwrap_or(1 << 20);
            found.push(RankedItem {
                rank,
                distance,
                item: Item::new(name.text.clone(), ItemKind::Register).detail(&*name.detail),
            });
            return;
        }
        let Some(count) = name.count else { return };
        let nearest = context.near.of_range(&name.text, count).first().copied();
        for length in spec.lengths.iter().map(|n| u32::from(*n)).filter(|n| *n > 0 && *n <= count) {
            let unused = context.near.used.unused(&name.text, count).filter(|n| n + length <= count);
            let first = match (written, unused, nearest) {
                (true, Some(next), _) => next,
                (_, _, Some((number, _))) if number + length <= count => number,
                _ => 0,
            };
            let register = |n: u32| format!("{}{}", name.text, first + n);
            let text = format!("{{{}}}", (0..length).map(register).collect::<Vec<_>>().join(", "));
            let label = match length {
                0..=8 => text.clone(),
                _ => format!("{{{}, {}, … {}}}", register(0), register(1), register(length - 1)),
            };
            let detail = format!("{} × {}", length, name.detail);
            let distance = nearest.map_or(1 << 20, |(_, distance)| distance);
            found.push(RankedItem {
                rank,
                distance,
                item: Item::new(label, ItemKind::Register).detail(detail).text(text),
            });
        }
    }

    /// Enters values that the operand often has, from the data files.
    fn values(&self, spec: &OperandSpec, context: &OperandContext<'_>, found: &mut Vec<RankedItem>) {
        let has = |modifier: &str| context.head.before.iter().any(|m| m == modifier);
        let of = |name: &str| {
            name == "*" || context.mnemonic.strip_prefix(name).is_some_and(|r| r.is_empty() || r.starts_with('.'))
        };
        let fitting = ptx_isa::VALUES
            .iter()
            .filter(|v| v.operand == spec.value.name && of(v.instruction) && (v.with.is_empty() || has(v.with)));
        for (index, value) in fitting.enumerate() {
            if !found.iter().any(|i| i.item.label == value.value) {
                found.push(RankedItem {
                    rank: 0,
                    distance: index,
                    item: Item::new(value.value, ItemKind::Number).detail(value.words),
                });
            }
        }
    }

    fn special_registers(&mut self, want: &Want, context: &OperandContext<'_>, found: &mut Vec<RankedItem>) {
        let history = self.history();
        let last = history.special.last().map_or("", String::as_str);
        let modifiers = context.head.modifiers();
        let class = usage::class(context.head.opcode.name, &modifiers);
        let mut scores = usage::likely("special", &["*", &class, last]);
        for (name, score) in &mut scores {
            // Most functions read each special register once.
            if history.special.iter().any(|s| s == name) {
                *score *= 0.1;
            }
        }
        scores.sort_by(|(_, a), (_, b)| b.total_cmp(a));
        let here = ptx_isa::USAGE.after("operand", &format!("{} {}", context.mnemonic, context.index));
        let weight = |word: &str| here.iter().find(|(w, _)| *w == word).map_or(0, |(_, w)| *w);
        let often = weight("special") > weight("register") / 2;
        // If real files read special registers here about as often as other registers, the likeliest ones come first.
        const FIRST: usize = 8;
        for register in ISA.special_registers {
            let status = match register.requires.iter().find(|d| !self.header_has(d)) {
                Some(_) => None,
                None => Some(TargetSupport::of(register.gates, self.environment)),
            };
            let bits = ISA.ty(register.ty).map_or(0, |ty| ty.bits);
            let mut offer = |label: String, kind: OperandKind<'_>| {
                if !takes_special(want, kind, bits, context.names) || found.iter().any(|i| i.item.label == label) {
                    return;
                }
                let mut item = Item::new(label.clone(), ItemKind::SpecialRegister)
                    .detail(register.summary)
                    .topic(Topic::Special(label));
                item = match status {
                    Some(status) => item.status(status),
                    None => {
                        item.unavailable = Some(format!("needs {} in the header", register.requires.join(", ")));
                        item
                    }
                };
                let place = scores.iter().position(|(name, _)| *name == item.label).unwrap_or(usize::MAX);
                found.push(RankedItem { rank: if often && place < FIRST { 0 } else { 6 }, distance: place, item });
            };
            // All of `%envreg0` to `%envreg31` are listed once `%envreg` is typed.
            let all = self.place.word.starts_with(register.name) && register.count > 0;
            let numbers = if all { 0..register.count } else { 0..1 };
            for number in numbers {
                let name =
                    if register.count == 0 { register.name.to_owned() } else { format!("{}{number}", register.name) };
                offer(name.clone(), OperandKind::Name(&name));
            }
            for component in register.components.chars() {
                let member = format!(".{component}");
                let (object, member) =
                    (SourceWord { text: register.name, start: 0 }, SourceWord { text: &member, start: 0 });
                offer(format!("{}.{component}", register.name), OperandKind::Member(object, member));
            }
        }
    }

    /// Whether the header of the enclosing function has a directive.
    fn header_has(&self, directive: &str) -> bool {
        let Some(function) = self.place.function else { return false };
        named_children(function)
            .take_while(|n| n.kind_id() != kinds().block)
            .any(|n| self.place.snapshot.text(n.byte_range()).starts_with(directive))
    }

    /// Completes the word after the dot of a name: components of vectors, selectors of parts.
    fn components(&mut self, head: &MnemonicAtCursor, spot: &OperandSpot, object: &str) {
        let locals = scope::locals(self.place);
        let names = NamesInScope::new(self.place, &locals);
        let Some(resolved) = mnemonic::resolve(head.opcode, &head.modifiers()) else { return };
        let mut wants: Vec<Want> = Vec::new();
        let mut before = spot.clone();
        before.piece.pop();
        let negated = before.piece.iter().any(|i| self.place.before.at(*i) == "!");
        let second = before.piece.iter().any(|i| self.place.before.at(*i) == "|");
        for fit in fitting(self.place, head, spot, &resolved, &names, self.environment).iter().filter(|f| f.cost == 0) {
            let variant = &resolved.candidates[fit.place.0].variants[fit.place.1];
            if let Some((_, shape)) = variant.operands.get(spot.index) {
                wanted(shape, spot, negated, second, &mut wants);
            }
        }
        let selectors = wants.iter().filter_map(Want::spec).flat_map(|s| s.value.select.iter().flat_map(|s| expand(s)));
        let mut members: Vec<String> = selectors.collect();
        let special = ISA.special_register(object).filter(|_| names.look_up(object).is_none());
        let elements = match (names.look_up(object), special) {
            (Some(Symbol::Register { elements, .. }), _) if elements > 1 => usize::from(elements),
            (None, Some(register)) => register.components.len(),
            _ => 0,
        };
        members.extend(["x", "y", "z", "w"].iter().take(elements).map(|c| (*c).to_owned()));
        for member in members {
            let dotted = format!(".{member}");
            let word = |text| SourceWord { text, start: 0 };
            let kind = || OperandKind::Member(word(object), word(&dotted));
            let fitting = wants.iter().any(|w| fits(w, kind(), &names));
            if fitting && !self.items.iter().any(|i| i.label == dotted) {
                let topic = if special.is_some() { Topic::Special(format!("{object}{dotted}")) } else { Topic::None };
                let detail = ISA
                    .modifier(&dotted)
                    .filter(|_| member.len() > 1)
                    .map_or_else(|| format!("component of `{object}`"), |m| m.summary.to_owned());
                self.push(Item::new(dotted, ItemKind::Component).detail(detail).topic(topic));
            }
        }
    }

    /// Adds `found` to the list, best first, without duplicates.
    fn ranked(&mut self, mut found: Vec<RankedItem>) {
        found.sort_by_key(|i| (i.rank, i.distance));
        for RankedItem { item, .. } in found {
            if !self.items.iter().any(|i| i.label == item.label) {
                self.push(item);
            }
        }
    }
}
