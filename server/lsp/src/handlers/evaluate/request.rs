//! Arguments of `ptx-analyzer.evaluateWarp`.

use ptx_launch::choose::{LaunchOrigin, LaunchQuery};
use ptx_num::notation::ElementFormat;
use ptx_view::memory::{MemoryQuery, MemoryStart};
use ptx_view::reading::Reading;
use ptx_view::row::RowStyle;
use ptx_view::{TimelineQuery, ViewQuery};
use serde_json::{Map, Value};
use tower_lsp_server::jsonrpc::{Error, Result};

/// Number of steps of a window: the default and the maximum.
const STEPS: (usize, usize) = (256, 1 << 16);

/// Number of steps of a timeline: the default and the maximum.
const TIMELINE: (usize, usize) = (20_000, 1_000_000);

/// Maximum number of memory ranges, and of bytes in all of them.
const MEMORY: (usize, u64) = (64, 16 << 20);

/// Minimum number of characters of a cell.
const MIN_ROOM: usize = 4;

/// The arguments of an evaluation, apart from the document.
#[derive(Debug, Default)]
pub(super) struct EvaluateRequest {
    /// The kernel and its launch.
    pub(super) question: LaunchQuery,
    /// The line of the kernel.
    pub(super) line: Option<usize>,
    /// Index of the CTA in the grid.
    pub(super) cta: [u32; 3],
    /// Index of the warp in the CTA.
    pub(super) warp: u32,
    /// The requested parts of the run.
    pub(super) asked: ViewQuery,
    /// The lane and step to show; `Some(None)`: show no lane; `None`: leave the selection unchanged.
    pub(super) focus: Option<Option<(u32, Option<u64>)>>,
    /// Whether the server shows the result.
    pub(super) show: bool,
    /// Whether the run leaves the document's evaluation unchanged: its findings, its values and the launch that edits repeat.
    pub(super) aside: bool,
}

/// Reads the arguments of an evaluation, and reports mistakes in them.
pub(super) struct EvaluateArguments<'a>(pub(super) &'a Map<String, Value>);

impl EvaluateArguments<'_> {
    fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name).filter(|v| !v.is_null())
    }

    fn number(&self, name: &str) -> Result<Option<u64>> {
        let wrong = || Error::invalid_params(format!("`{name}` must be a whole number, 0 or more"));
        self.get(name).map(|v| v.as_u64().ok_or_else(wrong)).transpose()
    }

    fn small(&self, name: &str) -> Result<Option<u32>> {
        Ok(self.number(name)?.map(|n| u32::try_from(n).unwrap_or(u32::MAX)))
    }

    fn flag(&self, name: &str) -> Result<bool> {
        match self.get(name) {
            None => Ok(false),
            Some(Value::Bool(value)) => Ok(*value),
            Some(_) => Err(Error::invalid_params(format!("`{name}` must be true or false"))),
        }
    }

    pub(super) fn text(&self, name: &str) -> Result<Option<&str>> {
        let wrong = || Error::invalid_params(format!("`{name}` is a string"));
        self.get(name).map(|v| v.as_str().ok_or_else(wrong)).transpose()
    }

    pub(super) fn line(&self) -> Result<Option<usize>> {
        match self.number("line")? {
            Some(0) => Err(Error::invalid_params("`line` counts from 1")),
            line => Ok(line.map(|n| usize::try_from(n).unwrap_or(usize::MAX))),
        }
    }

    fn address(&self, name: &str) -> Result<Option<u64>> {
        let wrong =
            || Error::invalid_params(format!("`{name}` must be a string with an address in hexadecimal digits"));
        let read = |text: &str| u64::from_str_radix(text.trim_start_matches("0x"), 16).map_err(|_| wrong());
        self.text(name)?.map(read).transpose()
    }
}

/// Returns an argument as an object.
pub(super) fn object<'a>(value: &'a Value, name: &str) -> Result<EvaluateArguments<'a>> {
    value.as_object().map(EvaluateArguments).ok_or_else(|| Error::invalid_params(format!("{name} is an object")))
}

