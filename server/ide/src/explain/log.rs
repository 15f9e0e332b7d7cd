//! Logs of builds: what each line of them means, and on which line of the PTX.

use super::assembler;
use ptx_isa::tables::AssemblerMessage;

/// A line of a log that a tool wrote about a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogEntry<'l> {
    /// The line of the log, from 1.
    pub number: usize,
    /// The severity as the tool names it: `error`, `fatal`, `warning`, `info`; empty if it names none.
    pub severity: &'l str,
    /// The file that it names.
    pub file: Option<&'l str>,
    /// The line of that file, from 1.
    pub line: Option<usize>,
    /// The message.
    pub text: &'l str,
    /// What it means, if the tables know it.
    pub message: Option<&'static AssemblerMessage>,
}

/// The words with which tools name a severity.
const SEVERITIES: [&str; 5] = ["error", "fatal", "warning", "info", "advisory"];

/// The messages of a log, in order. Lines that are not messages are left out.
pub fn log(text: &str) -> Vec<LogEntry<'_>> {
    text.lines().enumerate().filter_map(|(index, line)| entry(index + 1, line)).collect()
}

fn entry(number: usize, line: &str) -> Option<LogEntry<'_>> {
    let line = line.trim();
    let (before, severity, text) = parted(line).unwrap_or(("", "", line));
    let text = text.trim();
    let message = assembler::row(text);
    // A line without a severity counts if the tables know it: a name of an error, a line of a sanitizer.
    if text.is_empty() || (severity.is_empty() && message.is_none()) {
        return None;
    }
    let (file, line) = place(before);
    let line = line.or_else(|| line_in(text));
    Some(LogEntry { number, severity, file, line, text, message })
}

/// `ptxas k.ptx, line 3; error   : text` in three parts: what stands before the severity, the severity, and the message.
fn parted(line: &str) -> Option<(&str, &str, &str)> {
    let mut at = 0;
    loop {
        let colon = at + line.get(at..)?.find(':')?;
        let before = line[..colon].trim_end();
        let start = before.rfind(|c: char| !c.is_ascii_alphabetic()).map_or(0, |at| at + 1);
        let (place, word) = before.split_at(start);
        if let Some(severity) = SEVERITIES.iter().find(|s| s.eq_ignore_ascii_case(word)) {
            return Some((place, severity, &line[colon + 1..]));
        }
        // `error #20012-D: text`
        if let Some((place, severity)) = SEVERITIES.iter().find_map(|s| Some((before.find(&format!("{s} #"))?, *s))) {
            return Some((&line[..place], severity, &line[colon + 1..]));
        }
        at = colon + 1;
    }
}

/// The file and the line before a severity: `ptxas k.ptx, line 3;`, `k.cu(12):`, `k.ptx:12:5:`.
fn place(before: &str) -> (Option<&str>, Option<usize>) {
    let before = before.trim().trim_end_matches([';', ':']).trim();
    let named = |file: &'_ str| !file.is_empty();
    if let Some((file, line)) = before.rsplit_once(", line ") {
        let file = file.split_once(' ').filter(|(tool, _)| TOOLS.contains(tool)).map_or(file, |(_, file)| file.trim());
        return (Some(file).filter(|f| named(f)), line.trim().parse().ok());
    }
    if let Some((file, rest)) = before.rsplit_once('(')
        && let Ok(line) = rest.trim_end_matches(')').split(',').next().unwrap_or("").parse()
    {
        return (Some(file.trim()).filter(|f| named(f)), Some(line));
    }
    let mut parts = before.rsplitn(3, ':');
    let (last, middle, first) = (parts.next(), parts.next(), parts.next());
    match (first, middle.and_then(|m| m.parse().ok()), last.and_then(|l| l.parse::<usize>().ok())) {
        (Some(file), Some(line), Some(_)) => (Some(file), Some(line)),
        (None, None, Some(line)) if middle.is_some_and(named) => (middle, Some(line)),
        _ => (None, None),
    }
}

/// The programs whose names stand before a file.
const TOOLS: [&str; 3] = ["ptxas", "nvlink", "nvcc"];

/// The line that a message itself names: `… in line 123`, `… on line 4`.
fn line_in(text: &str) -> Option<usize> {
    let starts = [" line ", " line No: "].iter().filter_map(|word| Some(text.rfind(word)? + word.len()));
    let rest = &text[starts.max()?..];
    rest[..rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len())].parse().ok()
}

#[cfg(test)]
mod tests {
    use super::log;

    #[test]
    fn lines_of_tools() {
        let text = "\
[3/9] nvcc -c k.cu
ptxas k.ptx, line 14; error   : Arguments mismatch for instruction 'add'
ptxas info    : (C7510) Potential Performance Loss: wgmma.mma_async instructions are serialized due to wgmma pipeline crossing function boundary at a function call in the function 'k' in line 33
k.cu(12): error: asm operand type size(8) does not match type/size implied by constraint 'r'
/src/k.ptx:7:3: warning: something new
k.cu(3): error #20014-D: calling a __host__ function('f') from a __device__ function('g') is not allowed
nvlink error   : Undefined reference to 'f' in 'k.o'
CUDA_ERROR_ILLEGAL_ADDRESS
ptxas fatal   : Ptx assembly aborted due to errors
make: *** [k.o] Error 255
";
        let all = log(text);
        let places: Vec<_> = all.iter().map(|e| (e.number, e.severity, e.file, e.line)).collect();
        assert_eq!(
            places,
            [
                (2, "error", Some("k.ptx"), Some(14)),
                (3, "info", None, Some(33)),
                (4, "error", Some("k.cu"), Some(12)),
                (5, "warning", Some("/src/k.ptx"), Some(7)),
                (6, "error", Some("k.cu"), Some(3)),
                (7, "error", None, None),
                (8, "", None, None),
                (9, "fatal", None, None),
            ]
        );
        let patterns: Vec<_> = all.iter().map(|e| e.message.map(|m| m.number)).collect();
        assert_eq!(patterns[1], Some("C7510"));
        assert!(all[3].message.is_none() && all[4].message.is_some(), "{all:#?}");
    }
}
