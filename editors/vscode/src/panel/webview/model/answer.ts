// The answer of a step, in a line: what is wrong at it, how the run ended, or what it did. Neovim's grid has the same rows in its
// header.

import type { Evaluation, Fault, LaneMask, Step } from '../../../protocol';
import { lanesInWords } from './lanes';
import type { Row } from './trace';

export interface Answer {
    /** `fault` and `fails` are wrong, `holds` is right, `does` is neither. */
    kind: 'fault' | 'fails' | 'holds' | 'does';
    /** A sentence; code stands between backticks. */
    text: string;
    /** What else there is to say of it: lanes, costs, further faults. */
    detail: string;
}

/** What there is to know about a step. */
export interface StepView {
    step: Step;
    /** The rows after the step; undefined while they are loading. */
    rows: readonly Row[] | undefined;
    /** The faults at the step. */
    faults: readonly Fault[];
    /** Whether it is the last step of the warp. */
    isLast: boolean;
    /** The lanes that exist. */
    present: LaneMask;
}

export function answerOf(evaluation: Evaluation, view: StepView): Answer {
    const [fault, ...more] = view.faults;
    if (fault !== undefined) {
        return { kind: 'fault', text: upper(`${fault.message}.`), detail: `${lanesInWords(fault.lanes)}${more.length === 0 ? '' : `, and ${more.length} more ${more.length === 1 ? 'fault' : 'faults'}`}` };
    }
    return (view.isLast ? endOf(evaluation) : undefined) ?? deedOf(view);
}

/** How the run ended; undefined if there is nothing to say but that it did. */
function endOf({ status, ended, expectations, faults }: Evaluation): Answer | undefined {
    const failed = expectations.filter(({ ok }) => !ok);
    const [first] = failed;
    if (first !== undefined) {
        const others = failed.length === 1 ? '' : `${failed.length} of ${expectations.length} expectations fail`;
        return { kind: 'fails', text: `\`${first.name}\`${first.message === undefined ? ' does not hold' : `: ${first.message}`}.`, detail: others };
    }
    if (status !== 'finished') return { kind: 'fails', text: upper(`${ended}.`), detail: '' };
    if (faults.some(({ expected }) => expected !== true)) return undefined;
    return expectations.length === 0 ? undefined : { kind: 'holds', text: upper(`${expectationsInWords(evaluationCounts(expectations))}.`), detail: '' };
}

export interface Counts {
    held: number;
    all: number;
}

export function evaluationCounts(expectations: Evaluation['expectations']): Counts {
    return { held: expectations.filter(({ ok }) => ok).length, all: expectations.length };
}

/** `3 of 3 expectations hold`, `1 of 1 expectation holds`. */
export function expectationsInWords({ held, all }: Counts): string {
    return `${held} of ${all} ${all === 1 ? 'expectation' : 'expectations'} ${held === 1 ? 'holds' : 'hold'}`;
}

/** What the step did: its accesses to memory, else the registers that it wrote. */
function deedOf({ step, rows, present }: StepView): Answer {
    const does = (text: string, detail = ''): Answer => ({ kind: 'does', text, detail });
    if (step.executed === 0) return does('No lane executes this: the guard is false.');
    const accesses = step.accesses ?? [];
    const [access] = accesses;
    if (access !== undefined) {
        const others = accesses.length - 1;
        const more = step.more_accesses === true ? 'and more than are listed' : others === 0 ? '' : `and ${others} more ${others === 1 ? 'access' : 'accesses'}`;
        return does(`${access.title}.`, [access.cost ?? '', more].filter((part) => part !== '').join(', '));
    }
    const written = (rows ?? []).filter((row) => row.changed !== 0);
    const [only] = written;
    if (only === undefined) return does(step.registers.length === 0 ? 'Writes no register and no memory.' : `Writes ${namesOf(step.registers.map(({ name }) => name))}.`);
    const lanes = written.reduce((mask, row) => (mask | row.changed) >>> 0, 0);
    const where = lanes === present ? '' : `in ${lanesInWords(lanes)}`;
    const value = written.length === 1 && lanes === present ? only.data.folded : undefined;
    if (value === undefined) return does(`Writes ${namesOf(written.map(({ data }) => data.name))}.`, where);
    return does(`\`${only.data.name}\` = ${value}${only.data.leads_to === undefined ? '' : ` → ${only.data.leads_to}`}`, 'in all lanes');
}

/** Names as a list: three of them at most. */
function namesOf(names: readonly string[]): string {
    const code = names.map((name) => `\`${name}\``);
    if (code.length > 4) return `${code.slice(0, 3).join(', ')} and ${code.length - 3} more registers`;
    return code.length < 2 ? code.join('') : `${code.slice(0, -1).join(', ')} and ${code.at(-1) ?? ''}`;
}

function upper(text: string): string {
    return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
