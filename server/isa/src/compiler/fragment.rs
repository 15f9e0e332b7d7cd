//! Compiles `fragment` entries: the elements of a matrix that each thread holds.

use super::common::CommonLines;
use super::error::{Error, Result};
use super::leak::{leak, leak_str};
use super::lines::LogicalLine;
use super::names::{DeclaredNames, expand};
use crate::tables::{
    Entry, Expr, FormulaInput, FormulaOperation, FormulaStep, FormulaVariable, FragmentInfo, FragmentUse, Let, LetValue,
};

/// The keywords under `fragment`, besides those common to all entries.
pub(super) const KEYWORDS: &[&str] = &[
    "of",
    "threads",
    "unit",
    "type",
    "let",
    "reads",
    "matrices",
    "matrix",
    "count",
    "part",
    "row",
    "column",
    "where",
    "position",
    "width",
    "spans",
    "unspecified",
];

/// Builds the entry whose first line is `lines[0]`.
pub(super) fn build(lines: &[LogicalLine], common: &CommonLines, names: &DeclaredNames) -> Result<FragmentInfo> {
    let head = &lines[0];
    let (_, rest) = head.keyword();
    let (name, matrix) = rest.split_once(' ').ok_or_else(|| head.error(0, "expected `fragment NAME WORDS`"))?;
    let mut made = FragmentInfo {
        name: leak_str(name),
        matrix: leak_str(matrix.trim()),
        uses: &[],
        threads: 32,
        unit: "element",
        units: "elements",
        ty: 0,
        lets: &[],
        inputs: &[],
        matrices: Expr { text: "1", steps: &[FormulaStep::Number(1)] },
        rows: Expr::NONE,
        columns: Expr::NONE,
        count: Expr::NONE,
        part: Expr { text: "0", steps: &[FormulaStep::Number(0)] },
        row: Expr::NONE,
        column: Expr::NONE,
        held: Expr { text: "1", steps: &[FormulaStep::Number(1)] },
        position: Expr::NONE,
        width: Expr::NONE,
        spans: "",
        first: Expr::NONE,
        last: Expr::NONE,
        unspecified: "",
        manual: common.manual,
        doc: common.doc,
        source: leak_str(&format!("{}:{}", head.file, head.number)),
    };
    let mut uses = Vec::new();
    let mut lets: Vec<(&'static str, Vec<LetValue>)> = Vec::new();
    let mut inputs: Vec<FormulaInput> = Vec::new();
    // Collect the names first: formulas may refer to later ones.
    for line in &lines[1..] {
        let (word, rest) = line.keyword();
        match word {
            "let" => {
                let (name, value) = let_line(line, rest, names)?;
                match lets.iter_mut().find(|l| l.0 == name) {
                    Some(known) => known.1.push(value),
                    None => lets.push((name, vec![value])),
                }
            }
            "reads" => {
                let (read, operand) = rest.split_once(" of ").unwrap_or((rest, rest));
                inputs.extend(read.split_whitespace().enumerate().map(|(element, name)| FormulaInput {
                    name: leak_str(name),
                    operand: leak_str(operand.trim()),
                    element: element as u8,
                }));
            }
            _ => {}
        }
    }
    made.lets = leak(lets.into_iter().map(|(name, values)| Let { name, values: leak(values) }).collect());
    made.inputs = leak(inputs);
    for line in &lines[1..] {
        let (word, rest) = line.keyword();
        let value = || rest.strip_prefix('=').unwrap_or(rest).trim();
        let formula = |text: &str| expression(line, text, &made);
        match word {
            "of" => uses.push(use_line(line, rest, names)?),
            "threads" => {
                made.threads = rest.parse().map_err(|_| line.error(0, "expected a number of threads"))?;
            }
            "unit" => {
                let (one, many) = rest.split_once('|').ok_or_else(|| line.error(0, "expected `unit one|many`"))?;
                (made.unit, made.units) = (leak_str(one.trim()), leak_str(many.trim()));
            }
            "type" => made.ty = rest.parse().map_err(|_| line.error(0, "expected which of the types it is"))?,
            "matrices" => made.matrices = formula(value())?,
            "matrix" => {
                let (rows, columns) =
                    rest.split_once(" by ").ok_or_else(|| line.error(0, "expected `matrix A by B`"))?;
                (made.rows, made.columns) = (formula(rows)?, formula(columns)?);
            }
            "count" => made.count = formula(value())?,
            "part" => made.part = formula(value())?,
            "row" => made.row = formula(value())?,
            "column" => made.column = formula(value())?,
            "where" => made.held = formula(value())?,
            "position" => made.position = formula(value())?,
            "width" => made.width = formula(value())?,
            "spans" => {
                let parts = rest.split_once('=').and_then(|(words, range)| Some((words, range.split_once("..")?)));
                let (words, (first, last)) =
                    parts.ok_or_else(|| line.error(0, "expected `spans words = first .. last`"))?;
                (made.spans, made.first, made.last) = (leak_str(words.trim()), formula(first)?, formula(last)?);
            }
            "unspecified" => {
                made.unspecified = leak_str(line.prose.as_deref().unwrap_or("").trim());
            }
            _ => {}
        }
    }
    made.uses = leak(uses);
    if made.uses.is_empty() {
        return Err(head.error(0, "a fragment needs a line `of INSTRUCTION…: OPERAND…`"));
    }
    let formulas = made.rows.is_some() && made.columns.is_some() && made.row.is_some() && made.column.is_some();
    if formulas != made.unspecified.is_empty() {
        return Err(head.error(0, "a fragment has `matrix`, `row` and `column`, or says `unspecified | why`"));
    }
    Ok(made)
}

/// Parses a `let` line: `w = 2 with .tf32`.
fn let_line(line: &LogicalLine, rest: &str, names: &DeclaredNames) -> Result<(&'static str, LetValue)> {
    let (name, value) = rest.split_once('=').ok_or_else(|| line.error(0, "expected `let name = number`"))?;
    let (number, with) = value.split_once(" with ").unwrap_or((value, ""));
    let value = number.trim().parse().map_err(|_| line.error(0, "expected a number"))?;
    Ok((leak_str(name.trim()), LetValue { value, with: leak(terms(line, with, names)?) }))
}

/// Parses an `of` line: `mma mma.sp: a with .m8n8k4 elements f16`.
fn use_line(line: &LogicalLine, rest: &str, names: &DeclaredNames) -> Result<FragmentUse> {
    // `::` is part of a name.
    let colon = rest.find(": ").filter(|at| !rest[..*at].ends_with(':'));
    let at = colon.ok_or_else(|| line.error(0, "expected `of INSTRUCTION…: OPERAND…`"))?;
    let (mut operands, mut with, mut without, mut elements) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut list = &mut operands;
    for word in rest[at + 2..].split_whitespace() {
        match word {
            "with" => list = &mut with,
            "without" => list = &mut without,
            "elements" => list = &mut elements,
            _ => list.push(word),
        }
    }
    let known = |words: Vec<&str>| words.iter().map(|w| term(line, w, names)).collect::<Result<Vec<Vec<_>>>>();
    let all = |words: Vec<&str>| known(words).map(|lists| leak(lists.concat()));
    Ok(FragmentUse {
        instructions: leak(rest[..at].split_whitespace().map(leak_str).collect()),
        operands: leak(operands.into_iter().map(leak_str).collect()),
        with: all(with)?,
        without: all(without)?,
        elements: all(elements)?,
    })
}

fn terms(line: &LogicalLine, words: &str, names: &DeclaredNames) -> Result<Vec<&'static str>> {
    let lists: Result<Vec<Vec<_>>> = words.split_whitespace().map(|w| term(line, w, names)).collect();
    Ok(lists?.concat())
}

