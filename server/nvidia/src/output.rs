//! Parser of the assembler's output: the measurements of `-v`, and messages.
//!
//! The lines of releases 11, 12 and 13 are alike; newer releases report more. Unknown lines are ignored unless they are
//! messages.

/// The severity of a message, by the word that the assembler uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum AssemblerSeverity {
    /// For information.
    Info,
    /// The module is assembled nevertheless.
    Warning,
    /// The module is not assembled.
    Error,
    /// The module is not assembled, and the assembler stopped at once.
    Fatal,
}

impl AssemblerSeverity {
    /// Returns the name of the severity in answers to the client.
    pub fn name(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error | Self::Fatal => "error",
        }
    }
}

/// A message of the assembler.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AssemblerMessage {
    /// Severity of the message.
    pub severity: AssemblerSeverity,
    /// Line of the module, from 1.
    pub line: Option<u32>,
    /// Text of the message.
    pub text: String,
}

/// The assembler's measurements of a function; `None` for values that it does not report.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AssemblerFunction {
    /// Name of the function in the module.
    pub name: String,
    /// Whether it is a kernel (`.entry`).
    pub entry: bool,
    /// Number of 32-bit registers. The assembler reports none for functions that are not kernels: they count with the kernels
    /// that call them.
    pub registers: Option<u32>,
    /// Spilled bytes that are stored.
    pub spill_stores: Option<u64>,
    /// Spilled bytes that are loaded.
    pub spill_loads: Option<u64>,
    /// Size of its own stack frame in bytes.
    pub stack: Option<u64>,
    /// Size of the stack in bytes, including called functions.
    pub cumulative_stack: Option<u64>,
    /// Size of static shared memory in bytes.
    pub shared: Option<u64>,
    /// Number of barriers; releases up to 11 do not report it.
    pub barriers: Option<u32>,
    /// Size in all banks of constant memory, in bytes.
    pub constant: Option<u64>,
}

/// The parsed output of the assembler.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Listing {
    /// The functions in the order of their first mention.
    pub functions: Vec<AssemblerFunction>,
    /// The messages in the order of the output.
    pub messages: Vec<AssemblerMessage>,
}

impl Listing {
    /// Parses the output.
    pub fn read(text: &str) -> Self {
        let mut out = Self::default();
        // The function of the following measurements: the one named last.
        let mut current = None;
        for line in text.lines() {
            if line.starts_with([' ', '\t']) {
                if let Some(index) = current {
                    out.properties(index, line.trim());
                }
                continue;
            }
            let Some(message) = message(line) else { continue };
            let words = message.text.as_str();
            if let Some(rest) = words.strip_prefix("Compiling entry function '") {
                let index = out.function(rest.split('\'').next().unwrap_or_default());
                out.functions[index].entry = true;
                current = Some(index);
            } else if let Some(name) = words.strip_prefix("Function properties for ") {
                current = Some(out.function(name.trim().trim_matches('\'')));
            } else if message.severity == AssemblerSeverity::Info && words.starts_with("Used ") {
                if let Some(index) = current {
                    out.used(index, words);
                }
            } else if !(message.severity == AssemblerSeverity::Info && is_figure(words)) {
                out.messages.push(message);
            }
        }
        out
    }

    /// Returns the messages that explain why the module was not assembled.
    pub fn errors(&self) -> impl Iterator<Item = &AssemblerMessage> {
        self.messages.iter().filter(|m| m.severity >= AssemblerSeverity::Error)
    }

    fn function(&mut self, name: &str) -> usize {
        self.functions.iter().position(|f| f.name == name).unwrap_or_else(|| {
            self.functions.push(AssemblerFunction { name: name.to_owned(), ..AssemblerFunction::default() });
            self.functions.len() - 1
        })
    }

