//! A group of statements as a kernel that can be evaluated: each operand becomes a parameter with one element for each lane.

use crate::checker::register_type;
use crate::view::GroupView;
use ptx_analysis::{Analyzer, Code};
use ptx_embed::{Access, Kind, Variable};
use ptx_ide::{FormatOptions, OperandColumns, apply_in_order, format, signature_help};
use ptx_isa::ISA;
use ptx_isa::tables::TypeClass;
use ptx_syntax::walk::children;
use ptx_syntax::{Node, Snapshot, kinds};
use std::collections::BTreeSet;
use std::fmt::{Display, Write};
use std::ops::Range;

mod value;

use value::{LaneValue, OperandValue};

/// The name of the kernel.
pub const KERNEL_NAME: &str = "statement";

/// The number of lanes: one warp runs.
const LANES: usize = 32;
/// The size in bytes of the memory to which an operand points by default.
const BUFFER_BYTES: usize = 4096;
/// The distance in bytes between the addresses of two lanes by default: the widest access of one lane that most targets have.
const LANE_BYTES: i64 = 16;

/// The reason why a group cannot be evaluated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KernelRefusal {
    /// A part of the text is known to the host's compiler alone.
    UnknownText,
    /// A preprocessor condition decides what the text is.
    Conditional,
    /// A word of the `ptx:` comment is not a value of an operand.
    Value {
        /// The word.
        word: String,
        /// What is wrong.
        why: String,
    },
}

impl Display for KernelRefusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::UnknownText => f.write_str(
                "a part of this text comes from a macro, an argument or a value that is known only to the compiler",
            ),
            Self::Conditional => f.write_str("a preprocessor condition inside the statement decides what its text is"),
            Self::Value { word, why } => write!(f, "`{word}` in the `ptx:` comment: {why}"),
        }
    }
}

/// What a kernel is made of, besides the text of the group.
#[derive(Debug, Default)]
struct Parts {
    /// The values after `launch:`.
    launch: Vec<String>,
    parameters: Vec<String>,
    /// Declarations of shared memory.
    shared: Vec<String>,
    registers: Vec<String>,
    /// The instructions before the text.
    before: Vec<String>,
    /// The instructions after the text.
    after: Vec<String>,
}

/// A group as a kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatementKernel {
    /// The module.
    pub text: String,
    /// The line of the first instruction of the statement, from 0.
    pub line: usize,
}

/// The comment above the statement.
const MARK: &str = "// The statement";

/// Writes a group as a module with one kernel and a launch. `place` names the host text for the comment at the top; `host` is
/// the text that the group's ranges refer to.
///
/// # Errors
/// If a part of the text is unknown, or a `ptx:` comment above a statement gives an operand no valid value.
pub fn kernel(
    view: &GroupView<'_>,
    place: &str,
    host: &dyn Fn(Range<usize>) -> String,
) -> Result<StatementKernel, KernelRefusal> {
    let group = view.group;
    if group.conditional {
        return Err(KernelRefusal::Conditional);
    }
    if !group.opaque.is_empty() {
        return Err(KernelRefusal::UnknownText);
    }
    let given = given_values(view)?;
    let mut parts = Parts::default();
    let mut inputs = 0;
    for variable in &group.variables {
        let Some(ty) = register_type(variable.kind) else { continue };
        let label = label(view, variable, host);
        let uses = Uses::of(view, variable);
        parts.registers.push(format!(".reg {} {};", ty.name(), variable.name));
        let value = given.iter().find(|(of, _)| *of == variable.name).map(|(_, value)| value.clone());
        if variable.access != Access::Output {
            let value = value.unwrap_or_else(|| uses.default_value(variable.kind, inputs));
            inputs += 1;
            input(variable, &label, &uses, &value, &mut parts)?;
        }
        if variable.access != Access::Input {
            output(variable, &label, &mut parts);
        }
    }
    let constants = group.variables.iter().filter(|v| v.kind == Kind::Constant && v.value.is_none());
    let mut body = view.statements().to_owned();
    for constant in constants {
        let value = match given.iter().find(|(of, _)| *of == constant.name) {
            Some((_, OperandValue { lane: Some(LaneValue { step: 0, start }), elements: None, .. })) => *start,
            _ => 0,
        };
        body = with_constant(&body, &constant.name, value);
    }
    let text = formatted(&text(view, place, &parts, &body));
    let line = first_instruction(&text);
    Ok(StatementKernel { text, line })
}

