//! All PTX of a host text, kept up to date.

mod context;
mod nested;
mod units;
mod walk;

use crate::build::{self, Part};
use crate::chunks::{self, Chunk, MadeGroup, State};
use crate::cpp::CppState;
use crate::definitions::Definitions;
use crate::julia::JuliaState;
use crate::llvm_ir::LlvmIrState;
use crate::model::{Edit, Group, Placed};
use crate::python::PythonState;
use crate::raw::ItemKind;
use crate::rust::RustState;
use crate::targets::Wanted;
use context::{Context, Found};
use ptx_syntax::{ForeignLanguage, foreign_language};
use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;
use units::{Unit, View};
use walk::{Walk, Walked};

/// The language of a host text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Language {
    /// C, C++ and CUDA C++.
    Cpp,
    /// Python.
    Python,
    /// Rust.
    Rust,
    /// LLVM IR.
    LlvmIr,
    /// Julia.
    Julia,
}

impl Language {
    /// The language of a file, by the end of its name.
    #[must_use]
    pub fn of_file_name(name: &str) -> Option<Self> {
        let extension = name.rsplit_once('.')?.1;
        match extension.to_ascii_lowercase().as_str() {
            "cu" | "cuh" | "c" | "cc" | "cpp" | "cxx" | "c++" | "h" | "hh" | "hpp" | "hxx" | "h++" | "inl" | "ipp"
            | "tpp" | "ixx" | "cppm" | "cui" => Some(Self::Cpp),
            "py" | "pyi" => Some(Self::Python),
            "rs" => Some(Self::Rust),
            "ll" => Some(Self::LlvmIr),
            "jl" => Some(Self::Julia),
            _ => None,
        }
    }

    /// The language of a text that is not PTX, by its first lines.
    #[must_use]
    pub fn of_text(text: &str) -> Option<Self> {
        Some(match foreign_language(text.lines().map(Cow::Borrowed))? {
            ForeignLanguage::Cpp => Self::Cpp,
            ForeignLanguage::Python => Self::Python,
            ForeignLanguage::Rust => Self::Rust,
            ForeignLanguage::LlvmIr => Self::LlvmIr,
            ForeignLanguage::Julia => Self::Julia,
        })
    }

    /// Its name in messages.
    #[must_use]
    pub fn name(self) -> &'static str {
        let language = match self {
            Self::Cpp => ForeignLanguage::Cpp,
            Self::Python => ForeignLanguage::Python,
            Self::Rust => ForeignLanguage::Rust,
            Self::LlvmIr => ForeignLanguage::LlvmIr,
            Self::Julia => ForeignLanguage::Julia,
        };
        language.name()
    }

    /// The language of an identifier of the language server protocol.
    #[must_use]
    pub fn of_language_id(id: &str) -> Option<Self> {
        match id {
            "cuda" | "cuda-cpp" | "cpp" | "c" | "objective-cpp" => Some(Self::Cpp),
            "python" => Some(Self::Python),
            "rust" => Some(Self::Rust),
            "llvm" => Some(Self::LlvmIr),
            "julia" => Some(Self::Julia),
            _ => None,
        }
    }
}

/// All PTX in a host text.
#[derive(Debug)]
pub struct Host {
    language: Language,
    len: usize,
    /// Empty while the text has no word that PTX needs.
    chunks: Vec<Chunk>,
    scanned: bool,
    definitions: Definitions,
    /// Counts changes of `definitions`.
    revision: u64,
    groups: Vec<Placed>,
    /// The range of each statement, with its group and its index there, in host order.
    statements: Vec<(Range<usize>, usize, usize)>,
}

impl Host {
    /// Finds the PTX of a text.
    #[must_use]
    pub fn new(language: Language, text: &str) -> Self {
        let scanned = may_contain(language, text.as_bytes());
        let chunks = if scanned { chunks::scan_all(text, initial(language)) } else { Vec::new() };
        let mut host = Self {
            language,
            len: text.len(),
            chunks,
            scanned,
            definitions: Definitions::default(),
            revision: 0,
            groups: Vec::new(),
            statements: Vec::new(),
        };
        host.define();
        if let Some(first) = host.chunks.first_mut() {
            first.entry = Some(Arc::default());
        }
        host.resolve(text, 0..host.chunks.len(), 0);
        host
    }

