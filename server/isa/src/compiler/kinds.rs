//! Compiles the entries of each kind, except instructions.

use super::common::{CommonLines, extent, filled};
use super::error::Result;
use super::leak::{leak, leak_str};
use super::lines::LogicalLine;
use super::names::{DeclaredNames, expand};
use super::{directive, encoding, fragment, multiprocessor, names, space};
use crate::tables::{
    Directive, Encoding, FieldInfo, FragmentInfo, GridRole, IgnoredType, InitialKind, ModifierInfo, Multiprocessor,
    PredefinedConstant, PtxVersion, SpaceInfo, SpecialRegister, TargetInfo, TypeClass, TypeInfo, UniformExtent,
};

// The keywords under each kind of entry, besides those common to all entries.
pub(super) const TYPE: &[&str] =
    &["registers", "variables", "parameters", "vectors", "prototypes", "uncallable", "ungated", "ignored"];
pub(super) const MODIFIER: &[&str] = &["repeats", "ignored", "converge", "keeps-order", "read-only", "usual"];
pub(super) const SPACE: &[&str] =
    &["generic", "absolute", "named", "fixed", "window", "wide", "textures", "cycles", "declared", "holds"];
pub(super) const SPECIAL_REGISTER: &[&str] = &["uniform", "requires", "lane-bits", "grid", "at-most", "changes"];
pub(super) const TARGET: &[&str] = &["excludes", "requires", "limits"];
pub(super) const INITIAL: &[&str] = &["types", "spaces", "to"];
pub(super) const FIELD: &[&str] = &["of", "ignored", "values"];

/// An entry as written: `KEYWORD NAME WORDS…`, and the lines under it.
pub(super) struct WrittenEntry<'a> {
    pub head: &'a LogicalLine<'a>,
    /// The first line of the entry and the lines under it.
    pub body: &'a [LogicalLine<'a>],
    pub name: &'a str,
    /// The words after the name.
    pub words: &'a str,
    pub common: CommonLines,
    pub names: &'a DeclaredNames,
}

