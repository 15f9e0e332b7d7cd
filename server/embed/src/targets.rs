//! What a host text says about the architecture: conditions of the preprocessor and comments, as plain data.

use std::sync::Arc;

/// A condition on the architecture that a device function is compiled for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Condition {
    /// Depends on something else.
    Unknown,
    /// Always or never true in device code.
    Always(bool),
    /// The architecture's number is at least this: 90 for `__CUDA_ARCH__ >= 900`.
    AtLeast(u32),
    /// The architecture's number is this, whatever its suffix.
    Exactly(u32),
    /// The architecture is this one with the suffix `a`.
    Specific(u32),
    /// The architecture is of this family: it has the suffix `f` or `a` and at least this number.
    Family(u32),
    /// A macro whose name ends in `SM90_ENABLED` or `SM90A_ENABLED`: never defined below this number, and with `true`
    /// never without a suffix. It may be undefined elsewhere.
    Enabled(u32, bool),
    /// The PTX version is at least this: `(8, 6)` for `__cccl_ptx_isa >= 860`.
    Version(u8, u8),
    /// The opposite.
    Not(Arc<Condition>),
    /// All hold.
    All(Vec<Condition>),
    /// At least one holds.
    Any(Vec<Condition>),
}

impl Condition {
    /// Whether the condition holds for an architecture (number, suffix `a` or `f`) and a PTX version, where that is sure.
    #[must_use]
    pub fn holds(&self, number: u32, suffix: Option<char>, version: (u8, u8)) -> Option<bool> {
        match self {
            Self::Unknown => None,
            Self::Always(value) => Some(*value),
            Self::AtLeast(n) => Some(number >= *n),
            Self::Exactly(n) => Some(number == *n),
            Self::Specific(n) => Some(number == *n && suffix == Some('a')),
            Self::Family(n) if number < *n || number / 10 != n / 10 || suffix.is_none() => Some(false),
            Self::Family(_) => Some(true),
            Self::Enabled(n, specific) if number < *n || *specific && suffix.is_none() => Some(false),
            Self::Enabled(..) => None,
            Self::Version(major, minor) => Some(version >= (*major, *minor)),
            Self::Not(inner) => inner.holds(number, suffix, version).map(|holds| !holds),
            Self::All(parts) => {
                let mut all = Some(true);
                for part in parts {
                    match part.holds(number, suffix, version) {
                        Some(false) => return Some(false),
                        None => all = None,
                        Some(true) => {}
                    }
                }
                all
            }
            Self::Any(parts) => {
                let mut any = Some(false);
                for part in parts {
                    match part.holds(number, suffix, version) {
                        Some(true) => return Some(true),
                        None => any = None,
                        Some(false) => {}
                    }
                }
                any
            }
        }
    }

    /// Whether the condition is true or false in all device code.
    pub(crate) fn constant(&self) -> Option<bool> {
        match self {
            Self::Always(value) => Some(*value),
            Self::Not(inner) => inner.constant().map(|value| !value),
            Self::All(parts) if parts.iter().any(|p| p.constant() == Some(false)) => Some(false),
            Self::Any(parts) if parts.iter().any(|p| p.constant() == Some(true)) => Some(true),
            _ => None,
        }
    }

    /// Whether the condition says nothing.
    #[must_use]
    pub fn is_unknown(&self) -> bool {
        match self {
            Self::Unknown | Self::Always(true) => true,
            Self::Not(inner) => matches!(**inner, Self::Unknown | Self::Always(false)) || inner.is_unknown_below(),
            Self::All(parts) => parts.iter().all(Self::is_unknown),
            Self::Any(parts) => parts.iter().any(Self::is_unknown),
            _ => false,
        }
    }

    /// Whether no part of the condition says anything.
    fn is_unknown_below(&self) -> bool {
        match self {
            Self::Unknown => true,
            Self::Not(inner) => inner.is_unknown_below(),
            Self::All(parts) | Self::Any(parts) => parts.iter().all(Self::is_unknown_below),
            _ => false,
        }
    }

    /// The opposite condition.
    #[must_use]
    pub fn negated(this: &Arc<Self>) -> Arc<Self> {
        match &**this {
            Self::Unknown => this.clone(),
            Self::Always(value) => Arc::new(Self::Always(!value)),
            Self::Not(inner) => inner.clone(),
            _ => Arc::new(Self::Not(this.clone())),
        }
    }
}

