//! Expressions that the user enters: watches, hovers, the console and its commands.

use super::arguments::{CompletionsArguments, Evaluate, FocusLane};
use super::expressions::{DebugExpression, LaneValues, ValueLocation};
use super::handles::{Container, GroupFrame};
use super::session::{DebugSession, Now};
use super::values;
use super::variables::View;
use super::wire::{DapAnswer, DapRequest, RequestFailure, arguments};
use ptx_interp::inspect;
use ptx_launch::words;
use ptx_launch::words::lanes as lanes_in_words;
use ptx_view::lane_values::marks;
use serde_json::{Value, json};

/// The commands of the console, each with its description.
const COMMANDS: &[(&str, &str)] = &[
    ("lane N", "selects one lane: registers show its value, and writes go to it"),
    ("lane all", "selects all lanes again"),
    ("where", "shows where the lanes of the warp are"),
    ("time", "shows how far the run has got"),
    ("help", "shows this help"),
];

impl DebugSession {
    /// Handles `evaluate`.
    pub(super) fn evaluate(&mut self, request: &DapRequest) -> DapAnswer {
        let given: Evaluate = arguments(request)?;
        let (debuggee, now) = self.stopped()?;
        let frame = self.frame(&now, given.frame_id)?;
        let context = given.context.as_deref().unwrap_or_default();
        let text = given.expression.trim();
        if context == "repl"
            && let Some(answer) = self.command(text, &now, frame)
        {
            return answer;
        }
        let hex = given.format.unwrap_or_default().hex;
        let view = View { debuggee: &debuggee, now: &now, hex, lane: self.lane };
        // A variable in memory, requested by its plain name, gets the same presentation as in its scope.
        if let Some(made) = view.named(frame, text) {
            let variable = self.finish_variable(made);
            let mut out = json!({ "result": variable.value, "variablesReference": variable.variables_reference });
            if let Some(fields) = out.as_object_mut() {
                fields.extend(variable.ty.map(|ty| ("type".to_owned(), json!(ty))));
                fields.extend(variable.indexed_variables.map(|n| ("indexedVariables".to_owned(), json!(n))));
                fields.extend(variable.memory_reference.map(|m| ("memoryReference".to_owned(), json!(m))));
            }
            return Ok(out);
        }
        let expression = DebugExpression::parse(text).map_err(RequestFailure::new)?;
        let value = expression.value(&now.machine, frame).map_err(RequestFailure::new)?;
        let result = self.result(&now, &value, frame, hex, context == "clipboard");
        Ok(self.with_parts(result, value, text, &now, frame))
    }

    /// The text of a value.
    fn result(&self, now: &Now, value: &LaneValues, frame: GroupFrame, hex: bool, all: bool) -> String {
        let mark = marks(value.unspecified, value.approximate, value.mask);
        let known = value.mask & value.known;
        if known == 0 {
            return "not written".to_owned();
        }
        let shown = match self.lane.filter(|l| value.mask >> l & 1 != 0) {
            Some(lane) if !all && !value.is_uniform() => {
                format!("lane {lane}: {}", values::lane(&value.ty, &value.bytes, lane, hex))
            }
            _ if all => {
                let texts: Vec<String> =
                    ptx_interp::lanes::lanes(known).map(|l| values::lane(&value.ty, &value.bytes, l, hex)).collect();
                texts.join(" ")
            }
            // A predicate register is shown as a mask, a computed predicate as true or false.
            _ if value.place.is_none() && value.ty == ".pred" && value.is_uniform() => {
                values::lane(&value.ty, &value.bytes, known.trailing_zeros() as usize % 32, hex)
            }
            _ => values::summary(&value.ty, &value.bytes, known, hex),
        };
        let bits = values::bits(&value.ty, &value.bytes, known.trailing_zeros() as usize % 32);
        let size = u32::from(now.machine.executable.address_bytes()) * 8;
        let whole = value.bytes.len() * 8 == size as usize * 32 && value.is_uniform() && !value.ty.starts_with(".f");
        let pointer = u64::try_from(bits).ok().filter(|_| whole).and_then(|a| inspect::name_of(&now.machine, a));
        let pointer = pointer.map_or_else(String::new, |name| format!(" → {name}"));
        let some = if known != value.mask || value.mask != frame.mask && value.mask.count_ones() > 1 {
            format!(" in {}", lanes_in_words(known))
        } else {
            String::new()
        };
        format!("{shown}{mark}{pointer}{some}")
    }

    fn with_parts(&mut self, result: String, value: LaneValues, text: &str, now: &Now, frame: GroupFrame) -> Value {
        let lanes = value.mask.count_ones();
        let uniform = value.is_uniform();
        let mut out = json!({ "result": result, "type": value.ty, "variablesReference": 0 });
        let Some(fields) = out.as_object_mut() else { return out };
        if value.place.is_none() {
            fields.insert("presentationHint".to_owned(), json!({ "attributes": ["readOnly"] }));
        }
        match &value.place {
            Some(ValueLocation::Memory(at, _)) => {
                fields.insert("memoryReference".to_owned(), json!(at.text(&now.machine)));
            }
            _ if uniform && value.ty != ".pred" => {
                let bits = values::bits(&value.ty, &value.bytes, value.mask.trailing_zeros() as usize % 32);
                if let Some(address) = u64::try_from(bits).ok().filter(|a| inspect::name_of(&now.machine, *a).is_some())
                {
                    let at =
                        super::memory::MemoryReference { target: frame.target, lane: self.lane.unwrap_or(0), address };
                    fields.insert("memoryReference".to_owned(), json!(at.text(&now.machine)));
                }
            }
            _ => {}
        }
        if lanes > 1 && !(uniform && value.place.is_none()) {
            let LaneValues { ty, bytes, mask, place, .. } = value;
            let container = match place {
                Some(ValueLocation::Register(slot)) if mask == frame.mask => Container::Register(frame, slot),
                _ => Container::Lanes { mask, ty, bytes, name: text.to_owned() },
            };
            fields.insert("variablesReference".to_owned(), json!(self.handles.add(container)));
            fields.insert("indexedVariables".to_owned(), json!(lanes));
        }
        out
    }

