// Masks of lanes.

import type { LaneMask } from '../../../protocol';

export const LANES = 32;

export function hasLane(mask: LaneMask, lane: number): boolean {
    return ((mask >>> lane) & 1) === 1;
}

/** Index of the lowest lane of a mask; 0 for an empty mask. */
export function firstLane(mask: LaneMask): number {
    return mask === 0 ? 0 : 31 - Math.clz32(mask & -mask);
}

export function laneCount(mask: LaneMask): number {
    let rest = mask >>> 0;
    let count = 0;
    while (rest !== 0) {
        rest &= rest - 1;
        count += 1;
    }
    return count;
}

export function lanesOf(mask: LaneMask): number[] {
    const lanes: number[] = [];
    for (let lane = 0; lane < LANES; lane += 1) {
        if (hasLane(mask, lane)) lanes.push(lane);
    }
    return lanes;
}

export function maskHex(mask: LaneMask): string {
    return (mask >>> 0).toString(16).padStart(8, '0');
}

/** The lanes of a mask as ranges for the user: `0–15, 17`. */
export function laneRanges(mask: LaneMask): string {
    const parts: string[] = [];
    for (let lane = 0; lane < LANES; lane += 1) {
        if (!hasLane(mask, lane)) continue;
        let last = lane;
        while (last + 1 < LANES && hasLane(mask, last + 1)) last += 1;
        parts.push(last === lane ? `${lane}` : last === lane + 1 ? `${lane}, ${last}` : `${lane}–${last}`);
        lane = last;
    }
    return parts.join(', ');
}

/** The lanes of a mask as words: `lane 3`, `lanes 0–15`, `all 32 lanes`, `no lane`. */
export function lanesInWords(mask: LaneMask): string {
    const count = laneCount(mask);
    if (count === LANES) return 'all 32 lanes';
    if (count === 0) return 'no lane';
    return `${count === 1 ? 'lane' : 'lanes'} ${laneRanges(mask)}`;
}