impl WrittenEntry<'_> {
    /// The rest of the line with this keyword under the entry.
    fn other(&self, key: &str) -> Option<&str> {
        self.common.other.iter().find(|o| o.0 == key).map(|o| o.1.as_str())
    }

    fn is(&self, flag: &str) -> bool {
        self.other(flag).is_some()
    }

    fn dotted(&self) -> &'static str {
        leak_str(&format!(".{}", self.name.trim_start_matches('.')))
    }

    /// The types listed after a keyword, all of which must exist.
    fn known_types(&self, key: &str) -> Result<&'static [&'static str]> {
        let types = dotted_words(self.other(key));
        match types.iter().find(|t| !self.names.types.iter().any(|known| known == *t)) {
            Some(wrong) => Err(self.head.error(0, format!("no type is named `{wrong}`"))),
            None => Ok(leak(types)),
        }
    }

    pub fn ty(self) -> Result<TypeInfo> {
        let mut words = self.words.split_whitespace();
        let class = words.next().and_then(class);
        let bits = words.next().and_then(|w| w.parse().ok());
        let (Some(class), Some(bits)) = (class, bits) else {
            return Err(self.head.error(0, "expected `type NAME CLASS BITS agrees …`"));
        };
        let mut agrees: Vec<&'static str> = Vec::new();
        if words.next() == Some("agrees") {
            agrees = words.filter(|w| *w != "any").map(|w| leak_str(&format!(".{w}"))).collect();
        }
        let ignored = match self.other("ignored") {
            None => IgnoredType::Nowhere,
            Some("") => IgnoredType::Everywhere,
            Some("narrow") => IgnoredType::Narrow,
            Some("other") => IgnoredType::Other,
            Some(_) => return Err(self.head.error(0, "expected `ignored`, `ignored narrow` or `ignored other`")),
        };
        Ok(TypeInfo {
            name: self.dotted(),
            class,
            bits,
            agrees: leak(agrees),
            registers: self.is("registers"),
            variables: self.is("variables"),
            parameters: self.is("parameters"),
            vectors: self.is("vectors"),
            prototypes: self.is("prototypes"),
            uncallable: self.is("uncallable"),
            ungated: self.is("ungated"),
            ignored,
            summary: self.common.summary,
            manual: self.common.manual,
            doc: self.common.doc,
            gates: leak(self.common.gates),
        })
    }

    /// Builds one modifier for each name to which the entry's name expands. Words after the name are the summary. `{1}` in a
    /// text is replaced by the alternative chosen for the name's first braces.
    pub fn modifiers(self) -> Vec<ModifierInfo> {
        let summary = if self.words.is_empty() { self.common.summary } else { leak_str(self.words) };
        let of = |name: String| ModifierInfo {
            repeats: self.is("repeats"),
            ignored: self.is("ignored"),
            converge: self.is("converge"),
            keeps_order: self.is("keeps-order"),
            read_only: self.is("read-only"),
            usual: self.is("usual"),
            summary: filled(self.name, &name, summary),
            doc: filled(self.name, &name, self.common.doc),
            name: leak_str(&name),
        };
        expand(self.name).into_iter().map(of).collect()
    }

    pub fn space(self) -> Result<SpaceInfo> {
        let (declared, holds) = space::declared(self.body)?;
        let cycles = self.other("cycles").map_or(Ok(0), |n| n.trim().parse());
        Ok(SpaceInfo {
            name: self.dotted(),
            generic: self.is("generic"),
            absolute: self.is("absolute"),
            named: self.is("named"),
            window: self.is("window"),
            wide: self.is("wide"),
            textures: self.is("textures"),
            fixed: self.is("fixed"),
            cycles: cycles.map_err(|_| self.head.error(0, "expected `cycles NUMBER`"))?,
            declared,
            holds,
            summary: self.common.summary,
            manual: self.common.manual,
            doc: self.common.doc,
            gates: leak(self.common.gates),
        })
    }

    pub fn special_register(self) -> Result<SpecialRegister> {
        let mut words = self.words.split_whitespace();
        let ty = words.next().ok_or_else(|| self.head.error(0, "expected `sreg %NAME TYPE`"))?;
        let (mut components, mut also_read) = ("", Vec::new());
        while let Some(word) = words.next() {
            match (word, words.next()) {
                ("vec", Some(names)) => components = leak_str(names),
                ("reads", Some(bits)) => also_read.extend(bits.split('|').filter_map(|b| b.parse::<u16>().ok())),
                _ => return Err(self.head.error(0, format!("unexpected `{word}`"))),
            }
        }
        // `%envreg<32>` stands for %envreg0 … %envreg31.
        let (name, count) = match self.name.strip_suffix('>').and_then(|n| n.split_once('<')) {
            Some((base, count)) => (base, count.parse().unwrap_or(0)),
            None => (self.name, 0),
        };
        Ok(SpecialRegister {
            name: leak_str(name),
            ty: leak_str(&format!(".{}", ty.trim_start_matches('.'))),
            components,
            also_read: leak(also_read),
            requires: directive::words(self.other("requires")),
            count,
            uniform: self.other("uniform").map_or(Ok(UniformExtent::Cta), |word| extent(self.head, word))?,
            changes: self.is("changes"),
            lane_bits: self.other("lane-bits").and_then(|n| n.parse().ok()).unwrap_or(0),
            grid: self.other("grid").map_or(Ok(GridRole::None), |word| grid_role(self.head, word))?,
            at_most: leak(maxima(self.head, self.other("at-most").unwrap_or(""))?),
            summary: self.common.summary,
            manual: self.common.manual,
            doc: self.common.doc,
            notes: leak(self.common.notes),
            gates: leak(self.common.gates),
        })
    }

    pub fn directive(self) -> Result<Directive> {
        Ok(Directive {
            summary: self.common.summary,
            manual: self.common.manual,
            doc: self.common.doc,
            notes: leak(self.common.notes),
            gates: leak(self.common.gates),
            ..directive::build(leak_str(self.name), self.body)?
        })
    }

    pub fn multiprocessor(self) -> Result<Multiprocessor> {
        multiprocessor::build(leak_str(self.name), self.common.summary, self.body)
    }

    pub fn fragment(self) -> Result<FragmentInfo> {
        fragment::build(self.body, &self.common, self.names)
    }

    pub fn initial(self) -> Result<InitialKind> {
        Ok(InitialKind {
            name: leak_str(self.name),
            types: self.known_types("types")?,
            spaces: leak(dotted_words(self.other("spaces"))),
            to: leak(dotted_words(self.other("to"))),
            summary: self.common.summary,
            manual: self.common.manual,
            doc: self.common.doc,
            gates: leak(self.common.gates),
        })
    }

    pub fn field(self) -> Result<FieldInfo> {
        Ok(FieldInfo {
            name: leak_str(self.name),
            of: self.known_types("of")?,
            ignored: self.known_types("ignored")?,
            values: leak(self.other("values").unwrap_or("").split_whitespace().map(leak_str).collect()),
            summary: self.common.summary,
            manual: self.common.manual,
            doc: self.common.doc,
            gates: leak(self.common.gates),
        })
    }

    pub fn encoding(self) -> Result<Encoding> {
        let made = encoding::build(leak_str(self.name), self.body, self.names)?;
        let (summary, manual, doc) = (self.common.summary, self.common.manual, self.common.doc);
        Ok(Encoding { summary, manual, doc, ..made })
    }

    pub fn constant(self) -> Result<PredefinedConstant> {
        let value = self.words.split_whitespace().next().and_then(|w| w.parse().ok());
        Ok(PredefinedConstant {
            name: leak_str(self.name),
            value: value.ok_or_else(|| self.head.error(0, "expected `constant NAME VALUE`"))?,
            summary: self.common.summary,
            manual: self.common.manual,
            doc: self.common.doc,
            gates: leak(self.common.gates),
        })
    }

    pub fn version(self) -> Result<PtxVersion> {
        let expected = |words| self.head.error(0, words);
        let version = names::version(self.name).ok_or_else(|| expected("expected a version such as `8.5`"))?;
        let mut words = self.words.split_whitespace();
        let counts_as = match (words.next(), words.next().and_then(names::version)) {
            (None, _) => version,
            (Some("as"), Some(other)) => other,
            _ => return Err(expected("expected `version 5.1 as 6.0`")),
        };
        Ok(PtxVersion { version, counts_as, summary: self.common.summary })
    }

    pub fn target(self) -> Result<TargetInfo> {
        let mut words = self.words.split_whitespace();
        let mut features: Vec<&'static str> = Vec::new();
        if words.next() == Some("has") {
            features = words.map(leak_str).collect();
        }
        let limits: Vec<&str> = self.other("limits").unwrap_or("").split_whitespace().collect();
        let limit = |name: &str| limits.chunks(2).find(|c| c[0] == name).map_or("0", |c| c.get(1).unwrap_or(&""));
        let (Ok(shared), Ok(constant)) = (limit("shared").parse(), limit("constant").parse()) else {
            return Err(self.head.error(0, "expected `limits shared BYTES constant BYTES`"));
        };
        Ok(TargetInfo {
            name: leak_str(self.name),
            features: leak(features),
            shared,
            constant,
            summary: self.common.summary,
            doc: self.common.doc,
            excludes: directive::words(self.other("excludes")),
            requires: directive::words(self.other("requires")),
            gates: leak(self.common.gates),
        })
    }
}

