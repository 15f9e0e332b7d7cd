// The ties between PTX lines and lines of machine code: plain data and functions, without the editor.

import type { Sass } from './protocol';

/** What a PTX line is tied to. */
export interface LineTie {
    /** The lines of the view, from 1. */
    rows: number[];
    /** What became of the PTX line. */
    words: string;
    /** The number of its colour; undefined if it has no instruction. */
    colour: number | undefined;
}

export interface Ties {
    /** By PTX line, from 1. */
    lines: Map<number, LineTie>;
    /** For each line of the view, from 0, its PTX line, or 0. */
    source: number[];
    /** The lines of the view that are tied to the cursor, from 1, and the note beside it. */
    shown: number[];
    note: string | undefined;
}

export function tiesOf(answer: Sass | undefined): Ties {
    const lines = new Map<number, LineTie>();
    let colour = 0;
    for (const { line, end_line, instructions, words } of answer?.ptx ?? []) {
        const rows = instructions.map((index) => answer?.rows[index]).filter((row) => row !== undefined);
        const tie = { rows, words, colour: rows.length > 0 ? colour++ : undefined };
        for (let own = line; own <= end_line; own += 1) lines.set(own, tie);
    }
    return { lines, source: answer?.lines ?? [], shown: [], note: undefined };
}

/**
 * Moves the ties behind an edit of the PTX that replaces the lines from `first` to `last` (from 0) by as many lines and
 * `breaks` line breaks. Edited lines have no ties until the next answer, except a first line that only got an end.
 */
export function movedLine(ties: Ties, first: number, last: number, breaks: number): void {
    const delta = breaks - (last - first);
    if (delta === 0 && first === last) return;
    const place = (line: number): number => {
        if (line <= first + 1) return line;
        return line > last + 1 ? line + delta : 0;
    };
    const lines = new Map<number, LineTie>();
    for (const [line, tie] of ties.lines) {
        const now = place(line);
        if (now > 0) lines.set(now, tie);
    }
    ties.lines = lines;
    ties.source = ties.source.map(place);
}

/**
 * The line of the other text, from 1, that belongs to the middle of the visible rows (from 0) of one text: what the nearest of
 * them that is tied is tied to.
 */
export function counterpart(ties: Ties, isSource: boolean, rows: number[]): number | undefined {
    const tied = (row: number): number | undefined => {
        const line = isSource ? ties.lines.get(row + 1)?.rows[0] : ties.source[row];
        return line === 0 ? undefined : line;
    };
    const middle = rows[Math.floor(rows.length / 2)] ?? 0;
    const nearest = rows.filter((row) => tied(row) !== undefined).sort((a, b) => Math.abs(a - middle) - Math.abs(b - middle))[0];
    return nearest === undefined ? undefined : tied(nearest);
}

/** The ranges that fold, from 0: functions, and the blocks that begin with a label. */
export function foldsOf(lines: string[]): [first: number, last: number][] {
    const out: [number, number][] = [];
    let fn: number | undefined;
    let block: number | undefined;
    const end = (first: number | undefined, last: number): void => {
        if (first !== undefined && last > first) out.push([first, last]);
    };
    lines.forEach((line, row) => {
        if (!/^[^\s/].*:$/.test(line)) return;
        // A blank line precedes a function that has a section of its own.
        const last = lines[row - 1] === '' ? row - 2 : row - 1;
        end(block, last);
        block = undefined;
        if (line.startsWith('.L')) {
            block = row;
        } else {
            end(fn, last);
            fn = row;
        }
    });
    const last = lines.at(-1) === '' ? lines.length - 2 : lines.length - 1;
    end(block, last);
    end(fn, last);
    return out.sort(([a], [b]) => a - b);
}