/// The line of the first instruction after the mark.
fn first_instruction(text: &str) -> usize {
    let is_instruction = |line: &str| !line.is_empty() && !line.starts_with(['{', '.', '/']) && !line.ends_with(':');
    let mut lines = text.lines().map(str::trim).enumerate().skip_while(|(_, line)| *line != MARK).skip(1);
    lines.find(|(_, line)| is_instruction(line)).map_or(0, |(index, _)| index)
}

/// The module.
fn text(view: &GroupView<'_>, place: &str, parts: &Parts, body: &str) -> String {
    let mut out = format!(
        "// {place} as a kernel: one warp, and one element of each parameter for each lane.\n\
         // Change the values in the line with `launch:`, and evaluate the warp.\n\n{}\n",
        view.header()
    );
    let launch = parts.launch.iter().map(|value| format!(" {value}")).collect::<String>();
    for name in variables_of_module(view) {
        let _ = writeln!(out, ".global .align 16 .b8 {name}[{BUFFER_BYTES}];");
    }
    let _ = writeln!(out, "//! launch: grid=1 block={LANES}{launch}");
    let _ = writeln!(out, ".visible .entry {KERNEL_NAME}(\n{}\n)\n{{", parts.parameters.join(",\n"));
    for line in parts.shared.iter().chain(&parts.registers) {
        let _ = writeln!(out, "{line}");
    }
    if parts.before.len() + parts.after.len() > 0 {
        out.push_str(".reg .b32 %ptx_lane;\n.reg .b64 %ptx_at;\n");
    }
    if parts.before.iter().any(|line| line.contains("%ptx_bits")) {
        out.push_str(".reg .b32 %ptx_bits;\n");
    }
    if !parts.shared.is_empty() {
        out.push_str(".reg .b32 %ptx_fill, %ptx_place;\n.reg .pred %ptx_more;\n");
    }
    out.push('\n');
    if parts.before.len() + parts.after.len() > 0 {
        out.push_str("// The values of the operands\nmov.u32 %ptx_lane, %laneid;\n");
    }
    for line in &parts.before {
        let _ = writeln!(out, "{line}");
    }
    if !parts.shared.is_empty() {
        out.push_str("bar.warp.sync 0xffffffff;\n");
    }
    let _ = writeln!(out, "\n{MARK}\n{}", body.trim_end());
    if !parts.after.is_empty() {
        out.push_str("\n// Its results\n");
    }
    for line in &parts.after {
        let _ = writeln!(out, "{line}");
    }
    out.push_str("ret;\n}\n");
    out
}

