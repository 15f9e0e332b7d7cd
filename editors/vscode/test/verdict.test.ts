import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Evaluation, Fault } from '../src/protocol';
import { failures, reasons } from '../src/testing/verdict';

const RACE: Fault = { kind: 'race', line: 36, column: 2, end_line: 36, end_column: 9, fatal: false, step: 0, message: 'lane 1 writes', lanes: 2, cta: [0, 1, 0], warp: 3, count: 63 };

function answer(changes: Partial<Evaluation>): Evaluation {
    const shape = { grid: [1, 1, 1], block: [32, 1, 1], cluster: [1, 1, 1], ctas: 1, warps: 1, threads: 32 } satisfies Evaluation['grid'];
    return {
        status: 'finished',
        entry: 'k',
        ended: 'finished after 1,000 warp instructions, 1.0 ms',
        outcome: 'finished',
        launch: '',
        launches: 1,
        trace: [],
        warp_instructions: 1000,
        faults: [],
        expectations: [],
        passed: false,
        seconds: 0,
        version: 1,
        grid: shape,
        target: { cta: [0, 0, 0], warp: 0, present: 1 },
        steps: 0,
        ...changes,
    };
}

test('a run that passes has no failures, whatever was expected', () => {
    assert.deepEqual(failures(answer({ passed: true, status: 'fault', faults: [{ ...RACE, expected: true }] }), 6), []);
});

test('a failed expectation is at its line, or at the one of the launch', () => {
    const range = { line: 10, column: 1, end_line: 10, end_column: 9 };
    const expectations = [
        { name: 'out[0]=0', ok: true, range },
        { name: 'out[1]=5', ok: false, message: 'is 1, not 5', range },
        { name: 'status=fault', ok: false },
    ];
    assert.deepEqual(failures(answer({ expectations }), 6), [
        { text: 'out[1]=5: is 1, not 5', line: 9 },
        { text: 'status=fault does not hold', line: 6 },
    ]);
});

test('faults come first; an expectation is not explained after a fault that ended the run', () => {
    const expectations = [{ name: 'out=zero', ok: false, message: 'is 1, not 0' }];
    const race = { text: 'lane 1 writes (CTA 0,1,0, warp 3, 63 times in all)', line: 35 };
    assert.deepEqual(failures(answer({ faults: [RACE], expectations }), 6), [race, { text: 'out=zero: is 1, not 0', line: 6 }]);
    assert.deepEqual(failures(answer({ status: 'fault', faults: [RACE], expectations }), 6), [race]);
    const many = failures(answer({ faults: Array.from({ length: 25 }, () => RACE) }), 6);
    assert.deepEqual([many.length, many.at(-1)], [21, { text: '5 more faults', line: 6 }]);
});

test('a run that was stopped fails where it stood', () => {
    const limit = failures(answer({ status: 'limit', limited_by: 'steps', stopped_at: { line: 14, column: 1 }, ended: 'stopped at the limit, at line 14, after 1,000 warp instructions, 1.0 ms' }), 6);
    assert.deepEqual(limit, [{ text: 'Stopped at the limit, at line 14, after 1,000 warp instructions, 1.0 ms.', line: 13 }]);
    assert.deepEqual(failures(answer({ status: 'deadlock', ended: 'deadlock, at line 3, after 5 warp instructions, 1.0 ms' }), 6), [{ text: 'Deadlock, at line 3, after 5 warp instructions, 1.0 ms.', line: 6 }]);
});

test('a refusal is at its first place, and each further place has its own message', () => {
    const place = (line: number, message: string) => ({ line, column: 1, end_line: line, end_column: 2, message });
    const refusal = { kind: 'errors' as const, places: [place(3, 'first'), place(5, 'second')] };
    assert.deepEqual(reasons('errors: first', refusal, 6), [
        { text: 'errors: first', line: 2 },
        { text: 'second', line: 4 },
    ]);
    assert.deepEqual(reasons('refused', undefined, 6), [{ text: 'refused', line: 6 }]);
});