    /// Parses `256 bytes stack frame, 252 bytes spill stores, 252 bytes spill loads`.
    fn properties(&mut self, index: usize, text: &str) {
        let function = &mut self.functions[index];
        for (number, what) in figures(text) {
            let field = match what {
                "bytes stack frame" => &mut function.stack,
                "bytes spill stores" => &mut function.spill_stores,
                "bytes spill loads" => &mut function.spill_loads,
                _ => continue,
            };
            // A function is reported once for each kernel that calls it.
            *field = (*field).max(Some(number));
        }
    }

    /// Parses `Used 32 registers, used 1 barriers, 256 bytes cumulative stack size, 1024 bytes smem, 360 bytes cmem[0]`.
    fn used(&mut self, index: usize, text: &str) {
        let function = &mut self.functions[index];
        let small = |n: u64| u32::try_from(n).unwrap_or(u32::MAX);
        for (number, what) in figures(text) {
            match what {
                "registers" => function.registers = Some(small(number)),
                "barriers" => function.barriers = Some(small(number)),
                "bytes cumulative stack size" => function.cumulative_stack = Some(number),
                "bytes smem" => function.shared = Some(number),
                _ if what.starts_with("bytes cmem[") => {
                    function.constant = Some(function.constant.unwrap_or(0).saturating_add(number));
                }
                _ => {}
            }
        }
        // Shared memory that is not mentioned is not used.
        function.shared = function.shared.or(Some(0));
    }
}

/// Returns numbers with their units. Old releases write `1024+0`: declared bytes, and bytes that the assembler adds.
fn figures(text: &str) -> impl Iterator<Item = (u64, &str)> {
    text.split(',').filter_map(|part| {
        let part = part.trim();
        let part = part.strip_prefix("Used ").or_else(|| part.strip_prefix("used ")).unwrap_or(part);
        let (number, what) = part.split_once(' ')?;
        let sum = number.split('+').map(|n| n.parse::<u64>().ok()).try_fold(0u64, |sum, n| sum.checked_add(n?))?;
        Some((sum, what.trim()))
    })
}

/// Whether a line is a measurement, not a message.
fn is_figure(text: &str) -> bool {
    text.starts_with("Compile time = ") || (text.contains(" bytes gmem") && figures(text).next().is_some())
}

