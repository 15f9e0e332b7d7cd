//! Tests of lowering, the graph and the analyses on small functions.

use super::dominance::{dominators, post_dominators};
use super::liveness::Liveness;
use super::uniformity::Across;
use super::variance::{Variance, Variances};
use super::{FlowFunction, Graph, Module, OperandValue, lower};
use crate::registers::facts::FunctionFacts;
use ptx_isa::tables::Version;
use ptx_isa::{Modifier, SlotName};
use ptx_sema::forms::mnemonics::MnemonicCache;
use ptx_sema::hir::module::{Header, items};
use ptx_sema::target::{Environment, find_target};
use ptx_syntax::Snapshot;

/// Lowers a kernel with the given body.
fn function(body: &str) -> FlowFunction {
    lowered(&format!(
        ".visible .entry k(.param .u64 p) {{ .reg .b32 %r<20>; .reg .b64 %rd<9>; .reg .pred %p<9>; .reg .v2 .f32 %v;\n{body}\n}}"
    ))
}

/// Lowers a text that consists of one function.
pub(crate) fn lowered(text: &str) -> FlowFunction {
    let snapshot = Snapshot::new(text);
    let items = items(&snapshot);
    let mut header = Header::default();
    header.environment.version = Some(Version { major: 8, minor: 0 });
    header.environment.target = find_target("sm_90");
    header.environment.address_size = 64;
    lower(text, &items[0], 0, &header, &Module::default(), &mut MnemonicCache::default()).function
}

const DIAMOND: &str = "mov.u32 %r1, 1; setp.eq.u32 %p1, %r1, 0; @%p1 bra A; mov.u32 %r2, 2; bra B; A: mov.u32 %r2, 3; B: \
    add.u32 %r3, %r2, %r1; @!%p1 bra A; ret; mov.u32 %r9, 1;";

#[test]
fn blocks_end_at_branches_and_begin_at_labels() {
    let function = function(DIAMOND);
    assert!(function.complete);
    let graph = Graph::new(&function);
    let edges: Vec<Vec<u32>> = (0..graph.blocks.len()).map(|b| graph.successors(b).to_vec()).collect();
    assert_eq!(edges, [vec![2, 1], vec![3], vec![3], vec![2, 4], vec![], vec![]]);
    assert_eq!(graph.predecessors(3), [1, 2]);
    assert!(graph.is_reachable(4) && !graph.is_reachable(5) && graph.falls_off.is_none());
    assert!(graph.blocks[4].leaves && !graph.blocks[3].leaves);
}

#[test]
fn dominators_of_a_diamond() {
    let function = function(DIAMOND);
    let graph = Graph::new(&function);
    let tree = dominators(&graph);
    assert_eq!((0..5).map(|b| tree.parent(b)).collect::<Vec<_>>(), [None, Some(0), Some(0), Some(0), Some(3)]);
    assert!(tree.dominates(0, 4) && tree.dominates(3, 4) && !tree.dominates(1, 3));
    let tree = post_dominators(&graph, |b| graph.blocks[b].leaves);
    assert_eq!(tree.parent(0), Some(3));
    assert_eq!(tree.parent(4), Some(graph.blocks.len()));
}

#[test]
fn operands_are_taken_apart() {
    let function =
        function("@!%p1 ld.global.v2.u32 {%r1, %r2}, [%rd1+8]; mov.f32 %v.y, 0f3F800000; mov.u32 %r3, %tid.y;");
    assert!(function.complete);
    let guard = function.instructions[0].guard.as_ref().expect("a guard");
    assert!(guard.negated);
    let names = |uses: &[super::RegisterUse]| uses.iter().map(|u| function.register_name(u.slot)).collect::<Vec<_>>();
    assert_eq!(names(function.reads(0)), ["%p1", "%rd1"]);
    assert_eq!(names(function.writes(0)), ["%r1", "%r2"]);
    assert_eq!(names(function.writes(1)), ["%v.y"]);
    let address = function.operands_of(0).iter().find(|o| o.memory().is_some()).expect("an address");
    assert_eq!(address.offset, Some(8));
    assert!(matches!(function.operands_of(2)[1].value, OperandValue::Special(_, Some(1))));
    assert_eq!(function.modifier(0, SlotName::Ss), Some(Modifier::Global));
}

