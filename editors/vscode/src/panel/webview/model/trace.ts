// The state of the warp after any step, computed from windows of the trace. A window contains the state before its
// first step (an anchor) and the changes of each step. From there the register file moves forwards and backwards, one
// step at a time.
//
// A position is the step that was just executed: the file contains the values after it. Registers belong to a call. So
// when the function or the call depth changes between steps, a new anchor is needed: a callee begins with unwritten
// registers.

import type { LaneMask, ParameterState, RegisterState, SpecialRegister, Step, WarpState } from '../../../protocol';
import { differingLanes, isUniform, LANES } from './lanes';

/**
 * A register at a position. The file updates rows in place when it moves; within one file, a row keeps its identity.
 */
export interface Row {
    readonly name: string;
    readonly type: string;
    /** For untyped bits: the type that the reads use. */
    readonly readAs?: string | undefined;
    /**
     * For a row that shows one of several numbers in a register: the register's row, and the index and number of parts.
     */
    readonly part?: { of: Row; index: number; count: number } | undefined;
    /** A text after the value: the buffer that a parameter points to. */
    readonly note?: string | undefined;
    value: string;
    known: LaneMask;
    unspecified: LaneMask;
    approximate: LaneMask;
    /** The last step that wrote it, as far as known; -1 otherwise. */
    written: number;
    /** The lanes that the step at this position changed. */
    changed: LaneMask;
    /** The value before the step at this position, if that step wrote the register. */
    before: string | undefined;
}

/** The request that must be answered before a position can be shown. */
export interface Missing {
    /** A window of steps with an anchor before its first one, or only an anchor. */
    kind: 'window' | 'anchor';
    from: number;
}

interface Undo {
    row: Row;
    value: string;
    known: LaneMask;
    unspecified: LaneMask;
    approximate: LaneMask;
    written: number;
}

/** The registers of one call of a function, at a position. */
export class RegisterFile {
    readonly rows: Row[];
    private readonly byName = new Map<string, Row>();
    private readonly undone: Undo[][] = [];
    private marked: Row[] = [];

    constructor(
        readonly anchor: WarpState,
        /** The index of the step that follows the anchor: the file begins before this step. */
        readonly from: number,
        lastWrite: (name: string, before: number) => number,
    ) {
        this.rows = anchor.registers.map((register) => rowOf(register, lastWrite(register.name, from)));
        for (const row of this.rows) this.byName.set(row.name, row);
    }

    /** The position: the last step whose effect is in the file; `from - 1` at the beginning. */
    get position(): number {
        return this.from + this.undone.length - 1;
    }

    row(name: string): Row | undefined {
        return this.byName.get(name);
    }

    forward(step: Step): void {
        this.clearMarks();
        const undo: Undo[] = [];
        for (const change of step.registers) {
            const row = this.byName.get(change.name);
            if (row === undefined) continue;
            const { value, known, unspecified, approximate, written } = row;
            undo.push({ row, value, known, unspecified, approximate, written });
            row.value = change.after;
            row.known = (known | step.executed | differingLanes(row.type, change.before, change.after)) >>> 0;
            row.unspecified = ((unspecified & ~step.executed) | (change.unspecified ?? 0)) >>> 0;
            row.approximate = ((approximate & ~step.executed) | (change.approximate ?? 0)) >>> 0;
            row.written = step.step;
        }
        this.undone.push(undo);
        this.mark(step);
    }

    /** Undoes the last step. `previous` is the step before it, whose changes are marked afterwards. */
    backward(previous: Step | undefined): void {
        this.clearMarks();
        for (const old of this.undone.pop() ?? []) {
            const { row, ...values } = old;
            Object.assign(row, values);
        }
        if (previous !== undefined && this.undone.length > 0) this.mark(previous);
    }

    private mark(step: Step): void {
        for (const change of step.registers) {
            const row = this.byName.get(change.name);
            if (row === undefined) continue;
            row.before = change.before;
            row.changed = step.executed;
            this.marked.push(row);
        }
    }

    private clearMarks(): void {
        for (const row of this.marked) {
            row.changed = 0;
            row.before = undefined;
        }
        this.marked = [];
    }
}

