// What the grid draws of a row: one cell, a cell for each lane, or a line for each number in the register.

import type { Row as RowData, RowPart } from '../../../protocol';
import { hasLane } from './lanes';
import type { Row } from './trace';

/** A line of the grid: a row, or one of the numbers in its register. */
export interface Line {
    readonly row: Row;
    /** The number that it shows; undefined if it shows all. */
    readonly part: number | undefined;
}

export function isPredicate(data: RowData): boolean {
    return data.size === 0;
}

/** The full text of a lane; undefined if nothing was written there. */
export function fullText(data: RowData, part: number | undefined, lane: number): string | undefined {
    const parts = part === undefined ? data.parts : data.parts.slice(part, part + 1);
    const texts = parts.map((one) => one.texts[lane] ?? undefined);
    return texts.every((text) => text !== undefined) ? texts.join('|') : undefined;
}

/** The text of a lane with its signs that fits into a cell, whose column has the width that is `needed`. */
export function cellText(data: RowData, part: number | undefined, lane: number, room: number): string | undefined {
    const text = fullText(data, part, lane);
    if (text === undefined) return undefined;
    const marks = signs(data, lane);
    if (marks.length + text.length <= room) return marks + text;
    const short = (part === undefined ? data.parts : data.parts.slice(part, part + 1)).map((one) => shortOf(one, lane));
    return marks + short.join('|');
}

function shortOf(part: RowPart, lane: number): string {
    return part.short?.[lane] ?? part.texts[lane] ?? '';
}

/** The signs for what a lane's value is besides a number. */
export function signs(data: RowData, lane: number): string {
    return `${hasLane(data.unspecified ?? 0, lane) ? '?' : ''}${hasLane(data.approximate ?? 0, lane) ? '≈' : ''}`;
}

/**
 * Number of characters that a number needs. A fraction may be rounded to `fraction` characters, if the whole part of its number
 * is complete then; whole numbers, digits of bits and anything else are never shortened.
 */
export function needed(text: string, fraction: number): number {
    if (text.length <= fraction) return text.length;
    const whole = /^-?\d+(?=\.\d+$)/.exec(text)?.[0].length;
    const fits = whole === undefined ? /^-?\d\.\d+e[+-]?\d+$/.test(text) : whole <= fraction;
    return fits ? fraction : text.length;
}

/** Number of characters that the longest number in a row needs, with its signs. */
export function longest(data: RowData, fraction: number): number {
    let most = 0;
    for (const { texts } of data.parts) texts.forEach((text, lane) => { most = Math.max(most, (text === null ? 0 : needed(text, fraction)) + signs(data, lane).length); });
    return most;
}

/** Whether the numbers of a register are too long to stand together in a cell. */
export function isTooLong(data: RowData, lanes: readonly number[], room: number): boolean {
    return data.parts.length > 1 && lanes.some((lane) => (fullText(data, undefined, lane)?.length ?? 0) > room);
}

/** The lines of a row whose numbers stand below each other. */
export function linesOf(row: Row): Line[] {
    return row.data.parts.map((_, part) => ({ row, part }));
}
