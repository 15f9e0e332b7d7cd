//! `costly-access`: an access to memory that costs a warp several times as much as necessary.

use crate::diagnostic::Diagnostic;
use crate::finding::DiagnosticMessage;
use crate::lints::Analysis;
use ptx_flow::addresses::Traffic;

/// The maximum number of accesses of a function that are reported.
const MAX_REPORTED: usize = 16;

/// An access to memory that costs a warp several times as much as necessary.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct CostlyAccess {
    /// The unit of the two numbers.
    pub unit: TrafficUnit,
    /// The number for a warp whose lanes are all active.
    pub actual: u32,
    /// The necessary number.
    pub ideal: u32,
    /// Whether `actual` depends on the assumption that the block's width is a multiple of 32.
    pub assumed: bool,
}

/// The unit of the traffic of an access.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum TrafficUnit {
    /// Sectors of global memory.
    Sectors,
    /// Passes through the banks of shared memory.
    Passes,
}

impl DiagnosticMessage for CostlyAccess {
    fn message(&self) -> String {
        let Self { unit, actual, ideal, assumed } = self;
        let condition = if *assumed { ", if `blockDim.x` is a multiple of 32" } else { "" };
        match unit {
            TrafficUnit::Sectors => {
                format!("a warp touches {actual} sectors here; {ideal} would be enough for these bytes{condition}")
            }
            TrafficUnit::Passes => {
                format!(
                    "bank conflicts: a warp needs {actual} passes here; without conflicts {ideal} would be enough{condition}"
                )
            }
        }
    }

    fn help(&self) -> Option<String> {
        let help = match self.unit {
            TrafficUnit::Sectors => "let neighbouring lanes access neighbouring elements, if the data layout allows it",
            TrafficUnit::Passes => "pad the rows by a word, or swizzle the columns",
        };
        Some(help.to_owned())
    }
}

/// Reports the accesses of a function that cost at least twice as much as necessary; if there are many, the worst. The analysis takes time,
/// so it runs only if the code has a level.
pub(crate) fn lint(analysis: &Analysis<'_>, out: &mut Vec<Diagnostic>) {
    if !analysis.environment.project.costly {
        return;
    }
    let Some(addresses) = analysis.addresses() else { return };
    let costly = addresses.accesses.iter().zip(&addresses.traffic).filter_map(|(access, traffic)| {
        let traffic = traffic.as_ref().filter(|t| t.is_costly())?;
        Some((traffic, access))
    });
    let mut costly: Vec<_> = costly.collect();
    costly.sort_by_key(|(traffic, access)| (std::cmp::Reverse(traffic.factor()), access.instruction));
    costly.truncate(MAX_REPORTED);
    for (traffic, access) in costly {
        let (unit, actual, ideal) = match traffic {
            Traffic::Sectors(sectors) => (TrafficUnit::Sectors, *sectors.usual().start(), sectors.ideal),
            Traffic::Banks(banks) => (TrafficUnit::Passes, *banks.wavefronts.start(), banks.ideal),
        };
        let Some(instruction) = analysis.function.instructions.get(access.instruction as usize) else { continue };
        let range = instruction.mnemonic.start as usize..instruction.mnemonic.end as usize;
        let assumed = addresses.is_assumed(access);
        out.push(Diagnostic::new(range, CostlyAccess { unit, actual, ideal, assumed }));
    }
}

#[cfg(test)]
mod tests {
    use crate::Code::CostlyAccess;
    use crate::testing::{in_module, in_project, messages};
    use ptx_sema::target::project::Project;

    fn of(body: &str) -> Vec<String> {
        let text = format!(
            ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 x)\n{{ .reg .b32 %r<9>; .reg .b64 %rd<9>; \
             .shared .align 16 .b8 tile[4096];\nld.param.u64 %rd1, [x]; mov.u32 %r1, %tid.x; mov.u32 %r2, %laneid;\n{body} ret; }}\n"
        );
        assert!(in_module(CostlyAccess, &text).is_empty());
        let project = Project { costly: true, ..Project::default() };
        messages(&in_project(CostlyAccess, &project, &text))
    }

    #[test]
    fn strides_and_conflicts() {
        let stride = |by: u32| {
            format!(
                "mul.wide.u32 %rd2, %r1, {by}; add.u64 %rd3, %rd1, %rd2; ld.global.u32 %r3, [%rd3]; st.global.u32 [%rd3], %r3;"
            )
        };
        assert!(of(&stride(4)).is_empty());
        let strided = of(&stride(32));
        assert_eq!(strided.len(), 2);
        let expected =
            "a warp touches 32 sectors here; 4 would be enough for these bytes, if `blockDim.x` is a multiple of 32";
        assert_eq!(strided[0], expected);
        let conflicts = of(
            "shl.b32 %r4, %r2, 4; mov.u32 %r5, tile; add.u32 %r4, %r4, %r5; ld.shared.u32 %r6, [%r4]; st.shared.u32 [tile], %r6;",
        );
        assert_eq!(conflicts, ["bank conflicts: a warp needs 4 passes here; without conflicts 1 would be enough"]);
    }

    #[test]
    fn the_worst_accesses_are_reported() {
        let at = |bits: u32| format!("shl.b32 %r4, %r2, {bits}; ld.shared.u32 %r6, [%r4]; ");
        let found = of(&format!("{}{}", at(3), at(4).repeat(super::MAX_REPORTED)));
        assert_eq!(found.len(), super::MAX_REPORTED);
        assert!(found.iter().all(|message| message.contains("needs 4 passes")), "{found:?}");
    }
}
