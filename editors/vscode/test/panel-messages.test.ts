// The validation of messages between the page and the host: invalid ones are rejected.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import EVALUATION from '../src/generated/evaluation.json';
import { asEvaluation, asLaunches, firstQuestion, fromHost, fromPage, preferencesFrom } from '../src/panel/messages';
import { KEYWORDS } from '../src/schema';

test('messages of the page', () => {
    const ask = (question: unknown): unknown => fromPage({ type: 'ask', id: 1, question });
    assert.ok(ask({ kind: 'evaluate', arguments: firstQuestion(true) }));
    assert.ok(ask({ kind: 'evaluate', arguments: { count: 0, state: 3, memory: [{ buffer: 'x' }, { space: 'shared', offset: 0, length: 16 }, { address: '7f00', length: 4 }] } }));
    for (const wrong of [{ uri: 'file:///etc/passwd' }, { count: -1 }, { count: 1e9 }, { cta: [0, 0] }, { memory: [{}] }, { focus: {} }, { from: 0.5 }]) assert.equal(ask({ kind: 'evaluate', arguments: wrong }), undefined, JSON.stringify(wrong));
    assert.equal(ask({ kind: 'other' }), undefined);
    for (const wrong of [undefined, null, 1, 'ready', [], {}, { type: 'eval' }, { type: 'reveal', line: -1, column: 1 }, { type: 'write', lines: [1], replaces: null, above: 1 }, { type: 'at', step: 1, line: 1, column: 1, lane: 32, reveal: true }]) {
        assert.equal(fromPage(wrong), undefined, JSON.stringify(wrong));
    }
    assert.ok(fromPage({ type: 'ready', width: 526 }) && fromPage({ type: 'ready' }) === undefined);
    assert.ok(fromPage({ type: 'write', lines: ['//! launch: grid=1'], replaces: null, above: 3 }));
});

test('messages of the host', () => {
    assert.ok(fromHost({ type: 'failure', id: 1, message: 'no', refusal: { kind: 'errors', places: [{ line: 1, column: 1, end_line: 1, end_column: 2, message: 'here' }] } }));
    for (const wrong of [null, {}, { type: 'failure', id: 1, message: 'no', refusal: { kind: 1 } }, { type: 'act', action: 'explode' }, { type: 'show', target: {}, file: '' }, { type: 'show', target: { uri: 'file:///k.ptx' }, file: '', preferences: {}, cursor: -1 }]) assert.equal(fromHost(wrong), undefined, JSON.stringify(wrong));
});

test('answers of the server', () => {
    const answer = {
        status: 'finished', entry: 'k', steps: 1, faults: [], buffers: { x: '00' }, expectations: [], warp_instructions: 1, seconds: 0, version: 1, markdown: '', launch: '', launches: 0, passed: true, ended: 'finished', outcome: 'finished',
        target: { cta: [0, 0, 0], warp: 0, present: 1 }, grid: { grid: [1, 1, 1], block: [1, 1, 1], cluster: [1, 1, 1], ctas: 1, warps: 1, threads: 1 },
        trace: [{ step: 0, time: 0, function: 'k', line: 1, column: 1, end_line: 1, active: 1, executed: 1, depth: 0, registers: [] }],
    };
    assert.ok(asEvaluation(answer));
    // Memory that does not exist at a step is an answer too.
    assert.ok(asEvaluation({ ...answer, memory: [{ error: '0x0 lies past the end of shared memory' }] }));
    for (const wrong of [{ status: 'odd' }, { buffers: { x: 1 } }, { target: {} }, { trace: [{}] }, { state: {} }, { timeline: { from: 0, steps: [['a']] } }, { faults: [{ kind: 'x' }] }]) {
        assert.throws(() => asEvaluation({ ...answer, ...wrong }), /does not fit/, JSON.stringify(wrong));
    }
    assert.deepEqual(asLaunches({ entries: [{ name: 1 }] }), { entries: [] });
});

test('the schema has no keyword that the check does not know, and its types are those of the server', () => {
    const names = (schema: unknown): string[] => {
        if (Array.isArray(schema)) return schema.flatMap(names);
        if (typeof schema !== 'object' || schema === null) return [];
        return Object.entries(schema).flatMap(([key, value]) => {
            if (['properties', '$defs'].includes(key)) return [key, ...Object.values(value as object).flatMap(names)];
            return ['enum', 'required'].includes(key) ? [key] : [key, ...names(value)];
        });
    };
    assert.deepEqual([...new Set(names(EVALUATION))].filter((name) => !KEYWORDS.includes(name)), []);
    execFileSync(process.execPath, ['scripts/protocol.mjs', '--check'], { stdio: 'pipe' });
});

test('preferences: what does not fit is as usual', () => {
    const read = preferencesFrom({ order: 'name', width: 7, formats: { a: 'hex', b: 3 }, collapse: false });
    assert.deepEqual(read, { order: 'name', width: 'fit', follow: true, share: 45, formats: { a: 'hex' }, collapse: false, pane: '' });
});