    /// Brings the groups up to date. `text` is the whole text after the edit, of which only the changed part is read.
    /// An edit that does not fit the text makes the host start anew.
    pub fn edit(&mut self, text: &str, edit: Edit) {
        let fits = edit.start <= edit.old_end
            && edit.start <= edit.new_end
            && edit.old_end <= self.len
            && edit.new_end <= text.len()
            && self.len - edit.old_end == text.len() - edit.new_end;
        if !fits {
            *self = Self::new(self.language, text);
            return;
        }
        let grown = text.len().wrapping_sub(self.len);
        self.len = text.len();
        if !self.scanned {
            let from = edit.start.saturating_sub(MAX_NEEDLE);
            let to = (edit.new_end + MAX_NEEDLE).min(text.len());
            if may_contain(self.language, &text.as_bytes()[from..to]) {
                *self = Self::new(self.language, text);
            }
            return;
        }
        let rescanned = chunks::rescan(&mut self.chunks, text, edit, initial(self.language));
        if let Some(first) = self.chunks.first_mut() {
            first.entry = Some(Arc::default());
        }
        if rescanned.definitions && self.define() {
            self.resolve(text, 0..self.chunks.len(), grown);
        } else {
            self.resolve(text, rescanned.new, grown);
        }
    }

    /// The groups, by the offsets of their first statements.
    #[must_use]
    pub fn groups(&self) -> &[Placed] {
        &self.groups
    }

    /// The language of the text.
    #[must_use]
    pub fn language(&self) -> Language {
        self.language
    }

    /// The group and the index of the statement in it that contain an offset. The end of a statement belongs to it. Of several
    /// texts of one statement, it is one that contains the offset.
    #[must_use]
    pub fn at(&self, offset: usize) -> Option<(&Placed, usize)> {
        let after = self.statements.partition_point(|(range, ..)| range.start <= offset);
        let (range, group, statement) = self.statements.get(after.checked_sub(1)?)?;
        // Of several texts of the statement, the first that contains the place.
        let texts = self.groups[..=*group].iter().rev().take_while(|g| g.start == range.start).skip(1);
        let contains = |placed: &&Placed| {
            placed.group.variant.as_ref().is_some_and(|v| v.contains(&(offset - range.start..offset - range.start)))
        };
        let found = texts.filter(contains).last().map(|placed| (placed, 0));
        (offset <= range.end).then(|| found.or_else(|| self.groups.get(*group).map(|g| (g, *statement)))).flatten()
    }

    /// Collects macros and constants. Returns whether any changed.
    fn define(&mut self) -> bool {
        let mut new = Definitions::default();
        for item in self.chunks.iter().flat_map(|c| &c.items) {
            if let ItemKind::Define(name, value) = &item.kind {
                new.add(name, value);
            }
        }
        let changed = new != self.definitions;
        if changed {
            self.definitions = new;
            self.revision += 1;
        }
        changed
    }

    /// Makes groups of what the scanner found, and keeps those whose parts stay. `new` are the chunks that changed.
    /// `grown` is the number of bytes that the text gained, modulo the size of addresses.
    fn resolve(&mut self, text: &str, new: Range<usize>, grown: usize) {
        // The walk begins outside functions, so no unit reaches over its start or its end.
        let from = (0..=new.start).rev().find(|i| self.chunks.get(*i).is_some_and(|c| c.entry.is_some())).unwrap_or(0);
        let start: usize = self.chunks[..from].iter().map(|c| c.len).sum();
        let walk = Walk::new(text, &self.definitions, self.revision);
        let Walked { found, contexts, inside, end } = walk.chunks(&mut self.chunks, from, start, new.end);
        let new_end = start + self.chunks[from..end].iter().map(|c| c.len).sum::<usize>();
        let mut divided: Vec<Unit> = Vec::with_capacity(found.len());
        let mut first = 0;
        while first < found.len() {
            let run = found[first..].iter().take_while(|f| f.function == found[first].function).count();
            let view = View { chunks: &self.chunks, contexts: &contexts, found: &found[first..first + run] };
            units::divide(&view, first, &mut divided);
            first += run;
        }
        let mut groups = Vec::with_capacity(divided.len());
        for unit in divided {
            let single = [unit.first];
            let members: &[usize] = if unit.members.is_empty() { &single } else { &unit.members };
            groups.push(Placed {
                start: found[unit.first].at,
                function: found[unit.first].function_start,
                group: self.make(text, &found, &contexts, members, unit.lacks),
            });
        }
        for (at, inside) in inside {
            groups.extend(inside.iter().map(|p| Placed {
                start: at + p.start,
                function: p.function.map(|start| at + start),
                group: p.group.clone(),
            }));
        }
        groups.sort_by_key(|p| p.start);
        self.replace(start..new_end, grown, groups);
    }

