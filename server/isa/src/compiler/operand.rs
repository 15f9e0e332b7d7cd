//! Compiles operand lines: `d: write vec(vec) type sink`.

use super::error::Result;
use super::leak::{leak, leak_str};
use super::lines::LogicalLine;
use super::names::FormContext;
use crate::ids::OperandName;
use crate::tables::{
    ByteCount, Dimension, Factor, FormValue, Formula, Length, ModifierSlot, OperandAccess, Range, Spaces, TypeExpr,
    Usual, ValueKind, dimension,
};

/// Parses the text after the colon into a value named `name`.
pub(super) fn parse(line: &LogicalLine, text: &str, name: &str, form: &FormContext<'_>) -> Result<FormValue> {
    let mut p = OperandParser { line, words: words(text), next: 0, base: line.offset(text), form };
    let name = leak_str(name);
    let mut value = FormValue {
        name,
        id: OperandName::of(name),
        access: OperandAccess::Read,
        kind: ValueKind::Value,
        ty: TypeExpr::None,
        length: Length::Scalar,
        sink: false,
        holes: false,
        symbol_spaces: Spaces::Generic,
        wider: false,
        special: false,
        symbol: false,
        negatable: false,
        minus: false,
        lead: TypeExpr::None,
        mixed: false,
        naked: false,
        generic: false,
        unified: false,
        untyped: false,
        expanded: false,
        plain: false,
        untested: false,
        least: 0,
        flat: 0,
        handles: false,
        data: false,
        braces: false,
        paired: false,
        alone: false,
        headed: false,
        sized: false,
        whole: false,
        pattern: false,
        predicate: false,
        number: false,
        functions: false,
        single: false,
        loose: false,
        lax: false,
        parts: false,
        lists: false,
        bare: false,
        exact: false,
        wraps: false,
        register_only: false,
        immediate_only: false,
        lanes: false,
        reads_if: "",
        bytes: ByteCount::Natural,
        align: ByteCount::Natural,
        select: &[],
        ranges: &[],
        usual: Usual::Any,
        decodes: "",
    };
    match p.peek() {
        Some("read") => p.next += 1,
        Some("write") => {
            value.access = OperandAccess::Write;
            p.next += 1;
        }
        Some("update") => {
            value.access = OperandAccess::Update;
            p.next += 1;
        }
        _ => {}
    }
    while let Some(word) = p.peek() {
        let at = p.position();
        p.next += 1;
        match word {
            "reg" => value.register_only = true,
            "imm" => value.immediate_only = true,
            "sink" => value.sink = true,
            "wider" => value.wider = true,
            "special" => value.special = true,
            "holes" => value.holes = true,
            "symbol" => {
                value.symbol = true;
                if p.peek() == Some("(") {
                    value.symbol_spaces = p.symbol_spaces()?;
                }
            }
            "lead" => {
                p.expect("(")?;
                value.lead = p.type_expr()?;
                p.expect(")")?;
            }
            "mixed" => value.mixed = true,
            "naked" => value.naked = true,
            "generic" => value.generic = true,
            "unified" => value.unified = true,
            "untyped" => value.untyped = true,
            "macro" => value.expanded = true,
            "plain" => value.plain = true,
            "untested" => value.untested = true,
            "least" => {
                let bits = p.take("a number of bits")?;
                value.least = bits.parse().map_err(|_| line.error(at, "expected a number of bits after `least`"))?;
            }
            "flat" => {
                let bits = p.take("a number of bits")?;
                value.flat = bits.parse().map_err(|_| line.error(at, "expected a number of bits after `flat`"))?;
            }
            "handles" => value.handles = true,
            "data" => value.data = true,
            "braces" => value.braces = true,
            "paired" => value.paired = true,
            "alone" => value.alone = true,
            "headed" => value.headed = true,
            "sized" => value.sized = true,
            "whole" => value.whole = true,
            "pattern" => value.pattern = true,
            "predicate" => value.predicate = true,
            "number" => value.number = true,
            "functions" => value.functions = true,
            "single" => value.single = true,
            "loose" => value.loose = true,
            "lax" => value.lax = true,
            "parts" => value.parts = true,
            "lists" => value.lists = true,
            "bare" => value.bare = true,
            "exact" => value.exact = true,
            "wraps" => value.wraps = true,
            "lanes" => value.lanes = true,
            "if" => {
                p.expect("(")?;
                value.reads_if = leak_str(p.peek().unwrap_or(""));
                p.next += 1;
                p.expect(")")?;
            }
            "address" => value.kind = ValueKind::Address(p.spaces()?),
            "label" => value.kind = ValueKind::Label,
            "function" => value.kind = ValueKind::Function,
            "targets" => value.kind = ValueKind::Targets,
            "arguments" => value.kind = ValueKind::Arguments,
            "any" => value.kind = ValueKind::Any,
            "texref" | "samplerref" | "surfref" => value.kind = ValueKind::Opaque(leak_str(word)),
            "vec" => value.length = p.length()?,
            "select" => value.select = p.selectors()?,
            "in" => value.ranges = p.ranges()?,
            "bytes" => value.bytes = p.bytes()?,
            "align" => value.align = p.bytes()?,
            "usual" => value.usual = p.usual()?,
            "decodes" => {
                let name = p.take("an encoding")?;
                if !form.names.encodings.iter().any(|e| e == name) {
                    return Err(line.error(at, format!("no encoding is named `{name}`")));
                }
                value.decodes = leak_str(name);
            }
            _ => {
                if value.ty != TypeExpr::None {
                    return Err(line.error(at, format!("unexpected `{word}`: the operand has a type already")));
                }
                p.next -= 1;
                value.ty = p.type_expr()?;
            }
        }
    }
    if value.kind == ValueKind::Value && value.ty == TypeExpr::None {
        return Err(line.error(p.base, format!("operand `{name}` has no type")));
    }
    Ok(value)
}

