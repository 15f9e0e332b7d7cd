//! `explain`. The wording belongs to the tables: these tests check that a name finds its page.

use ptx_ide::{explain, nearest};

fn starts(query: &str, start: &str) {
    let page = explain(query).unwrap_or_else(|| panic!("nothing on `{query}`"));
    assert!(page.starts_with(start), "{query}:\n{page}");
}

#[test]
fn every_kind_of_name_has_a_page() {
    starts("fma.rn.f32", "```ptx\nfma.rn.f32 d, a, b, c;\n```");
    starts("fma", "**3 instructions, most used first**\n\n- `fma` – Multiplies and adds with a single rounding.\n");
    starts("threadIdx.x", "`threadIdx.x` of CUDA C++ is `%tid.x` in PTX.\n\n---\n\n```ptx\n.sreg .u32 %tid.x;\n```");
    starts("__shfl_down_sync", "`__shfl_down_sync` of CUDA C++ is `shfl.sync.down.b32` in PTX");
    starts(".ftz", "`.ftz` – ");
    starts("%laneid", "```ptx\n.sreg .u32 %laneid;\n```");
    starts("%tid.x", "```ptx\n.sreg .u32 %tid.x;\n```");
    starts(".maxntid", "```ptx\n.maxntid nx{, ny{, nz}}\n```");
    starts(
        "mbarrier.try_wait",
        "**2 instructions, most used first**\n\n- `mbarrier.try_wait.parity` – Waits a limited time",
    );
    starts("mbarrier.test_wait.parity", "```ptx\nmbarrier.test_wait.parity");
    starts("operand-type", "# operand-type\n");
    starts(".f16x2", "`.f16x2` – ");
    starts("sm_90a", "`sm_90a` – ");
    starts("8.5", "`PTX 8.5` – ");
}

#[test]
fn case_blanks_and_missing_signs_are_forgiven() {
    assert_eq!(explain("  FMA.RN.F32 "), explain("fma.rn.f32"));
    assert_eq!(explain("`%LaneId`"), explain("%laneid"));
    assert_eq!(explain(".l2::CACHE_HINT"), explain(".L2::cache_hint"));
    assert_eq!(explain("maxntid"), explain(".maxntid"));
    assert_eq!(explain("laneid"), explain("%laneid"));
    assert_eq!(explain("Operand-Type"), explain("operand-type"));
    assert_eq!(explain("compute_90").map(|p| p.contains("`sm_90`")), Some(true));
    assert_eq!(explain("add.f32 %f1, %f2, %f3;"), explain("add.f32"));
}

#[test]
fn all_meanings_of_a_word_are_told() {
    let page = explain(".global").expect("a page");
    assert!(page.starts_with("```ptx\n.global"), "{page}");
    assert!(page.contains("\n---\n") && page.contains("Used by") && page.contains("`ld`"), "{page}");
}

#[test]
fn what_is_used_most_comes_first() {
    let page = explain("mma").expect("a page");
    let order = [
        "```ptx\nmma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 d, a, b, c;\n```",
        "- `a` – The thread's part of A, M × K (read: a list of 4 × `.f16x2`, not a literal)",
        "mma.sync.aligned.shape.row.col.f32.bf16.bf16.f32 d, a, b, c",
        "```ptx\nmma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 d, a, b, c;\n```",
        "mma.sp",
        ".block_scale",
        ".b1.b1",
    ];
    let body = page.split_once("\n---\n").expect("a list first").1;
    let places: Vec<Option<usize>> = order.iter().map(|text| body.find(text)).collect();
    assert!(places.iter().all(Option::is_some) && places[..4].is_sorted(), "{places:?}\n{page}");
    assert!(places[4..].iter().all(|place| *place > places[3]), "{places:?}\n{page}");
    let cvt = explain("cvt").expect("a page");
    assert!(cvt.starts_with("**2 instructions"), "{cvt}");
}

#[test]
fn a_part_of_the_modifiers_is_answered_with_the_forms_that_have_them() {
    for (query, form, meaning) in [
        ("setp.lt", "setp.cmp{.bool}.type p{|q}, a, b{, {!}c}", "`.lt` – Less than"),
        (
            "mma.m16n8k16",
            "mma.sync.aligned.shape.row.col.f32.f16.f16.f32 d, a, b, c",
            "`.m16n8k16` – M = 16, N = 8, K = 16",
        ),
        ("ldmatrix.trans", "ldmatrix.sync.aligned.m8n8.num{.trans}{.ss}.b16 r, [p]", "`.trans` – Each matrix"),
    ] {
        let page = explain(query).expect("a page");
        assert!(page.starts_with("`") && page.contains(form) && page.contains(meaning), "{query}:\n{page}");
    }
    assert!(
        explain("vote.ballot")
            .is_some_and(|page| page.starts_with("`vote.sync` – ") && page.contains("vote.sync.ballot"))
    );
}