/// The names that the text takes from the module around it, as `__device__` variables are.
fn variables_of_module(view: &GroupView<'_>) -> BTreeSet<String> {
    let found = Analyzer::default().analyze(&view.snapshot).diagnostics;
    let names = found.iter().filter(|d| d.code() == Code::UndeclaredName);
    let names = names.map(|d| view.snapshot.text(d.range.clone()).into_owned());
    names.filter(|name| name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')).collect()
}

fn formatted(text: &str) -> String {
    let options = FormatOptions { operands: OperandColumns::Run, ..FormatOptions::default() };
    apply_in_order(text, &format(&Snapshot::new(text), &options))
}

/// Appends what gives an operand its value.
fn input(
    variable: &Variable,
    label: &str,
    uses: &Uses,
    value: &OperandValue,
    parts: &mut Parts,
) -> Result<(), KernelRefusal> {
    let name = &variable.name;
    let parameter = format!("in_{label}");
    let lane = value.lane.clone().unwrap_or_default();
    if uses.is_shared && value.elements.is_none() {
        return shared_memory(variable, label, lane, parts);
    }
    parts.parameters.push(format!(".param .u64 .ptr .global .align 16 {parameter}"));
    parts.before.push(format!("ld.param.u64 %ptx_at, [{parameter}];"));
    if uses.is_address || (value.elements.is_some() && value.is_memory) {
        let elements = value.elements.clone().unwrap_or_else(|| {
            let (element, bytes) = uses.element.unwrap_or(("u32", 4));
            format!("{element}[{}]:iota", BUFFER_BYTES / bytes)
        });
        parts.launch.push(format!("{parameter}={elements}"));
        let LaneValue { start, step } = lane;
        parts.before.push(match variable.kind {
            Kind::B64 => format!("mad.wide.s32 {name}, %ptx_lane, {step}, %ptx_at;"),
            _ => return Err(value.refused("an address of memory needs an operand of 64 bits")),
        });
        if start != 0 {
            parts.before.push(format!("add.s64 {name}, {name}, {start};"));
        }
        return Ok(());
    }
    let (element, bytes) = value.element(variable.kind).unwrap_or_else(|| element(variable.kind));
    let contents = match &value.elements {
        Some(list) => list.clone(),
        None if lane.step == 0 => format!("const({})", value.written(variable.kind)),
        None => format!("iota({}, {})", lane.start, lane.step),
    };
    let elements = format!("{element}[{LANES}]:{contents}");
    parts.launch.push(format!("{parameter}={elements}"));
    parts.before.push(format!("mad.wide.u32 %ptx_at, %ptx_lane, {bytes}, %ptx_at;"));
    match variable.kind {
        Kind::Pred => {
            parts.before.push("ld.global.u32 %ptx_bits, [%ptx_at];".to_owned());
            parts.before.push(format!("setp.ne.u32 {name}, %ptx_bits, 0;"));
        }
        _ => parts.before.push(format!("ld.global.{} {name}, [%ptx_at];", bits(variable.kind))),
    }
    Ok(())
}

/// Appends memory in the state space `.shared` to which an operand points, filled with 0, 1, 2 …
fn shared_memory(variable: &Variable, label: &str, lane: LaneValue, parts: &mut Parts) -> Result<(), KernelRefusal> {
    let name = &variable.name;
    let array = format!("ptx_shared_{label}");
    parts.shared.push(format!(".shared .align 1024 .b8 {array}[{BUFFER_BYTES}];"));
    parts.before.push(format!(
        "mov.u32 %ptx_fill, %ptx_lane;\n\
         ptx_fill_{label}:\n\
         mov.u32 %ptx_place, {array};\n\
         mad.lo.u32 %ptx_place, %ptx_fill, 4, %ptx_place;\n\
         st.shared.u32 [%ptx_place], %ptx_fill;\n\
         add.u32 %ptx_fill, %ptx_fill, {LANES};\n\
         setp.lt.u32 %ptx_more, %ptx_fill, {};\n\
         @%ptx_more bra ptx_fill_{label};",
        BUFFER_BYTES / 4
    ));
    let LaneValue { start, step } = lane;
    parts.before.push(match variable.kind {
        Kind::B64 => format!("mov.u64 %ptx_at, {array};\nmad.wide.s32 {name}, %ptx_lane, {step}, %ptx_at;"),
        _ => format!("mov.u32 %ptx_place, {array};\nmad.lo.s32 {name}, %ptx_lane, {step}, %ptx_place;"),
    });
    if start != 0 {
        let ty = if variable.kind == Kind::B64 { "s64" } else { "s32" };
        parts.before.push(format!("add.{ty} {name}, {name}, {start};"));
    }
    Ok(())
}

/// Appends what stores the value of an operand.
fn output(variable: &Variable, label: &str, parts: &mut Parts) {
    let name = &variable.name;
    let parameter = format!("out_{label}");
    let (element, bytes) = element(variable.kind);
    parts.parameters.push(format!(".param .u64 .ptr .global .align 16 {parameter}"));
    parts.launch.push(format!("{parameter}={element}[{LANES}]:zero"));
    parts.after.push(format!("ld.param.u64 %ptx_at, [{parameter}];"));
    parts.after.push(format!("mad.wide.u32 %ptx_at, %ptx_lane, {bytes}, %ptx_at;"));
    if variable.kind == Kind::Pred {
        parts.after.push(format!(
            "{{\n.reg .b32 %ptx_result;\nselp.b32 %ptx_result, 1, 0, {name};\nst.global.b32 [%ptx_at], %ptx_result;\n}}"
        ));
    } else {
        parts.after.push(format!("st.global.{} [%ptx_at], {name};", bits(variable.kind)));
    }
}

/// The element type of a buffer for an operand, in the words of launches, and its size in bytes.
fn element(kind: Kind) -> (&'static str, usize) {
    match kind {
        Kind::B16 => ("u16", 2),
        Kind::B64 => ("u64", 8),
        Kind::B128 => ("b128", 16),
        Kind::F32 => ("f32", 4),
        Kind::F64 => ("f64", 8),
        Kind::B32 | Kind::Pred | Kind::Constant => ("u32", 4),
    }
}

/// The type of a load or store of an operand.
fn bits(kind: Kind) -> &'static str {
    match kind {
        Kind::B16 => "b16",
        Kind::B64 => "b64",
        Kind::B128 => "b128",
        Kind::F32 => "f32",
        Kind::F64 => "f64",
        Kind::B32 | Kind::Pred | Kind::Constant => "b32",
    }
}

