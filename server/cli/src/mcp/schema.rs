//! The tools as clients list them. Each word here costs each session of an assistant a token, so there are few.

use ptx_launch::limit::DEFAULT_SECONDS;
use ptx_mcp::ToolDescription;
use serde_json::{Map, Value, json};

/// Maximum number of findings that `check` lists unless `max` says otherwise.
pub const FINDINGS: u64 = 20;
/// Maximum number of completions unless `max` says otherwise.
pub const COMPLETIONS: u64 = 30;
/// Maximum number of search results unless `max` says otherwise.
pub const RESULTS: u64 = 10;
/// The largest number that `max` may be.
pub const MOST: u64 = 1000;
/// The longest time of a run in seconds.
pub const MAX_SECONDS: u64 = 3600;
/// The names of languages.
pub const LANGUAGES: [&str; 6] = ["ptx", "cpp", "python", "rust", "llvm", "julia"];

/// The arguments that name a text.
fn source() -> [(&'static str, Value); 2] {
    [
        ("text", json!({ "type": "string", "description": "PTX, a whole module with its header" })),
        ("path", json!({ "type": "string", "description": "a file to read instead of `text`" })),
    ]
}

fn integer(words: &str, least: u64, most: u64) -> Value {
    json!({ "type": "integer", "minimum": least, "maximum": most, "description": words })
}

fn language() -> (&'static str, Value) {
    let words = "language of `text` or the file, if its PTX is in strings";
    ("language", json!({ "type": "string", "enum": LANGUAGES, "description": words }))
}

fn target() -> (&'static str, Value) {
    let words = "architecture in place of the module's own, such as sm_90a";
    ("target", json!({ "type": "string", "description": words }))
}

fn parse_only() -> (&'static str, Value) {
    let words = "omit errors that ptxas reports only when it generates code, such as 32-bit addresses";
    ("parse_only", json!({ "type": "boolean", "description": words }))
}

fn as_json() -> (&'static str, Value) {
    ("json", json!({ "type": "boolean", "description": "also return `structuredContent`, for programs" }))
}

fn schema(properties: impl IntoIterator<Item = (&'static str, Value)>, required: &[&str]) -> Value {
    let properties: Map<String, Value> = properties.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}

/// All tools.
pub fn tools() -> Vec<ToolDescription> {
    let max = |words: &str, usual: u64| ("max", integer(&format!("{words} [{usual}]"), 1, MOST));
    let position = [
        ("line", integer("line, from 1", 1, u64::from(u32::MAX))),
        ("column", integer("column in bytes, from 1", 1, u64::from(u32::MAX))),
    ];
    vec![
        ToolDescription {
            name: "check",
            title: "Check PTX",
            description: "Finds errors and likely bugs in PTX, or in PTX inside strings of another language, as NVIDIA's assembler would, \
                          but all at once, with fixes. Without findings it says what was checked.",
            input: schema(source().into_iter().chain([target(), language(), parse_only(), max("findings to list", FINDINGS), as_json()]), &[]),
            is_long: false,
        },
        ToolDescription {
            name: "explain",
            title: "Explain PTX",
            description: "Explains an instruction (mma.sync, fma.rn.f32), modifier, special register (%laneid), directive, type, target, \
                          diagnostic code, literal (0f3F800000), name of CUDA C++, message of ptxas, or topic: forms, operands, needed version and target.",
            input: schema(
                [
                    ("query", json!({ "type": "string", "description": "name or words" })),
                    ("all", json!({ "type": "boolean", "description": "all instructions of an opcode, not only the most used" })),
                ],
                &["query"],
            ),
            is_long: false,
        },
        ToolDescription {
            name: "complete",
            title: "Complete PTX",
            description: "Lists what is legal at a place of a text: opcodes, modifiers, operands, directives; best first.",
            input: schema(
                source().into_iter().chain(position).chain([language(), max("completions to list", COMPLETIONS)]),
                &["line", "column"],
            ),
            is_long: false,
        },
        ToolDescription {
            name: "registers",
            title: "Registers and occupancy",
            description: "Estimates for each kernel of a module the registers that ptxas would use, the peak of live registers, spills and occupancy.",
            input: schema(source().into_iter().chain([target(), as_json()]), &[]),
            is_long: false,
        },
        ToolDescription {
            name: "evaluate",
            title: "Run a kernel",
            description: "Runs a kernel on the CPU and reports races, out-of-bounds accesses and other faults, failed expectations, and the \
                          contents of buffers. A launch is given as `launch`, or by `//! launch:` lines above the kernel, or guessed.",
            input: schema(
                source().into_iter().chain([
                    ("kernel", json!({ "type": "string", "description": "name of the kernel [the first with a launch, else the first]" })),
                    (
                        "launch",
                        json!({ "type": "string", "description":
                            "such as: grid=2 block=32 n=64 a=2.0 x=f32[64]:iota out=f32[64]:zero; more lines: expect: out[3]=6.0 out[4]=8±1e-6. Fills: zero, iota, const(v), uniform(lo,hi,seed=7); values: f32:[1,2.5]" }),
                    ),
                    ("line", integer("show the values that the instruction at this line wrote", 1, u64::from(u32::MAX))),
                    (
                        "lanes",
                        json!({ "type": "array", "items": { "type": "integer", "minimum": 0, "maximum": 31 }, "maxItems": 32,
                            "description": "show the values of these lanes [0] of warp 0; without `line`, of all lines" }),
                    ),
                    ("seconds", integer(&format!("stop the run after this time and report what it reached [{DEFAULT_SECONDS}]"), 1, MAX_SECONDS)),
                    as_json(),
                ]),
                &[],
            ),
            is_long: true,
        },
        ToolDescription {
            name: "search",
            title: "Search PTX",
            description: "Finds instructions, directives, registers, topics and diagnostic codes by words, such as: asynchronous copy to shared memory.",
            input: schema(
                [("query", json!({ "type": "string", "description": "words" })), max("results to list", RESULTS)],
                &["query"],
            ),
            is_long: false,
        },
    ]
}