#[test]
fn names_of_cuda_find_ptx() {
    for (query, start, within) in [
        ("threadIdx.x", "`threadIdx.x` of CUDA C++ is `%tid.x` in PTX.", ".sreg .u32 %tid.x;"),
        ("__shfl_xor_sync", "`__shfl_xor_sync` of CUDA C++ is `shfl.sync.bfly.b32` in PTX", "shfl.sync.bfly.b32 d"),
        ("__shfl_xor_sync(0xffffffff, x, 1)", "`__shfl_xor_sync` of", "shfl.sync.bfly.b32 d"),
        ("atomicAdd", "`atomicAdd` of CUDA C++ is `atom.add.u32` or `red.add.u32` in PTX", "red.add.u32 [a], b"),
        ("__syncthreads()", "`__syncthreads` of CUDA C++ is `bar.sync 0` or `barrier.sync 0` in PTX.", "bar.sync a"),
        (
            "__launch_bounds__",
            "`__launch_bounds__` of CUDA C++ is `.maxntid` or `.minnctapersm` in PTX.",
            ".maxntid nx",
        ),
        ("warpSize", "`warpSize` of CUDA C++ is `WARP_SZ` in PTX.", "WARP_SZ"),
    ] {
        starts(query, start);
        let page = explain(query).expect("a page");
        assert!(page.contains(within), "{query}:\n{page}");
    }
    for name in ptx_isa::CUDA {
        assert!(explain(name.name).is_some(), "{name:?}");
    }
    assert_eq!(explain("__frobnicate"), None);
    assert_eq!(nearest("__shfl_xor_snyc").first().map(String::as_str), Some("__shfl_xor_sync"));
    assert!(nearest("threadIdx.q").iter().any(|n| n == "threadIdx.x"), "{:?}", nearest("threadIdx.q"));
}

#[test]
fn modifiers_that_fit_nothing_are_answered_with_the_forms() {
    starts("fma.rn.pred", "No form of `fma` has these modifiers");
}

#[test]
fn what_does_not_exist_has_no_page() {
    for query in ["", "   ", ".", "frobnicate", "%frobnicate", ".frobnicate", "sm_999", "ä.ö", "\u{fffd}", "%envreg99"]
    {
        assert_eq!(explain(query), None, "{query}");
    }
}