/// A comment `// ptx: target=sm_90a version=8.7`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct PtxComment {
    /// The targets, as written and separated by commas.
    pub targets: Vec<String>,
    /// The PTX version.
    pub version: Option<(u8, u8)>,
    /// All other words, such as values of operands for an evaluation: `%1=lane*4`.
    pub other: Vec<String>,
}

impl PtxComment {
    /// Reads a comment without its marks. `None` if it does not begin with `ptx:`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let rest = text.trim_start().strip_prefix("ptx:")?;
        let mut out = Self::default();
        for word in rest.split_whitespace() {
            let listed = word.strip_prefix("target=").or_else(|| word.strip_prefix("targets="));
            if let Some(targets) = listed {
                out.targets.extend(targets.split(',').filter(|t| !t.is_empty()).map(str::to_owned));
            } else if let Some(version) = word.strip_prefix("version=") {
                let (major, minor) = version.split_once('.').unwrap_or((version, "0"));
                out.version = major.parse().ok().zip(minor.parse().ok());
            } else {
                out.other.push(word.to_owned());
            }
        }
        Some(out)
    }
}

/// What the host text says about the targets of a statement. A comment decides alone.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Wanted {
    /// The comment above the statement or its function.
    pub comment: Option<Arc<PtxComment>>,
    /// Conditions of the preprocessor around the statement. All hold where it is compiled.
    pub conditions: Vec<Arc<Condition>>,
    /// Whether the function around it is one of the device.
    pub device: bool,
}

impl Wanted {
    /// Whether nothing is said.
    #[must_use]
    pub fn is_anything(&self) -> bool {
        self.comment.as_ref().is_none_or(|c| c.targets.is_empty() && c.version.is_none()) && self.conditions.is_empty()
    }

    /// Whether the conditions surely exclude an architecture (number, suffix `a` or `f`) with a PTX version.
    #[must_use]
    pub fn excludes(&self, number: u32, suffix: Option<char>, version: (u8, u8)) -> bool {
        self.conditions.iter().any(|c| c.holds(number, suffix, version) == Some(false))
    }
}

/// The most parts of a condition that are read. A longer one is unknown.
const MAX_PARTS: usize = 64;

/// Reads the expression of an `#if`, or the target argument of `NV_IF_TARGET`.
#[must_use]
pub(crate) fn parse_condition(text: &str) -> Condition {
    let mut parser = Parser { tokens: tokens(text), at: 0, parts: 0 };
    if parser.tokens.len() > 16 * MAX_PARTS {
        return Condition::Unknown;
    }
    let out = parser.any();
    if parser.parts > MAX_PARTS || parser.at < parser.tokens.len() { Condition::Unknown } else { out }
}

/// What identifies a condition as written, and whether it is the condition or its opposite: `!defined(X)` is the opposite
/// of `defined X`.
pub(crate) fn identified(text: &str) -> (String, bool) {
    let tokens = tokens(text);
    let mut rest = tokens.as_slice();
    let mut positive = true;
    loop {
        rest = match rest {
            ["!", "(", inner @ .., ")"] if is_one(inner) => {
                positive = !positive;
                inner
            }
            ["!", one @ ..] if matches!(one, [_] | ["defined", _] | ["defined", "(", _, ")"]) => {
                positive = !positive;
                one
            }
            ["(", inner @ .., ")"] if is_one(inner) => inner,
            ["defined", "(", name, ")"] => return (format!("defined {name}"), positive),
            _ => return (rest.join(" "), positive),
        }
    }
}

/// Whether brackets around the tokens would belong together.
fn is_one(inner: &[&str]) -> bool {
    let mut depth = 0i32;
    inner.iter().all(|token| {
        depth += i32::from(*token == "(") - i32::from(*token == ")");
        depth >= 0
    }) && depth == 0
}

/// The condition "this macro is defined".
#[must_use]
pub(crate) fn defined(name: &str) -> Condition {
    if name == "__CUDA_ARCH__" || name == "__CUDACC__" || name == "__NVCC__" {
        return Condition::Always(true);
    }
    // Addresses of a device have 64 bits, so where a text is written for either the other branch is dead.
    if name == "__LP64__" || name == "_LP64" {
        return Condition::Always(true);
    }
    if let Some(n) = name.strip_prefix("__CUDA_ARCH_FEAT_SM").and_then(|r| r.strip_suffix("_ALL")) {
        return n.parse().map_or(Condition::Unknown, Condition::Specific);
    }
    if name.ends_with("_ENABLED")
        && let Some((number, suffix)) = number_after(name, "SM")
    {
        return Condition::Enabled(number, suffix.is_some());
    }
    Condition::Unknown
}

