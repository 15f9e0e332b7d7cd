//! The breakpoints of a session, as the client has set them. It knows no session; `configure` sets them.

use super::arguments::{DataBreakpoint, FunctionBreakpoint, InstructionBreakpoint, SourceBreakpoint};
use super::stops::Stops;
use ptx_gate::names::FileName;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Breakpoints as the client has set them, each with its number.
#[derive(Debug, Default)]
pub struct ClientBreakpoints {
    /// Those in lines, by file.
    pub lines: BTreeMap<FileName, SourceBreakpoints>,
    /// Those at functions.
    pub functions: Vec<(i64, FunctionBreakpoint)>,
    /// Those at instructions.
    pub instructions: Vec<(i64, InstructionBreakpoint)>,
    /// Those on data.
    pub data: Vec<(i64, DataBreakpoint)>,
    /// The filters of findings with their conditions.
    pub filters: Vec<(i64, String, Option<String>)>,
    /// What they resolve to in the program.
    pub stops: Arc<Stops>,
}

/// The breakpoints in the lines of a source.
#[derive(Debug)]
pub struct SourceBreakpoints {
    /// The source as the client names it.
    pub path: PathBuf,
    /// The breakpoints with their numbers.
    pub points: Vec<(i64, SourceBreakpoint)>,
}

impl ClientBreakpoints {
    /// All breakpoints in lines.
    pub fn in_lines(&self) -> impl Iterator<Item = (&Path, i64, &SourceBreakpoint)> {
        self.lines.values().flat_map(|source| source.points.iter().map(|(id, point)| (&*source.path, *id, point)))
    }

    /// The resolved breakpoints and filters that stop a run.
    pub fn stops(&self) -> Arc<Stops> {
        Arc::clone(&self.stops)
    }
}
