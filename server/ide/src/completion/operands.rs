//! Operands: what fits the forms that the head and the operands before leave, the best fit first.

use super::place::Place;
use super::reach::Status;
use super::scope::{self, Name, Near, One};
use super::statement::Head;
use super::tokens::{Kind as TokenKind, Tokens};
use super::topic::Topic;
use super::{Item, ItemKind, List, forms};
use crate::names::Around;
use ptx_analysis::ast::{Operand, OperandKind, Word};
use ptx_analysis::head::{self, Candidate};
use ptx_analysis::lower::{self, Source, named_children};
use ptx_analysis::operands::{self, Names};
use ptx_analysis::spec::{Arrangement, Shape, Spec, applies};
use ptx_analysis::symbols::{List as Targets, Origin, Symbol, Variable};
use ptx_analysis::target::Environment;
use ptx_analysis::types::TypeId;
use ptx_isa::ISA;
use ptx_isa::tables::{Access, Gate, Kind, TypeClass};
use ptx_syntax::{Snapshot, kinds};

/// What has been opened around a place and not closed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Open {
    /// `[`, with the number of the part.
    Bracket(usize),
    /// `{`, with the elements before.
    Brace(Vec<String>),
    /// `(`, with the number of the argument.
    Parenthesis(usize),
}

/// A place among operands.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Spot {
    /// Which operand.
    pub index: usize,
    /// What is open in it, the innermost last.
    pub open: Vec<Open>,
    /// Where the operand begins, as a token.
    pub from: usize,
    /// The tokens right before the place that belong to the same value.
    pub piece: Vec<usize>,
}

impl Spot {
    /// The place behind some tokens, of which operands begin at `from`.
    pub fn new(tokens: &Tokens, from: usize) -> Self {
        let mut out = Self { from, ..Self::default() };
        // The tokens of the value in which something was opened.
        let mut outer: Vec<Vec<usize>> = Vec::new();
        for index in from..tokens.len() {
            match tokens.at(index) {
                sign @ ("[" | "{" | "(") => {
                    outer.push(std::mem::take(&mut out.piece));
                    out.open.push(match sign {
                        "[" => Open::Bracket(0),
                        "{" => Open::Brace(Vec::new()),
                        _ => Open::Parenthesis(0),
                    });
                }
                "]" | "}" | ")" => {
                    out.open.pop();
                    out.piece = outer.pop().unwrap_or_default();
                    out.piece.push(index);
                }
                "," => {
                    let piece = std::mem::take(&mut out.piece);
                    match out.open.last_mut() {
                        Some(Open::Bracket(part) | Open::Parenthesis(part)) => *part += 1,
                        Some(Open::Brace(elements)) => {
                            elements.push(piece.iter().map(|i| tokens.at(*i)).collect());
                        }
                        None => {
                            out.index += 1;
                            out.from = index + 1;
                        }
                    }
                }
                _ => out.piece.push(index),
            }
        }
        out
    }
}

/// What a name must be at a place.
#[derive(Debug, Clone)]
enum Want {
    /// A value by itself.
    Value(Spec),
    /// Behind a `!`.
    Negated(Spec),
    /// A part of an address in brackets.
    Base(Spec),
    /// An address, with the brackets that it needs.
    Address(Spec),
    /// An element of a list, behind others.
    Element(Spec, Vec<String>),
    /// A list as a whole.
    Whole(Spec),
    /// `_`.
    Sink,
    /// A result or an argument of a call, by its number.
    Argument(Access, usize),
}

impl Want {
    fn spec(&self) -> Option<&Spec> {
        match self {
            Self::Value(s)
            | Self::Negated(s)
            | Self::Base(s)
            | Self::Address(s)
            | Self::Whole(s)
            | Self::Element(s, _) => Some(s),
            Self::Sink | Self::Argument(..) => None,
        }
    }
}

/// A form that the head and the operands before fit.
pub struct Fitting {
    /// Its candidate and arrangement, by index.
    pub place: (usize, usize),
    /// What does not fit of the operands before.
    pub cost: u32,
    /// Whether the module has it.
    pub status: Status,
}