function rowOf(register: RegisterState, written: number): Row {
    return {
        name: register.name,
        type: register.type,
        readAs: register.reads_as,
        value: register.value,
        known: register.known,
        unspecified: register.unspecified ?? 0,
        approximate: register.approximate ?? 0,
        written,
        changed: 0,
        before: undefined,
    };
}

/** A special register as a row; all existing lanes have a value. */
export function rowOfSpecial(special: SpecialRegister, present: LaneMask): Row {
    return { name: special.name, type: special.type, value: special.value, known: present, unspecified: 0, approximate: 0, written: -2, changed: 0, before: undefined };
}

/**
 * A parameter as a row: its bytes are stored once for all lanes. Undefined for an array, which has no single value.
 */
export function rowOfParameter(parameter: ParameterState, present: LaneMask): Row | undefined {
    const bytes = Number(/\d+$/.exec(parameter.type)?.[0] ?? 0) / 8;
    if (parameter.value.length !== bytes * 2) return undefined;
    const note = parameter.points_to === undefined ? undefined : `→ ${parameter.points_to}`;
    return { name: `[${parameter.name}]`, type: parameter.type, value: parameter.value.repeat(LANES), known: present, unspecified: 0, approximate: 0, written: -3, changed: 0, before: undefined, note };
}

/** Whether a row has one value in all relevant lanes, so that one cell can show it. */
export function rowIsUniform(row: Row, lanes: LaneMask): boolean {
    const known = (row.known & lanes) >>> 0;
    if (known === 0) return true;
    if (known !== lanes >>> 0) return false;
    // One cell cannot show a mark that applies only to some lanes.
    const marks = [row.unspecified & lanes, row.approximate & lanes];
    return marks.every((mark) => mark === 0 || mark >>> 0 === lanes >>> 0) && isUniform(row.type, row.value, lanes);
}

function sameCall(one: Step, other: Step): boolean {
    return one.depth === other.depth && one.function === other.function;
}

/** The loaded parts of a warp's trace. */
export class Trace {
    private readonly steps = new Map<number, Step>();
    private readonly anchors = new Map<number, WarpState>();
    private readonly writes = new Map<string, number[]>();
    private file: RegisterFile | undefined;

    /** `length` is the number of steps that the warp executed. */
    constructor(public length: number) {}

    add(steps: readonly Step[], state: WarpState | undefined): void {
        for (const step of steps) {
            if (this.steps.has(step.step)) continue;
            this.steps.set(step.step, step);
            for (const change of step.registers) this.noteWrite(`${step.function} ${change.name}`, step.step);
        }
        if (state !== undefined) this.anchors.set(state.step, state);
    }

    step(position: number): Step | undefined {
        return this.steps.get(position);
    }

    anchorBefore(position: number): WarpState | undefined {
        return this.anchors.get(position);
    }

    /** The request needed to show a position; undefined if everything is loaded. */
    missing(position: number): Missing | undefined {
        const found = this.origin(position);
        return typeof found === 'number' ? undefined : found;
    }

    /** The registers after a step, if all parts are loaded. Repeated calls move the same file. */
    at(position: number): RegisterFile | undefined {
        const origin = this.origin(position);
        if (typeof origin !== 'number') return undefined;
        const anchor = this.anchors.get(origin);
        const own = this.steps.get(position);
        if (anchor === undefined || own === undefined) return undefined;
        if (this.file?.anchor !== anchor || Math.abs(this.file.position - position) > position - origin + 1) {
            this.file = new RegisterFile(anchor, origin, (name, before) => this.lastWrite(`${own.function} ${name}`, before));
        }
        const file = this.file;
        while (file.position < position) {
            const next = this.steps.get(file.position + 1);
            if (next === undefined) return undefined;
            file.forward(next);
        }
        while (file.position > position) file.backward(this.steps.get(file.position - 1));
        return file;
    }

    /** The nearest anchor from which steps of the same call lead to the position; otherwise the required request. */
    private origin(position: number): number | Missing {
        const own = this.steps.get(position);
        if (own === undefined) return { kind: 'window', from: position };
        let at = position;
        for (;;) {
            if (this.anchors.has(at)) return at;
            const previous = this.steps.get(at - 1);
            if (previous === undefined || !sameCall(previous, own)) return { kind: 'anchor', from: at };
            at -= 1;
        }
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
