// Registers with several numbers (`.f16x2`), split into one row per number: a cell that fits one number is too narrow
// for two.

import { formatNamed, type FormatName, valueText } from './formats';
import { laneBytes, laneDigits, LANES } from './lanes';
import type { Row } from './trace';

interface Packed {
    /** Number of bytes per number. */
    bytes: number;
    type: string;
    format: FormatName;
}

const PACKED: Partial<Record<FormatName, Packed>> = {
    half2: { bytes: 2, type: '.f16', format: 'half' },
    bf16x2: { bytes: 2, type: '.bf16', format: 'bf16' },
    float2: { bytes: 4, type: '.f32', format: 'float' },
    fp8: { bytes: 1, type: '.b8', format: 'fp8' },
};

/** The row of the whole register. */
export function wholeRow(row: Row): Row {
    return row.part?.of ?? row;
}

/** The format of one number in a register with this format. */
export function formatOfPart(format: FormatName): FormatName {
    return PACKED[format]?.format ?? format;
}

/** Whether the text of several numbers is too long for its cell in any lane. */
export function isTooLong(row: Row, format: FormatName, lanes: readonly number[], room: number): boolean {
    const packed = PACKED[format];
    const bytes = laneBytes(row.type, row.value);
    if (packed === undefined || bytes <= packed.bytes) return false;
    return lanes.some((lane) => valueText(format, laneDigits(row.value, bytes, lane)).length > room);
}

/** One row for each number in a register, the lowest first. */
export function partsOf(row: Row, format: FormatName): Row[] {
    const packed = PACKED[format];
    if (packed === undefined) return [row];
    const digits = laneBytes(row.type, row.value) * 2;
    const own = packed.bytes * 2;
    const slice = (hex: string, index: number): string => {
        let out = '';
        for (let lane = 0; lane < LANES; lane += 1) out += hex.slice(lane * digits + index * own, lane * digits + (index + 1) * own);
        return out;
    };
    const count = digits / own;
    return Array.from({ length: count }, (_, index) => ({
        ...row,
        type: packed.type,
        readAs: undefined,
        value: slice(row.value, index),
        before: row.before === undefined ? undefined : slice(row.before, index),
        part: { of: row, index, count },
    }));
}

/** The label of a part beside its register: `f16 lo`, `e4m3 2`. */
export function partLabel(row: Row, format: FormatName): string {
    const { short } = formatNamed(format);
    const { part } = row;
    if (part === undefined) return short;
    return `${short} ${part.count === 2 ? (part.index === 0 ? 'lo' : 'hi') : part.index}`;
}