/// Parses one term: a modifier, or `slot=modifier`; braces expand to several.
fn term(line: &LogicalLine, word: &str, names: &DeclaredNames) -> Result<Vec<&'static str>> {
    let (slot, value) = word.split_once('=').map_or(("", word), |(slot, value)| (slot, value));
    let values = expand(value);
    if let Some(wrong) = values.iter().find(|v| !names.modifiers.contains(v) && !names.types.contains(v)) {
        return Err(line.error(0, format!("`{wrong}` is not a modifier or type that the tables describe")));
    }
    let join = |v: &String| if slot.is_empty() { leak_str(v) } else { leak_str(&format!("{slot}={v}")) };
    Ok(values.iter().map(join).collect())
}

/// Parses a formula to postfix order.
fn expression(line: &LogicalLine, text: &str, fragment: &FragmentInfo) -> Result<Expr> {
    let text = text.trim();
    let mut parser = FormulaParser { line, rest: text, fragment, steps: Vec::new() };
    parser.binary(0)?;
    parser.skip();
    if !parser.rest.is_empty() {
        return Err(line.error(0, format!("unexpected `{}` in a formula", parser.rest)));
    }
    Ok(Expr { text: leak_str(text), steps: leak(parser.steps) })
}

struct FormulaParser<'a> {
    line: &'a LogicalLine<'a>,
    rest: &'a str,
    fragment: &'a FragmentInfo,
    steps: Vec<FormulaStep>,
}

