//! The value of `--target`: an architecture from the tables.

use clap::builder::{PossibleValue, TypedValueParser};
use clap::error::Error;
use clap::{Arg, Command};
use ptx_analysis::target::find_architecture;
use ptx_isa::ISA;
use ptx_isa::tables::TargetInfo;
use std::ffi::OsStr;

/// Parses an architecture name, `sm_90a` or `compute_90a`. It lists the possible names, so that shells can complete
/// them.
#[derive(Debug, Clone, Copy)]
pub struct Architecture;

fn named(name: &str) -> Result<&'static TargetInfo, String> {
    find_architecture(name).ok_or_else(|| format!("`{name}` is not an architecture such as `sm_90a`"))
}

impl TypedValueParser for Architecture {
    type Value = &'static TargetInfo;

    fn parse_ref(&self, command: &Command, argument: Option<&Arg>, value: &OsStr) -> Result<Self::Value, Error> {
        named.parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(ISA.targets.iter().filter(|t| !t.features.is_empty()).map(|t| PossibleValue::new(t.name))))
    }
}