/// The ways of giving operands that fit what has been given before a place, best first.
pub fn fitting(
    place: &Place<'_>,
    head: &Head,
    spot: &Spot,
    resolved: &head::Head,
    names: &dyn Names,
    environment: &Environment,
) -> Vec<Fitting> {
    let given = given_text(place, head, spot);
    let parsed = Snapshot::new(&given);
    let source = Source { text: &given, base: 0 };
    let node = named_children(parsed.root()).find(|n| n.kind_id() == kinds().instruction);
    let given = node.and_then(|n| lower::instruction(source, n)).map_or_else(Vec::new, |i| i.operands);
    let mut out = Vec::new();
    for (c, candidate) in resolved.candidates.iter().enumerate() {
        for (a, arrangement) in candidate.arrangements.iter().enumerate() {
            if arrangement.broken.is_some() || arrangement.operands.len() <= spot.index {
                continue;
            }
            let mut found = Vec::new();
            for (operand, (_, shape)) in given.iter().take(spot.index).zip(&arrangement.operands) {
                operands::check(operand, shape, names, &mut found);
            }
            let cost = found.iter().map(|m| m.what.cost()).sum();
            out.push(Fitting { place: (c, a), cost, status: status(candidate, arrangement, environment) });
        }
    }
    out.sort_by_key(|f| (f.cost, f.status.rank()));
    out
}

fn status(candidate: &Candidate, arrangement: &Arrangement, environment: &Environment) -> Status {
    let said = |gate: &Gate| applies(gate.when, &candidate.values, arrangement);
    match environment.refused(candidate.form.gates, said) {
        Some(gate) => Status::Lacking(gate),
        None => Status::Available,
    }
}

/// The instruction as far as its operands are complete.
fn given_text(place: &Place<'_>, head: &Head, spot: &Spot) -> String {
    let before = &place.before;
    let opcode = before.list.get(head.end.saturating_sub(1 + head.before.len())).map_or(0, |t| t.range.start);
    // The comma before the operand at the place belongs to what follows.
    let last = if spot.index == 0 { head.end } else { spot.from.saturating_sub(1) };
    let end = last.checked_sub(1).and_then(|i| before.list.get(i)).map_or(opcode, |t| t.range.end);
    format!("{};", before.text.get(opcode..end).unwrap_or(""))
}

/// Names declared in the function, then those of the module.
pub struct Known<'a> {
    locals: &'a [Name],
    around: Around<'a>,
}

impl<'a> Known<'a> {
    /// The names known at a place.
    pub fn new(place: &'a Place<'_>, locals: &'a [Name]) -> Self {
        let root = place.snapshot.root();
        let at = root.descendant_for_byte_range(place.start, place.start).unwrap_or(root);
        Self { locals, around: Around::new(place.snapshot, at) }
    }
}

impl Names for Known<'_> {
    fn look_up(&self, name: &str) -> Option<Symbol> {
        let base = name.trim_end_matches(|c: char| c.is_ascii_digit());
        let number = name.get(base.len()..).and_then(|d| d.parse::<u32>().ok());
        let own = self.locals.iter().find(|n| match n.count {
            None => n.text == name,
            Some(count) => n.text == base && number.is_some_and(|n| n < count),
        });
        own.map(|n| n.symbol).or_else(|| self.around.look_up(name))
    }

    fn has_option(&self, name: &str) -> bool {
        self.around.has_option(name)
    }
}

impl List<'_, '_> {
    /// What may stand behind the `@` of a guard: predicates.
    pub(super) fn guard(&mut self) {
        let locals = scope::locals(self.place);
        let near = Near::new(self.place);
        let mut found = Vec::new();
        for local in &locals {
            if let Symbol::Register { ty, elements: 1 } = local.symbol
                && ty.info().class == TypeClass::Pred
            {
                self.registers(local, 0, false, &near, &mut found);
            }
        }
        self.ranked(found);
    }

