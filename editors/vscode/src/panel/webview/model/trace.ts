// The loaded parts of a warp's trace, and the rows of its registers after each step. A window of steps begins with all
// rows. Later steps have the rows that they change, so the rows of a step are those of the step before with these.
//
// A position is the step that was just executed: its rows show the values after it.

import type { LaneMask, Row as RowData, Step } from '../../../protocol';

/** A row at a position. Rows that a step does not change are the same object in the steps that follow. */
export interface Row {
    readonly data: RowData;
    /** The last step that wrote it, as far as known; -1 otherwise. */
    readonly written: number;
    /** The lanes that the step at this position wrote. */
    readonly changed: LaneMask;
}

/** How often the rows of a position are kept: those before it lead to it. */
const MOST_KEPT = 4096;

export class Trace {
    private readonly steps = new Map<number, Step>();
    private readonly rows = new Map<number, readonly Row[]>();
    private readonly writes = new Map<string, number[]>();

    /** `length` is the number of steps that the warp executed. */
    constructor(public length: number) {}

    add(steps: readonly Step[]): void {
        for (const step of steps) {
            if (this.steps.has(step.step)) continue;
            this.steps.set(step.step, step);
            for (const row of step.rows?.rows ?? []) if ((row.changed ?? 0) !== 0) this.noteWrite(`${step.function} ${row.name}`, step.step);
        }
    }

    step(position: number): Step | undefined {
        return this.steps.get(position);
    }

    /** The rows after a step, if it is loaded. */
    at(position: number): readonly Row[] | undefined {
        const kept = this.rows.get(position);
        if (kept !== undefined) return kept;
        // The nearest step at which all rows are known.
        let from = position;
        for (;;) {
            const step = this.steps.get(from);
            if (step?.rows === undefined) return undefined;
            if (step.rows.all || this.rows.has(from)) break;
            from -= 1;
        }
        if (this.rows.size > MOST_KEPT) this.rows.clear();
        for (let at = from; at <= position; at += 1) if (!this.rows.has(at)) this.rows.set(at, this.follow(at));
        return this.rows.get(position);
    }

    /** The rows after a step whose predecessor is known, unless the step has all. */
    private follow(position: number): readonly Row[] {
        const step = this.steps.get(position);
        const own = step?.rows?.rows ?? [];
        const row = (data: RowData): Row => {
            const changed = data.changed ?? 0;
            const written = changed !== 0 ? position : this.lastWrite(`${step?.function ?? ''} ${data.name}`, position);
            return { data, written: data.kind === 'register' ? written : -2, changed };
        };
        if (step?.rows?.all === true) return own.map(row);
        const news = new Map(own.map((data) => [data.name, data]));
        return (this.rows.get(position - 1) ?? []).map((old) => {
            const data = news.get(old.data.name);
            if (data !== undefined) return row(data);
            return old.changed === 0 ? old : { ...old, changed: 0 };
        });
    }

    private noteWrite(key: string, step: number): void {
        const list = this.writes.get(key);
        if (list === undefined) {
            this.writes.set(key, [step]);
            return;
        }
        // Windows may arrive in any order, but the steps of a window ascend: the insertion point is nearly always the
        // end.
        let at = list.length;
        while (at > 0 && (list[at - 1] ?? 0) > step) at -= 1;
        list.splice(at, 0, step);
    }

    private lastWrite(key: string, before: number): number {
        const list = this.writes.get(key) ?? [];
        let low = 0;
        let high = list.length;
        while (low < high) {
            const middle = (low + high) >> 1;
            if ((list[middle] ?? 0) < before) low = middle + 1;
            else high = middle;
        }
        return low === 0 ? -1 : (list[low - 1] ?? -1);
    }
}