/// Parses `ptxas info    : text` or `ptxas file, line 13; error   : text`.
fn message(line: &str) -> Option<AssemblerMessage> {
    let rest = line.strip_prefix("ptxas ")?;
    let (place, rest) = match rest.find("; ").filter(|at| rest[..*at].contains(", line ")) {
        Some(at) => (Some(&rest[..at]), &rest[at + 2..]),
        None => (None, rest),
    };
    let (severity, text) = rest.split_once(':')?;
    let severity = match severity.trim() {
        "info" => AssemblerSeverity::Info,
        "warning" => AssemblerSeverity::Warning,
        "error" => AssemblerSeverity::Error,
        "fatal" => AssemblerSeverity::Fatal,
        _ => return None,
    };
    let line = place.and_then(|p| p.rsplit_once(", line ")?.1.trim().parse().ok());
    Some(AssemblerMessage { severity, line, text: text.trim().to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kernel(name: &str, registers: u32) -> AssemblerFunction {
        let (name, zero) = (name.to_owned(), Some(0));
        let figures = AssemblerFunction {
            spill_stores: zero,
            spill_loads: zero,
            stack: zero,
            shared: zero,
            ..AssemblerFunction::default()
        };
        AssemblerFunction { name, entry: true, registers: Some(registers), ..figures }
    }

    // Recorded from 13.5.37, `-v --gpu-name sm_80`: two kernels, one calls a function.
    const NEW: &str = "\
ptxas info    : 4 bytes gmem, 16 bytes cmem[3], 8 bytes cmem[4]
ptxas info    : Compiling entry function 'two' for 'sm_80'
ptxas info    : Function properties for two
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 4 registers, used 0 barriers, 352 bytes cmem[0]
ptxas info    : Compile time = 1.640 ms
ptxas info    : Compiling entry function 'one' for 'sm_80'
ptxas info    : Function properties for one
    32 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 8 registers, used 1 barriers, 32 bytes cumulative stack size, 1024 bytes smem, 360 bytes cmem[0]
ptxas info    : Compile time = 1.531 ms
ptxas info    : Function properties for sq
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
";

    // The same module, recorded from 11.8.89.
    const OLD: &str = "\
ptxas info    : 4 bytes gmem, 16 bytes cmem[3]
ptxas info    : Compiling entry function 'two' for 'sm_80'
ptxas info    : Function properties for two
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 4 registers, 352 bytes cmem[0]
ptxas info    : Compiling entry function 'one' for 'sm_80'
ptxas info    : Function properties for one
    32 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 8 registers, 1024 bytes smem, 360 bytes cmem[0]
ptxas info    : Function properties for sq
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
";

    #[test]
    fn kernels_and_functions() {
        let listing = Listing::read(NEW);
        let sq = AssemblerFunction { registers: None, entry: false, shared: None, ..kernel("sq", 0) };
        let two = AssemblerFunction { barriers: Some(0), constant: Some(352), ..kernel("two", 4) };
        let one = AssemblerFunction {
            stack: Some(32),
            cumulative_stack: Some(32),
            shared: Some(1024),
            barriers: Some(1),
            constant: Some(360),
            ..kernel("one", 8)
        };
        assert_eq!(listing.functions, [two.clone(), one.clone(), sq.clone()]);
        assert_eq!(listing.messages, []);
        let listing = Listing::read(OLD);
        let (two, one) = (
            AssemblerFunction { barriers: None, ..two },
            AssemblerFunction { barriers: None, cumulative_stack: None, ..one },
        );
        assert_eq!(listing.functions, [two, one, sq]);
    }

    #[test]
    fn spills() {
        // 12.9.86
        let listing = Listing::read(
            "\
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'spilling' for 'sm_80'
ptxas info    : Function properties for spilling
    256 bytes stack frame, 252 bytes spill stores, 248 bytes spill loads
ptxas info    : Used 32 registers, used 0 barriers, 256 bytes cumulative stack size, 360 bytes cmem[0]
ptxas info    : Compile time = 31.415 ms
",
        );
        let [function] = listing.functions.as_slice() else { panic!("{listing:?}") };
        assert_eq!((function.spill_stores, function.spill_loads), (Some(252), Some(248)));
        assert_eq!((function.stack, function.cumulative_stack), (Some(256), Some(256)));
        assert_eq!((function.registers, function.shared), (Some(32), Some(0)));
    }

    #[test]
    fn errors_have_lines() {
        let listing = Listing::read(
            "\
ptxas error   : Entry function 'sq' not found
ptxas module.ptx, line 22; error   : Arguments mismatch for instruction 'mov'
ptxas warning : Unresolved extern variable 'x' in whole program compilation, ignoring extern qualifier
ptxas info    : (C7510) Potential Performance Loss: wgmma.mma_async instructions are serialized due to …
ptxas fatal   : Ptx assembly aborted due to errors
something else
",
        );
        let said: Vec<_> = listing.messages.iter().map(|m| (m.severity, m.line)).collect();
        use AssemblerSeverity::*;
        assert_eq!(said, [(Error, None), (Error, Some(22)), (Warning, None), (Info, None), (Fatal, None)]);
        assert_eq!(listing.messages[1].text, "Arguments mismatch for instruction 'mov'");
        assert_eq!(listing.errors().count(), 3);
    }

    #[test]
    fn anything_is_read() {
        for text in ["", "ptxas", "ptxas :", "ptxas info", "  1 bytes stack frame", "ptxas info : Used", "\u{0}\n\tx"] {
            assert_eq!(Listing::read(text).functions, [], "{text:?}");
        }
        let listing = Listing::read(
            "ptxas info : Compiling entry function 'k\nptxas info : Used 1+x registers, 99999999999999999999 bytes smem",
        );
        assert_eq!(listing.functions[0].registers, None);
    }
}