/// A name for the parameters of an operand: that of its expression, if it is a name, or its number.
fn label(view: &GroupView<'_>, variable: &Variable, host: &dyn Fn(Range<usize>) -> String) -> String {
    let expression = view.operand(variable).map(|o| host(o.expression.clone())).unwrap_or_default();
    let expression = expression.trim();
    let is_name = !expression.is_empty() && expression.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let number: String = variable.name.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
    let named = |other: &Variable| view.operand(other).is_some_and(|o| host(o.expression.clone()).trim() == expression);
    let is_shared = view.group.variables.iter().filter(|other| named(other)).count() > 1;
    if is_name && !is_shared { expression.to_owned() } else { number }
}

/// How the text uses an operand.
#[derive(Debug, Default)]
struct Uses {
    /// In an address, and not of shared memory.
    is_address: bool,
    /// In an address of shared memory.
    is_shared: bool,
    /// The floating-point type of what lies at the address, in the words of launches, and its size in bytes.
    element: Option<(&'static str, usize)>,
    /// As the mask of the lanes that take part.
    is_mask: bool,
}

impl Uses {
    fn of(view: &GroupView<'_>, variable: &Variable) -> Self {
        let mut out = Self::default();
        let text = view.snapshot.rope().to_string();
        for (at, _) in text.match_indices(variable.name.as_str()) {
            let end = at + variable.name.len();
            let goes_on = text[end..].starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$');
            let Some(node) = view.snapshot.leaf(at..end).filter(|_| !goes_on) else { continue };
            let Some(instruction) = around(node, kinds().instruction) else { continue };
            if around(node, kinds().address).is_some() {
                let mnemonic = text.get(instruction.byte_range()).unwrap_or("");
                let is_mnemonic = |word: &&str| word.contains('.') && !word.starts_with('@');
                let mnemonic = mnemonic.split_whitespace().find(is_mnemonic).unwrap_or("");
                let mnemonic = mnemonic.split('[').next().unwrap_or("");
                let index = addresses(instruction).take_while(|a| a.end_byte() <= at).count();
                let spaces: Vec<&str> = mnemonic.split('.').filter(|part| is_space(part)).collect();
                // The second address may have a space of its own; a third one is that of an mbarrier, beside the destination.
                let space = spaces.get(usize::from(index == 1)).or(spaces.first());
                if space.is_some_and(|space| space.starts_with("shared")) {
                    out.is_shared = true;
                } else {
                    out.is_address = true;
                    out.element = out.element.or(mnemonic.rsplit('.').next().and_then(fraction));
                }
            } else if let Some(help) = signature_help(&view.snapshot, end) {
                let signature = help.signatures.get(help.active);
                let parameter = signature.and_then(|s| s.parameters.get(s.active?).map(|p| (s, p)));
                let name = parameter.and_then(|(s, p)| s.label.get(p.range.clone()));
                out.is_mask |= name.is_some_and(|name| name.contains("membermask"));
            }
        }
        // Other registers hold no address.
        out.is_shared &= matches!(variable.kind, Kind::B32 | Kind::B64);
        out.is_address &= variable.kind == Kind::B64;
        out
    }