/// Splits a text into words and the punctuation `( ) { } ,`, each with its byte offset.
fn words(text: &str) -> Vec<(usize, &str)> {
    let mut out = Vec::new();
    let mut start = None;
    for (at, c) in text.char_indices() {
        let single = matches!(c, '(' | ')' | '{' | '}' | ',');
        if (single || c.is_whitespace())
            && let Some(s) = start.take()
        {
            out.push((s, &text[s..at]));
        }
        if single {
            out.push((at, &text[at..=at]));
        } else if !c.is_whitespace() && start.is_none() {
            start = Some(at);
        }
    }
    if let Some(s) = start {
        out.push((s, &text[s..]));
    }
    out
}

struct OperandParser<'a> {
    line: &'a LogicalLine<'a>,
    words: Vec<(usize, &'a str)>,
    next: usize,
    base: usize,
    form: &'a FormContext<'a>,
}

impl<'a> OperandParser<'a> {
    fn peek(&self) -> Option<&'a str> {
        self.words.get(self.next).map(|w| w.1)
    }

    fn position(&self) -> usize {
        self.base + self.words.get(self.next).or(self.words.last()).map_or(0, |w| w.0)
    }

    fn error<T>(&self, message: impl Into<String>) -> Result<T> {
        Err(self.line.error(self.position(), message))
    }

    fn take(&mut self, what: &str) -> Result<&'a str> {
        match self.peek() {
            Some(word) => {
                self.next += 1;
                Ok(word)
            }
            None => self.error(format!("expected {what}")),
        }
    }

    fn expect(&mut self, word: &str) -> Result<()> {
        if self.peek() == Some(word) {
            self.next += 1;
            return Ok(());
        }
        self.error(format!("expected `{word}`"))
    }

    /// Parses the state spaces after `address`: a slot, a list in braces, or nothing for generic addresses.
    fn spaces(&mut self) -> Result<Spaces> {
        match self.peek() {
            Some("{") => {
                self.next += 1;
                let mut names = Vec::new();
                while self.peek().is_some_and(|w| w != "}") {
                    names.push(leak_str(&format!(".{}", self.take("a state space")?.trim_start_matches('.'))));
                }
                self.expect("}")?;
                Ok(Spaces::Named(leak(names)))
            }
            Some("generic") => {
                self.next += 1;
                Ok(Spaces::Generic)
            }
            Some(word) => match self.form.slot(word) {
                // The type slot after a bare `address` is the type accessed, not a space.
                Some(slot) if !self.form.slots[slot as usize].is_type => {
                    self.next += 1;
                    Ok(Spaces::Slot(slot))
                }
                _ => Ok(Spaces::Generic),
            },
            None => Ok(Spaces::Generic),
        }
    }

    /// Parses the state spaces after `symbol`: `(ss)` or `(shared local)`.
    fn symbol_spaces(&mut self) -> Result<Spaces> {
        self.expect("(")?;
        let mut names = Vec::new();
        let mut slot = None;
        while self.peek().is_some_and(|w| w != ")") {
            let word = self.take("a state space or a slot")?;
            match self.form.slot(word) {
                Some(found) => slot = Some(Spaces::Slot(found)),
                None => names.push(leak_str(&format!(".{}", word.trim_start_matches('.')))),
            }
        }
        self.expect(")")?;
        Ok(slot.unwrap_or(Spaces::Named(leak(names))))
    }

    fn length(&mut self) -> Result<Length> {
        self.expect("(")?;
        let word = self.take("a length")?;
        let length = if let Ok(n) = word.parse() {
            Length::Fixed(n)
        } else if let Some(map) = self.form.maps.iter().position(|m| m.name == word) {
            Length::Map(map as u8)
        } else if let Some(slot) = self.form.slot(word) {
            Length::Slot(slot)
        } else {
            self.next -= 1;
            Length::Formula(Box::leak(Box::new(self.formula()?)))
        };
        self.expect(")")?;
        Ok(length)
    }

    /// Parses a formula such as `m * k * bits(atype) / 1024`, with or without blanks around the operators.
    fn formula(&mut self) -> Result<Formula> {
        let mut text = String::new();
        let mut depth = 0;
        while let Some(word) = self.peek() {
            match word {
                ")" if depth == 0 => break,
                ")" => depth -= 1,
                "(" => depth += 1,
                _ => {}
            }
            text.push_str(word);
            self.next += 1;
        }
        let (product, divisor) = text.split_once('/').unwrap_or((&text, "1"));
        let Ok(divisor @ 1..) = divisor.parse() else {
            return self.error(format!("`{divisor}` is not a divisor"));
        };
        let mut factors = Vec::new();
        for factor in product.split('*') {
            factors.push(match self.factor(factor) {
                Some(factor) => factor,
                None => {
                    let message =
                        "is neither a number, a slot, a map, `bits(slot)` nor a dimension of this form's shape";
                    return self.error(format!("`{factor}` {message}"));
                }
            });
        }
        Ok(Formula { factors: leak(factors), divisor })
    }

    fn factor(&self, text: &str) -> Option<Factor> {
        if let Ok(number) = text.parse() {
            return Some(Factor::Number(number));
        }
        if let Some(slot) = text.strip_prefix("bits(").and_then(|t| t.strip_suffix(')')) {
            return self.form.slot(slot).map(Factor::Bits);
        }
        if let Some(slot) = self.form.slot(text) {
            return Some(Factor::Slot(slot));
        }
        let name = ["m", "n", "k", "rows", "width"].into_iter().find(|n| *n == text)?;
        let has = |slot: &ModifierSlot| slot.values.iter().all(|v| dimension(v, name).is_some());
        let slot = self.form.slots.iter().position(has)?;
        Some(Factor::Dimension(Dimension { slot: slot as u8, name }))
    }

    fn selectors(&mut self) -> Result<&'static [&'static str]> {
        self.expect("(")?;
        let mut names = Vec::new();
        while self.peek().is_some_and(|w| w != ")") {
            names.push(leak_str(self.take("a selector")?));
        }
        self.expect(")")?;
        Ok(leak(names))
    }

    fn ranges(&mut self) -> Result<&'static [Range]> {
        let mut out = Vec::new();
        while let Some(word) = self.peek() {
            let range = match word.split_once("..") {
                Some((low, high)) => number(low).zip(number(high)),
                None => number(word).map(|n| (n, n)),
            };
            let Some((low, high)) = range else { break };
            self.next += 1;
            out.push(Range { low, high, step: 1 });
            if self.peek() == Some("step") {
                self.next += 1;
                let word = self.take("a step")?;
                let Some(step) = number(word).filter(|s| *s > 0) else {
                    return self.error(format!("`{word}` is not a step"));
                };
                if let Some(last) = out.last_mut() {
                    last.step = step;
                }
            }
        }
        if out.is_empty() { self.error("expected a range such as `0..15`") } else { Ok(leak(out)) }
    }

    /// Parses a number of bytes: `16`, or `(size)` with the name of another operand.
    fn bytes(&mut self) -> Result<ByteCount> {
        if self.peek() == Some("(") {
            self.next += 1;
            let name = self.take("an operand")?;
            if !self.form.operands.contains(&name) {
                self.next -= 1;
                return self.error(format!("this form has no operand `{name}`"));
            }
            self.expect(")")?;
            return Ok(ByteCount::Operand(leak_str(name)));
        }
        let word = self.take("a number of bytes")?;
        match word.parse() {
            Ok(bytes @ 1..) => Ok(ByteCount::Fixed(bytes)),
            _ => {
                self.next -= 1;
                self.error(format!("`{word}` is not a number of bytes"))
            }
        }
    }

    /// Parses the text after `usual`: `nonzero`, `below(type)` or a range.
    fn usual(&mut self) -> Result<Usual> {
        match self.peek() {
            Some("nonzero") => {
                self.next += 1;
                Ok(Usual::NotZero)
            }
            Some("below") => {
                self.next += 1;
                self.expect("(")?;
                let ty = self.type_expr()?;
                self.expect(")")?;
                Ok(Usual::Below(ty))
            }
            _ => match self.ranges()? {
                [one] => Ok(Usual::In(*one)),
                _ => self.error("expected one range"),
            },
        }
    }

    fn type_expr(&mut self) -> Result<TypeExpr> {
        let at = self.position();
        let word = self.take("a type")?;
        let function = match word {
            "wide" => TypeExpr::Wide as fn(&'static TypeExpr) -> TypeExpr,
            "half" => TypeExpr::Half,
            "bits" => TypeExpr::Bits,
            _ => {
                if let Some(slot) = self.form.slot(word) {
                    return Ok(TypeExpr::Slot(slot));
                }
                let name = format!(".{}", word.trim_start_matches('.'));
                if self.form.is_type(&name) {
                    return Ok(TypeExpr::Named(leak_str(&name)));
                }
                return Err(self.line.error(at, format!("`{word}` is neither a slot of this form, a type nor a flag")));
            }
        };
        self.expect("(")?;
        let inner = self.type_expr()?;
        self.expect(")")?;
        Ok(function(Box::leak(Box::new(inner))))
    }
}

/// Parses a decimal number, possibly negative, or a hexadecimal one.
fn number(word: &str) -> Option<i64> {
    match word.strip_prefix("0x") {
        Some(hex) => i64::from_str_radix(hex, 16).ok(),
        None => word.parse().ok(),
    }
}
