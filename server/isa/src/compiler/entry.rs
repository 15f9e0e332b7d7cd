//! Entries at column 1, and the finished tables.

use super::lines::Line;
use super::opcode::{append, prose};
use super::{
    Error, Names, Result, directive, encoding, expand, fragment, leak, leak_str, multiprocessor, opcode, rule, space,
};
use crate::tables::{
    Constant, Directive, Encoding, Entry, Extent, Field, Fragment, Gate, GateKind, Initial, Isa, Modifier,
    Multiprocessor, Opcode, PtxVersion, Space, SpecialRegister, Target, Type, TypeClass,
};
use std::collections::BTreeMap;

pub(super) struct Builder<'n> {
    names: &'n Names,
    entries: Vec<Entry>,
    types: Vec<Type>,
    modifiers: Vec<Modifier>,
    spaces: Vec<Space>,
    special_registers: Vec<SpecialRegister>,
    directives: Vec<Directive>,
    constants: Vec<Constant>,
    initials: Vec<Initial>,
    fields: Vec<Field>,
    encodings: Vec<Encoding>,
    versions: Vec<PtxVersion>,
    targets: Vec<Target>,
    multiprocessors: Vec<Multiprocessor>,
    fragments: Vec<Fragment>,
}

/// What most entries have in common.
#[derive(Default)]
pub(super) struct Common {
    summary: &'static str,
    pub manual: &'static str,
    pub doc: &'static str,
    notes: Vec<&'static str>,
    gates: Vec<Gate>,
    /// Lines with other keywords: keyword and rest.
    other: Vec<(String, String)>,
}

impl<'n> Builder<'n> {
    pub fn new(names: &'n Names) -> Self {
        Self {
            names,
            entries: Vec::new(),
            types: Vec::new(),
            modifiers: Vec::new(),
            spaces: Vec::new(),
            special_registers: Vec::new(),
            directives: Vec::new(),
            constants: Vec::new(),
            initials: Vec::new(),
            fields: Vec::new(),
            encodings: Vec::new(),
            versions: Vec::new(),
            targets: Vec::new(),
            multiprocessors: Vec::new(),
            fragments: Vec::new(),
        }
    }

    /// Adds the entries of a file.
    pub fn file(&mut self, lines: &[Line], errors: &mut Vec<Error>) {
        let mut family: Option<opcode::Family> = None;
        let mut i = 0;
        while i < lines.len() {
            let head = &lines[i];
            let mut end = i + 1;
            while end < lines.len() && lines[end].indent > 0 {
                end += 1;
            }
            let body = &lines[i..end];
            i = end;
            let (keyword, rest) = head.keyword();
            match keyword {
                "set" => {}
                "family" => match opcode::Family::of(body) {
                    Ok(found) => family = Some(found),
                    Err(error) => errors.push(error),
                },
                "opcode" | "unchecked" => match &family {
                    Some(family) => {
                        self.entries.extend(opcode::build(body, family, self.names, errors));
                    }
                    None => errors.push(head.error(0, "an opcode before any `family`")),
                },
                _ => {
                    let result = self.entry(keyword, rest, body);
                    errors.extend(result.err());
                }
            }
        }
    }

