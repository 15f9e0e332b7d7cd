//! What users type, and what the first lines of the answer must have. 100 words; the goal is 95.

use ptx_ide::explain_overview;

/// Lines in which the answer must begin.
const FIRST_LINES: usize = 8;
/// How many must be answered.
const GOAL: usize = 95;

/// A query, and what stands in the first lines of a useful answer.
const WORDS: &[(&str, &str)] = &[
    // Instructions and parts of them.
    ("fma.rn.f32", "fma.rn.f32 d, a, b, c;"),
    ("FMA.F32.RN", "fma.rn.f32 d, a, b, c;"),
    ("setp.lt", "`.lt` – Less than"),
    ("mma.m16n8k16", "mma.sync.aligned"),
    ("ldmatrix.trans", "ldmatrix.sync.aligned"),
    ("vote.ballot", "vote.sync.ballot"),
    ("cp.async.bulk.tensor.2d", "cp.async.bulk.tensor"),
    ("tcgen05", "instructions, most used first"),
    ("mbarrier", "instructions, most used first"),
    ("wmma", "instructions, most used first"),
    ("@%p1 bra DONE;", "bra"),
    ("add.f32 %f1, %f2, %f3;", "add.f32 d, a, b;"),
    ("ld.global.v4.f32 {%f1,%f2,%f3,%f4}, [%rd1];", "ld.global.v4.f32"),
    ("L1: mov.u32 %r1, %tid.x;", "mov.u32 d, a;"),
    // Registers, modifiers, directives, targets, versions.
    ("%laneid", ".sreg .u32 %laneid;"),
    ("laneid", ".sreg .u32 %laneid;"),
    ("%r1", "a register"),
    ("%rd4", "a register"),
    (".ftz", "`.ftz` – "),
    (".maxntid", ".maxntid nx"),
    (".reg", ".reg"),
    (".entry", ".entry"),
    ("sm_90a", "`sm_90a` – "),
    ("8.5", "`PTX 8.5` – "),
    // Literals.
    ("0f3F800000", "1.0"),
    ("0x3f800000", "`.f32`: 1.0"),
    ("1.5", "`0f3FC00000` as `.f32`"),
    ("0d3FF0000000000000", "1.0"),
    ("0b101", "5"),
    // CUDA C++.
    ("threadIdx.x", "`%tid.x`"),
    ("__shfl_down_sync", "`shfl.sync.down.b32`"),
    ("atomicAdd(&x, 1)", "`atom.add.u32`"),
    ("__syncthreads()", "`bar.sync 0`"),
    ("__threadfence", "`fence.acq_rel.gpu`"),
    ("__launch_bounds__", "`.maxntid`"),
    ("__ldg", "`ld.global.nc.b32`"),
    ("__hadd2", "`add.f16x2`"),
    ("__nanosleep", "`nanosleep.u32`"),
    ("clock64", "%clock64"),
    ("printf", "vprintf"),
    ("malloc", "`malloc(size)`"),
    ("warpSize", "WARP_SZ"),
    ("atomicCAS_system", "`atom.sys.cas.b32`"),
    ("cuTensorMapEncodeTiled", "tensor map"),
    ("cuda::barrier", "`mbarrier.init"),
    ("cuda::memcpy_async", "cp.async"),
    ("cuda::atomic_ref", "atom.add"),
    ("cuda::ptx::mbarrier_try_wait", "mbarrier.try_wait"),
    ("wmma::mma_sync", "wmma.mma"),
    ("cg::this_grid()", "%ctaid"),
    ("__half", ".f16"),
    // Topics.
    ("TMA", "# TMA"),
    ("TMEM", "# TMEM"),
    ("warpgroup", "# Warpgroup"),
    ("warp", "# Warp"),
    ("bank conflict", "# Bank conflict"),
    ("memory order", "# Memory order"),
    ("acquire", "# Memory order"),
    ("fence", "fence"),
    ("scope", "# Scope"),
    ("coalescing", "# Coalesced"),
    ("generic address", "# Generic address"),
    ("state space", "# State spaces"),
    ("rounding", "# Rounding"),
    ("saturation", "# Saturation"),
    ("subnormal", "# Subnormal"),
    ("denormals", "# Subnormal"),
    ("predicate", "# Predicate"),
    ("divergence", "# Divergence"),
    ("cluster", "# Cluster"),
    ("dsmem", "# Distributed shared memory"),
    ("mbarrier phase", "# mbarrier: phase"),
    ("transaction count", "# mbarrier: phase"),
    ("swizzle", "# Swizzle"),
    ("wgmma descriptor", "# Matrix descriptor"),
    ("fragment", "# Fragment"),
    ("sparsity", "# Sparse"),
    ("block scaling", "# Block scaling"),
    ("occupancy", "# Occupancy"),
    ("register spilling", "# Register pressure"),
    ("calling convention", "# Calling convention"),
    ("inline asm", "# Inline PTX"),
    ("type conversion", "# Conversion of types"),
    ("bf16", "bf16"),
    ("fp8", "# fp8"),
    ("tf32", "tf32"),
    ("warp reduction", "# Reduction over a warp"),
    ("how to shuffle between lanes", "# Shuffle"),
    ("thread index", "# Which thread this is"),
    ("cache hints", "# Cache hints"),
    ("async proxy", "# Proxies"),
    ("vector load", "# Vector load"),
    ("textures", "# Textures"),
    ("constant memory", "# Constant memory"),
    ("stack frame", "# Local memory"),
    // Messages.
    ("operand-type", "# operand-type"),
    ("Arguments mismatch for instruction 'mov'", "# Arguments mismatch"),
    (
        "ptxas a.ptx, line 9; error   : Unexpected instruction types specified for 'add'",
        "# Unexpected instruction types",
    ),
    ("Unknown symbol '%r99'", "# Unknown symbol"),
    ("ptxas fatal   : Unresolved extern function 'foo'", "# Unresolved extern function"),
];

/// Whether the first lines of a text have a word.
fn begins_with(text: &str, word: &str) -> bool {
    let lines: Vec<&str> = text.lines().filter(|l| !l.trim().is_empty()).take(FIRST_LINES).collect();
    lines.join("\n").contains(word)
}

#[test]
fn what_users_type_is_answered() {
    assert_eq!(WORDS.len(), 100);
    let wrong: Vec<String> = WORDS
        .iter()
        .filter_map(|(query, word)| {
            let text = explain_overview(query).unwrap_or_default();
            let first: Vec<&str> = text.lines().take(3).collect();
            (!begins_with(&text, word)).then(|| format!("{query}: expected `{word}`, found {first:?}"))
        })
        .collect();
    assert!(wrong.len() <= WORDS.len() - GOAL, "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn no_answer_is_a_wall() {
    for (query, _) in WORDS {
        let text = explain_overview(query).unwrap_or_default();
        let lines = text.lines().filter(|l| !l.is_empty()).count();
        assert!(lines <= 140, "{query}: {lines} lines");
    }
}