/// The number, with its suffix, after the last occurrence of a mark in a name.
fn number_after(name: &str, mark: &str) -> Option<(u32, Option<char>)> {
    let rest = &name[name.rfind(mark)? + mark.len()..];
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let suffix = rest[digits..].chars().next().map(|c| c.to_ascii_lowercase()).filter(|c| matches!(c, 'a' | 'f'));
    let end = &rest[digits + suffix.map_or(0, char::len_utf8)..];
    // `SM90X` is a name of another project.
    if !end.is_empty() && !end.starts_with('_') {
        return None;
    }
    rest[..digits].parse().ok().filter(|n| (10..1000).contains(n)).map(|n| (n, suffix))
}

/// The condition that a name from `<nv/target>` stands for.
fn nv_target(name: &str) -> Option<Condition> {
    let numbered = |prefix: &str| name.strip_prefix(prefix).map(|_| number_after(name, "_SM_"));
    Some(match name {
        "NV_IS_DEVICE" | "NV_ANY_TARGET" => Condition::Always(true),
        "NV_IS_HOST" | "NV_NO_TARGET" => Condition::Always(false),
        _ => {
            let (number, make): (_, fn(u32, Option<char>) -> Condition) = if let Some(n) = numbered("NV_PROVIDES_SM_") {
                (n, |n, _| Condition::AtLeast(n))
            } else if let Some(n) = numbered("NV_IS_EXACTLY_SM_") {
                (n, |n, _| Condition::Exactly(n))
            } else {
                let n = numbered("NV_HAS_FEATURE_SM_")?;
                (n, |n, suffix| if suffix == Some('f') { Condition::Family(n) } else { Condition::Specific(n) })
            };
            number.map_or(Condition::Unknown, |(n, suffix)| make(n, suffix))
        }
    })
}

/// Names, numbers and operators of an expression, without comments and spliced lines.
fn tokens(text: &str) -> Vec<&str> {
    let bytes = text.as_bytes();
    let mut out = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        let b = bytes[at];
        at += 1;
        if b.is_ascii_alphanumeric() || b == b'_' {
            while at < bytes.len() && (bytes[at].is_ascii_alphanumeric() || matches!(bytes[at], b'_' | b'\'')) {
                at += 1;
            }
        } else if b == b'/' && bytes.get(at) == Some(&b'/') {
            break;
        } else if b == b'/' && bytes.get(at) == Some(&b'*') {
            at = memchr::memmem::find(&bytes[at + 1..], b"*/").map_or(bytes.len(), |i| at + i + 3);
            continue;
        } else if b.is_ascii_whitespace() || b == b'\\' {
            continue;
        } else if matches!(&bytes[start..(start + 2).min(bytes.len())], b">=" | b"<=" | b"==" | b"!=" | b"&&" | b"||") {
            at += 1;
        } else if !b.is_ascii() {
            while at < bytes.len() && !bytes[at].is_ascii() {
                at += 1;
            }
        }
        out.push(&text[start..at]);
    }
    out
}

/// A parser of preprocessor expressions.
struct Parser<'a> {
    tokens: Vec<&'a str>,
    at: usize,
    parts: usize,
}