    /// Puts the groups of a range of the new text in the place of the old ones, and moves those after.
    fn replace(&mut self, range: Range<usize>, grown: usize, groups: Vec<Placed>) {
        let old_end = if range.end == self.len { usize::MAX } else { range.end.wrapping_sub(grown) };
        let old = |starts: usize, ends: usize| starts..ends.max(starts);
        let old_groups = old(
            self.groups.partition_point(|p| p.start < range.start),
            self.groups.partition_point(|p| p.start < old_end),
        );
        let old_statements = old(
            self.statements.partition_point(|(r, ..)| r.start < range.start),
            self.statements.partition_point(|(r, ..)| r.start < old_end),
        );
        let more = groups.len().wrapping_sub(old_groups.len());
        for placed in &mut self.groups[old_groups.end..] {
            placed.start = placed.start.wrapping_add(grown);
            placed.function = placed.function.map(|start| start.wrapping_add(grown));
        }
        for (range, group, _) in &mut self.statements[old_statements.end..] {
            *range = range.start.wrapping_add(grown)..range.end.wrapping_add(grown);
            *group = group.wrapping_add(more);
        }
        let mut statements = Vec::with_capacity(groups.len());
        for (index, placed) in groups.iter().enumerate() {
            for (number, statement) in placed.group.statements.iter().enumerate() {
                let range = placed.start + statement.span.start..placed.start + statement.span.end;
                statements.push((range, old_groups.start + index, number));
            }
        }
        statements.sort_by_key(|(range, ..)| range.start);
        self.groups.splice(old_groups, groups);
        self.statements.splice(old_statements, statements);
    }

    /// The group of some statements: the one made before, if nothing changed.
    fn make(
        &mut self,
        text: &str,
        found: &[Found],
        contexts: &[Context],
        members: &[usize],
        lacks: bool,
    ) -> Arc<Group> {
        let first = &found[members[0]];
        let (chunk, item) = first.place;
        let wanted = match &first.comment {
            None => contexts[first.context].wanted.clone(),
            Some(comment) => Arc::new(Wanted {
                comment: Some(comment.clone()),
                conditions: contexts[first.context].wanted.conditions.clone(),
                device: contexts[first.context].wanted.device,
            }),
        };
        let part = |member: &usize| self.chunks[found[*member].place.0].made[found[*member].place.1].part.as_ref();
        let same = |made: &MadeGroup| {
            made.members.len() == members.len()
                && made.lacks == lacks
                && (Arc::ptr_eq(&made.wanted, &wanted) || made.wanted == wanted)
                && made.members.iter().zip(members).all(|((offset, old), member)| {
                    *offset == found[*member].at - first.at
                        && part(member).is_some_and(|(_, new)| Arc::ptr_eq(old, new))
                })
        };
        if let Some(made) = self.chunks[chunk].made[item].group.as_ref().filter(|m| same(m)) {
            return made.group.clone();
        }
        let members: Vec<(usize, Arc<Part>)> =
            members.iter().filter_map(|member| Some((found[*member].at - first.at, part(member)?.1.clone()))).collect();
        let parts = members.iter().enumerate().map(|(number, (offset, part))| {
            if number == 0 {
                return (*offset, (**part).clone());
            }
            let at = first.at + offset;
            let source = text.get(at..at + part.raw.len).unwrap_or_default();
            (*offset, build::part(&part.raw, source, &self.definitions, number))
        });
        let group = Arc::new(build::group(parts.collect(), wanted.clone(), lacks));
        self.chunks[chunk].made[item].group = Some(MadeGroup { members, wanted, lacks, group: group.clone() });
        group
    }
}

/// The longest word that `may_contain` looks for.
const MAX_NEEDLE: usize = 10;

/// Whether a text has a word without which it has no PTX.
fn may_contain(language: Language, text: &[u8]) -> bool {
    let has = |word: &str| memchr::memmem::find(text, word.as_bytes()).is_some();
    match language {
        Language::Cpp | Language::Rust | Language::LlvmIr => has("asm"),
        Language::Julia => has("@asmcall"),
        Language::Python => has("asm") || has("inline_ptx") || has("InlineAsm"),
    }
}

fn initial(language: Language) -> State {
    match language {
        Language::Cpp => State::Cpp(CppState::default()),
        Language::Python => State::Python(PythonState::default()),
        Language::Rust => State::Rust(RustState::default()),
        Language::LlvmIr => State::LlvmIr(LlvmIrState::default()),
        Language::Julia => State::Julia(JuliaState),
    }
}