#[test]
fn values_live_until_their_last_read() {
    let function = function(DIAMOND);
    let graph = Graph::new(&function);
    let liveness = Liveness::new(&function, &graph).expect("a small function");
    let mut names: Vec<String> = liveness.at_start(3).map(|s| function.register_name(s)).collect();
    names.sort();
    assert_eq!(names, ["%p1", "%r1", "%r2"]);
    assert_eq!(liveness.at_start(0).count(), 0);
    let mut dead = Vec::new();
    liveness.visit(&function, &graph, |index, live| {
        dead.extend(function.writes(index).iter().filter(|w| !live.contains(w.slot.index())).map(|_| index));
    });
    assert_eq!(dead, [6]);
}

/// The variance of the predicate `%p1`, read by a guard at the end of the given body.
fn variance(body: &str) -> Variance {
    let function = function(&format!("{body} @%p1 mov.u32 %r19, 0; ret;"));
    assert!(function.complete, "{body}");
    let graph = Graph::new(&function);
    let index = function.instructions.len() - 2;
    let slot = function.instructions[index].guard.as_ref().and_then(|g| g.slot).expect("a guard");
    Variances::new(&function, &graph).at(slot, index)
}

#[test]
fn predicates_vary_as_what_they_compare() {
    let of = |value: &str, test: &str| variance(&format!("mov.u32 %r1, %tid.x; {value} setp.{test};"));
    assert_eq!(of("", "lt.u32 %p1, %r1, 16"), Variance::Lane(None));
    assert_eq!(of("", "lt.u32 %p1, %r1, 64"), Variance::Warp);
    assert_eq!(of("", "gt.u32 %p1, %r1, 63"), Variance::Warp);
    assert_eq!(of("", "eq.u32 %p1, %r1, 0"), Variance::Lane(None));
    assert_eq!(of("shr.u32 %r2, %r1, 5;", "eq.u32 %p1, %r2, 1"), Variance::Warp);
    assert_eq!(of("and.b32 %r2, %r1, 1;", "eq.u32 %p1, %r2, 1"), Variance::Lane(None));
    assert_eq!(of("and.b32 %r2, %r1, -32;", "eq.u32 %p1, %r2, 32"), Variance::Warp);
    assert_eq!(of("ld.param.u32 %r2, [p];", "lt.u32 %p1, %r1, %r2"), Variance::Perhaps);
    assert_eq!(of("ld.param.u32 %r2, [p];", "lt.u32 %p1, %r2, 7"), Variance::Cta);
    assert_eq!(of("ld.global.u32 %r2, [%rd1];", "lt.u32 %p1, %r2, 7"), Variance::Unknown);
    assert_eq!(of("mov.u32 %r2, %tid.y;", "lt.u32 %p1, %r2, 7"), Variance::Unknown);
    assert_eq!(of("mov.u32 %r2, 3; mov.u32 %r3, %r2;", "lt.u32 %p1, %r3, 7"), Variance::Cta);
}

