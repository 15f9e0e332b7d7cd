//! Tests of the pressure and of the steps of the estimate on small functions.

use super::estimate::{FunctionFeatures, Surroundings};
use super::{Pressure, RegisterCount};
use crate::flow::liveness::Liveness;
use crate::flow::tests::lowered;
use crate::flow::{FlowFunction, Graph};

/// Lowers a kernel with the given body.
fn function(body: &str) -> FlowFunction {
    let text = format!(
        ".visible .entry k(.param .u64 p, .param .u32 n) {{ .reg .b16 %h<9>; .reg .b32 %r<40>; .reg .f32 %f<40>; .reg .b64 %rd<20>; \
         .reg .f64 %d<9>; .reg .pred %p<9>; .local .b8 stack[64]; .shared .b8 tile[64];\n{body}\n}}"
    );
    let function = lowered(&text);
    assert!(function.complete, "{body}");
    function
}

fn pressure(body: &str) -> Pressure {
    let function = function(body);
    let graph = Graph::new(&function);
    Pressure::new(&function, &graph, &Liveness::new(&function, &graph).expect("a small function"))
}

fn shape(body: &str) -> FunctionFeatures {
    shape_within(body, 255)
}

/// The shape of a kernel that may have `limit` registers.
fn shape_within(body: &str, limit: u32) -> FunctionFeatures {
    let function = function(body);
    let graph = Graph::new(&function);
    let live = Pressure::new(&function, &graph, &Liveness::new(&function, &graph).expect("a small function")).most.b32;
    let surroundings = Surroundings { live, limit, debugged: false, target: None };
    FunctionFeatures::new(&function, &graph, &surroundings).0
}

#[test]
fn registers_are_counted_by_their_width() {
    let found = pressure(
        "ld.param.u64 %rd1, [p]; ld.global.v2.u32 {%r1, %r2}, [%rd1]; ld.global.f64 %d1, [%rd1+8]; setp.eq.u32 %p1, %r1, %r2; \
         ld.global.u16 %h1, [%rd1+16]; @%p1 st.global.f64 [%rd1], %d1; st.global.u16 [%rd1], %h1; ret;",
    );
    let counts: Vec<(u16, u16)> = found.at.iter().map(|l| (l.b32, l.predicates)).collect();
    assert_eq!(counts, [(2, 0), (4, 0), (6, 0), (6, 1), (5, 1), (5, 1), (3, 0), (0, 0)]);
    assert_eq!((found.most, found.peak), (RegisterCount { b32: 6, predicates: 1 }, 2));
}

#[test]
fn values_that_a_guard_may_keep_are_live_before() {
    let found = pressure(
        "mov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 0; mov.u32 %r2, %r1; @%p1 mov.u32 %r2, 7; st.shared.u32 [tile], %r2; ret;",
    );
    let counts: Vec<u16> = found.at.iter().map(|l| l.b32).collect();
    assert_eq!(counts, [1, 1, 1, 1, 1, 0]);
}

#[test]
fn what_control_never_reaches_counts_nothing() {
    let found = pressure("ret; mov.u32 %r1, 1; st.shared.u32 [tile], %r1; ret;");
    assert!(found.at.iter().all(|l| *l == RegisterCount::default()));
}

/// The pressure equals that of a simple instruction-by-instruction iteration.
#[test]
fn pressure_is_what_a_walk_of_the_ways_finds() {
    let mut random = 7u64;
    let mut next = |limit: u64| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) % limit
    };
    for _ in 0..60 {
        let mut body = String::from("mov.u32 %r0, %tid.x; setp.eq.u32 %p0, %r0, 1;\n");
        let count = 4 + next(12);
        for line in 0..count {
            body.push_str(&format!("L{line}: "));
            match next(4) {
                0 => body.push_str(&format!("@%p0 bra L{};\n", next(count))),
                1 => body.push_str(&format!("@%p0 mov.u32 %r{}, %r{};\n", next(6), next(6))),
                _ => body.push_str(&format!("add.u32 %r{}, %r{}, %r{};\n", next(6), next(6), next(6))),
            }
        }
        body.push_str("st.shared.u32 [tile], %r0; ret;");
        let function = function(&body);
        let graph = Graph::new(&function);
        let found = Pressure::new(&function, &graph, &Liveness::new(&function, &graph).expect("a small function"));
        assert_eq!(&*found.at, walked(&function), "{body}");
    }
}

