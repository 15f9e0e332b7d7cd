// The line of each lane at every step: chunks of masks from the server, and the searches that navigation needs.

import type { LaneMask, Timeline } from '../../../protocol';
import { hasLane, LANES } from './lanes';

export const CHUNK = 20_000;

interface Chunk {
    count: number;
    lines: Uint32Array;
    ends: Uint32Array;
    active: Uint32Array;
    executed: Uint32Array;
}

export interface TimelineStepView {
    line: number;
    /** The last line of the statement. */
    end_line: number;
    active: LaneMask;
    executed: LaneMask;
}

/** Whether a step executes the statement of a line. */
export function executes(view: TimelineStepView | undefined, line: number): boolean {
    return view !== undefined && view.line <= line && line <= view.end_line;
}

/** The result of a search: a step, none, or the chunk that must be loaded first. */
export type Found = { kind: 'step'; step: number } | { kind: 'none' } | { kind: 'missing'; chunk: number };

export class TimelineStore {
    private readonly chunks = new Map<number, Chunk>();
    private known: number[] = [];

    constructor(readonly length: number) {}

    add(timeline: Timeline): void {
        const index = Math.floor(timeline.from / CHUNK);
        const count = timeline.steps.length;
        const chunk: Chunk = {
            count,
            lines: new Uint32Array(count),
            ends: new Uint32Array(count),
            active: new Uint32Array(count),
            executed: new Uint32Array(count),
        };
        timeline.steps.forEach(([line, active, executed, , end], at) => {
            chunk.lines[at] = line;
            chunk.ends[at] = end;
            chunk.active[at] = active;
            chunk.executed[at] = executed;
        });
        this.chunks.set(index, chunk);
        const lines = new Set(this.known);
        for (const line of chunk.lines) lines.add(line);
        this.known = [...lines].sort((one, other) => one - other);
    }

    /** The executed lines known at present, in the order of the source. */
    get lines(): readonly number[] {
        return this.known;
    }

    get chunkCount(): number {
        return Math.ceil(this.length / CHUNK);
    }

    hasChunk(index: number): boolean {
        return this.chunks.has(index);
    }

    at(step: number): TimelineStepView | undefined {
        const chunk = this.chunks.get(Math.floor(step / CHUNK));
        const at = step % CHUNK;
        if (chunk === undefined || at >= chunk.count) return undefined;
        return { line: chunk.lines[at] ?? 0, end_line: chunk.ends[at] ?? 0, active: chunk.active[at] ?? 0, executed: chunk.executed[at] ?? 0 };
    }

    /** The next or the previous step that satisfies a condition. */
    find(from: number, direction: 1 | -1, wanted: (step: TimelineStepView, at: number) => boolean): Found {
        for (let step = from + direction; step >= 0 && step < this.length; step += direction) {
            const view = this.at(step);
            if (view === undefined) return { kind: 'missing', chunk: Math.floor(step / CHUNK) };
            if (wanted(view, step)) return { kind: 'step', step };
        }
        return { kind: 'none' };
    }

    /** The step nearest to another one that executes the statement of a line, among loaded steps; at equal distance the earlier one. */
    nearest(line: number, around: number): number | undefined {
        for (let distance = 0; distance < this.length; distance += 1) {
            const [before, after] = [around - distance, around + distance];
            if (before < 0 && after >= this.length) return undefined;
            if (executes(this.at(after), line)) return after;
            if (executes(this.at(before), line)) return before;
        }
        return undefined;
    }

    /** The number of executions of a line up to a step, and in all; undefined while chunks are missing. */
    executions(line: number, upTo: number): { number: number; of: number } | undefined {
        let number = 0;
        let of = 0;
        for (let index = 0; index < this.chunkCount; index += 1) {
            const chunk = this.chunks.get(index);
            if (chunk === undefined) return undefined;
            for (let at = 0; at < chunk.count; at += 1) {
                if (chunk.lines[at] !== line) continue;
                of += 1;
                if (index * CHUNK + at <= upTo) number += 1;
            }
        }
        return { number, of };
    }

    /** For each lane the last step in which it took part, -1 if none; undefined while chunks are missing. */
    lastSteps(): Int32Array | undefined {
        const last = new Int32Array(LANES).fill(-1);
        let open = LANES;
        for (let index = this.chunkCount - 1; index >= 0 && open > 0; index -= 1) {
            const chunk = this.chunks.get(index);
            if (chunk === undefined) return undefined;
            for (let at = chunk.count - 1; at >= 0 && open > 0; at -= 1) {
                const active = chunk.active[at] ?? 0;
                for (let lane = 0; lane < LANES; lane += 1) {
                    if (last[lane] === -1 && hasLane(active, lane)) {
                        last[lane] = index * CHUNK + at;
                        open -= 1;
                    }
                }
            }
        }
        return last;
    }
}
