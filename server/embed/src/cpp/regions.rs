//! `NV_IF_TARGET(condition, (…), (…))` and its relatives from `<nv/target>`.

use super::Scanner;
use super::lex::skip_blank;
use crate::raw::ItemKind;
use crate::targets::parse_condition;
use std::sync::Arc;

/// A call that is open.
#[derive(Debug, Clone)]
pub(super) struct Region {
    /// Round brackets that are open, with that of the call.
    pub depth: u32,
    /// `NV_DISPATCH_TARGET`: pairs of a condition and a statement.
    dispatch: bool,
    /// The number of the current argument.
    argument: u32,
    /// Where the current argument begins.
    from: usize,
}

impl Scanner<'_> {
    /// The name of such a macro. It is like an `#if` whose branches are the arguments.
    pub(super) fn enter_region(&mut self, at: usize, end: usize) {
        let bracket = skip_blank(self.text, end);
        if self.text.get(bracket) != Some(&b'(') {
            self.state.expects_bracket = true;
            return;
        }
        let dispatch = self.text[at..end] == *b"NV_DISPATCH_TARGET";
        self.regions.push(Region { depth: 1, dispatch, argument: 0, from: bracket + 1 });
        self.at = bracket + 1;
    }

    pub(super) fn region_bracket(&mut self, b: u8, at: usize) {
        let Some(region) = self.regions.last_mut() else { return };
        if b == b'(' {
            region.depth += 1;
        } else {
            region.depth -= 1;
            if region.depth == 0 {
                self.leave_region(at);
            }
        }
    }

    /// A comma between two arguments.
    pub(super) fn region_comma(&mut self, at: usize) {
        let text = self.text;
        let Some(region) = self.regions.last_mut() else { return };
        let argument = region.argument;
        region.argument += 1;
        let from = std::mem::replace(&mut region.from, at + 1);
        let ends_condition = if region.dispatch { argument.is_multiple_of(2) } else { argument == 0 };
        if ends_condition {
            let condition = Arc::new(parse_condition(&String::from_utf8_lossy(&text[from..at])));
            let kind = if argument == 0 { ItemKind::If(condition) } else { ItemKind::Elif(condition) };
            self.push(at, kind);
        } else if !region.dispatch {
            self.push(at, ItemKind::Else);
        }
    }

    /// The end of a call.
    pub(super) fn leave_region(&mut self, at: usize) {
        if self.regions.pop().is_some_and(|r| r.argument > 0) {
            self.push(at, ItemKind::Endif);
        }
    }
}