/// The pressure at each instruction, by the definition of liveness, iterated until nothing changes.
fn walked(function: &FlowFunction) -> Vec<RegisterCount> {
    let count = function.instructions.len();
    let graph = Graph::new(function);
    let follows = |index: usize| -> Vec<usize> {
        let block = graph.block_of(index);
        if graph.blocks[block].end as usize == index + 1 {
            return graph.successors(block).iter().map(|b| graph.blocks[*b as usize].first as usize).collect();
        }
        vec![index + 1]
    };
    let slots = function.registers.len();
    let mut before = vec![vec![false; slots]; count];
    let after = |index: usize, before: &[Vec<bool>]| -> Vec<bool> {
        (0..slots).map(|slot| follows(index).iter().any(|next| before[*next][slot])).collect()
    };
    loop {
        let mut changed = false;
        for index in (0..count).rev() {
            let mut live = after(index, &before);
            if function.instructions[index].guard.is_none() {
                function.writes(index).iter().for_each(|w| live[w.slot.index()] = false);
            }
            function.reads(index).iter().for_each(|r| live[r.slot.index()] = true);
            changed |= before[index] != live;
            before[index] = live;
        }
        if !changed {
            break;
        }
    }
    let takes = |live: &[bool]| {
        let all = live
            .iter()
            .enumerate()
            .filter(|(_, l)| **l)
            .map(|(slot, _)| RegisterCount::of(function.declaration(crate::flow::RegisterSlot(slot as u32)).ty));
        all.fold((0, 0), |sum, one| (sum.0 + one.b32, sum.1 + one.predicates))
    };
    let of = |index: usize| {
        if !graph.is_reachable(graph.block_of(index)) {
            return RegisterCount::default();
        }
        let mut behind = after(index, &before);
        function.writes(index).iter().for_each(|w| behind[w.slot.index()] = true);
        let (one, other) = (takes(&before[index]), takes(&behind));
        RegisterCount { b32: one.0.max(other.0), predicates: one.1.max(other.1) }
    };
    (0..count).map(of).collect()
}

#[test]
fn copies_constants_and_parameters_need_no_registers() {
    let found = shape(
        "ld.param.u64 %rd1, [p]; cvta.to.global.u64 %rd2, %rd1; mov.u32 %r1, 5; mov.u32 %r2, %ctaid.x; add.u32 %r3, %r1, %r2; \
         mov.u32 %r4, %tid.x; mov.u32 %r5, %r4; add.u32 %r6, %r5, %r3; st.shared.u32 [tile], %r6; st.shared.u32 [tile+4], %r4; ret;",
    );
    // Only the index of the thread and the sum are live.
    assert_eq!((found.folded, found.operations), (2.0, 5.0));
}

#[test]
fn halves_are_values_of_their_own() {
    let found = shape(
        "mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; mov.b64 %rd1, {%r1, %r2}; mov.b64 {%r3, %r4}, %rd1; st.shared.u32 [tile], %r4; \
         st.shared.u32 [tile+4], %r3; ret;",
    );
    assert_eq!((found.folded, found.operations), (2.0, 5.0));
}

#[test]
fn sums_of_addresses_share_their_base() {
    let found = shape(
        "mov.u32 %r1, %tid.x; ld.param.u64 %rd1, [p]; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2; add.s64 %rd4, %rd3, 64; \
         add.s64 %rd5, %rd3, 128; ld.global.u32 %r2, [%rd4]; ld.global.u32 %r3, [%rd5]; st.global.u32 [%rd4], %r3; \
         st.global.u32 [%rd5], %r2; ret;",
    );
    // One address and two values.
    assert_eq!(found.folded, 4.0);
}

#[test]
fn what_nobody_reads_is_gone() {
    let found = shape("mov.u32 %r1, %tid.x; mul.lo.u32 %r2, %r1, %r1; add.u32 %r3, %r2, %r1; ret;");
    assert_eq!((found.folded, found.operations), (0.0, 1.0));
}

#[test]
fn loads_from_far_away_come_first() {
    let loads: String = (0..8)
        .map(|i| format!("ld.global.f32 %f{i}, [%rd1+{}]; fma.rn.f32 %f20, %f{i}, %f{i}, %f20;", 4 * i))
        .collect();
    let found = shape(&format!(
        "ld.param.u64 %rd1, [p]; ld.global.f32 %f20, [%rd1+64]; {loads} st.shared.f32 [tile], %f20; ret;"
    ));
    assert!(found.folded <= 4.0, "one at a time: {found:?}");
    assert!(found.ordered >= 8.0, "all at once: {found:?}");
}

