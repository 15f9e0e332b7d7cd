//! Rows of a view: a register with its texts in all lanes.

use crate::lane_values::LaneValues;
use crate::reading::Reading;
use ptx_interp::inspect::{ParameterView, RegisterView, SpecialView};
use ptx_interp::lanes::{LANES, LaneMask, lanes};
use ptx_interp::machine::Machine;
use serde::Serialize;
use std::collections::BTreeMap;

/// How rows are written.
#[derive(Debug, Clone, Default)]
pub struct RowStyle {
    /// The readings that a user has chosen, by the name of the register.
    pub readings: BTreeMap<String, Reading>,
    /// Number of characters that a cell has room for; longer texts have a short one beside them.
    pub room: Option<usize>,
    /// Whether steps have no rows: a view that draws one state needs none.
    pub is_for_state_only: bool,
    /// Whether the state has no rows: a view that draws the rows of steps needs only groups and calls of it.
    pub is_for_steps_only: bool,
}

/// What a row is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum RowKind {
    /// A register of the function.
    Register,
    /// A special register.
    Special,
    /// A parameter of the kernel.
    Parameter,
}

/// A register, a special register or a parameter with its texts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Row {
    /// Its name; of a parameter in brackets.
    pub name: String,
    /// Its declared type, with the dot.
    #[serde(rename = "type")]
    pub ty: String,
    /// What it is.
    pub kind: RowKind,
    /// For an untyped register: the type that its readers give it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reads_as: Option<&'static str>,
    /// The name of its reading: `signed`, `half2`.
    pub reading: &'static str,
    /// The text beside the register: the short name of the reading, of a predicate the mask of the lanes in which it is true.
    pub label: String,
    /// Number of bytes for each lane, which decides what readings there are; 0 for a predicate.
    pub size: usize,
    /// One text for all lanes that exist and have not exited, if they hold the same or count up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub folded: Option<String>,
    /// What an address points to, shown after the folded text: `x+16`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub leads_to: Option<String>,
    /// The texts of the lanes: one list, or one for each number in the register, the lowest first.
    pub parts: Vec<RowPart>,
    /// Mask of the lanes in which something was written.
    pub known: LaneMask,
    /// Mask of the lanes whose value the manual leaves open.
    #[serde(skip_serializing_if = "is_zero")]
    pub unspecified: LaneMask,
    /// Mask of the lanes whose value is an approximation.
    #[serde(skip_serializing_if = "is_zero")]
    pub approximate: LaneMask,
    /// Mask of the lanes that the step wrote.
    #[serde(skip_serializing_if = "is_zero")]
    pub changed: LaneMask,
    /// For a row that the step wrote: the texts before it, for all lanes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<Vec<String>>,
}

/// The texts of one number of a register in all lanes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RowPart {
    /// Its name: `f16 lo`; of a register with one number the short name of the reading.
    pub label: String,
    /// The texts of the 32 lanes; `null` where nothing was written.
    pub texts: Vec<Option<String>>,
    /// If any text has more characters than there is room for: texts for all lanes that fit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub short: Option<Vec<Option<String>>>,
}

fn is_zero(mask: &LaneMask) -> bool {
    *mask == 0
}

/// What the rows of one position have in common.
#[derive(Clone, Copy)]
pub struct RowContext<'a> {
    /// For the names of addresses.
    pub machine: &'a Machine,
    /// How rows are written.
    pub style: &'a RowStyle,
    /// The lanes that exist.
    pub present: LaneMask,
    /// The lanes that exist and have not exited; all lanes if all have.
    pub counting: LaneMask,
}

impl<'a> RowContext<'a> {
    /// The rows of a warp whose lanes `exited` have exited.
    pub fn new(machine: &'a Machine, style: &'a RowStyle, present: LaneMask, exited: LaneMask) -> Self {
        let left = present & !exited;
        Self { machine, style, present, counting: if left == 0 { present } else { left } }
    }

    /// The texts of all lanes for other bytes of a register, in the reading of its row.
    pub fn texts_in(&self, row: &Row, register: &RegisterView, bytes: &[u8]) -> Vec<String> {
        let values = LaneValues { bytes, ..LaneValues::of_register(register) };
        let reading = Reading::named(row.reading).unwrap_or(Reading::HEX);
        (0..LANES).map(|lane| values.text(reading, lane)).collect()
    }

