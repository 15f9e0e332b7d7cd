// The answer of a step in the warp panel: what is wrong, how the run ended, what the step did.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answerOf, type StepView } from '../src/panel/webview/model/answer';
import type { Access, Evaluation, Expectation, Fault, Row, Step } from '../src/protocol';

const ALL = 0xffffffff;

const run = (own: Partial<Evaluation> = {}): Evaluation => ({
    status: 'finished', entry: 'k', steps: 3, faults: [], expectations: [], warp_instructions: 3, seconds: 0, version: 1, launch: '', launches: 1, passed: true, ended: 'finished after 3 steps', outcome: 'finished',
    target: { cta: [0, 0, 0], warp: 0, present: ALL }, grid: { grid: [1, 1, 1], block: [32, 1, 1], cluster: [1, 1, 1], ctas: 1, warps: 1, threads: 32 }, trace: [], ...own,
});
const step = (own: Partial<Step> = {}): Step => ({ step: 0, time: 0, function: 'k', line: 1, column: 1, end_line: 1, active: ALL, executed: ALL, depth: 0, registers: [], ...own });
const view = (own: Partial<StepView> = {}): StepView => ({ step: step(), rows: [], faults: [], isLast: false, present: ALL, ...own });
const fault = (own: Partial<Fault> = {}): Fault => ({ kind: 'race', message: 'races with the store to `tile` in line 7', line: 1, column: 1, end_line: 1, end_column: 2, lanes: 2, cta: [0, 0, 0], warp: 0, step: 0, count: 1, fatal: false, ...own });
const access = (own: Partial<Access> = {}): Access => ({ kind: 'load', space: 'shared', bytes: 4, lanes: ALL, title: 'Load of 4 bytes from shared memory in all lanes', addresses: [], cost: '2 passes, 2 words in one bank', ...own });
const written = (name: string, folded?: string, changed = ALL): StepView['rows'] => {
    const data: Row = { name, type: '.b32', kind: 'register', size: 4, reading: 'unsigned', label: 'uint', parts: [], known: ALL, changed, ...(folded === undefined ? {} : { folded }) };
    return [{ data, written: 0, changed }];
};
const holds = (name: string): Expectation => ({ name, ok: true });
const fails = (name: string, message?: string): Expectation => ({ name, ok: false, ...(message === undefined ? {} : { message }) });

test('a fault comes first, with its lanes', () => {
    assert.deepEqual(answerOf(run(), view({ faults: [fault()], step: step({ accesses: [access()] }), isLast: true })), { kind: 'fault', text: 'Races with the store to `tile` in line 7.', detail: 'lane 1' });
    assert.match(answerOf(run(), view({ faults: [fault(), fault(), fault()] })).detail, /, and 2 more faults$/);
});

test('the last step says how the run ended, and counts expectations', () => {
    const last = view({ isLast: true });
    assert.deepEqual(answerOf(run({ expectations: [holds('a'), holds('b'), holds('c')] }), last), { kind: 'holds', text: '3 of 3 expectations hold.', detail: '' });
    assert.equal(answerOf(run({ expectations: [holds('a')] }), last).text, '1 of 1 expectation holds.');
    assert.deepEqual(answerOf(run({ expectations: [holds('a'), fails('out[6]=1.0', 'is 49.0, not 1.0')] }), last), { kind: 'fails', text: '`out[6]=1.0`: is 49.0, not 1.0.', detail: '' });
    assert.equal(answerOf(run({ expectations: [fails('a'), fails('b'), holds('c')] }), last).detail, '2 of 3 expectations fail');
    assert.equal(answerOf(run({ status: 'limit', ended: 'stopped at the time limit' }), last).text, 'Stopped at the time limit.');
    // A run with a fault elsewhere is not right.
    assert.equal(answerOf(run({ expectations: [holds('a')], faults: [fault({ warp: 1 })] }), last).kind, 'does');
    assert.equal(answerOf(run({ expectations: [holds('a')], faults: [fault({ expected: true, warp: 1 })] }), last).kind, 'holds');
    assert.equal(answerOf(run(), last).kind, 'does');
    assert.equal(answerOf(run({ expectations: [holds('a')] }), view()).kind, 'does', 'not before the end');
});

test('otherwise it says what the step did', () => {
    const of = (own: Partial<StepView>): string => {
        const { kind, text, detail } = answerOf(run(), view(own));
        assert.equal(kind, 'does');
        return detail === '' ? text : `${text} (${detail})`;
    };
    assert.equal(of({ step: step({ accesses: [access()] }) }), 'Load of 4 bytes from shared memory in all lanes. (2 passes, 2 words in one bank)');
    assert.equal(of({ step: step({ accesses: [access(), access(), access()] }) }), 'Load of 4 bytes from shared memory in all lanes. (2 passes, 2 words in one bank, and 2 more accesses)');
    assert.equal(of({ rows: written('%i', '4 × lane') }), '`%i` = 4 × lane (in all lanes)');
    assert.equal(of({ rows: written('%v') }), 'Writes `%v`.');
    assert.equal(of({ rows: written('%v', '1', 3) }), 'Writes `%v`. (in lanes 0, 1)');
    assert.equal(of({ rows: ['%a', '%b', '%c', '%d'].flatMap((name) => [...(written(name) ?? [])]) }), 'Writes `%a`, `%b`, `%c` and `%d`.');
    assert.equal(of({ rows: ['%a', '%b', '%c', '%d', '%e'].flatMap((name) => [...(written(name) ?? [])]) }), 'Writes `%a`, `%b`, `%c` and 2 more registers.');
    assert.equal(of({}), 'Writes no register and no memory.');
    assert.equal(of({ step: step({ executed: 0, accesses: [access()] }) }), 'No lane executes this: the guard is false.');
    assert.equal(of({ rows: undefined, step: step({ registers: [{ name: '%a', type: '.b32', before: '', after: '' }] }) }), 'Writes `%a`.');
});
