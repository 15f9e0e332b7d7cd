//! A walk over items: what surrounds each statement.

use super::context::{Context, Found};
use super::nested;
use crate::build;
use crate::chunks::{Chunk, Conditional, Entry, Made};
use crate::definitions::Definitions;
use crate::model::Placed;
use crate::raw::{Flaw, ItemKind, Raw};
use crate::targets::{Condition, PtxComment, Wanted};
use crate::words::Outline;
use std::sync::Arc;

/// The deepest nesting of conditions that is followed, and the most branches of one.
const MAX_CONDITIONS: usize = 32;

/// What a walk finds.
pub(super) struct Walked {
    pub found: Vec<Found>,
    pub contexts: Vec<Context>,
    pub inside: Vec<(usize, Arc<Vec<Placed>>)>,
    /// The index after the last chunk of the walk.
    pub end: usize,
}

/// A function that is not closed yet.
struct OpenFunction {
    number: usize,
    start: usize,
    comment: Option<Arc<PtxComment>>,
    device: bool,
}

/// A walk over all items, in order.
pub(super) struct Walk<'a> {
    text: &'a str,
    definitions: &'a Definitions,
    revision: u64,
    conditionals: Vec<Conditional>,
    /// Conditionals that are open beyond the ones followed.
    beyond: usize,
    conditional_count: usize,
    functions: Vec<OpenFunction>,
    function_count: usize,
    /// What surrounds statements, the last being valid now unless `changed`.
    contexts: Vec<Context>,
    changed: bool,
    /// Groups inside literals, and where these begin.
    inside: Vec<(usize, Arc<Vec<Placed>>)>,
}

impl<'a> Walk<'a> {
    pub fn new(text: &'a str, definitions: &'a Definitions, revision: u64) -> Self {
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

    /// Walks from a chunk at an offset, which must have an entry, over all new chunks, and on to the first chunk around
    /// whose start nothing changed.
    pub fn chunks(mut self, chunks: &mut [Chunk], from: usize, mut start: usize, new_end: usize) -> Walked {
        let mut out = Vec::new();
        if let Some(entry) = chunks.get(from).and_then(|c| c.entry.as_ref()) {
            self.conditionals.clone_from(&entry.conditionals);
            self.beyond = entry.beyond;
            self.conditional_count = self.conditionals.iter().map(|c| c.number).max().unwrap_or(0);
        }
        let mut last: Option<Arc<Entry>> = None;
        let mut end = from;
        for (chunk_index, chunk) in chunks.iter_mut().enumerate().skip(from) {
            let entry = self.functions.is_empty().then(|| {
                let same = |e: &Arc<Entry>| e.beyond == self.beyond && e.conditionals == self.conditionals;
                let known = chunk.entry.clone().filter(same).or_else(|| last.clone().filter(same));
                let new = || Arc::new(Entry { conditionals: self.conditionals.clone(), beyond: self.beyond });
                known.unwrap_or_else(new)
            });
            if chunk_index >= new_end && entry.is_some() && entry == chunk.entry {
                break;
            }
            last.clone_from(&entry);
            chunk.entry = entry;
            end = chunk_index + 1;
            for (index, (item, made)) in chunk.items.iter().zip(&mut chunk.made).enumerate() {
                let at = start + item.at;
                match &item.kind {
                    ItemKind::Statement(raw) => out.push(self.statement(at, (chunk_index, index), raw, made)),
                    ItemKind::Function(comment, device) => {
                        self.function_count += 1;
                        self.functions.truncate(8);
                        let comment = comment.clone();
                        self.functions.push(OpenFunction {
                            number: self.function_count,
                            start: at,
                            comment,
                            device: *device,
                        });
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
        Walked { found: out, contexts: self.contexts, inside: self.inside, end }
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
            let comment = self.functions.last().and_then(|f| f.comment.clone());
            let device = self.functions.iter().any(|f| f.device);
            let conditions = self.conditionals.iter().flat_map(|c| c.holds.iter().cloned()).collect();
            let branches = self.conditionals.iter().map(|c| (c.number, c.branch)).collect();
            self.contexts.push(Context { wanted: Arc::new(Wanted { comment, conditions, device }), branches });
        }
        Found {
            at,
            place,
            function: self.functions.last().map_or(0, |f| f.number),
            function_start: self.functions.last().map(|f| f.start),
            context: self.contexts.len() - 1,
            comment: raw.comment.clone().filter(|c| !c.targets.is_empty() || c.version.is_some()),
        }
    }
}