    /// A list of types, all of which must exist.
    fn known_types(&self, head: &Line, words: Option<&str>) -> Result<&'static [&'static str]> {
        let types = dotted_words(words);
        match types.iter().find(|t| !self.names.types.iter().any(|known| known == *t)) {
            Some(wrong) => Err(head.error(0, format!("no type is named `{wrong}`"))),
            None => Ok(leak(types)),
        }
    }

    fn entry(&mut self, keyword: &str, rest: &str, body: &[Line]) -> Result<()> {
        let head = &body[0];
        let mut words = rest.split_whitespace();
        let name = words.next().ok_or_else(|| head.error(0, format!("`{keyword}` needs a name")))?;
        let mut common = common(body)?;
        // Entries without a place for notes show them at the end of their text.
        const NAMED: [&str; 9] =
            ["type", "space", "modifier", "target", "constant", "initial", "field", "encoding", "fragment"];
        if NAMED.contains(&keyword) {
            for note in std::mem::take(&mut common.notes) {
                common.doc = append(common.doc, note);
            }
        }
        let other = |key: &str| common.other.iter().find(|o| o.0 == key).map(|o| o.1.as_str());
        let allowed: &[&str] = match keyword {
            "type" => &["registers", "variables", "parameters", "vectors", "prototypes", "ungated", "ignored"],
            "modifier" => &["repeats", "ignored", "converge", "keeps-order"],
            "space" => &["generic", "absolute", "fixed", "window", "cycles", "declared", "holds"],
            "sreg" => &["uniform", "requires", "lane-bits"],
            "target" => &["excludes", "requires", "limits"],
            "directive" => directive::KEYWORDS,
            "initial" => &["types", "spaces", "to"],
            "field" => &["of", "ignored", "values"],
            "encoding" => encoding::KEYWORDS,
            "fragment" => fragment::KEYWORDS,
            "multiprocessor" => multiprocessor::KEYWORDS,
            _ => &[],
        };
        if let Some((wrong, _)) = common.other.iter().find(|o| !allowed.contains(&o.0.as_str())) {
            let line = body.iter().find(|l| l.keyword().0 == wrong).unwrap_or(head);
            return Err(line.error(0, format!("unexpected `{wrong}` under `{keyword}`")));
        }
        let dotted = || leak_str(&format!(".{}", name.trim_start_matches('.')));
        match keyword {
            "type" => {
                let class = words.next().and_then(class);
                let bits = words.next().and_then(|w| w.parse().ok());
                let (Some(class), Some(bits)) = (class, bits) else {
                    return Err(head.error(0, "expected `type NAME CLASS BITS agrees …`"));
                };
                let mut agrees: Vec<&'static str> = Vec::new();
                if words.next() == Some("agrees") {
                    agrees = words.filter(|w| *w != "any").map(|w| leak_str(&format!(".{w}"))).collect();
                }
                self.types.push(Type {
                    name: dotted(),
                    class,
                    bits,
                    agrees: leak(agrees),
                    registers: other("registers").is_some(),
                    variables: other("variables").is_some(),
                    parameters: other("parameters").is_some(),
                    vectors: other("vectors").is_some(),
                    prototypes: other("prototypes").is_some(),
                    ungated: other("ungated").is_some(),
                    ignored: other("ignored").is_some(),
                    summary: common.summary,
                    manual: common.manual,
                    doc: common.doc,
                    gates: leak(common.gates),
                });
            }
            "modifier" => {
                let title = rest.strip_prefix(name).unwrap_or("").trim();
                let summary = if title.is_empty() { common.summary } else { leak_str(title) };
                for name in expand(name) {
                    self.modifiers.push(Modifier {
                        name: leak_str(&name),
                        repeats: other("repeats").is_some(),
                        ignored: other("ignored").is_some(),
                        converge: other("converge").is_some(),
                        keeps_order: other("keeps-order").is_some(),
                        summary,
                        doc: common.doc,
                    });
                }
            }
            "space" => {
                let (summary, manual, doc) = (common.summary, common.manual, common.doc);
                let is = |flag| other(flag).is_some();
                let (generic, absolute, window) = (is("generic"), is("absolute"), is("window"));
                let gates = leak(common.gates);
                let (fixed, name) = (is("fixed"), dotted());
                let (declared, holds) = space::declared(body)?;
                let cycles = other("cycles").map_or(Ok(0), |n| n.trim().parse());
                let cycles = cycles.map_err(|_| head.error(0, "expected `cycles NUMBER`"))?;
                self.spaces.push(Space {
                    name,
                    generic,
                    absolute,
                    window,
                    fixed,
                    cycles,
                    declared,
                    holds,
                    summary,
                    manual,
                    doc,
                    gates,
                });
            }
            "sreg" => {
                let ty = words.next().ok_or_else(|| head.error(0, "expected `sreg %NAME TYPE`"))?;
                let (mut components, mut also_read) = ("", Vec::new());
                while let Some(word) = words.next() {
                    match (word, words.next()) {
                        ("vec", Some(names)) => components = leak_str(names),
                        ("reads", Some(bits)) => {
                            also_read.extend(bits.split('|').filter_map(|b| b.parse::<u16>().ok()))
                        }
                        _ => return Err(head.error(0, format!("unexpected `{word}`"))),
                    }
                }
                let uniform = other("uniform").map_or(Ok(Extent::Cta), |word| opcode::extent(head, word))?;
                // `%envreg<32>` stands for %envreg0 … %envreg31.
                let (name, count) = match name.strip_suffix('>').and_then(|n| n.split_once('<')) {
                    Some((base, count)) => (base, count.parse().unwrap_or(0)),
                    None => (name, 0),
                };
                self.special_registers.push(SpecialRegister {
                    name: leak_str(name),
                    ty: leak_str(&format!(".{}", ty.trim_start_matches('.'))),
                    components,
                    also_read: leak(also_read),
                    summary: common.summary,
                    manual: common.manual,
                    doc: common.doc,
                    notes: leak(common.notes),
                    gates: leak(common.gates),
                    requires: directive::words(other("requires")),
                    count,
                    uniform,
                    lane_bits: other("lane-bits").and_then(|n| n.parse().ok()).unwrap_or(0),
                });
            }
            "directive" => {
                let made = directive::build(leak_str(name), body)?;
                self.directives.push(Directive {
                    summary: common.summary,
                    manual: common.manual,
                    doc: common.doc,
                    notes: leak(common.notes),
                    gates: leak(common.gates),
                    ..made
                });
            }
            "multiprocessor" => {
                let made = multiprocessor::build(leak_str(name), common.summary, body)?;
                self.multiprocessors.push(made);
            }
            "fragment" => self.fragments.push(fragment::build(body, &common, self.names)?),
            "initial" => {
                let initial = Initial {
                    name: leak_str(name),
                    types: self.known_types(head, other("types"))?,
                    spaces: leak(dotted_words(other("spaces"))),
                    to: leak(dotted_words(other("to"))),
                    summary: common.summary,
                    manual: common.manual,
                    doc: common.doc,
                    gates: leak(common.gates),
                };
                self.initials.push(initial);
            }
            "field" => {
                let field = Field {
                    name: leak_str(name),
                    of: self.known_types(head, other("of"))?,
                    ignored: self.known_types(head, other("ignored"))?,
                    values: leak(other("values").unwrap_or("").split_whitespace().map(leak_str).collect()),
                    summary: common.summary,
                    manual: common.manual,
                    doc: common.doc,
                    gates: leak(common.gates),
                };
                self.fields.push(field);
            }
            "encoding" => {
                let made = encoding::build(leak_str(name), body, self.names)?;
                let (summary, manual, doc) = (common.summary, common.manual, common.doc);
                self.encodings.push(Encoding { summary, manual, doc, ..made });
            }
            "constant" => {
                let value = words.next().and_then(|w| w.parse().ok());
                let value = value.ok_or_else(|| head.error(0, "expected `constant NAME VALUE`"))?;
                let (name, summary, manual) = (leak_str(name), common.summary, common.manual);
                let gates = leak(common.gates);
                self.constants.push(Constant { name, value, summary, manual, doc: common.doc, gates });
            }
            "version" => {
                let version = rule::version(name).ok_or_else(|| head.error(0, "expected a version such as `8.5`"))?;
                let counts_as = match (words.next(), words.next().and_then(rule::version)) {
                    (None, _) => version,
                    (Some("as"), Some(other)) => other,
                    _ => return Err(head.error(0, "expected `version 5.1 as 6.0`")),
                };
                self.versions.push(PtxVersion { version, counts_as, summary: common.summary });
            }
            "target" => {
                let mut features: Vec<&'static str> = Vec::new();
                if words.next() == Some("has") {
                    features = words.map(leak_str).collect();
                }
                let limits: Vec<&str> = other("limits").unwrap_or("").split_whitespace().collect();
                let limit =
                    |name: &str| limits.chunks(2).find(|c| c[0] == name).map_or("0", |c| c.get(1).unwrap_or(&""));
                let (Ok(shared), Ok(constant)) = (limit("shared").parse(), limit("constant").parse()) else {
                    return Err(head.error(0, "expected `limits shared BYTES constant BYTES`"));
                };
                self.targets.push(Target {
                    name: leak_str(name),
                    features: leak(features),
                    shared,
                    constant,
                    summary: common.summary,
                    doc: common.doc,
                    gates: leak(common.gates),
                    excludes: directive::words(other("excludes")),
                    requires: directive::words(other("requires")),
                });
            }
            _ => return Err(head.error(0, format!("unknown keyword `{keyword}`"))),
        }
        Ok(())
    }

    /// What only all files together can tell.
    pub fn check(&self, errors: &mut Vec<Error>) {
        fragment::check(&self.fragments, &self.entries, errors);
        if let Err(message) = multiprocessor::check(&self.multiprocessors, &self.targets) {
            errors.push(Error { file: "multiprocessors".to_owned(), line: 1, column: 1, message });
        }
    }

    pub fn finish(mut self) -> Isa {
        let mut opcodes: BTreeMap<&'static str, Vec<Entry>> = BTreeMap::new();
        for entry in self.entries {
            let word = entry.name.split('.').next().unwrap_or(entry.name);
            opcodes.entry(word).or_default().push(entry);
        }
        let opcodes = opcodes.into_iter().map(|(name, entries)| Opcode { name, entries: leak(entries) }).collect();
        let targets = plain_features(self.targets);
        self.modifiers.sort_by_key(|m| m.name);
        self.special_registers.sort_by_key(|r| r.name);
        self.directives.sort_by_key(|d| d.name);
        self.versions.sort_by_key(|v| v.version);
        Isa {
            opcodes: leak(opcodes),
            types: leak(self.types),
            modifiers: leak(self.modifiers),
            spaces: leak(self.spaces),
            special_registers: leak(self.special_registers),
            directives: leak(self.directives),
            constants: leak(self.constants),
            initials: leak(self.initials),
            fields: leak(self.fields),
            encodings: leak(self.encodings),
            versions: leak(self.versions),
            targets: leak(targets),
            multiprocessors: leak(self.multiprocessors),
            fragments: leak(self.fragments),
        }
    }
}

