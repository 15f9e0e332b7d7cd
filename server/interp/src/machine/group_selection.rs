//! The groups of a warp: which one runs next, where groups become one, and which of them go on.

use super::Machine;
use super::code::Executable;
use super::group::Turn;
use super::limits::FAIRNESS;
use super::state::schedule::WarpPosition;
use super::state::{Group, GroupReadiness, Warp};
use crate::findings::{FaultKind, InstructionSite};
use crate::lanes::list;

impl Machine {
    /// Selects the group that runs next. Returns its index and the priority number at which it must stop.
    #[inline(always)]
    pub(super) fn pick(
        &self,
        executable: &Executable,
        warp: &Warp,
        groups: &[Group],
        fair: bool,
    ) -> Option<(usize, u32)> {
        let ready = |g: &&Group| matches!(g.state, GroupReadiness::Ready | GroupReadiness::Gathered);
        let mut candidates = groups.iter().enumerate().filter(|(_, g)| ready(g));
        let first = candidates.next()?;
        if groups.len() == 1 {
            return Some((first.0, u32::MAX));
        }
        let all = || groups.iter().enumerate().filter(|(_, g)| ready(g));
        if fair {
            let oldest = all().min_by_key(|(i, g)| (g.turn, *i))?;
            return Some((oldest.0, u32::MAX));
        }
        let chosen = all().min_by_key(|(i, g)| (warp.position(self, g), *i))?;
        // The first later position, in the same function, where other lanes are or to which they will return.
        let group = chosen.1;
        let code = executable.code(warp.frame(group.frame)?.function)?;
        let own = code.order.get(group.pc as usize).copied().unwrap_or(u32::MAX);
        let others = groups.iter().enumerate().filter(|(i, _)| *i != chosen.0);
        let meets = others.filter_map(|(_, other)| {
            let (mut pc, mut at) = (other.pc, other.frame);
            while at != group.frame {
                let frame = warp.frame(at)?;
                (pc, at) = (frame.call + 1, frame.parent?);
            }
            code.order.get(pc as usize).copied().filter(|m| *m > own)
        });
        Some((chosen.0, meets.min().unwrap_or(u32::MAX)))
    }

    /// The index of the group of a warp that will run next, as far as this is known before its turn. For groups that wait for something
    /// outside the warp, it is unknown whether they must still wait.
    pub(crate) fn next_group(&self, position: WarpPosition) -> Option<usize> {
        let WarpPosition { cluster, rank, number } = position;
        let warp = self.clusters.get(cluster)?.ctas.get(rank)?.warps.get(number)?;
        let own = self.schedule.unfinished.filter(|_| self.schedule.next == position);
        if let Some(piece) = own.and_then(|u| u.piece) {
            return Some(piece.at);
        }
        let mut groups = warp.groups.clone();
        if own.is_none() {
            let waiting = groups.iter_mut().filter(|g| g.state == GroupReadiness::Waiting);
            waiting.for_each(|g| g.state = GroupReadiness::Ready);
        }
        let rounds = self.clusters.get(cluster)?.rounds;
        let fair = rounds % FAIRNESS == FAIRNESS - 1 && own.is_none_or(|u| u.done == 0);
        let picked = self.pick(&self.executable, warp, &groups, fair);
        picked.map(|(at, _)| at).or((!groups.is_empty()).then_some(0))
    }

