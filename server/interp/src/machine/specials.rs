//! Values of special registers.

use super::code::FunctionCode;

use super::layout::Special;
use super::state::CallFrame;
use super::state::Cta;
use super::{GridShape, Machine};
use crate::lanes::LANES;
use crate::registers::{RegisterFile, RegisterLine};
use std::sync::Arc;

/// Nanoseconds per clock cycle; a cycle is one warp instruction. Time is that of the interpreter, and the same in every run.
const NANOSECONDS: u64 = 1;

/// Whether the value of a special register changes while a thread runs.
pub fn is_clock(name: &str) -> bool {
    name.starts_with("%clock") || name.starts_with("%globaltimer") || name.starts_with("%pm")
}

/// Number of multiprocessors. CTAs are assigned to them round-robin.
const MULTIPROCESSORS: u64 = 132;

/// Maximum number of resident warps per multiprocessor.
const WARPS: u64 = 64;

/// Component `index` of a three-dimensional vector; the fourth (`.w`) is 0.
fn component(of: [u32; 3], index: u8) -> u128 {
    of.get(usize::from(index)).copied().unwrap_or(0).into()
}

/// The value of a special register in a lane; `None` for clocks and unknown registers.
pub(crate) fn value(machine: &Machine, cta: &Cta, warp: u32, lane: usize, special: Special) -> Option<u128> {
    let GridShape { grid, block, cluster, explicit_cluster, shared } = machine.shape;
    let thread = warp * 32 + lane as u32;
    let index = [thread % block[0], thread / block[0] % block[1], thread / block[0] / block[1]];
    let in_cluster = std::array::from_fn(|i| cta.index[i] % cluster[i]);
    let clusters: [u32; 3] = std::array::from_fn(|i| grid[i] / cluster[i]);
    let cluster_index = std::array::from_fn(|i| cta.index[i] / cluster[i]);
    let bit: u32 = 1 << lane;
    let c = special.component;
    let executable = &machine.executable;
    let total = executable.shared_bytes + u64::from(shared);
    let value = match special.name {
        "%tid" => component(index, c),
        "%ntid" => component(block, c),
        "%laneid" => lane as u128,
        "%warpid" => warp.into(),
        "%nwarpid" => WARPS.into(),
        "%ctaid" => component(cta.index, c),
        "%nctaid" => component(grid, c),
        "%smid" => (cta.number % MULTIPROCESSORS).into(),
        "%nsmid" => MULTIPROCESSORS.into(),
        "%gridid" => 1,
        "%is_explicit_cluster" => explicit_cluster.into(),
        "%clusterid" => component(cluster_index, c),
        "%nclusterid" => component(clusters, c),
        "%cluster_ctaid" => component(in_cluster, c),
        "%cluster_nctaid" => component(cluster, c),
        "%cluster_ctarank" => cta.rank.into(),
        "%cluster_nctarank" => machine.shape.cluster_ctas().into(),
        "%lanemask_eq" => bit.into(),
        "%lanemask_lt" => (bit - 1).into(),
        "%lanemask_le" => (bit | (bit - 1)).into(),
        "%lanemask_ge" => (!(bit - 1)).into(),
        "%lanemask_gt" => (!(bit | (bit - 1))).into(),
        "%total_smem_size" | "%aggr_smem_size" => total.into(),
        "%dynamic_smem_size" => shared.into(),
        "%reserved_smem_offset_end" | "%reserved_smem_offset_cap" => executable.shared_start.into(),
        // The driver defines these values; without a driver they are 0.
        "%reserved_smem_offset_begin" | "%reserved_smem_offset_" | "%envreg" | "%current_graph_exec" => 0,
        "%perctamemoryoffset" | "%perctamemorysize" => 0,
        _ => return None,
    };
    Some(value)
}

/// The file of special registers for a warp.
pub(super) fn special_file(machine: &Machine, cta: &Cta, warp: u32) -> Arc<[RegisterLine]> {
    let specials = &machine.executable.specials;
    let mut bytes = vec![0; specials.bytes()];
    for (special, place) in &specials.places {
        let width = usize::from(place.width);
        for lane in 0..LANES {
            let value = value(machine, cta, warp, lane, *special).unwrap_or(0);
            let at = place.offset as usize + lane * width;
            bytes[at..at + width].copy_from_slice(&value.to_le_bytes()[..width]);
        }
    }
    let mut lines = vec![bytemuck::Zeroable::zeroed(); bytes.len().div_ceil(size_of::<RegisterLine>())];
    bytemuck::cast_slice_mut::<RegisterLine, u8>(&mut lines)[..bytes.len()].copy_from_slice(&bytes);
    lines.into()
}

/// The value of a clock register after `cycles` warp instructions of the whole grid.
pub(crate) fn clock(cycles: u64, special: Special) -> u128 {
    // A device that has been running for a while: 2^40 ns.
    let time = (1 << 40) + cycles * NANOSECONDS;
    match special.name {
        "%clock" => (cycles & 0xffff_ffff).into(),
        "%clock_hi" => (cycles >> 32).into(),
        "%clock64" => cycles.into(),
        "%globaltimer" => time.into(),
        "%globaltimer_lo" => (time & 0xffff_ffff).into(),
        "%globaltimer_hi" => (time >> 32).into(),
        // Counters of events that are not configured.
        _ => 0,
    }
}

/// Fills the hidden registers that the instruction at `pc` reads: clocks, then sums.
pub(super) fn prepare(time: u64, code: &FunctionCode, frame: &mut CallFrame, pc: u32) {
    for (place, special) in code.clocks.get(&pc).into_iter().flatten() {
        let value = clock(time, *special);
        debug_assert!(place.file == RegisterFile::Own, "a clock is read from a register");
        for lane in 0..LANES {
            frame.registers.set_lane_bits(*place, lane, value);
        }
    }
    for sum in code.sums.get(&pc).into_iter().flatten() {
        for lane in 0..LANES {
            let value = frame.registers.lane_bits(sum.register, lane) as u64;
            frame.registers.set_lane_bits(sum.place, lane, value.wrapping_add(sum.number as u64).into());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{is_clock, value};
    use crate::machine::layout::Special;
    use crate::testing::TestKernel;

    #[test]
    fn every_special_register_has_a_value() {
        let out = TestKernel::body("", "").threads(1).buffer(&[0; 4]).run();
        let machine = &out.run.machine;
        let cta = crate::machine::Cta::default();
        for register in ptx_isa::ISA.special_registers {
            let special = Special { name: register.name, component: 0 };
            assert!(is_clock(register.name) || value(machine, &cta, 0, 0, special).is_some(), "{}", register.name);
        }
    }
}