#[test]
fn bits_that_a_shift_leaves_zero_do_not_vary() {
    let of = |value: &str, test: &str| variance(&format!("mov.u32 %r1, %tid.x; {value} setp.{test};"));
    let shifted = |test: &str| of("and.b32 %r2, %r1, 3; shl.b32 %r3, %r2, 1;", test);
    // The values are 0, 2, 4 and 6.
    assert_eq!(shifted("lt.u32 %p1, %r3, 7"), Variance::Cta);
    assert_eq!(shifted("lt.u32 %p1, %r3, 6"), Variance::Lane(None));
    assert_eq!(shifted("le.u32 %p1, %r3, 6"), Variance::Cta);
    assert_eq!(shifted("eq.u32 %p1, %r3, 5"), Variance::Cta);
    assert_eq!(shifted("eq.u32 %p1, %r3, 4"), Variance::Lane(None));
    assert_eq!(shifted("eq.u32 %p1, %r3, 8"), Variance::Cta);
    // Above the lanes the value is not known to be 0.
    assert_eq!(of("shl.b32 %r2, %r1, 1;", "lt.u32 %p1, %r2, 63"), Variance::Warp);
    assert_eq!(of("shl.b32 %r2, %r1, 1;", "lt.u32 %p1, %r2, 62"), Variance::Lane(None));
    assert_eq!(of("shl.b32 %r2, %r1, 1;", "eq.u32 %p1, %r2, 3"), Variance::Cta);
    assert_eq!(of("mul.lo.u32 %r2, %r1, 4;", "lt.u32 %p1, %r2, 125"), Variance::Warp);
    // Back again, and bits from the middle.
    assert_eq!(of("shl.b32 %r2, %r1, 3; shr.u32 %r3, %r2, 3;", "lt.u32 %p1, %r3, 16"), Variance::Lane(None));
    assert_eq!(of("and.b32 %r2, %r1, 12; shr.u32 %r3, %r2, 2;", "lt.u32 %p1, %r3, 4"), Variance::Cta);
    assert_eq!(of("and.b32 %r2, %r1, 12;", "lt.u32 %p1, %r2, 12"), Variance::Lane(None));
    assert_eq!(of("and.b32 %r2, %r1, 5;", "lt.u32 %p1, %r2, 4"), Variance::Perhaps);
    assert_eq!(of("shl.b32 %r2, %r1, 5; and.b32 %r3, %r2, 31;", "eq.u32 %p1, %r3, 0"), Variance::Warp);
}

/// Returns a function from the name of a register (`%rN` or `%pN`) to the threads across which it is the same.
fn across(body: &str) -> impl Fn(&str) -> Across {
    let function = function(body);
    assert!(function.complete, "{body}");
    let facts =
        FunctionFacts::new(&function, &Graph::new(&function), &Environment::default()).expect("a small function");
    move |name| {
        let slot = (0..function.registers.len()).map(|i| super::RegisterSlot(i as u32));
        let slot = slot.into_iter().find(|s| function.register_name(*s) == name).expect("a register");
        let register = function.registers[slot.index()];
        let declaration = function.declaration(slot).range.start as usize;
        let found = facts.register(declaration, register.number, register.element).expect("facts");
        found.across.expect("an answer")
    }
}

#[test]
fn values_are_the_same_across_threads() {
    let of = across(
        "mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; shr.u32 %r3, %r1, 5; and.b32 %r4, %r1, 31; add.u32 %r5, %r2, 7; \
         add.u32 %r6, %r1, %r2; mov.u32 %r7, %warpid; ld.param.u64 %rd1, [p]; ld.global.u32 %r8, [%rd1]; \
         setp.lt.u32 %p1, %r1, 64; setp.lt.u32 %p2, %r1, 5; vote.sync.any.pred %p3, %p2, -1; mov.u32 %r9, %tid.y; \
         shr.u32 %r10, %r9, 5; shl.b32 %r11, %r1, 2; shr.u32 %r12, %r11, 7; add.u32 %r13, %r3, %r2; ret;",
    );
    let expected = [
        ("%r1", Across::Lane),
        ("%r2", Across::Cta),
        ("%r3", Across::Rows),
        ("%r4", Across::Lane),
        ("%r5", Across::Cta),
        ("%r6", Across::Lane),
        ("%r7", Across::Warp),
        ("%rd1", Across::Cta),
        ("%r8", Across::Lane),
        ("%p1", Across::Rows),
        ("%p2", Across::Lane),
        ("%p3", Across::Warp),
        ("%r10", Across::Lane),
        ("%r12", Across::Rows),
        ("%r13", Across::Rows),
    ];
    for (name, across) in expected {
        assert_eq!(of(name), across, "{name}");
    }
}

