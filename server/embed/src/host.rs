//! All PTX of a host text, kept up to date.

mod nested;
mod units;

use crate::build::{self, Part};
use crate::chunks::{self, Chunk, Made, MadeGroup, State};
use crate::cpp::CppState;
use crate::definitions::Definitions;
use crate::model::{Edit, Group, Placed};
use crate::python::PythonState;
use crate::raw::{Flaw, ItemKind, Raw};
use crate::targets::{Condition, PtxComment, Wanted};
use crate::words::Outline;
use std::ops::Range;
use std::sync::Arc;

/// The language of a host text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Language {
    /// C, C++ and CUDA C++.
    Cpp,
    /// Python.
    Python,
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
            _ => None,
        }
    }

    /// The language of an identifier of the language server protocol.
    #[must_use]
    pub fn of_language_id(id: &str) -> Option<Self> {
        match id {
            "cuda" | "cuda-cpp" | "cpp" | "c" | "objective-cpp" => Some(Self::Cpp),
            "python" => Some(Self::Python),
            _ => None,
        }
    }
}

/// The deepest nesting of conditions that is followed, and the most branches of one.
const MAX_CONDITIONS: usize = 32;

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
        host.resolve(text);
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
        self.len = text.len();
        if !self.scanned {
            let from = edit.start.saturating_sub(MAX_NEEDLE);
            let to = (edit.new_end + MAX_NEEDLE).min(text.len());
            if may_contain(self.language, &text.as_bytes()[from..to]) {
                *self = Self::new(self.language, text);
            }
            return;
        }
        if chunks::rescan(&mut self.chunks, text, edit, initial(self.language)) {
            self.define();
        }
        self.resolve(text);
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

    /// The group and the index of the statement in it that contain an offset. The end of a statement belongs to it.
    #[must_use]
    pub fn at(&self, offset: usize) -> Option<(&Placed, usize)> {
        let after = self.statements.partition_point(|(range, ..)| range.start <= offset);
        let (range, group, statement) = self.statements.get(after.checked_sub(1)?)?;
        (offset <= range.end).then(|| self.groups.get(*group).map(|g| (g, *statement))).flatten()
    }

    /// Collects macros and constants.
    fn define(&mut self) {
        let mut new = Definitions::default();
        for item in self.chunks.iter().flat_map(|c| &c.items) {
            if let ItemKind::Define(name, value) = &item.kind {
                new.add(name, value);
            }
        }
        if new != self.definitions {
            self.definitions = new;
            self.revision += 1;
        }
    }

    /// Makes groups of what the scanner found, and keeps those whose parts stay.
    fn resolve(&mut self, text: &str) {
        let Walked { found, contexts, inside } =
            Walk::new(text, &self.definitions, self.revision).chunks(&mut self.chunks);
        let mut divided: Vec<Unit> = Vec::with_capacity(found.len());
        let mut from = 0;
        while from < found.len() {
            let run = found[from..].iter().take_while(|f| f.function == found[from].function).count();
            let view = View { chunks: &self.chunks, contexts: &contexts, found: &found[from..from + run] };
            units::divide(&view, from, &mut divided);
            from += run;
        }
        divided.sort_by_key(|unit| unit.first);
        self.statements.clear();
        self.groups.clear();
        for unit in divided {
            let first = unit.first;
            let start = found[first].at;
            let single = [first];
            let members: &[usize] = if unit.members.is_empty() { &single } else { &unit.members };
            for (index, member) in members.iter().enumerate() {
                let found = &found[*member];
                self.statements.push((found.at..found.at + found.len, self.groups.len(), index));
            }
            let group = self.make(text, &found, &contexts, members);
            self.groups.push(Placed { start, group });
        }
        self.add_inside(&inside);
        self.statements.sort_by_key(|(range, ..)| range.start);
    }

    /// Adds the groups of C++ in literals.
    fn add_inside(&mut self, inside: &[(usize, Arc<Vec<Placed>>)]) {
        if inside.is_empty() {
            return;
        }
        for (at, groups) in inside {
            let moved = groups.iter().map(|p| Placed { start: at + p.start, group: p.group.clone() });
            self.groups.extend(moved);
        }
        self.groups.sort_by_key(|p| p.start);
        self.statements.clear();
        for (index, placed) in self.groups.iter().enumerate() {
            for (number, statement) in placed.group.statements.iter().enumerate() {
                let range = placed.start + statement.span.start..placed.start + statement.span.end;
                self.statements.push((range, index, number));
            }
        }
    }

    /// The group of some statements: the one made before, if nothing changed.
    fn make(&mut self, text: &str, found: &[Found], contexts: &[Context], members: &[usize]) -> Arc<Group> {
        let first = &found[members[0]];
        let (chunk, item) = first.place;
        let wanted = match &first.comment {
            None => contexts[first.context].wanted.clone(),
            Some(comment) => Arc::new(Wanted {
                comment: Some(comment.clone()),
                conditions: contexts[first.context].wanted.conditions.clone(),
            }),
        };
        let part = |member: &usize| self.chunks[found[*member].place.0].made[found[*member].place.1].part.as_ref();
        let same = |made: &MadeGroup| {
            made.members.len() == members.len()
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
        let group = Arc::new(build::group(parts.collect(), wanted.clone()));
        self.chunks[chunk].made[item].group = Some(MadeGroup { members, wanted, group: group.clone() });
        group
    }
}

