//! Tests that cross crates.

mod away;
mod blank;
mod constants;
mod coverage;
mod diagnostics_table;
mod documentation;
mod fixes;
mod fixtures;
mod hard_cases;
mod hover_claims;
mod hovers;
mod interpreter_coverage;
mod layering;
mod markdown;
mod messages;
mod mutants;
mod notation;
mod occupancy;
mod properties;
mod recorded_fixtures;
mod records;
mod registers;
mod typing;
mod unsafe_code;
mod verdicts;
mod workflows;