/// `b8 u8` → `.b8`, `.u8`.
fn dotted_words(words: Option<&str>) -> Vec<&'static str> {
    words.unwrap_or("").split_whitespace().map(|w| leak_str(&format!(".{}", w.trim_start_matches('.')))).collect()
}

fn class(word: &str) -> Option<TypeClass> {
    Some(match word {
        "pred" => TypeClass::Pred,
        "bits" => TypeClass::Bits,
        "uint" => TypeClass::Uint,
        "sint" => TypeClass::Sint,
        "float" => TypeClass::Float,
        "packed" => TypeClass::Packed,
        "opaque" => TypeClass::Opaque,
        _ => return None,
    })
}

/// The maximum of each component.
fn maxima(line: &LogicalLine, text: &str) -> Result<Vec<u32>> {
    let number = |word: &str| word.parse().map_err(|_| line.error(0, format!("expected a number, found `{word}`")));
    text.split_whitespace().map(number).collect()
}

fn grid_role(line: &LogicalLine, word: &str) -> Result<GridRole> {
    Ok(match word.trim() {
        "thread" => GridRole::Thread,
        "cta-size" => GridRole::CtaSize,
        "cta" => GridRole::Cta,
        "size" => GridRole::Size,
        "lane" => GridRole::Lane,
        _ => return Err(line.error(0, "expected `thread`, `cta-size`, `cta`, `size` or `lane`")),
    })
}
