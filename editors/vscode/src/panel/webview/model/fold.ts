// Folds the values of all lanes into one text if they are equal or count up from lane to lane, and names the buffer
// that an address points to. Neovim's grid folds by the same rules.

import type { Evaluation, LaneMask, ParameterState } from '../../../protocol';
import type { FormatName } from './formats';
import { hasLane, isPredicate, laneBytes, laneCount, laneDigits, LANES, reverseBytes } from './lanes';
import type { Row } from './trace';

const COUNTING: readonly FormatName[] = ['hex', 'signed', 'unsigned'];

/** Minimum number of lanes to fold: two values always count up. */
const MIN_LANES = 3;

/** The value of lane 0 and the distance between neighbouring lanes, if it is the same for all relevant lanes. */
export function affine(row: Row, lanes: LaneMask): { start: bigint; step: bigint } | undefined {
    const bytes = laneBytes(row.type, row.value);
    if (isPredicate(row.type) || bytes < 4 || (row.known & lanes) >>> 0 !== lanes >>> 0) return undefined;
    if (((row.unspecified | row.approximate) & lanes) !== 0 || laneCount(lanes) < MIN_LANES) return undefined;
    let first: { lane: number; value: bigint } | undefined;
    let step: bigint | undefined;
    for (let lane = 0; lane < LANES; lane += 1) {
        if (!hasLane(lanes, lane)) continue;
        const value = BigInt(`0x${laneDigits(row.value, bytes, lane)}`);
        if (first === undefined) {
            first = { lane, value };
            continue;
        }
        const distance = BigInt.asIntN(bytes * 8, value - first.value);
        const apart = BigInt(lane - first.lane);
        if (step === undefined) {
            if (distance % apart !== 0n) return undefined;
            step = distance / apart;
        } else if (distance !== step * apart) return undefined;
    }
    if (first === undefined || step === undefined || step === 0n) return undefined;
    return { start: BigInt.asUintN(bytes * 8, first.value - BigInt(first.lane) * step), step };
}

/**
 * The folded text, such as `0x7f00000000 + 4 × lane`. Undefined if the values do not count up, or the format is not one
 * of whole numbers.
 */
export function foldedText(row: Row, format: FormatName, lanes: LaneMask): string | undefined {
    if (!COUNTING.includes(format)) return undefined;
    const found = affine(row, lanes);
    if (found === undefined) return undefined;
    const bits = laneBytes(row.type, row.value) * 8;
    const { start, step } = found;
    const size = step < 0n ? -step : step;
    const times = size === 1n ? 'lane' : `${size} × lane`;
    if (start === 0n && step > 0n) return times;
    const number = format === 'hex' ? hexText(start) : (format === 'signed' ? BigInt.asIntN(bits, start) : start).toString();
    return `${number} ${step < 0n ? '−' : '+'} ${times}`;
}

export function hexText(value: bigint): string {
    return value < 10n ? value.toString() : `0x${value.toString(16)}`;
}

/**
 * The buffer position that an address points to, computed from the parameters that hold buffer addresses: `x`, `x+16`.
 */
export function nameOfAddress(address: bigint, parameters: readonly ParameterState[], buffers: Evaluation['buffers'] | undefined): string | undefined {
    for (const parameter of parameters) {
        if (parameter.points_to === undefined || parameter.value.length !== 16) continue;
        const [, name = '', offset = '0'] = /^(.*?)(?:\+(\d+))?$/.exec(parameter.points_to) ?? [];
        const start = BigInt(`0x${reverseBytes(parameter.value)}`) - BigInt(offset);
        const length = BigInt((buffers?.[name]?.length ?? 0) / 2);
        if (address < start || address >= start + (length === 0n ? 1n : length)) continue;
        return address === start ? name : `${name}+${address - start}`;
    }
    return undefined;
}

/** The buffer position of a row's first lane, if the addresses of all lanes point to the same buffer. */
export function destination(row: Row, lanes: LaneMask, parameters: readonly ParameterState[], buffers: Evaluation['buffers'] | undefined): string | undefined {
    const bytes = laneBytes(row.type, row.value);
    if (bytes !== 8 || (row.known & lanes) === 0) return undefined;
    for (let lane = 0; lane < LANES; lane += 1) {
        if (hasLane(lanes, lane)) return nameOfAddress(BigInt(`0x${laneDigits(row.value, bytes, lane)}`), parameters, buffers);
    }
    return undefined;
}