#[test]
fn what_threads_write_on_different_ways_differs() {
    // A register written on both sides of a divergent branch, and a value computed from it.
    let of = across(
        "mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 7; @%p1 bra A; mov.u32 %r2, 1; bra B; A: mov.u32 %r2, 2; \
         mov.u32 %r3, 3; add.u32 %r4, %r3, 1; B: add.u32 %r5, %r2, 1; ret;",
    );
    assert_eq!([of("%r2"), of("%r5")], [Across::Lane; 2]);
    assert_eq!([of("%r3"), of("%r4")], [Across::Cta; 2], "they are not wanted after the ways have met");
    // A branch that all threads take the same way.
    let of = across(
        "mov.u32 %r1, %ctaid.x; setp.lt.u32 %p1, %r1, 7; @%p1 bra A; mov.u32 %r2, 1; bra B; A: mov.u32 %r2, 2; \
         B: add.u32 %r5, %r2, 1; ret;",
    );
    assert_eq!([of("%r2"), of("%r5")], [Across::Cta; 2]);
    // A write under a guard.
    let of = across("mov.u32 %r1, %laneid; setp.eq.u32 %p1, %r1, 0; mov.u32 %r2, 1; @%p1 mov.u32 %r2, 2; ret;");
    assert_eq!(of("%r2"), Across::Lane);
    // A loop that lanes leave one by one: inside they are in the same iteration, outside they are not.
    let of = across(
        "mov.u32 %r1, %tid.x; mov.u32 %r2, 0; L: add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %r1; @%p1 bra L; \
         add.u32 %r3, %r2, 1; ret;",
    );
    assert_eq!([of("%r2"), of("%r3")], [Across::Lane; 2]);
    let of = across(
        "mov.u32 %r1, %nctaid.x; mov.u32 %r2, 0; L: add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %r1; @%p1 bra L; \
         add.u32 %r3, %r2, 1; ret;",
    );
    assert_eq!([of("%r2"), of("%r3")], [Across::Cta; 2]);
    // Two registers computed from each other in a loop.
    let of = across(
        "mov.u32 %r1, %tid.x; mov.u32 %r2, 0; mov.u32 %r4, %nctaid.x; L: add.u32 %r3, %r2, 1; add.u32 %r2, %r3, %r1; \
         setp.lt.u32 %p1, %r4, 9; @%p1 bra L; ret;",
    );
    assert_eq!([of("%r2"), of("%r3")], [Across::Lane; 2]);
}

#[test]
fn facts_name_who_uses_a_register_and_where_it_lives() {
    let function = function(DIAMOND);
    let facts =
        FunctionFacts::new(&function, &Graph::new(&function), &Environment::default()).expect("a small function");
    let declaration = |name: &str| function.declarations.iter().find(|d| &*d.name == name).expect("it").range.start;
    let of = |number| facts.register(declaration("%r") as usize, number, 0).expect("a register");
    let uses = |number| {
        let accesses = facts.accesses(of(number)).iter();
        accesses.map(|a| (a.instruction(), a.reads(), a.writes())).collect::<Vec<_>>()
    };
    assert_eq!(uses(1), [(0, false, true), (1, true, false), (6, true, false)]);
    assert_eq!(uses(2), [(3, false, true), (5, false, true), (6, true, false)]);
    // A later instruction branches back to `A`, so `%r1` is read there again.
    assert_eq!(facts.lives(of(1)).collect::<Vec<_>>(), vec![0..8]);
    assert_eq!(facts.lives(of(2)).collect::<Vec<_>>(), vec![3..6]);
    assert_eq!(facts.lives(of(3)).count(), 0, "nobody reads it");
    assert_eq!((of(1).constant, of(2).constant, facts.count()), (Some(1), None, 10));
    assert!(facts.register(declaration("%r") as usize, 7, 0).is_none() && facts.size() > 0);
}