#[test]
fn loads_move_down_to_their_readers() {
    let body = |between: &str| {
        let loads: String = (1..=16).map(|i| format!("ld.shared.u32 %r{i}, [tile+{}]; ", 4 * i - 4)).collect();
        let sums: String = (1..=16).map(|i| format!("mad.lo.u32 %r20, %r20, %r{i}, %r21; ")).collect();
        format!(
            "mov.u32 %r20, %tid.x; mov.u32 %r21, %ctaid.x; {loads} {between} {sums} st.shared.u32 [tile], %r20; ret;"
        )
    };
    let free = shape_within(&body(""), 7);
    assert!(free.folded >= 17.0 && free.sunk <= 4.0, "{free:?}");
    let held = shape_within(&body("bar.sync 0;"), 7);
    assert!(held.sunk >= 17.0, "{held:?}");
    assert_eq!(shape_within(&body(""), 255).sunk, 0.0);
}

#[test]
fn loops_are_unrolled_unless_a_pragma_keeps_them() {
    let body = |pragma: &str| {
        shape(&format!(
            "ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; ld.param.u32 %r2, [n]; mov.f32 %f1, 0f00000000; mul.wide.u32 %rd2, %r1, 4; \
             add.s64 %rd3, %rd1, %rd2;\nL: {pragma} ld.global.f32 %f2, [%rd3]; add.f32 %f1, %f1, %f2; add.s64 %rd3, %rd3, 4; \
             add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, %r2; @%p1 bra L; st.shared.f32 [tile], %f1; ret;"
        ))
    };
    let (free, kept) = (body(""), body(".pragma \"nounroll\";"));
    assert_eq!((free.unrolled_loops, kept.unrolled_loops), (1.0, 0.0));
    assert_eq!(kept.unrolled, kept.ordered);
    // Four values are loaded at a time instead of one.
    assert_eq!(free.unrolled, free.ordered + 3.0);
}

#[test]
fn routines_take_registers_of_their_own() {
    let of = |instruction: &str| {
        let found = shape(&format!(
            "ld.param.u64 %rd1, [p]; ld.global.u64 %rd2, [%rd1]; ld.global.u64 %rd3, [%rd1+8]; {instruction} st.global.u64 [%rd1], %rd4; ret;"
        ));
        found.folded
    };
    let plain = of("add.u64 %rd4, %rd2, %rd3;");
    assert_eq!(of("div.u64 %rd4, %rd2, %rd3;"), plain + 10.0);
    // A division by a constant needs no routine.
    assert!(of("div.u64 %rd4, %rd2, 10;") <= plain);
    // All threads divide the same numbers, but no routine does that in registers that they share.
    let shared = shape(
        "ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [n]; div.u32 %r2, %r1, 3; rem.u32 %r3, %r1, %r2; st.shared.u32 [tile], %r3; ret;",
    );
    assert!(shared.folded >= 4.0, "{shared:?}");
}

#[test]
fn a_generic_access_keeps_its_place_between_stores() {
    let body = |space: &str| {
        let steps: String = (0..8)
            .map(|i| format!("ld{space}.f32 %f{i}, [%rd1+{}]; st.local.f32 [stack+{}], %f{i};", 4 * i, 4 * i))
            .collect();
        shape(&format!("ld.param.u64 %rd1, [p]; {steps} ret;"))
    };
    assert!(body(".global").ordered >= 8.0, "all loads come first: {:?}", body(".global"));
    assert!(body("").ordered <= 4.0, "a load may read what was stored: {:?}", body(""));
}

#[test]
fn a_loop_is_unrolled_only_if_its_turns_can_be_counted() {
    let steps = |by: &str| {
        shape(&format!(
            "ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; ld.param.u32 %r2, [n]; mov.u32 %r3, %ntid.x; mov.f32 %f1, 0f00000000;\n\
             L: mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2; ld.global.f32 %f2, [%rd3]; add.f32 %f1, %f1, %f2; \
             add.u32 %r1, %r1, {by}; setp.lt.u32 %p1, %r1, %r2; @%p1 bra L; st.shared.f32 [tile], %f1; ret;"
        ))
        .unrolled_loops
    };
    assert_eq!([steps("128"), steps("%r3")], [1.0, 0.0]);
}