    /// Handles groups that wait for other lanes of their warp: joins those at the same instruction, and releases those whose lanes have all
    /// arrived.
    pub(super) fn gather(&mut self, executable: &Executable, warp: &mut Warp, cluster: usize, rank: usize) {
        if !warp.groups.iter().any(|g| matches!(g.state, GroupReadiness::Gathering(_))) {
            return;
        }
        let live = warp.lanes.present & !warp.lanes.exited;
        for at in (0..warp.groups.len()).rev() {
            let group = &warp.groups[at];
            if !matches!(group.state, GroupReadiness::Gathering(_)) {
                continue;
            }
            // Equal states name the same lanes. Lanes that name different masks do not meet.
            let same = |o: &Group| (o.frame, o.pc, o.state) == (group.frame, group.pc, group.state);
            if let Some(twin) = (0..at).find(|i| same(&warp.groups[*i])) {
                let mask = std::mem::take(&mut warp.groups[at].mask);
                warp.groups[twin].mask |= mask;
            }
        }
        tidy(warp);
        let anywhere = |g: &Group| {
            let code = warp.frame(g.frame).and_then(|f| executable.code(f.function));
            code.and_then(|c| c.ops.get(g.pc as usize)).is_some_and(|o| o.meets_anywhere)
        };
        let free: Vec<bool> = warp
            .groups
            .iter()
            .map(|g| match g.state {
                GroupReadiness::Gathering(needed) if anywhere(g) => {
                    let meets = warp.groups.iter().filter(|o| o.state == g.state && anywhere(o));
                    needed & live & !meets.fold(0, |all, o| all | o.mask) == 0
                }
                GroupReadiness::Gathering(needed) => needed & live & !g.mask == 0,
                _ => false,
            })
            .collect();
        let mut any = false;
        for (group, free) in warp.groups.iter_mut().zip(&free) {
            if *free {
                (group.state, any) = (GroupReadiness::Gathered, true);
            }
        }
        if any || self.schedule.level < 2 {
            return;
        }
        // No group anywhere can go on: a deadlock.
        let stuck = warp.groups.iter().position(|g| matches!(g.state, GroupReadiness::Gathering(_)));
        let Some(at) = stuck else { return };
        let group = warp.groups[at].clone();
        let GroupReadiness::Gathering(needed) = group.state else { return };
        let absent = needed & live & !group.mask;
        let function = warp.frame(group.frame).map_or(0, |f| f.function);
        let site = InstructionSite { function, instruction: group.pc };
        let turn = Turn::none(cluster, rank, true);
        let words = || {
            format!(
                "lanes {} wait here for lanes {}, which are elsewhere and never arrive",
                list(group.mask),
                list(absent)
            )
        };
        self.note(&turn, &warp.lanes, FaultKind::Divergence, site, group.mask, words);
        warp.groups[at].state = GroupReadiness::Gathered;
    }
}

/// Removes empty groups, and joins groups at the same instruction that can continue.
pub(super) fn tidy(warp: &mut Warp) {
    if warp.groups.len() == 1 && warp.groups[0].mask != 0 {
        return;
    }
    warp.groups.retain(|g| g.mask != 0);
    let joins = |g: &Group| g.state == GroupReadiness::Ready && g.token.is_none();
    let mut at = 0;
    while at < warp.groups.len() {
        let group = &warp.groups[at];
        let (frame, pc) = (group.frame, group.pc);
        let twin = (0..at).find(|i| {
            let other = &warp.groups[*i];
            other.frame == frame && other.pc == pc && joins(other)
        });
        match twin.filter(|_| joins(&warp.groups[at])) {
            Some(twin) => {
                let gone = warp.groups.remove(at);
                warp.groups[twin].mask |= gone.mask;
                warp.groups[twin].turn = warp.groups[twin].turn.min(gone.turn);
            }
            None => at += 1,
        }
    }
}

impl Warp {
    /// The execution priority of a group: the [`FunctionCode::order`] of its instruction in each function of the call chain, outermost
    /// first.
    pub(super) fn position(&self, machine: &Machine, group: &Group) -> Vec<u32> {
        let mut out = Vec::new();
        let (mut pc, mut at) = (group.pc, Some(group.frame));
        while let Some(frame) = at.and_then(|f| self.frame(f)) {
            let order = machine.executable.code(frame.function).map(|c| &c.order);
            out.push(order.and_then(|o| o.get(pc as usize)).copied().unwrap_or(u32::MAX));
            (pc, at) = (frame.call, frame.parent);
        }
        out.reverse();
        out
    }
}