impl FormulaParser<'_> {
    fn skip(&mut self) {
        self.rest = self.rest.trim_start();
    }

    fn binary(&mut self, least: u8) -> Result<()> {
        self.value()?;
        loop {
            self.skip();
            let found = FormulaOperation::SIGNS.iter().find(|(sign, _, _)| self.rest.starts_with(sign));
            let Some((sign, strength, operation)) = found.filter(|(_, strength, _)| *strength > least) else {
                return Ok(());
            };
            self.rest = &self.rest[sign.len()..];
            self.binary(*strength)?;
            self.steps.push(FormulaStep::Operation(*operation));
        }
    }

    fn value(&mut self) -> Result<()> {
        self.skip();
        if let Some(inner) = self.rest.strip_prefix('(') {
            self.rest = inner;
            self.binary(0)?;
            self.skip();
            let after = self.rest.strip_prefix(')').ok_or_else(|| self.line.error(0, "a `)` is missing"))?;
            self.rest = after;
            return Ok(());
        }
        let end = self.rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(self.rest.len());
        let (word, after) = self.rest.split_at(end);
        self.rest = after;
        let step = if let Ok(number) = word.parse() {
            Some(FormulaStep::Number(number))
        } else if let Some((_, variable)) = FormulaVariable::NAMES.iter().find(|v| v.0 == word) {
            Some(FormulaStep::Variable(*variable))
        } else if let Some(index) = self.fragment.lets.iter().position(|l| l.name == word) {
            Some(FormulaStep::Let(index as u8))
        } else {
            self.fragment.inputs.iter().position(|i| i.name == word).map(|index| FormulaStep::Input(index as u8))
        };
        self.steps.push(step.ok_or_else(|| self.line.error(0, format!("`{word}` means nothing in a formula")))?);
        Ok(())
    }
}

/// Checks that the instructions and operands named by fragments exist.
pub(super) fn check(fragments: &[FragmentInfo], entries: &[Entry], errors: &mut Vec<Error>) {
    for fragment in fragments {
        let mut fail = |message: String| {
            let (file, line) = fragment.source.rsplit_once(':').unwrap_or((fragment.source, "1"));
            errors.push(Error { file: file.to_owned(), line: line.parse().unwrap_or(1), column: 1, message });
        };
        let has = |instruction: &str, operand: &str| {
            let forms = entries.iter().filter(|e| e.name == instruction).flat_map(|e| e.forms);
            forms.flat_map(|f| f.operands).any(|o| o.pattern.names().contains(&operand))
        };
        for usage in fragment.uses {
            for instruction in usage.instructions {
                for operand in usage.operands.iter().copied().chain(fragment.inputs.iter().map(|i| i.operand)) {
                    if !has(instruction, operand) {
                        fail(format!("no form of `{instruction}` has an operand `{operand}`"));
                    }
                }
            }
        }
    }
}
