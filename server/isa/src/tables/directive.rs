//! The tables of directives: their arguments, places and relations to other directives.

use super::condition::Gate;
use crate::emit::{Emit, choice, table};

table! {
    /// A directive.
    struct Directive {
        /// Its name, with the dot.
        name: &'static str,
        /// Its syntax.
        syntax: &'static str,
        /// The places in which it is allowed.
        places: &'static [&'static str],
        /// A one-line summary.
        summary: &'static str,
        /// Anchor in the manual.
        manual: &'static str,
        /// Documentation in Markdown.
        doc: &'static str,
        /// Notes on pitfalls.
        notes: &'static [&'static str],
        /// Gates: the PTX versions and targets for which it is available.
        gates: &'static [Gate],
        /// Its arguments; `None` if they have their own syntax.
        takes: Option<Takes>,
        /// The largest useful product of its numbers; 0 if there is no limit.
        limit: u64,
        /// The reason for `limit`.
        limit_note: &'static str,
        /// Directives that are not allowed in the same header.
        excludes: &'static [&'static str],
        /// Directives without which it is refused.
        requires: &'static [&'static str],
        /// Directives without at least one of which it is ignored.
        idle_without: &'static [&'static str],
        /// Directives before which it must be in the header of a function.
        before: &'static [&'static str],
        /// Parts of its syntax with gates of their own.
        parts: &'static [DirectivePart],
        /// Names that stand for numbers among its arguments.
        values: &'static [NamedValue],
        /// The types of data that it may contain.
        data: &'static [DataType],
        /// The state spaces with which it is allowed, with their dots; empty: any.
        spaces: &'static [&'static str],
        /// Words of its syntax that cannot be used as names.
        words: &'static [&'static str],
        /// The functions that it declares and the driver has: the assembler builds modules that call them, however they are declared.
        system: &'static [&'static str],
        /// Whether it sets the number of registers with which the threads of a kernel begin.
        registers: bool,
        /// Whether it prevents the assembler from unrolling loops.
        keeps_loops: bool,
        /// The launch property that its number bounds (the product, if there are several numbers).
        bounds: Option<LaunchBound>,
    }

    /// The arguments of a directive.
    struct Takes {
        /// Their kind.
        kind: ArgumentKind,
        /// The minimum number of arguments.
        least: u8,
        /// The maximum number of arguments; 0: any number.
        most: u8,
        /// The smallest allowed value.
        from: u64,
        /// The largest allowed value.
        to: u64,
        /// Whether the assembler checks it only when it generates code.
        late: bool,
    }

    /// A part of a directive's syntax.
    struct DirectivePart {
        /// Its name.
        name: &'static str,
        /// Gates: the PTX versions and targets for which it is available.
        gates: &'static [Gate],
    }

    /// A name for a number.
    struct NamedValue {
        /// The number.
        number: u64,
        /// The name, in lower case.
        name: &'static str,
    }

    /// A type of data in a section.
    struct DataType {
        /// Its name, with the dot.
        name: &'static str,
        /// Its size in bits.
        bits: u8,
        /// Whether numbers that do not fit are refused.
        checked: bool,
        /// Whether the address of a label is allowed.
        labels: bool,
    }
}

choice! {
    /// The launch property that the number of a directive bounds.
    enum LaunchBound {
        /// The maximum number of registers of a thread.
        Registers,
        /// The maximum number of threads of a CTA.
        Threads,
        /// The exact number of threads of a CTA.
        AllThreads,
        /// The minimum number of CTAs that must fit on a multiprocessor.
        Ctas,
        /// The maximum number of CTAs of a cluster.
        Cluster,
        /// The exact number of CTAs of a cluster.
        WholeCluster,
    }

    /// The kind of a directive argument.
    enum ArgumentKind {
        /// No argument.
        Nothing,
        /// An integer.
        Integer,
        /// An integer, or a string that stands for one.
        Value,
        /// A string.
        String,
    }
}

impl Directive {
    /// Whether it sets the linkage of the declaration after it: its syntax is its name and `declaration`.
    pub fn is_linkage(&self) -> bool {
        self.syntax.strip_prefix(self.name).is_some_and(|rest| rest == " declaration")
    }
}
