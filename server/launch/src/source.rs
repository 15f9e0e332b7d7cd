//! Launches above the kernels of a lowered module.

use ptx_flow::program::{ModuleProgram, ProgramFunction};
use ptx_launch_syntax::{FunctionSpan, ParsedLaunches};

/// Parses the launches of a module. `program` must be made from the same text: it gives the places of functions.
pub fn launches(text: &str, program: &ModuleProgram) -> ParsedLaunches {
    let span = |function: &'_ ProgramFunction| {
        let length = function.body.as_ref().map_or(0, |body| body.body.end as usize);
        function.start..function.start + length
    };
    let functions = program.functions.iter().filter(|f| f.body.is_some() || f.kernel);
    let mut functions: Vec<FunctionSpan<'_>> =
        functions.map(|f| FunctionSpan { name: &f.name, range: span(f), kernel: f.kernel }).collect();
    functions.sort_by_key(|f| f.range.start);
    ptx_launch_syntax::launches(text, 0, &functions)
}