    fn default_value(&self, kind: Kind, index: usize) -> OperandValue {
        let lane = if self.is_mask {
            LaneValue { start: i64::from(u32::MAX), step: 0 }
        } else if self.is_address || self.is_shared {
            LaneValue { start: 0, step: LANE_BYTES }
        } else if kind == Kind::Pred {
            LaneValue { start: 1, step: 0 }
        } else {
            // Different operands have different values, so that a mix-up shows.
            LaneValue { start: i64::try_from(index * LANES).unwrap_or(0), step: 1 }
        };
        OperandValue { lane: Some(lane), ..OperandValue::default() }
    }
}

/// A type of floating-point numbers, as launches name it, and its size in bytes.
fn fraction(name: &str) -> Option<(&'static str, usize)> {
    let ty = ISA.ty(&format!(".{name}")).filter(|ty| ty.class == TypeClass::Float)?;
    Some((ty.name.trim_start_matches('.'), usize::from(ty.bits) / 8))
}

fn is_space(part: &str) -> bool {
    // `shared::cta` is written with its space.
    let name = part.split("::").next().unwrap_or(part);
    ISA.space(&format!(".{name}")).is_some()
}

fn addresses(instruction: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    children(instruction).filter(|node| node.kind_id() == kinds().address)
}

/// The node of a kind that a node is or is in.
fn around(mut node: Node<'_>, kind: u16) -> Option<Node<'_>> {
    while node.kind_id() != kind {
        node = node.parent()?;
    }
    Some(node)
}

/// The values that comments above the statements give, by the operand's name in the text.
fn given_values(view: &GroupView<'_>) -> Result<Vec<(String, OperandValue)>, KernelRefusal> {
    let mut out = Vec::new();
    for (index, statement) in view.group.statements.iter().enumerate() {
        for word in statement.comment.iter().flat_map(|comment| &comment.other) {
            let refused = |why: &str| KernelRefusal::Value { word: word.clone(), why: why.to_owned() };
            let Some((name, value)) = word.split_once('=') else {
                return Err(refused("a value is written as `%1=lane*4`"));
            };
            // Rust's `{x}` may be written `x`.
            let is_name = |v: &Variable| v.spelling == name || v.spelling.trim_matches(['{', '}']) == name;
            let is_it = |v: &&Variable| v.operand.0 == index && is_name(v);
            let Some(variable) = view.group.variables.iter().find(is_it) else {
                return Err(refused("the statement has no such operand"));
            };
            out.push((variable.name.clone(), OperandValue::parse(word, value).map_err(|why| refused(&why))?));
        }
    }
    Ok(out)
}

/// The text with a number in the place of a constant's name.
fn with_constant(text: &str, name: &str, value: i64) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(name) {
        let (before, after) = (&rest[..at], &rest[at + name.len()..]);
        out.push_str(before);
        if after.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_') {
            out.push_str(name);
        } else {
            out.push_str(&value.to_string());
        }
        rest = after;
    }
    out.push_str(rest);
    out
}