    /// What may stand where an operand is written.
    pub(super) fn operand(&mut self, head: &Head) {
        let spot = Spot::new(&self.place.before, head.end);
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
        let second = last == "|" && spot.piece.len() > 1;
        if dotted || !(spot.piece.is_empty() || negated || second) {
            return;
        }
        let locals = scope::locals(self.place);
        let names = Known::new(self.place, &locals);
        let Some(resolved) = head::resolve(head.opcode, &head.modifiers()) else { return };
        let near = Near::new(self.place);
        let fitting = fitting(self.place, head, &spot, &resolved, &names, self.environment);
        let Some(best) = fitting.first() else {
            // The head is not complete, or nothing is known of it: any register may be meant.
            if resolved.mismatch.is_some() || !resolved.entry.checked {
                let mut found = Vec::new();
                for local in locals.iter().filter(|l| matches!(l.symbol, Symbol::Register { .. })) {
                    self.registers(local, 0, false, &near, &mut found);
                }
                self.ranked(found);
            }
            return;
        };
        let (cost, rank) = (best.cost, best.status.rank());
        let mut wants: Vec<Want> = Vec::new();
        for fit in fitting.iter().take_while(|f| f.cost == cost && f.status.rank() == rank) {
            let arrangement = &resolved.candidates[fit.place.0].arrangements[fit.place.1];
            if let Some((_, shape)) = arrangement.operands.get(spot.index) {
                wanted(shape, &spot, negated, second, &mut wants);
            }
        }
        let first = &resolved.candidates[best.place.0].arrangements[best.place.1];
        let callee = callee(before, head, &spot, first);
        let address_size = self.environment.address_size;
        let context = Context { names: &names, near: &near, locals: &locals, callee, address_size };
        self.wants(&wants, &context);
        if spot.index == 0
            && spot.open.is_empty()
            && spot.piece.is_empty()
            && self.place.after.len() == 0
            && self.place.word.is_empty()
        {
            for fit in fitting.iter().take_while(|f| f.cost == cost && f.status.rank() == rank).take(8) {
                let arrangement = &resolved.candidates[fit.place.0].arrangements[fit.place.1];
                let label = forms::operands(arrangement).join(", ");
                if arrangement.operands.len() < 2
                    || self.items.iter().any(|i| i.kind == ItemKind::Operands && i.label == label)
                {
                    continue;
                }
                let item = Item::new(label, ItemKind::Operands)
                    .detail("all operands")
                    .snippet(format!("{};", forms::snippet(arrangement, 1)));
                self.push(item);
            }
        }
    }

    fn wants(&mut self, wants: &[Want], context: &Context<'_>) {
        let mut found: Vec<(u32, usize, Item)> = Vec::new();
        let module = wants.iter().any(Want::of_module).then(|| scope::of_module(self.place)).unwrap_or_default();
        let labels = wants.iter().any(Want::of_labels).then(|| scope::labels(self.place)).unwrap_or_default();
        let all: Vec<&Name> = context.locals.iter().chain(&module).chain(&labels).collect();
        for name in all {
            let Some((want, rank)) = self.best(wants, name, context) else { continue };
            self.names(want, name, rank, context, &mut found);
        }
        for want in wants {
            let Some(spec) = want.spec() else {
                if matches!(want, Want::Sink) {
                    found.push((1, 0, Item::new("_", ItemKind::Word).detail("the result is not wanted")));
                }
                continue;
            };
            if matches!(want, Want::Value(_) | Want::Whole(_)) && spec.value.sink {
                found.push((5, 0, Item::new("_", ItemKind::Word).detail("the result is not wanted")));
            }
            if matches!(want, Want::Value(_)) {
                immediates(spec, self.environment, &mut found);
            }
            if spec.value.special {
                self.special_registers(want, context, &mut found);
            }
        }
        self.ranked(found);
    }