impl EvaluateRequest {
    pub(super) fn read(argument: &Value) -> Result<Self> {
        let empty = Map::new();
        // A bare URI requests everything with defaults.
        let arguments = argument.as_object().map_or(EvaluateArguments(&empty), EvaluateArguments);
        let mut out = Self { line: arguments.line()?, ..Self::default() };
        out.question.entry = arguments.text("entry")?.map(str::to_owned);
        out.question.number = arguments.number("number")?.unwrap_or(0) as usize;
        out.question.launch = match arguments.get("launch") {
            None => LaunchOrigin::Above,
            Some(Value::String(text)) => LaunchOrigin::Lines(text.clone()),
            Some(Value::Bool(false)) => LaunchOrigin::Nowhere,
            Some(table @ Value::Object(_)) => LaunchOrigin::Table(table.clone()),
            Some(_) => {
                let words = "`launch` must be a string as after `launch:`, an object with the keys of a launch file, or false to guess";
                return Err(Error::invalid_params(words));
            }
        };
        if let Some(cta) = arguments.get("cta") {
            let wrong =
                || Error::invalid_params("`cta` must be one to three numbers, or the number of a CTA in the grid");
            let number = |v: &Value| v.as_u64().and_then(|n| u32::try_from(n).ok()).ok_or_else(wrong);
            match cta.as_array() {
                Some(all) if (1..=3).contains(&all.len()) => {
                    for (to, from) in out.cta.iter_mut().zip(all) {
                        *to = number(from)?;
                    }
                }
                _ => return Err(wrong()),
            }
        }
        out.warp = arguments.small("warp")?.unwrap_or(0);
        out.show = arguments.flag("show")?;
        out.aside = arguments.get("follow").is_some() && !arguments.flag("follow")?;
        out.asked.from = arguments.number("from")?.unwrap_or(0);
        let count = arguments.number("count")?.map_or(STEPS.0, |n| usize::try_from(n).unwrap_or(usize::MAX));
        out.asked.count = count.min(STEPS.1);
        out.asked.brief = arguments.flag("brief")?;
        out.asked.accesses = arguments.flag("accesses")?;
        out.asked.state = match arguments.get("state") {
            None | Some(Value::Bool(false)) => None,
            Some(Value::Bool(true)) => Some(out.asked.from),
            Some(_) => arguments.number("state")?,
        };
        out.asked.timeline = match arguments.get("timeline") {
            None | Some(Value::Bool(false)) => None,
            Some(Value::Bool(true)) => Some(TimelineQuery { from: 0, count: TIMELINE.0 }),
            Some(value) => {
                let window = object(value, "`timeline`")?;
                let count = window.number("count")?.map_or(TIMELINE.0, |n| usize::try_from(n).unwrap_or(usize::MAX));
                Some(TimelineQuery { from: window.number("from")?.unwrap_or(0), count: count.min(TIMELINE.1) })
            }
        };
        out.asked.rows = match arguments.get("rows") {
            None | Some(Value::Bool(false)) => None,
            Some(Value::Bool(true)) => Some(RowStyle::default()),
            Some(value) => Some(row_style(&object(value, "`rows`")?)?),
        };
        out.asked.register = arguments.text("register")?.map(str::to_owned);
        out.asked.matrices = arguments.flag("matrices")?;
        out.asked.contents = arguments.flag("contents")?;
        if let Some(memory) = arguments.get("memory") {
            let wrong = || Error::invalid_params(format!("`memory` must be a list of at most {} pieces", MEMORY.0));
            let pieces = memory.as_array().filter(|all| all.len() <= MEMORY.0).ok_or_else(wrong)?;
            out.asked.memory = pieces.iter().map(piece).collect::<Result<_>>()?;
            let bytes = out.asked.memory.iter().fold(0u64, |all, m| all.saturating_add(m.length));
            if bytes > MEMORY.1 {
                return Err(Error::invalid_params(format!(
                    "{bytes} bytes of memory are requested; the maximum is {}",
                    MEMORY.1
                )));
            }
        }
        out.focus = match arguments.0.get("focus") {
            None => None,
            Some(Value::Null) => Some(None),
            Some(value) => {
                let focus = object(value, "`focus`")?;
                let lane = focus.small("lane")?.unwrap_or(0);
                if lane > 31 {
                    return Err(Error::invalid_params("a lane must be a number from 0 to 31"));
                }
                Some(Some((lane, focus.number("step")?)))
            }
        };
        Ok(out)
    }
}

fn row_style(rows: &EvaluateArguments<'_>) -> Result<RowStyle> {
    let wrong = |name: &str| Error::invalid_params(format!("`{name}` is not a reading, such as `hex` or `half2`"));
    let reading = |(register, reading): (&String, &Value)| {
        let name = reading.as_str().unwrap_or_default();
        Ok((register.clone(), Reading::named(name).ok_or_else(|| wrong(name))?))
    };
    let readings = match rows.get("readings") {
        None => Default::default(),
        Some(Value::Object(readings)) => readings.iter().map(reading).collect::<Result<_>>()?,
        Some(_) => return Err(Error::invalid_params("`readings` must be an object of readings by register")),
    };
    let room = rows.number("room")?.map(|room| usize::try_from(room).unwrap_or(usize::MAX).max(MIN_ROOM));
    let is_off = |name: &str| Ok(rows.get(name).is_some() && !rows.flag(name)?);
    Ok(RowStyle { readings, room, is_for_state_only: is_off("steps")?, is_for_steps_only: is_off("state")? })
}

fn piece(value: &Value) -> Result<MemoryQuery> {
    let piece = object(value, "a piece of `memory`")?;
    let length = piece.number("length")?.ok_or_else(|| Error::invalid_params("a piece of memory needs a `length`"))?;
    let offset = piece.number("offset")?.unwrap_or(0);
    let lane = piece.small("lane")?.unwrap_or(0).min(31);
    let place = match (piece.address("address")?, piece.text("buffer")?, piece.text("space")?) {
        (Some(address), ..) => MemoryStart::Address(address),
        (None, Some(name), _) => MemoryStart::Named(name.to_owned(), offset),
        (None, None, Some(space)) => MemoryStart::Space(space.trim_start_matches('.').to_owned(), offset),
        _ => return Err(Error::invalid_params("a piece of memory needs an `address`, a `buffer` or a `space`")),
    };
    let element = piece.text("type")?.map(|name| {
        let wrong = || Error::invalid_params(format!("`{name}` is not a type of values in memory, such as `f32`"));
        ElementFormat::named(name).ok_or_else(wrong)
    });
    Ok(MemoryQuery { place, lane, length, element: element.transpose()? })
}
