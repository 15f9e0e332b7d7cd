//! Directives, and what may follow them, where, with which others.

use super::Gate;
use crate::emit::{Emit, choice, table};

table! {
    /// A directive.
    struct Directive {
        /// With its dot.
        name: &'static str,
        /// How it is written.
        syntax: &'static str,
        /// Where it may stand.
        places: &'static [&'static str],
        /// One line.
        summary: &'static str,
        /// Anchor in the manual.
        manual: &'static str,
        /// Markdown.
        doc: &'static str,
        /// Pitfalls.
        notes: &'static [&'static str],
        /// Versions and targets.
        gates: &'static [Gate],
        /// What follows it; `None` where that is a syntax of its own.
        takes: Option<Takes>,
        /// The largest product of its numbers that is of any use; 0 if there is none.
        limit: u64,
        /// Why.
        limit_note: &'static str,
        /// Directives that may not stand in the same header.
        excludes: &'static [&'static str],
        /// Directives without which it is refused.
        requires: &'static [&'static str],
        /// Directives of which one must be there, or it is ignored.
        idle_without: &'static [&'static str],
        /// Directives that it must stand before in the header of a function.
        before: &'static [&'static str],
        /// What belongs to its syntax and needs more than the directive.
        parts: &'static [DirectivePart],
        /// Names that stand for numbers among its arguments.
        values: &'static [NamedValue],
        /// The types of data in it.
        data: &'static [DataType],
        /// The state spaces that it goes with, with their dots; empty: any.
        spaces: &'static [&'static str],
        /// Words of its syntax that nothing may have for a name.
        words: &'static [&'static str],
        /// It settles with how many registers the threads of a kernel begin.
        registers: bool,
        /// Loops are left as they are.
        keeps_loops: bool,
        /// What its number bounds; of several numbers their product does.
        bounds: Option<LaunchBound>,
    }

    /// The arguments of a directive.
    struct Takes {
        /// What they are.
        kind: ArgumentKind,
        /// At least so many.
        least: u8,
        /// At most so many; 0: any number.
        most: u8,
        /// The smallest number.
        from: u64,
        /// The largest number.
        to: u64,
        /// The assembler looks at it when it generates code, not before.
        late: bool,
    }

    /// A part of a directive's syntax.
    struct DirectivePart {
        /// Its name.
        name: &'static str,
        /// Versions and targets.
        gates: &'static [Gate],
    }

    /// A name for a number.
    struct NamedValue {
        /// The number.
        number: u64,
        /// The name, in lower case.
        name: &'static str,
    }

    /// A type of data.
    struct DataType {
        /// With its dot.
        name: &'static str,
        /// Its size.
        bits: u8,
        /// Numbers that do not fit are refused.
        checked: bool,
        /// The address of a label may stand there.
        labels: bool,
    }
}

choice! {
    /// The launch property that the number of a directive bounds.
    enum LaunchBound {
        /// The registers of a thread, from above.
        Registers,
        /// The threads of a CTA, from above.
        Threads,
        /// The threads of a CTA: just so many.
        AllThreads,
        /// The CTAs that are to fit on a multiprocessor, from below.
        Ctas,
        /// The CTAs of a cluster, from above.
        Cluster,
        /// The CTAs of a cluster: just so many.
        WholeCluster,
    }

    /// The kind of a directive argument.
    enum ArgumentKind {
        /// Nothing.
        Nothing,
        /// An integer.
        Integer,
        /// An integer, or a string that stands for one.
        Value,
        /// A string.
        String,
    }
}