/// The longest word that `may_contain` looks for.
const MAX_NEEDLE: usize = 10;

/// Whether a text has a word without which it has no PTX.
fn may_contain(language: Language, text: &[u8]) -> bool {
    let has = |word: &str| memchr::memmem::find(text, word.as_bytes()).is_some();
    match language {
        Language::Cpp => has("asm"),
        Language::Python => has("asm") || has("inline_ptx") || has("InlineAsm"),
    }
}

fn initial(language: Language) -> State {
    match language {
        Language::Cpp => State::Cpp(CppState::default()),
        Language::Python => State::Python(PythonState::default()),
    }
}

/// A statement in its surroundings.
struct Found {
    at: usize,
    len: usize,
    /// The index of its chunk, and that of the item there.
    place: (usize, usize),
    /// The number of the function.
    function: usize,
    /// The index of what surrounds it.
    context: usize,
    /// A comment of its own about targets.
    comment: Option<Arc<PtxComment>>,
}

/// What a walk finds.
struct Walked {
    found: Vec<Found>,
    contexts: Vec<Context>,
    inside: Vec<(usize, Arc<Vec<Placed>>)>,
}

/// What surrounds statements.
struct Context {
    wanted: Arc<Wanted>,
    /// The branches of conditions: the number of the condition and that of the branch.
    branches: Vec<(usize, usize)>,
}

/// The statements of a function with what was made of them.
struct View<'a> {
    chunks: &'a [Chunk],
    contexts: &'a [Context],
    found: &'a [Found],
}

impl View<'_> {
    fn made(&self, index: usize) -> &Made {
        let (chunk, item) = self.found[index].place;
        &self.chunks[chunk].made[item]
    }

    fn outline(&self, index: usize) -> Option<&Outline> {
        self.made(index).outline.as_ref()
    }

    fn ptx(&self, index: usize) -> &str {
        self.made(index).part.as_ref().map_or("", |(_, part)| &part.ptx.text)
    }

    /// Whether two statements stand in different branches of one condition.
    fn exclude(&self, one: usize, other: usize) -> bool {
        let branches = |index: usize| self.contexts[self.found[index].context].branches.iter();
        branches(one).zip(branches(other)).any(|(a, b)| a.0 == b.0 && a.1 != b.1)
    }
}

/// Statements that are checked together.
struct Unit {
    /// The first.
    first: usize,
    /// All, if there are several.
    members: Vec<usize>,
}

/// An open `#if`.
struct Conditional {
    number: usize,
    branch: usize,
    /// The conditions of the branches before this one.
    before: Vec<Arc<Condition>>,
    /// What holds in this branch.
    holds: Vec<Arc<Condition>>,
}

/// A walk over all items, in order.
struct Walk<'a> {
    text: &'a str,
    definitions: &'a Definitions,
    revision: u64,
    conditionals: Vec<Conditional>,
    /// Conditionals that are open beyond the ones followed.
    beyond: usize,
    conditional_count: usize,
    functions: Vec<(usize, Option<Arc<PtxComment>>)>,
    function_count: usize,
    /// What surrounds statements, the last being valid now unless `changed`.
    contexts: Vec<Context>,
    changed: bool,
    /// Groups inside literals, and where these begin.
    inside: Vec<(usize, Arc<Vec<Placed>>)>,
}

