//! Compiles the entries, which begin at column 1, and builds the finished tables.

use super::common::{append, common};
use super::error::{Error, Result};
use super::kinds::{self, WrittenEntry};
use super::leak::{leak, leak_str};
use super::lines::LogicalLine;
use super::names::DeclaredNames;
use super::{concept, directive, encoding, fragment, multiprocessor, opcode};
use crate::tables::{
    Concept, Directive, Encoding, Entry, FieldInfo, FragmentInfo, InitialKind, Isa, ModifierInfo, Multiprocessor,
    Opcode, PredefinedConstant, PtxVersion, SpaceInfo, SpecialRegister, TargetInfo, TypeInfo,
};
use std::collections::BTreeMap;

pub(super) struct Builder<'n> {
    names: &'n DeclaredNames,
    entries: Vec<Entry>,
    types: Vec<TypeInfo>,
    modifiers: Vec<ModifierInfo>,
    spaces: Vec<SpaceInfo>,
    special_registers: Vec<SpecialRegister>,
    directives: Vec<Directive>,
    constants: Vec<PredefinedConstant>,
    initials: Vec<InitialKind>,
    fields: Vec<FieldInfo>,
    encodings: Vec<Encoding>,
    versions: Vec<PtxVersion>,
    targets: Vec<TargetInfo>,
    multiprocessors: Vec<Multiprocessor>,
    fragments: Vec<FragmentInfo>,
    concepts: Vec<Concept>,
    assembler: &'static str,
}

impl<'n> Builder<'n> {
    pub fn new(names: &'n DeclaredNames) -> Self {
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
            concepts: Vec::new(),
            assembler: "",
        }
    }

    /// Adds the entries of a file.
    pub fn file(&mut self, lines: &[LogicalLine], errors: &mut Vec<Error>) {
        let mut family: Option<opcode::EntryFamily> = None;
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
                "family" => match opcode::EntryFamily::of(body) {
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

    fn entry(&mut self, keyword: &str, rest: &str, body: &[LogicalLine]) -> Result<()> {
        let head = &body[0];
        let name = rest.split_whitespace().next().ok_or_else(|| head.error(0, format!("`{keyword}` needs a name")))?;
        let mut common = common(body)?;
        // Entries without a field for notes get them at the end of their documentation.
        const NAMED: [&str; 10] =
            ["concept", "type", "space", "modifier", "target", "constant", "initial", "field", "encoding", "fragment"];
        if NAMED.contains(&keyword) {
            for note in std::mem::take(&mut common.notes) {
                common.doc = append(common.doc, note);
            }
        }
        let allowed: &[&str] = match keyword {
            "type" => kinds::TYPE,
            "modifier" => kinds::MODIFIER,
            "space" => kinds::SPACE,
            "sreg" => kinds::SPECIAL_REGISTER,
            "target" => kinds::TARGET,
            "directive" => directive::KEYWORDS,
            "initial" => kinds::INITIAL,
            "field" => kinds::FIELD,
            "encoding" => encoding::KEYWORDS,
            "fragment" => fragment::KEYWORDS,
            "concept" => concept::KEYWORDS,
            "multiprocessor" => multiprocessor::KEYWORDS,
            _ => &[],
        };
        if let Some((wrong, _)) = common.other.iter().find(|o| !allowed.contains(&o.0.as_str())) {
            let line = body.iter().find(|l| l.keyword().0 == wrong).unwrap_or(head);
            return Err(line.error(0, format!("unexpected `{wrong}` under `{keyword}`")));
        }
        let words = rest.strip_prefix(name).unwrap_or("").trim();
        let written = WrittenEntry { head, body, name, words, common, names: self.names };
        match keyword {
            "type" => self.types.push(written.ty()?),
            "modifier" => self.modifiers.extend(written.modifiers()),
            "space" => self.spaces.push(written.space()?),
            "sreg" => self.special_registers.push(written.special_register()?),
            "directive" => self.directives.push(written.directive()?),
            "multiprocessor" => self.multiprocessors.push(written.multiprocessor()?),
            "fragment" => self.fragments.push(written.fragment()?),
            "concept" => self.concepts.push(written.concept()?),
            "initial" => self.initials.push(written.initial()?),
            "field" => self.fields.push(written.field()?),
            "encoding" => self.encodings.push(written.encoding()?),
            "constant" => self.constants.push(written.constant()?),
            "version" => self.versions.push(written.version()?),
            "target" => self.targets.push(written.target()?),
            "assembler" if self.assembler.is_empty() => self.assembler = leak_str(name),
            "assembler" => return Err(head.error(0, "a second `assembler`")),
            _ => return Err(head.error(0, format!("unknown keyword `{keyword}`"))),
        }
        Ok(())
    }

    /// Runs the checks that need the entries of all files.
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
            concepts: leak(self.concepts),
            assembler: self.assembler,
        }
    }
}

/// Expands the feature `sm_90..` to every plain target (`sm_N`) up to that one.
fn plain_features(targets: Vec<TargetInfo>) -> Vec<TargetInfo> {
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
            TargetInfo { features: leak(features), ..target }
        })
        .collect()
}
