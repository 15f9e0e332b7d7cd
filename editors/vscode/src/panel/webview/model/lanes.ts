// Masks of lanes, and values of lanes from the hexadecimal digits of a register. The digits stay encoded until a value
// is needed. So a file of a thousand registers costs nothing until it is on the screen.

import type { Hex, HexAddress, LaneMask } from '../../../protocol';

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

export function isPredicate(type: string): boolean {
    return type === '.pred';
}

/** Number of bytes per lane of a register; 0 for a predicate. */
export function laneBytes(type: string, hex: Hex): number {
    return isPredicate(type) ? 0 : hex.length / (2 * LANES);
}

/** The digits of one lane, most significant first. */
export function laneDigits(hex: Hex, bytes: number, lane: number): string {
    return reverseBytes(hex.slice(lane * bytes * 2, (lane + 1) * bytes * 2));
}

export function reverseBytes(hex: Hex): string {
    let out = '';
    for (let at = hex.length - 2; at >= 0; at -= 2) out += hex.slice(at, at + 2);
    return out;
}

/** The lanes in which a predicate is true. */
export function predicateMask(hex: Hex): LaneMask {
    return Number.parseInt(reverseBytes(hex.slice(0, 8)), 16) >>> 0;
}

/** Whether all lanes of a mask have the same value. */
export function isUniform(type: string, hex: Hex, lanes: LaneMask): boolean {
    if (isPredicate(type)) {
        const bits = predicateMask(hex) & lanes;
        return bits === 0 || bits >>> 0 === lanes >>> 0;
    }
    const digits = (hex.length / LANES) | 0;
    let first: string | undefined;
    for (let lane = 0; lane < LANES; lane += 1) {
        if (!hasLane(lanes, lane)) continue;
        const own = hex.slice(lane * digits, (lane + 1) * digits);
        if (first === undefined) first = own;
        else if (own !== first) return false;
    }
    return true;
}

/** The lanes in which two values of the same register differ. */
export function differingLanes(type: string, before: Hex, after: Hex): LaneMask {
    if (isPredicate(type)) return (predicateMask(before) ^ predicateMask(after)) >>> 0;
    const digits = (after.length / LANES) | 0;
    let mask = 0;
    for (let lane = 0; lane < LANES; lane += 1) {
        if (before.slice(lane * digits, (lane + 1) * digits) !== after.slice(lane * digits, (lane + 1) * digits)) {
            mask |= 1 << lane;
        }
    }
    return mask >>> 0;
}

export function addressOf(text: HexAddress): bigint {
    return BigInt(`0x${text.replace(/^0x/, '') || '0'}`);
}