/// `b8 u8` → `.b8`, `.u8`.
fn dotted_words(words: Option<&str>) -> Vec<&'static str> {
    words.unwrap_or("").split_whitespace().map(|w| leak_str(&format!(".{}", w.trim_start_matches('.')))).collect()
}

/// Expands `sm_90..`: every plain target (`sm_N`) up to that one.
fn plain_features(targets: Vec<Target>) -> Vec<Target> {
    let plain: Vec<(u32, &'static str)> =
        targets.iter().filter_map(|t| Some((t.name.strip_prefix("sm_")?.parse().ok()?, t.name))).collect();
    targets
        .into_iter()
        .map(|target| {
            let mut features: Vec<&'static str> = Vec::new();
            for feature in target.features {
                match feature.strip_suffix("..").and_then(|f| f.strip_prefix("sm_")?.parse::<u32>().ok()) {
                    Some(limit) => features.extend(plain.iter().filter(|(n, _)| *n <= limit).map(|(_, name)| *name)),
                    None => features.push(feature),
                }
            }
            Target { features: leak(features), ..target }
        })
        .collect()
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

fn common(body: &[Line]) -> Result<Common> {
    let mut out = Common::default();
    // `type x … | text` on the head line itself is documentation.
    if let Some(text) = &body[0].prose {
        out.doc = leak_str(text);
    }
    for line in &body[1..] {
        let (word, rest) = line.keyword();
        match word {
            "summary" => out.summary = leak_str(rest),
            "manual" => out.manual = leak_str(rest),
            "doc" => out.doc = append(out.doc, prose(line)?),
            "note" => out.notes.push(leak_str(prose(line)?)),
            "needs" => out.gates.push(rule::gate(line, GateKind::Needs, rest, None)?),
            "until" => out.gates.push(rule::gate(line, GateKind::Until, rest, None)?),
            "deprecated" => out.gates.push(rule::gate(line, GateKind::Deprecated, rest, None)?),
            _ => out.other.push((word.to_owned(), rest.to_owned())),
        }
    }
    Ok(out)
}