impl<'a> Parser<'a> {
    fn peek(&self) -> Option<&'a str> {
        self.tokens.get(self.at).copied()
    }

    fn take(&mut self, token: &str) -> bool {
        let found = self.peek() == Some(token);
        self.at += usize::from(found);
        found
    }

    fn any(&mut self) -> Condition {
        let mut parts = vec![self.all()];
        while self.take("||") || self.take("|") {
            parts.push(self.all());
        }
        if parts.len() == 1 { parts.remove(0) } else { Condition::Any(parts) }
    }

    fn all(&mut self) -> Condition {
        let mut parts = vec![self.one()];
        while self.take("&&") || self.take("&") {
            parts.push(self.one());
        }
        if parts.len() == 1 { parts.remove(0) } else { Condition::All(parts) }
    }

    fn one(&mut self) -> Condition {
        self.parts += 1;
        if self.parts > MAX_PARTS {
            // The caller sees the count and drops the whole.
            self.at = self.tokens.len();
            return Condition::Unknown;
        }
        if self.take("!") {
            return Condition::Not(Arc::new(self.one()));
        }
        if self.take("(") {
            let inner = self.any();
            if !self.take(")") {
                self.skip_operand();
                return Condition::Unknown;
            }
            // `(X) >= 900` compares something unknown.
            return if self.operator().is_some() {
                self.skip_operand();
                Condition::Unknown
            } else {
                inner
            };
        }
        let Some(name) = self.peek() else { return Condition::Unknown };
        self.at += 1;
        if name == "defined" || name == "__CUDA_ARCH_HAS_FEATURE__" {
            let bracket = self.take("(");
            let Some(what) = self.peek() else { return Condition::Unknown };
            self.at += 1;
            if bracket && !self.take(")") {
                self.skip_operand();
                return Condition::Unknown;
            }
            return if name == "defined" { defined(what) } else { feature(what) };
        }
        if let Some(condition) = nv_target(name) {
            return condition;
        }
        if let Some(operator) = self.operator() {
            self.at += 1;
            let plain = self.peek().and_then(number);
            let right = plain.filter(|_| matches!(self.tokens.get(self.at + 1), None | Some(&")" | &"&&" | &"||")));
            let Some(right) = right else {
                self.skip_operand();
                // `900 <= __CUDA_ARCH__`
                return Condition::Unknown;
            };
            self.at += 1;
            return compared(name, operator, right);
        }
        match (self.peek(), number(name)) {
            (Some("(" | "+" | "-" | "*" | "/" | "%" | "<" | ">" | "?"), _) => {
                self.skip_operand();
                Condition::Unknown
            }
            (_, Some(value)) => Condition::Always(value != 0),
            // A macro used as a value may be defined as 0, but never where it is not defined at all.
            _ => match defined(name) {
                enabled @ Condition::Enabled(..) => enabled,
                specific @ Condition::Specific(_) => specific,
                _ => Condition::Unknown,
            },
        }
    }

    /// A comparison at the current place.
    fn operator(&self) -> Option<&'a str> {
        self.peek().filter(|t| matches!(*t, ">=" | "<=" | "==" | "!=" | ">" | "<"))
    }

    /// Goes to the next `&&`, `||` or closing bracket of this level.
    fn skip_operand(&mut self) {
        let mut depth = 0u32;
        while let Some(token) = self.peek() {
            match token {
                "(" => depth += 1,
                ")" if depth == 0 => return,
                ")" => depth -= 1,
                "&&" | "||" if depth == 0 => return,
                _ => {}
            }
            self.at += 1;
        }
    }
}

/// `SM90_ALL`, the argument of `__CUDA_ARCH_HAS_FEATURE__`.
fn feature(name: &str) -> Condition {
    let number = name.strip_prefix("SM").and_then(|r| r.strip_suffix("_ALL")).and_then(|n| n.parse().ok());
    number.map_or(Condition::Unknown, Condition::Specific)
}

/// A whole number with its suffixes.
fn number(token: &str) -> Option<u64> {
    let plain = token.replace('\'', "");
    let digits = plain.trim_end_matches(['u', 'U', 'l', 'L']);
    match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(hex) => u64::from_str_radix(hex, 16).ok(),
        None => digits.parse().ok(),
    }
}

/// A comparison of a macro with a number.
fn compared(name: &str, operator: &str, right: u64) -> Condition {
    let Ok(n) = u32::try_from(right) else { return Condition::Unknown };
    let not = |c: Condition| Condition::Not(Arc::new(c));
    // The smallest architecture whose macro is at least, or above, a number.
    let (from, above) = (n.div_ceil(10), n / 10 + 1);
    let at_least = |from: u32| -> Condition {
        match name {
            "__CUDA_ARCH__" => Condition::AtLeast(from),
            _ => {
                let from = from.min(2550);
                Condition::Version(u8::try_from(from / 10).unwrap_or(u8::MAX), u8::try_from(from % 10).unwrap_or(0))
            }
        }
    };
    match (name, operator) {
        ("__CUDA_ARCH__" | "__cccl_ptx_isa", ">=") => at_least(from),
        ("__CUDA_ARCH__" | "__cccl_ptx_isa", ">") => at_least(above),
        ("__CUDA_ARCH__" | "__cccl_ptx_isa", "<") => not(at_least(from)),
        ("__CUDA_ARCH__" | "__cccl_ptx_isa", "<=") => not(at_least(above)),
        ("__CUDA_ARCH__", "==") if n.is_multiple_of(10) => Condition::Exactly(n / 10),
        ("__CUDA_ARCH__", "!=") if n.is_multiple_of(10) => not(Condition::Exactly(n / 10)),
        ("__CUDA_ARCH_SPECIFIC__", "==") => Condition::Specific(n / 10),
        ("__CUDA_ARCH_FAMILY_SPECIFIC__", "==") => Condition::Family(n / 10),
        _ => Condition::Unknown,
    }
}