#[test]
fn everything_in_the_tables_has_a_page() {
    let isa = &ptx_isa::ISA;
    let names = isa.opcodes.iter().flat_map(|o| o.entries).map(|e| e.name);
    let names = names.chain(isa.types.iter().map(|t| t.name)).chain(isa.modifiers.iter().map(|m| m.name));
    let names = names.chain(isa.directives.iter().map(|d| d.name)).chain(isa.special_registers.iter().map(|r| r.name));
    let names = names.chain(isa.spaces.iter().map(|s| s.name)).chain(isa.targets.iter().map(|t| t.name));
    let missing: Vec<&str> = names.filter(|n| explain(n).is_none()).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn the_nearest_names_are_offered_for_one_that_does_not_exist() {
    let first = |query: &str| nearest(query).into_iter().next().unwrap_or_default();
    for (query, expected) in [
        ("fmaa.rn.f32", "fma"),
        (".ftx", ".ftz"),
        ("%lanid", "%laneid"),
        ("lanid", "%laneid"),
        (".maxntidx", ".maxntid"),
        ("operand-typ", "operand-type"),
        ("sm_91", "sm_90"),
        ("mbarrier.trywait", "mbarrier.try_wait"),
        (".cache_hint", ".L2::cache_hint"),
        ("shflsync", "shfl.sync"),
    ] {
        assert!(nearest(query).iter().any(|n| n == expected), "{query}: {:?}", nearest(query));
    }
    assert_eq!(first("fmaa.rn.f32"), "fma");
    assert_eq!(first("wgm"), "wgmma");
    for query in ["", "  ", ".", "frobnicate-the-quux", &"x".repeat(1000), "ä"] {
        assert_eq!(nearest(query), Vec::<String>::new(), "{query}");
    }
}

#[test]
fn optional_modifiers_are_those_that_the_checks_accept() {
    let optional = |query: &str| -> Vec<String> {
        let page = explain(query).expect("a page");
        page.lines().filter(|l| l.starts_with("- Optional")).map(str::to_owned).collect()
    };
    assert!(optional("setp.lt.s32").contains(&"- Optional with `c`: `.and` `.or` `.xor`".to_owned()));
    // Half of a pair is refused, and so is a modifier whose place is behind an operand.
    let halves = ["`.release`", "`.cta`", "`.xorsign`", "`.unified`"];
    for query in ["mbarrier.arrive.b64", "min.f32", "ld.global.f32"] {
        let found = optional(query);
        assert!(!found.iter().any(|line| halves.iter().any(|half| line.contains(half))), "{query}: {found:?}");
    }
}

/// Names that begin several instructions, or that have modifiers beyond those in the table.
#[test]
fn names_of_cuda_are_legal_instructions() {
    let mut wrong: Vec<String> = Vec::new();
    for cuda in ptx_isa::CUDA {
        for word in cuda.words_of_ptx() {
            let mut parts = word.split('.');
            let Some(opcode) = ptx_isa::ISA.opcode(parts.next().unwrap_or("")) else { continue };
            let modifiers: Vec<String> = parts.map(|m| format!(".{m}")).collect();
            let modifiers: Vec<&str> = modifiers.iter().map(String::as_str).collect();
            let begins = opcode.entries.iter().any(|e| e.path.starts_with(&modifiers));
            let head = ptx_analysis::mnemonic::resolve(opcode, &modifiers);
            if !begins && head.is_none_or(|head| head.entry.checked && head.mismatch.is_some()) {
                wrong.push(format!("{}: {word}", cuda.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn words_of_topics_are_known() {
    let mut wrong: Vec<String> = Vec::new();
    for concept in ptx_isa::ISA.concepts {
        for word in [concept.title].iter().chain(concept.synonyms) {
            let page = explain(word).unwrap_or_default();
            // An instruction of that name comes first and points to the topic.
            let is_pointed_to = page.contains(concept.title) || page.starts_with(&format!("`{word}` of CUDA C++"));
            if !is_pointed_to {
                wrong.push(format!("{}: {word}: {:?}", concept.id, page.lines().next()));
            }
        }
        for word in concept.see {
            if explain(word).is_none() {
                wrong.push(format!("{}: see {word}", concept.id));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn messages_of_the_assembler_lead_to_diagnostics() {
    let text = include_str!("../../../../docs/dev/messages.md");
    let messages: Vec<&str> = text.lines().filter_map(|l| l.strip_prefix("The assembler: ")).collect();
    assert!(messages.len() > 40, "{}", messages.len());
    let unknown: Vec<&&str> =
        messages.iter().filter(|m| explain(m).is_none_or(|page| !page.contains("**Diagnostics for it**"))).collect();
    assert!(unknown.is_empty(), "{unknown:#?}");
    let page = explain("Arguments mismatch for instruction 'mov'").unwrap();
    let places = ["`operand-type`", "`operand-kind`", "`operand-count`"].map(|code| page.find(code));
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{page}");
    assert!(page.contains("`ptx-analyzer explain mov`"), "{page}");
}

#[test]
fn the_search_ranks_names_before_synonyms_before_summaries() {
    let first = |query: &str| ptx_ide::search(query).first().map(|hit| hit.entry.name);
    for (query, name) in [
        ("mbarrier try", "mbarrier.try_wait"),
        ("tma load", "TMA, the tensor memory accelerator"),
        ("how to shuffle between lanes", "Shuffle: values between lanes"),
        ("wgmma descriptor", "Matrix descriptor"),
        ("laneid", "%laneid"),
        ("integer arithmetic", "Integer arithmetic"),
    ] {
        assert_eq!(first(query), Some(name), "{query}");
    }
    assert_eq!(first("frobnicate the quux"), None);
    assert_eq!(first("of the"), None);
}

#[test]
fn an_overview_is_a_list_and_one_instruction() {
    let page = ptx_ide::explain_overview("mbarrier").unwrap();
    assert!(
        page.contains("Below is the one used most.") && page.contains("`ptx-analyzer explain mbarrier --all`"),
        "{page}"
    );
    assert_eq!(page.matches("\n---\n").count(), 1, "{page}");
    assert!(explain("mbarrier").unwrap().matches("\n---\n").count() > 10);
    let cvt = ptx_ide::explain_overview("cvt").unwrap();
    assert!(cvt.contains("more: ptx-analyzer explain cvt --all"), "{cvt}");
}