impl<'a> Walk<'a> {
    fn new(text: &'a str, definitions: &'a Definitions, revision: u64) -> Self {
        Self {
            text,
            definitions,
            revision,
            conditionals: Vec::new(),
            beyond: 0,
            conditional_count: 0,
            functions: Vec::new(),
            function_count: 0,
            contexts: Vec::new(),
            changed: true,
            inside: Vec::new(),
        }
    }

    fn chunks(mut self, chunks: &mut [Chunk]) -> Walked {
        let mut out = Vec::new();
        let mut start = 0;
        for (chunk_index, chunk) in chunks.iter_mut().enumerate() {
            for (index, (item, made)) in chunk.items.iter().zip(&mut chunk.made).enumerate() {
                let at = start + item.at;
                match &item.kind {
                    ItemKind::Statement(raw) => out.push(self.statement(at, (chunk_index, index), raw, made)),
                    ItemKind::Function(comment) => {
                        self.function_count += 1;
                        self.functions.truncate(8);
                        self.functions.push((self.function_count, comment.clone()));
                        self.changed = true;
                    }
                    ItemKind::FunctionEnd => {
                        self.functions.pop();
                        self.changed = true;
                    }
                    ItemKind::Text(literal) => {
                        let inside = made.inside.get_or_insert_with(|| {
                            let source = self.text.get(at..at + literal.span.end).unwrap_or_default();
                            Arc::new(nested::groups(source, literal))
                        });
                        self.inside.push((at, inside.clone()));
                    }
                    ItemKind::Define(..) => {}
                    conditional => self.conditional(conditional),
                }
            }
            start += chunk.len;
        }
        Walked { found: out, contexts: self.contexts, inside: self.inside }
    }

    fn conditional(&mut self, kind: &ItemKind) {
        self.changed = true;
        let says = |c: &Arc<Condition>| !c.is_unknown();
        match kind {
            ItemKind::If(_) if self.conditionals.len() >= MAX_CONDITIONS => self.beyond += 1,
            ItemKind::If(condition) => {
                self.conditional_count += 1;
                self.conditionals.push(Conditional {
                    number: self.conditional_count,
                    branch: 0,
                    before: vec![condition.clone()],
                    holds: Some(condition.clone()).filter(says).into_iter().collect(),
                });
            }
            ItemKind::Elif(_) | ItemKind::Else if self.beyond == 0 => {
                let Some(open) = self.conditionals.last_mut() else { return };
                open.branch += 1;
                open.holds = open.before.iter().map(Condition::negated).filter(says).collect();
                if let ItemKind::Elif(condition) = kind {
                    open.holds.extend(Some(condition.clone()).filter(says));
                    if open.before.len() < MAX_CONDITIONS {
                        open.before.push(condition.clone());
                    }
                }
            }
            ItemKind::Endif if self.beyond > 0 => self.beyond -= 1,
            ItemKind::Endif => drop(self.conditionals.pop()),
            _ => {}
        }
    }

    fn statement(&mut self, at: usize, place: (usize, usize), raw: &Arc<Raw>, made: &mut Made) -> Found {
        match &made.part {
            Some((revision, part)) if *revision == self.revision || !part.uses_names => {}
            _ => {
                let source = self.text.get(at..at + raw.len).unwrap_or_default();
                let part = build::part(raw, source, self.definitions, 0);
                // An unfinished statement is nothing that others could rely on.
                let unclosed = raw.flaws.contains(&Flaw::Unclosed);
                made.outline = Some(if unclosed { Outline::default() } else { Outline::of(&part.ptx.text) });
                made.part = Some((self.revision, Arc::new(part)));
            }
        }
        if std::mem::take(&mut self.changed) {
            let comment = self.functions.last().and_then(|(_, comment)| comment.clone());
            let conditions = self.conditionals.iter().flat_map(|c| c.holds.iter().cloned()).collect();
            let branches = self.conditionals.iter().map(|c| (c.number, c.branch)).collect();
            self.contexts.push(Context { wanted: Arc::new(Wanted { comment, conditions }), branches });
        }
        Found {
            at,
            len: raw.len,
            place,
            function: self.functions.last().map_or(0, |(number, _)| *number),
            context: self.contexts.len() - 1,
            comment: raw.comment.clone().filter(|c| !c.targets.is_empty() || c.version.is_some()),
        }
    }
}