    /// The row of a register.
    pub fn register(&self, register: &RegisterView) -> Row {
        let values = LaneValues::of_register(register);
        Row { reads_as: register.read_as, ..self.row(&register.name, RowKind::Register, &values) }
    }

    /// The row of a special register.
    pub fn special(&self, special: &SpecialView) -> Row {
        let values = LaneValues { known: self.present, ..LaneValues::of_special(special) };
        self.row(&special.name, RowKind::Special, &values)
    }

    /// The row of a parameter, whose bytes are the same for all lanes; `None` for an array, which has no single value.
    pub fn parameter(&self, parameter: &ParameterView) -> Option<Row> {
        let size = ptx_isa::ISA.ty(parameter.ty).map_or(0, |info| usize::from(info.bits / 8));
        if parameter.bytes.len() != size {
            return None;
        }
        let bytes = parameter.bytes.repeat(LANES);
        let values = LaneValues { known: self.present, ..LaneValues::plain(parameter.ty, &bytes) };
        let row = self.row(&format!("[{}]", parameter.name), RowKind::Parameter, &values);
        Some(Row { leads_to: parameter.points_to.clone(), ..row })
    }

    fn row(&self, name: &str, kind: RowKind, values: &LaneValues<'_>) -> Row {
        let width = values.width();
        let chosen = self.style.readings.get(name).copied();
        let reading = chosen.filter(|chosen| Reading::of_size(width).any(|own| own == *chosen));
        let reading = reading.unwrap_or_else(|| values.reading());
        let folded = values.folded(reading, self.counting);
        let leads_to = folded.as_ref().and_then(|_| values.leads_to(reading, self.counting, self.machine));
        Row {
            name: name.to_owned(),
            ty: values.ty.to_owned(),
            kind,
            reads_as: None,
            reading: reading.name(),
            label: if width == 0 {
                format!("{:08x}", values.predicate() & values.known)
            } else {
                reading.label().to_owned()
            },
            size: width,
            folded,
            leads_to,
            parts: (0..reading.parts(width)).map(|part| self.part(values, reading, part)).collect(),
            known: values.known,
            unspecified: values.unspecified,
            approximate: values.approximate,
            changed: 0,
            before: None,
        }
    }

    fn part(&self, values: &LaneValues<'_>, reading: Reading, part: usize) -> RowPart {
        let width = values.width();
        let mut texts = vec![None; LANES];
        for lane in lanes(values.known & self.present) {
            if let Some(text) = texts.get_mut(lane) {
                *text = Some(reading.part_text(values.bits(lane), width, part));
            }
        }
        let short = self.style.room.filter(|room| texts.iter().flatten().any(|text| text.chars().count() > *room));
        let short = short.map(|room| {
            let short = |text: &Option<String>| text.as_ref().map(|text| reading.short_text(text, room));
            texts.iter().map(short).collect()
        });
        RowPart { label: reading.part_label(width, part), texts, short }
    }
}

/// A register in one of its readings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReadingTexts {
    /// The name of the reading, for requests.
    pub reading: &'static str,
    /// Its name in a menu.
    pub title: &'static str,
    /// The texts of the 32 lanes; `null` where nothing was written.
    pub texts: Vec<Option<String>>,
}

/// A reading, as a menu offers it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReadingChoice {
    /// Its name in requests.
    pub name: &'static str,
    /// Its name in the menu.
    pub title: &'static str,
    /// Its short name beside a register.
    pub label: &'static str,
}

/// Sizes of registers in bytes for each lane; 0 is a predicate.
const SIZES: [usize; 6] = [0, 1, 2, 4, 8, 16];

/// The readings that there are for registers of each size.
pub fn reading_choices() -> BTreeMap<String, Vec<ReadingChoice>> {
    let choice =
        |reading: Reading| ReadingChoice { name: reading.name(), title: reading.title(), label: reading.label() };
    SIZES.iter().map(|size| (size.to_string(), Reading::of_size(*size).map(choice).collect())).collect()
}

/// A value in all its readings.
pub fn in_all_readings(values: &LaneValues<'_>) -> Vec<ReadingTexts> {
    let texts = |reading: Reading| {
        let text = |lane: usize| (values.known >> lane & 1 != 0).then(|| values.text(reading, lane));
        ReadingTexts { reading: reading.name(), title: reading.title(), texts: (0..LANES).map(text).collect() }
    };
    Reading::of_size(values.width()).map(texts).collect()
}