    /// Executes a console command; `None` if the text is not one.
    fn command(&mut self, text: &str, now: &Now, frame: GroupFrame) -> Option<DapAnswer> {
        let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let words = match (word, rest.trim()) {
            ("lane", "" | "all") => {
                self.look_at(None);
                "all lanes are selected".to_owned()
            }
            ("lane", rest) => match rest.parse::<usize>().ok().filter(|l| *l < 32) {
                Some(lane) => {
                    self.look_at(Some(lane));
                    let there = frame.mask >> lane & 1 != 0;
                    let words = if there { "" } else { ", which is not in this group" };
                    format!("lane {lane} is selected{words}; `lane all` selects all again")
                }
                None => {
                    return Some(Err(RequestFailure::new(format!(
                        "`{rest}` is not a lane: they are 0 to 31, or `all`"
                    ))));
                }
            },
            ("where", "") => self.places_of_lanes(now),
            ("time", "") => {
                let total = self.history.as_ref().and_then(|h| h.leg(now.leg).run(&|| true)).map(|r| r.total());
                let of = total.map_or_else(String::new, |t| format!(" of {}", words::grouped(t)));
                format!("{}{of} warp instructions of the grid", words::grouped(now.machine.steps))
            }
            ("help", "") => {
                let commands: Vec<String> = COMMANDS.iter().map(|(c, words)| format!("{c:10} {words}")).collect();
                format!("{}\n{}", commands.join("\n"), super::expressions::HELP)
            }
            _ => return None,
        };
        Some(Ok(json!({ "result": words, "variablesReference": 0 })))
    }

    fn places_of_lanes(&self, now: &Now) -> String {
        let Some(groups) = inspect::groups(&now.machine, now.focus) else {
            return "the warp is not running".to_owned();
        };
        let Some(debuggee) = &self.debuggee else { return String::new() };
        let mut out: Vec<String> = super::stacks::order(&groups)
            .into_iter()
            .filter_map(|index| groups.groups.get(index))
            .map(|g| {
                let line = debuggee.places.ptx(g.site).line.line;
                let (who, what) = (lanes_in_words(g.mask), debuggee.places.text(g.site));
                format!("{who}: line {line}, {}: {what}", super::stacks::state(g.state))
            })
            .collect();
        if groups.exited != 0 {
            out.push(format!("{}: exited", lanes_in_words(groups.exited)));
        }
        out.join("\n")
    }

    /// Handles `ptx/focusLane`.
    pub(super) fn focus_lane(&mut self, request: &DapRequest) -> DapAnswer {
        let FocusLane { lane } = arguments(request)?;
        if lane.is_some_and(|l| l > 31) {
            return Err(RequestFailure::new("lanes are 0 to 31"));
        }
        self.look_at(lane.map(|l| l as usize));
        Ok(json!({ "lane": lane }))
    }

    fn look_at(&mut self, lane: Option<usize>) {
        self.lane = lane;
        self.invalidate(&["variables"]);
    }

    /// Handles `completions`.
    pub(super) fn completions(&mut self, request: &DapRequest) -> DapAnswer {
        let given: CompletionsArguments = arguments(request)?;
        let (debuggee, now) = self.stopped()?;
        let frame = self.frame(&now, given.frame_id)?;
        let text: Vec<u16> = given.text.encode_utf16().collect();
        let column = usize::try_from(given.column.saturating_sub(i64::from(self.facts.columns_start_at1))).unwrap_or(0);
        let before = String::from_utf16_lossy(text.get(..column.min(text.len())).unwrap_or_default());
        let inside = |c: char| c.is_alphanumeric() || "%$_.".contains(c);
        let from =
            before.rfind(|c| !inside(c)).map_or(0, |at| at + before[at..].chars().next().map_or(1, char::len_utf8));
        let word = before.get(from..).unwrap_or_default();
        let start = before.get(..from).unwrap_or_default().encode_utf16().count();
        let first = before.trim_start().len() == word.len();
        let registers = inspect::registers(&now.machine, frame.target, frame.group, frame.depth).unwrap_or_default();
        let specials = inspect::specials(&now.machine, frame.target, frame.group, frame.depth).unwrap_or_default();
        let view = View { debuggee: &debuggee, now: &now, hex: false, lane: self.lane };
        let commands = COMMANDS.iter().filter(|_| first).map(|(c, words)| {
            let word = c.split(' ').next().unwrap_or(c);
            (word.to_owned(), "keyword", (*words).to_owned())
        });
        let registers = registers.into_iter().map(|r| (r.name, "variable", r.ty.to_owned()));
        let specials = specials.into_iter().map(|s| (s.name, "property", s.ty.to_owned()));
        let memory = view.names(frame).into_iter().map(|(name, ty)| (name, "field", ty));
        let mut seen = std::collections::BTreeSet::new();
        let targets: Vec<Value> = commands
            .chain(registers)
            .chain(specials)
            .chain(memory)
            .filter(|(label, ..)| label.starts_with(word) && seen.insert(label.clone()))
            .take(500)
            .map(|(label, kind, detail)| {
                let length = word.encode_utf16().count();
                json!({ "label": label, "type": kind, "detail": detail, "start": start, "length": length })
            })
            .collect();
        Ok(json!({ "targets": targets }))
    }
}
