//! All PTX of a host text, kept up to date.

mod units;

use crate::build::{self, Part};
use crate::chunks::{self, Chunk, Made, MadeGroup, State};
use crate::cpp::CppState;
use crate::definitions::Definitions;
use crate::model::{Edit, Placed};
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
    chunks: Vec<Chunk>,
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
        let chunks = chunks::scan_all(text, initial(language));
        let mut host = Self {
            language,
            len: text.len(),
            chunks,
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
        let found = Walk::new(text, &self.definitions, self.revision).chunks(&mut self.chunks);
        let mut groups: Vec<(usize, Vec<usize>)> = Vec::new();
        let mut from = 0;
        while from < found.len() {
            let run = found[from..].iter().take_while(|f| f.function == found[from].function).count();
            units::divide(&found[from..from + run], from, &mut groups);
            from += run;
        }
        groups.sort_unstable_by_key(|(first, _)| *first);
        self.statements.clear();
        self.groups.clear();
        for (first, members) in groups {
            let start = found[first].at;
            let group = self.make(text, &found, first, &members);
            for (index, member) in members.iter().enumerate() {
                let found = &found[*member];
                let range = found.at..found.at + found.part.statement.span.end;
                self.statements.push((range, self.groups.len(), index));
            }
            self.groups.push(Placed { start, group });
        }
        self.statements.sort_by_key(|(range, ..)| range.start);
    }

    /// The group of some statements: the one made before, if nothing changed.
    fn make(&mut self, text: &str, found: &[Found], first: usize, members: &[usize]) -> Arc<crate::model::Group> {
        let start = found[first].at;
        let (chunk, item) = found[first].place;
        let Some(made) = self.chunks.get_mut(chunk).and_then(|c| c.made.get_mut(item)) else {
            return Arc::new(build::group(Vec::new(), found[first].wanted.clone()));
        };
        let wanted = &found[first].wanted;
        let same = |made: &MadeGroup| {
            made.members.len() == members.len()
                && (Arc::ptr_eq(&made.wanted, wanted) || made.wanted == *wanted)
                && made.members.iter().zip(members).all(|((offset, part), member)| {
                    *offset == found[*member].at - start && Arc::ptr_eq(part, &found[*member].part)
                })
        };
        if let Some(made) = made.group.as_ref().filter(|m| same(m)) {
            return made.group.clone();
        }
        let parts = members.iter().enumerate().map(|(number, member)| {
            let found = &found[*member];
            let offset = found.at - start;
            if number == 0 {
                return (offset, (*found.part).clone());
            }
            let source = text.get(found.at..found.at + found.raw.len).unwrap_or_default();
            (offset, build::part(&found.raw, source, &self.definitions, number))
        });
        let group = Arc::new(build::group(parts.collect(), wanted.clone()));
        let members = members.iter().map(|m| (found[*m].at - start, found[*m].part.clone())).collect();
        made.group = Some(MadeGroup { members, wanted: wanted.clone(), group: group.clone() });
        group
    }
}

fn initial(language: Language) -> State {
    match language {
        Language::Cpp | Language::Python => State::Cpp(CppState::default()),
    }
}

/// A statement in its surroundings.
struct Found {
    at: usize,
    /// The index of its chunk, and that of the item there.
    place: (usize, usize),
    raw: Arc<Raw>,
    part: Arc<Part>,
    outline: Arc<Outline>,
    /// The number of the function.
    function: usize,
    /// The branches of conditions around it: the number of the condition and that of the branch.
    branches: Arc<[(usize, usize)]>,
    wanted: Arc<Wanted>,
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
    /// What the conditionals say now, and their branches.
    wanted: Option<(Arc<Wanted>, Arc<[(usize, usize)]>)>,
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
            wanted: None,
        }
    }

    fn chunks(mut self, chunks: &mut [Chunk]) -> Vec<Found> {
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
                        self.wanted = None;
                    }
                    ItemKind::FunctionEnd => {
                        self.functions.pop();
                        self.wanted = None;
                    }
                    ItemKind::Define(..) => {}
                    conditional => self.conditional(conditional),
                }
            }
            start += chunk.len;
        }
        out
    }

    fn conditional(&mut self, kind: &ItemKind) {
        self.wanted = None;
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
        let part = match &made.part {
            Some((revision, part)) if *revision == self.revision || !part.uses_names => part.clone(),
            _ => {
                let source = self.text.get(at..at + raw.len).unwrap_or_default();
                let part = Arc::new(build::part(raw, source, self.definitions, 0));
                made.part = Some((self.revision, part.clone()));
                made.outline = None;
                part
            }
        };
        let outline = made.outline.get_or_insert_with(|| {
            // An unfinished statement is nothing that others could rely on.
            let unclosed = raw.flaws.contains(&Flaw::Unclosed);
            Arc::new(if unclosed { Outline::default() } else { Outline::of(&part.ptx.text) })
        });
        let outline = outline.clone();
        let (surroundings, branches) = self.wanted.get_or_insert_with(|| {
            let comment = self.functions.last().and_then(|(_, comment)| comment.clone());
            let conditions = self.conditionals.iter().flat_map(|c| c.holds.iter().cloned()).collect();
            let branches = self.conditionals.iter().map(|c| (c.number, c.branch)).collect();
            (Arc::new(Wanted { comment, conditions }), branches)
        });
        let wanted = match &raw.comment {
            Some(comment) if !comment.targets.is_empty() || comment.version.is_some() => {
                Arc::new(Wanted { comment: Some(comment.clone()), conditions: surroundings.conditions.clone() })
            }
            _ => surroundings.clone(),
        };
        Found {
            at,
            place,
            raw: raw.clone(),
            part,
            outline,
            function: self.functions.last().map_or(0, |(number, _)| *number),
            branches: branches.clone(),
            wanted,
        }
    }
}
