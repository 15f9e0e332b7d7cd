//! Hand-written example kernels, and the instructions that they use.

use super::code::{self, CodeToken};
use ptx_analysis::{ItemSource, lower, mnemonic};
use ptx_isa::ISA;
use ptx_syntax::{Node, Snapshot, kinds};
use std::collections::BTreeMap;
use std::ops::Range;

/// An example kernel.
#[derive(Debug, Clone, Copy)]
pub struct ExampleKernel {
    /// Its name, which is also that of its file.
    pub name: &'static str,
    /// The text of the file.
    pub text: &'static str,
}

macro_rules! kernels {
    ($($name:literal)*) => {
        /// All kernels, by name.
        pub const KERNELS: &[ExampleKernel] = &[
            $(ExampleKernel { name: $name, text: include_str!(concat!("../../../../tests/kernels/", $name, ".ptx")) },)*
        ];
    };
}

kernels! {
    "bigint_add" "block_reduce" "cluster_dsmem" "cooperative_transpose" "cp_async_pipeline" "dot_dp4a" "fp8_convert"
    "histogram" "indirect_call" "layernorm_half" "mma_matmul" "saxpy" "single_pass_sum" "spin_lock" "stream_compact"
    "tcgen05_tile" "textures" "tiled_matmul" "tma_pipeline" "warp_scan" "wgmma_tile" "work_stealing"
}

impl ExampleKernel {
    /// The summary in its first comment.
    pub fn summary(&self) -> &'static str {
        let line = self.text.lines().next().unwrap_or("").trim_start_matches('/').trim();
        line.split_once(": ").map_or(line, |(_, summary)| summary)
    }
}

/// A use of an instruction in a kernel.
#[derive(Debug, Clone, Copy)]
pub struct KernelUse {
    /// The kernel.
    pub kernel: &'static ExampleKernel,
    /// Line of the instruction, from 0.
    pub line: usize,
}

/// Maximum number of lines of a snippet before and after its instruction.
const AROUND: usize = 3;

impl KernelUse {
    /// The 0-based number of the first line of a snippet, and the tokens of its lines, without their common indentation.
    pub fn snippet(&self) -> (usize, Vec<CodeToken>) {
        let lines: Vec<&str> = self.kernel.text.lines().collect();
        // A snippet ends at braces and blank lines.
        let ends = |line: &&str| matches!(line.trim(), "" | "{" | "}");
        let first = lines[..self.line].iter().rev().take(AROUND).take_while(|l| !ends(l)).count();
        let last = lines[self.line + 1..].iter().take(AROUND).take_while(|l| !ends(l)).count();
        let shown = &lines[self.line - first..=self.line + last];
        let indent = shown.iter().map(|l| l.len() - l.trim_start().len()).min().unwrap_or(0);
        let text: Vec<&str> = shown.iter().map(|l| l.get(indent..).unwrap_or(l)).collect();
        (self.line - first, code::tokens(&text.join("\n")))
    }
}

/// The kernels that use each instruction, with one use per kernel.
pub fn uses() -> BTreeMap<&'static str, Vec<KernelUse>> {
    let mut out: BTreeMap<&'static str, Vec<KernelUse>> = BTreeMap::new();
    for kernel in KERNELS {
        let snapshot = Snapshot::new(kernel.text);
        let mut found: Vec<(&'static str, Range<usize>)> = Vec::new();
        snapshot.roots().for_each(|root| collect(root, kernel.text, &mut found));
        for (name, range) in found {
            let known = out.entry(name).or_default();
            if known.iter().all(|u| u.kernel.name != kernel.name) {
                known.push(KernelUse { kernel, line: snapshot.rope().byte_to_line(range.start) });
            }
        }
    }
    out
}

fn collect(node: Node<'_>, text: &str, out: &mut Vec<(&'static str, Range<usize>)>) {
    if node.kind_id() == kinds().instruction {
        if let Some(instruction) = lower::instruction(ItemSource { text, base: 0 }, node)
            && let Some(opcode) = ISA.opcode(instruction.opcode.text)
        {
            let modifiers: Vec<&str> = instruction.modifiers.iter().map(|m| m.text).collect();
            out.extend(mnemonic::resolve(opcode, &modifiers).map(|head| (head.entry.name, instruction.range)));
        }
        return;
    }
    for child in ptx_syntax::walk::named_children(node) {
        collect(child, text, out);
    }
}