    /// The want that a name fits best, and how well.
    fn best<'w>(&self, wants: &'w [Want], name: &Name, context: &Context<'_>) -> Option<(&'w Want, u32)> {
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
        rank: u32,
        context: &Context<'_>,
        found: &mut Vec<(u32, usize, Item)>,
    ) {
        let brackets = matches!(want, Want::Address(_));
        let wrap = |text: &str| if brackets { format!("[{text}]") } else { text.to_owned() };
        let written = match want {
            Want::Argument(access, _) => *access == Access::Write,
            _ => {
                want.spec().is_some_and(|s| s.value.access == Access::Write)
                    && !brackets
                    && !matches!(want, Want::Base(_))
            }
        };
        if let Want::Whole(spec) = want {
            self.list(spec, name, rank, written, context, found);
            return;
        }
        if matches!(name.symbol, Symbol::Register { .. }) {
            let mut registers = Vec::new();
            self.registers(name, rank, written, context.near, &mut registers);
            for (_, _, item) in &mut registers {
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
            Symbol::Variable(v) if v.origin != Origin::Body && v.origin != Origin::Module => ItemKind::Parameter,
            _ => ItemKind::Variable,
        };
        let distance = context.near.distance(&name.text).unwrap_or(1 << 20);
        let topic = Topic::Declared(name.text.clone(), self.place.start);
        found.push((rank, distance, Item::new(wrap(&name.text), kind).detail(&*name.detail).topic(topic)));
    }

    /// The registers of a declaration: those in use around, the nearest first, and of a range the next that is not in use.
    fn registers(&mut self, name: &Name, rank: u32, written: bool, near: &Near, found: &mut Vec<(u32, usize, Item)>) {
        const FAR: usize = 1 << 20;
        const SHORT: u32 = 8;
        let topic = |text: &str| Topic::Declared(text.to_owned(), self.place.start);
        let item = |text: String, detail: String| {
            let topic = topic(&text);
            Item::new(text, ItemKind::Register).detail(detail).topic(topic)
        };
        let Some(count) = name.count else {
            let distance = near.distance(&name.text).unwrap_or(FAR);
            found.push((rank, distance, item(name.text.clone(), name.detail.clone())));
            return;
        };
        let mut numbers = near.of_range(&name.text, count);
        let typed = self.place.word.strip_prefix(&name.text).and_then(|d| d.parse::<u32>().ok());
        if let Some(typed) = typed.filter(|n| *n < count && !numbers.iter().any(|(other, _)| other == n)) {
            numbers.push((typed, FAR));
        }
        let unused = scope::unused(self.place, &name.text, count);
        if let Some(next) = unused {
            // A result wants a new register, a source one that has a value.
            numbers.retain(|(n, _)| *n != next);
            let text = format!("{}{next}", name.text);
            let distance = if written { 0 } else { FAR + 1 };
            found.push((rank, distance, item(text, format!("{}, not in use yet", name.detail))));
        }
        // The others of a short range are no trouble to list.
        if count <= SHORT {
            let others = (0..count).filter(|n| Some(*n) != unused && !numbers.iter().any(|(other, _)| other == n));
            let others: Vec<(u32, usize)> = others.map(|n| (n, FAR + 2)).collect();
            numbers.extend(others);
        }
        self.incomplete |= numbers.len() + usize::from(unused.is_some()) < count as usize;
        for (number, distance) in numbers {
            found.push((rank, distance, item(format!("{}{number}", name.text), name.detail.clone())));
        }
        if near.of_range(&name.text, count).is_empty() && unused.is_none() && typed.is_none() && count > 0 {
            found.push((rank, FAR, item(format!("{}0", name.text), name.detail.clone())));
        }
    }

    /// A list in braces made of consecutive registers of a range, or of a vector register.
    fn list(
        &mut self,
        spec: &Spec,
        name: &Name,
        rank: u32,
        written: bool,
        context: &Context<'_>,
        found: &mut Vec<(u32, usize, Item)>,
    ) {
        if let Symbol::Register { elements: 2.., .. } = name.symbol {
            let distance = context.near.distance(&name.text).unwrap_or(1 << 20);
            found.push((rank, distance, Item::new(name.text.clone(), ItemKind::Register).detail(&*name.detail)));
            return;
        }
        let Some(count) = name.count else { return };
        let nearest = context.near.of_range(&name.text, count).first().copied();
        for length in spec.lengths.iter().map(|n| u32::from(*n)).filter(|n| *n > 0 && *n <= count) {
            let unused = scope::unused(self.place, &name.text, count).filter(|n| n + length <= count);
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
            found.push((rank, distance, Item::new(label, ItemKind::Register).detail(detail).text(text)));
        }
    }

    fn special_registers(&mut self, want: &Want, context: &Context<'_>, found: &mut Vec<(u32, usize, Item)>) {
        for register in ISA.special_registers {
            let status = match register.requires.iter().find(|d| !self.header_has(d)) {
                Some(_) => None,
                None => Some(Status::of(register.gates, self.environment)),
            };
            let mut offer = |label: String, kind: OperandKind<'_>| {
                if !fits(want, kind, context.names) || found.iter().any(|(_, _, i)| i.label == label) {
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
                found.push((6, 0, item));
            };
            // Of `%envreg0` to `%envreg31` all are listed for those who have typed that much.
            let all = self.place.word.starts_with(register.name) && register.count > 0;
            let numbers = if all { 0..register.count } else { 0..1 };
            for number in numbers {
                let name =
                    if register.count == 0 { register.name.to_owned() } else { format!("{}{number}", register.name) };
                offer(name.clone(), OperandKind::Name(&name));
            }
            for component in register.components.chars() {
                let member = format!(".{component}");
                let (object, member) = (Word { text: register.name, start: 0 }, Word { text: &member, start: 0 });
                offer(format!("{}.{component}", register.name), OperandKind::Member(object, member));
            }
        }
    }

    /// Whether the header of the function around has a directive.
    fn header_has(&self, directive: &str) -> bool {
        let Some(function) = self.place.function else { return false };
        named_children(function)
            .take_while(|n| n.kind_id() != kinds().block)
            .any(|n| self.place.snapshot.text(n.byte_range()).starts_with(directive))
    }

    /// What may follow the dot behind a name: components of vectors, selectors of parts.
    fn components(&mut self, head: &Head, spot: &Spot, object: &str) {
        let locals = scope::locals(self.place);
        let names = Known::new(self.place, &locals);
        let Some(resolved) = head::resolve(head.opcode, &head.modifiers()) else { return };
        let mut wants: Vec<Want> = Vec::new();
        let mut before = spot.clone();
        before.piece.pop();
        let negated = before.piece.iter().any(|i| self.place.before.at(*i) == "!");
        let second = before.piece.iter().any(|i| self.place.before.at(*i) == "|");
        for fit in fitting(self.place, head, spot, &resolved, &names, self.environment).iter().filter(|f| f.cost == 0) {
            let arrangement = &resolved.candidates[fit.place.0].arrangements[fit.place.1];
            if let Some((_, shape)) = arrangement.operands.get(spot.index) {
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
            let word = |text| Word { text, start: 0 };
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

    /// Enters what was found, best first.
    fn ranked(&mut self, mut found: Vec<(u32, usize, Item)>) {
        found.sort_by_key(|(rank, distance, _)| (*rank, *distance));
        for (_, _, item) in found {
            if !self.items.iter().any(|i| i.label == item.label) {
                self.push(item);
            }
        }
    }
}

/// The name of the function that is called, where arguments are written.
pub fn callee(tokens: &Tokens, head: &Head, spot: &Spot, arrangement: &Arrangement) -> Option<String> {
    let is = |shape: &Shape| matches!(shape, Shape::Value(spec) if spec.value.kind == Kind::Function);
    let index = arrangement.operands.iter().position(|(_, shape)| is(shape)).filter(|i| *i < spot.index)?;
    // The name is a token by itself, between commas at the outermost level.
    let mut depth = 0usize;
    let mut operand = 0;
    for token in head.end..tokens.len() {
        match tokens.at(token) {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth = depth.saturating_sub(1),
            "," if depth == 0 => operand += 1,
            name if operand == index => return Some(name.to_owned()),
            _ => {}
        }
    }
    None
}

/// What names are held against.
struct Context<'a> {
    names: &'a dyn Names,
    near: &'a Near,
    locals: &'a [Name],
    callee: Option<String>,
    address_size: u16,
}

impl Want {
    /// Whether names of the module may be meant.
    fn of_module(&self) -> bool {
        self.spec().is_some_and(|s| {
            s.value.symbol
                || matches!(s.value.kind, Kind::Address(_) | Kind::Function | Kind::Opaque(_) | Kind::Targets)
        })
    }

    fn of_labels(&self) -> bool {
        self.spec().is_some_and(|s| matches!(s.value.kind, Kind::Label | Kind::Targets))
    }
}

/// What a shape asks for at a spot.
fn wanted(shape: &Shape, spot: &Spot, negated: bool, second: bool, out: &mut Vec<Want>) {
    let value = |spec: &Spec| match spec.value.kind {
        Kind::Address(_) => Want::Address(*spec),
        _ if negated => Want::Negated(*spec),
        _ => Want::Value(*spec),
    };
    let is_list = |spec: &Spec| !spec.lengths.is_empty() || spec.any_length;
    match (shape, spot.open.as_slice()) {
        (Shape::Sink, []) => out.push(Want::Sink),
        (Shape::Value(spec), []) if !second => {
            if is_list(spec) && !negated {
                out.push(Want::Whole(*spec));
            }
            if !is_list(spec) || (spec.value.bare && spec.lengths.contains(&1)) {
                out.push(value(spec));
            }
        }
        (Shape::Pair(both), []) => {
            let spec = if second { &both.1 } else { &both.0 };
            // A list stands on either side of the bar as well.
            out.push(if is_list(spec) { Want::Whole(*spec) } else { value(spec) });
        }
        (Shape::Pair(both), [Open::Brace(elements)]) => out.push(Want::Element(both.0, elements.clone())),
        (Shape::Address(parts), []) if !negated && !second => match parts.as_slice() {
            [one] => out.push(Want::Address(*one)),
            _ => {}
        },
        (Shape::Address(parts), [Open::Bracket(part), rest @ ..]) => {
            let Some(spec) = parts.get(*part) else { return };
            match rest {
                [] if is_list(spec) => out.push(Want::Whole(*spec)),
                [] if matches!(spec.value.kind, Kind::Address(_)) => out.push(Want::Base(*spec)),
                [] => out.push(Want::Value(*spec)),
                [Open::Brace(elements)] => out.push(Want::Element(*spec, elements.clone())),
                _ => {}
            }
        }
        (Shape::Value(spec), [Open::Bracket(0)]) if matches!(spec.value.kind, Kind::Address(_)) => {
            out.push(Want::Base(*spec));
        }
        (Shape::Value(spec), [Open::Brace(elements)]) if is_list(spec) => {
            out.push(Want::Element(*spec, elements.clone()));
        }
        (Shape::Arguments(spec), [Open::Parenthesis(index)]) => out.push(Want::Argument(spec.value.access, *index)),
        _ => {}
    }
}

/// Whether a name may stand at a place.
fn accepts(want: &Want, name: &Name, place: &Place<'_>, context: &Context<'_>) -> bool {
    let symbol = name.symbol;
    if let Want::Argument(access, index) = want {
        return argument(*access, *index, symbol, place, context.callee.as_deref());
    }
    let Some(spec) = want.spec() else { return false };
    match (spec.value.kind, symbol) {
        (Kind::Label, _) => return symbol == Symbol::Label,
        (Kind::Targets, Symbol::Targets { list, .. }) => return spec.value.symbol != (list == Targets::Branches),
        (Kind::Targets, _) => return false,
        (Kind::Function, Symbol::Function { kernel, .. }) => return !kernel && returns(name) == results_given(place),
        // ptxas takes the name of a function for most registers; nobody means that. It is in no state space.
        (Kind::Value, Symbol::Function { .. }) if !spec.value.symbol || spec.symbol_spaces.is_some() => return false,
        // The front end of ptxas takes addresses of any width, and a texture as if it were memory; what follows it does not.
        (Kind::Address(_), Symbol::Register { ty, .. }) if !holds_address(spec, ty, context.address_size) => {
            return false;
        }
        (Kind::Address(_), Symbol::Variable(Variable { ty: Some(ty), .. })) if ty.info().class == TypeClass::Opaque => {
            return false;
        }
        (Kind::Function, _) => return false,
        _ => {}
    }
    let text = if name.count.is_some() { format!("{}0", name.text) } else { name.text.clone() };
    let names = One { name: &text, symbol, others: context.names };
    fits(want, OperandKind::Name(&text), &names)
}

/// Whether a register can hold an address: of the module's size, or of 32 bits where that is all that there is in a state space.
fn holds_address(spec: &Spec, ty: TypeId, address_size: u16) -> bool {
    let window = |name: &&str| ISA.space(name).is_some_and(|s| s.window);
    let small = spec.spaces.is_some_and(|s| s.iter().all(window)) || spec.value.register_only;
    ty.info().bits == address_size || (small && ty.info().bits == 32)
}

/// Whether a function returns something, after its header.
fn returns(name: &Name) -> bool {
    name.detail
        .split_once(' ')
        .is_some_and(|(_, rest)| rest.starts_with('(') && !rest.trim_start_matches('(').trim_start().starts_with(')'))
}

/// Whether a call says where its results go.
fn results_given(place: &Place<'_>) -> bool {
    place.before.words(0).any(|w| w == "(")
}

/// Whether something may be an argument or a result of a call.
fn argument(access: Access, index: usize, symbol: Symbol, place: &Place<'_>, callee: Option<&str>) -> bool {
    let own = match symbol {
        Symbol::Variable(v) => v.space == ".param" && v.origin == Origin::Body,
        Symbol::Register { elements: 1, ty } => ty.info().class != TypeClass::Pred,
        _ => false,
    };
    let Some(callee) = callee.filter(|_| own && access == Access::Read) else { return own };
    let root = place.snapshot.root();
    let Some(found) = crate::names::find(place.snapshot, root, callee) else { return own };
    let Some(list) = found.statement.child_by_field_id(ptx_syntax::fields().parameters) else { return own };
    let Some(parameter) = named_children(list).filter(|n| n.kind_id() == kinds().parameter).nth(index) else {
        return false;
    };
    let text = place.snapshot.text(parameter.byte_range());
    let lowered = lower::declaration(Source { text: &text, base: parameter.start_byte() }, parameter);
    let declared = ptx_analysis::declare::names(&lowered, Origin::Parameter);
    let bits = |symbol: &Symbol| match symbol {
        Symbol::Register { ty, .. } => Some(u64::from(ty.info().bits)),
        Symbol::Variable(v) => v.bytes.map(|b| 8 * b),
        _ => None,
    };
    match declared.first().map(|d| d.symbol) {
        // In a list of registers stand registers.
        Some(Symbol::Register { ty, .. }) => {
            matches!(symbol, Symbol::Register { ty: own, .. } if own.info().bits == ty.info().bits)
        }
        Some(wanted @ Symbol::Variable(v)) => match symbol {
            Symbol::Register { .. } => !v.array && bits(&wanted) == bits(&symbol),
            Symbol::Variable(own) => own.array == v.array && bits(&wanted) == bits(&symbol),
            _ => false,
        },
        _ => own,
    }
}

/// Whether something may stand at a place.
fn fits(want: &Want, kind: OperandKind<'_>, names: &dyn Names) -> bool {
    let operand = |kind| Operand { range: 0..0, kind };
    let mut found = Vec::new();
    let mut check = |kind, shape: &Shape| {
        found.clear();
        operands::check(&operand(kind), shape, names, &mut found);
        found.is_empty()
    };
    match want {
        Want::Value(spec) => check(kind, &Shape::Value(*spec)),
        Want::Negated(spec) => check(OperandKind::Not(Box::new(operand(kind))), &Shape::Value(*spec)),
        Want::Base(spec) | Want::Address(spec) => {
            check(OperandKind::Address(vec![operand(kind)]), &Shape::Address(vec![*spec]))
        }
        Want::Whole(spec) => {
            let whole = check(kind.clone(), &Shape::Value(*spec));
            whole
                || spec.lengths.iter().any(|n| {
                    let list = (0..*n).map(|_| operand(kind.clone())).collect();
                    *n > 0 && check(OperandKind::Vector(list), &Shape::Value(*spec))
                })
        }
        Want::Element(spec, before) => {
            let lengths = spec.lengths.iter().map(|n| usize::from(*n)).filter(|n| *n > before.len());
            let lengths: Vec<usize> = if spec.any_length { vec![before.len() + 1] } else { lengths.collect() };
            lengths.into_iter().any(|length| {
                let mut list: Vec<Operand<'_>> = before.iter().map(|e| operand(element(e))).collect();
                list.push(operand(kind.clone()));
                // What follows is not known; of a list that is joined to one type it is most likely the same.
                let rest = |spec: &Spec| if spec.value.mixed { kind.clone() } else { OperandKind::Error };
                list.extend((list.len()..length).map(|_| operand(rest(spec))).collect::<Vec<_>>());
                check(OperandKind::Vector(list), &Shape::Value(*spec))
            })
        }
        Want::Sink | Want::Argument(..) => false,
    }
}

/// An element of a list that has been written.
fn element(text: &str) -> OperandKind<'_> {
    let name = text.chars().skip(1).all(super::tokens::is_part);
    match text.chars().next() {
        _ if text == "_" => OperandKind::Sink,
        Some(c) if c.is_ascii_digit() && text.contains(['.', 'f', 'F', 'd', 'D']) && !text.starts_with("0x") => {
            OperandKind::Float(text)
        }
        Some(c) if c.is_ascii_digit() => OperandKind::Integer(text),
        Some(c) if name && (c == '%' || super::tokens::is_part(c)) => OperandKind::Name(text),
        _ => OperandKind::Error,
    }
}

/// How well something fits: the smaller the better.
fn rank(want: &Want, symbol: Symbol, address_size: u16) -> u32 {
    let Some(spec) = want.spec() else {
        return u32::from(matches!(symbol, Symbol::Register { .. }));
    };
    match symbol {
        Symbol::Register { ty, .. } if matches!(want, Want::Base(_) | Want::Address(_)) => {
            // Parameters and constants have names; nobody computes their addresses.
            let fixed = spec.spaces.is_some_and(|s| s.iter().all(|s| ISA.space(s).is_some_and(|s| s.fixed)));
            u32::from(ty.info().bits != address_size) * 3 + 2 * u32::from(fixed)
        }
        Symbol::Register { ty, .. } => match spec.ty {
            Some(wanted) => distance(wanted, ty),
            None => 1,
        },
        Symbol::Variable(v) if matches!(want, Want::Base(_) | Want::Address(_)) => {
            u32::from(spec.ty.is_some_and(|wanted| v.ty.is_some_and(|ty| ty.info().bits != wanted.info().bits)))
        }
        Symbol::Variable(_) | Symbol::Function { .. } if spec.value.kind == Kind::Value => {
            // An address that does not fit is an offset at best.
            if spec.ty.is_some_and(|t| t.info().bits == address_size) { 4 } else { 8 }
        }
        _ => 0,
    }
}

fn distance(wanted: TypeId, ty: TypeId) -> u32 {
    let (w, t) = (wanted.info(), ty.info());
    match (w.name == t.name, w.bits == t.bits, t.class == TypeClass::Bits) {
        (true, _, _) => 0,
        (_, true, true) => 1,
        (_, true, false) => 2,
        _ => 3,
    }
}

/// `b[0-7]` stands for eight selectors.
fn expand(pattern: &str) -> Vec<String> {
    match pattern.split_once("[0-7]") {
        None => vec![pattern.to_owned()],
        Some((before, after)) => {
            (0..8).flat_map(|n| expand(after).into_iter().map(move |rest| format!("{before}{n}{rest}"))).collect()
        }
    }
}

/// Numbers that an operand may be, where they are few, and those that are meant most often.
fn immediates(spec: &Spec, environment: &Environment, found: &mut Vec<(u32, usize, Item)>) {
    const MOST: i64 = 16;
    let value = spec.value;
    if value.register_only || value.access != Access::Read || value.kind != Kind::Value || !spec.lengths.is_empty() {
        return;
    }
    let whole = |t: TypeId| matches!(t.info().class, TypeClass::Bits | TypeClass::Uint | TypeClass::Sint);
    if value.lanes {
        let item = Item::new("0xffffffff", ItemKind::Number).detail("all 32 lanes");
        found.push((0, 0, item));
    }
    let count: i64 = value
        .ranges
        .iter()
        .map(|r| r.high.saturating_sub(r.low).saturating_div(r.step.max(1)).saturating_add(1))
        .fold(0, i64::saturating_add);
    if !value.ranges.is_empty() && count <= MOST {
        for range in value.ranges {
            let mut number = range.low;
            while number <= range.high {
                found.push((5, 0, Item::new(number.to_string(), ItemKind::Number).detail(format!("`{}`", value.name))));
                number = number.saturating_add(range.step.max(1));
            }
        }
    } else if value.ranges.is_empty() && !value.lanes && spec.ty.is_some_and(whole) {
        for constant in ISA.constants {
            let item = Item::new(constant.name, ItemKind::Number)
                .detail(constant.summary)
                .topic(Topic::Constant(constant.name.to_owned()))
                .status(Status::of(constant.gates, environment));
            found.push((7, 0, item));
        }
    }
}
