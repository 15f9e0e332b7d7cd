// The warp panel's model: values from hexadecimal digits, formats, the trace forwards and backwards, the timeline.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BF16, F16, F32, F64, floatText, SMALL_FLOATS } from '../src/panel/webview/model/floats';
import { defaultFormat, elementText, fitText, formatsFor, valueText } from '../src/panel/webview/model/formats';
import { differingLanes, isUniform, laneDigits, laneRanges, lanesInWords, predicateMask } from '../src/panel/webview/model/lanes';
import { aroundAccess, banksOf, linesOf, touchedBytes } from '../src/panel/webview/model/memory';
import { TimelineStore } from '../src/panel/webview/model/timeline';
import { rowIsUniform, Trace } from '../src/panel/webview/model/trace';
import type { Access, Step, WarpState } from '../src/protocol';

const ALL = 0xffffffff;

/** The digits of a register with a 32-bit value in each lane. */
function words(value: (lane: number) => number): string {
    const view = new DataView(new ArrayBuffer(128));
    for (let lane = 0; lane < 32; lane += 1) view.setUint32(lane * 4, value(lane) >>> 0, true);
    return Buffer.from(view.buffer).toString('hex');
}

const zeros = words(() => 0);

test('floats are the shortest decimal that leads back to the same bits', () => {
    const singles: [string, string][] = [
        ['00000000', '0.0'], ['80000000', '-0.0'], ['3f800000', '1.0'], ['c0490fdb', '-3.1415927'], ['3dcccccd', '0.1'], ['3eaaaaab', '0.33333334'],
        ['7f7fffff', '3.4028235e38'], ['00000001', '1e-45'], ['00800000', '1.1754944e-38'], ['4b800000', '16777216.0'], ['4c000000', '33554432.0'],
        ['4cebdb79', '123657160.0'], ['37a7c5ac', '0.00002'], ['7f800000', 'inf'], ['ff800000', '-inf'], ['7fffffff', 'nan'], ['7fc00000', 'nan'],
        ['7fc00012', 'nan:12'], ['ff800001', '-snan:1'], ['0b000000', '2.4651903e-32'],
    ];
    for (const [digits, text] of singles) assert.equal(floatText(F32, digits), text, digits);
    for (const [digits, text] of [['3ff0000000000000', '1.0'], ['3fb999999999999a', '0.1'], ['0000000000000001', '5e-324'], ['7ff8000000000000', 'nan'], ['7ff0000000000001', 'snan:1']] as const) {
        assert.equal(floatText(F64, digits), text, digits);
    }
    for (const [digits, text] of [['3c00', '1.0'], ['c000', '-2.0'], ['3555', '0.3333'], ['0001', '6e-8'], ['7bff', '65500.0'], ['2e66', '0.1'], ['7c00', 'inf'], ['7fff', 'nan'], ['03ff', '0.000061']] as const) {
        assert.equal(floatText(F16, digits), text, digits);
    }
    for (const [digits, text] of [['3f80', '1.0'], ['4049', '3.14'], ['3dcd', '0.1'], ['7f7f', '3.39e38'], ['7fff', 'nan']] as const) {
        assert.equal(floatText(BF16, digits), text, digits);
    }
    const small = (name: string, digits: string): string => {
        const format = SMALL_FLOATS[name];
        assert.ok(format);
        return floatText(format, digits);
    };
    assert.deepEqual([small('e4m3', '7e'), small('e4m3', '7f'), small('e4m3', '01'), small('e5m2', '7c'), small('e2m1', '7')], ['450.0', 'nan', '0.002', 'inf', '6.0']);
});

test('every single leads back to its bits', () => {
    const view = new DataView(new ArrayBuffer(4));
    let state = 12345;
    for (let count = 0; count < 3000; count += 1) {
        state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
        view.setUint32(0, state);
        if (Number.isNaN(view.getFloat32(0))) continue;
        const digits = state.toString(16).padStart(8, '0');
        const read = Number(floatText(F32, digits).replace('inf', 'Infinity'));
        assert.ok(Object.is(Math.fround(read), view.getFloat32(0)), `${digits}: ${floatText(F32, digits)}`);
    }
});

test('a value in all its readings', () => {
    assert.equal(valueText('signed', 'ffffffff'), '-1');
    assert.equal(valueText('unsigned', 'ffffffff'), '4294967295');
    assert.equal(valueText('signed', 'ffffffffffffffff'), '-1');
    assert.equal(valueText('signed', '80'), '-128');
    assert.equal(valueText('unsigned', 'f'.repeat(32)), '340282366920938463463374607431768211455');
    assert.equal(valueText('hex', '00007f0000001000'), '7f0000001000');
    assert.equal(valueText('hex', '0000000000000010'), '00000010');
    assert.equal(valueText('half2', '40003c00'), '1.0 2.0');
    assert.equal(valueText('bf16x2', '40003f80'), '1.0 2.0');
    assert.equal(valueText('float2', '400000003f800000'), '1.0 2.0');
    assert.equal(valueText('bits', 'a5'), '1010_0101');
    assert.deepEqual(formatsFor(0), []);
    assert.equal(elementText('.e2m1', '72', 0), '1.0');
    assert.equal(elementText('.e2m1', '72', 1), '6.0');
    assert.equal(elementText('.f16', '40003c00', 1), '2.0');
    assert.equal(elementText('.s8', '000000ff', 0), '-1');
    assert.equal(elementText('.e2m1', '0702', 1, 8), '6.0');
});

test('the reading of plain bits is that of the instruction which writes them', () => {
    assert.equal(defaultFormat('.f32', 4, undefined), 'float');
    assert.equal(defaultFormat('.b32', 4, undefined), 'hex');
    assert.equal(defaultFormat('.b32', 4, '@!%p ld.global.nc.f32 %v, [%a];'), 'float');
    assert.equal(defaultFormat('.b32', 4, 'cvt.rn.f32.s32 %v, %i;'), 'float');
    assert.equal(defaultFormat('.b32', 4, 'mad.lo.u32 %v, %a, %b, %c;'), 'unsigned');
    assert.equal(defaultFormat('.b32', 4, 'fma.rn.f16x2 %v, %a, %b, %c;'), 'half2');
    assert.equal(defaultFormat('.b32', 4, 'and.b32 %v, %a, %b;'), 'hex');
    assert.equal(defaultFormat('.b64', 8, 'mad.wide.u32 %v, %a, 4, %b;'), 'hex');
    assert.equal(defaultFormat('.b16', 2, 'ld.global.b16 %v, [%a];'), 'hex');
});

test('a text that is cut can be seen to be cut, where it hurts least', () => {
    assert.equal(fitText('hex', '7f0000001000', 6), '…01000');
    assert.equal(fitText('hex', '00000018', 6), '…00018');
    assert.equal(fitText('float', '1.1754944e-38', 9), '1.17…e-38');
    assert.equal(fitText('unsigned', '123456789', 9), '123456789');
    assert.equal(fitText('unsigned', '1234567890', 9), '12345678…');
});

test('lanes', () => {
    assert.equal(laneRanges(0b1011_1000_0000_0000_0000_0000_0000_0111), '0–2, 27–29, 31');
    assert.equal(lanesInWords(ALL), 'all 32 lanes');
    assert.equal(lanesInWords(8), 'lane 3');
    const value = words((lane) => lane * 3);
    assert.equal(laneDigits(value, 4, 5), '0000000f');
    assert.equal(isUniform('.b32', value, 1 << 4), true);
    assert.equal(isUniform('.b32', value, 3), false);
    assert.equal(isUniform('.pred', 'ffff0000', 0xffff), true);
    assert.equal(isUniform('.pred', 'ffff0000', ALL), false);
    assert.equal(predicateMask('01000080'), 0x80000001);
    assert.equal(differingLanes('.b32', zeros, words((lane) => (lane > 29 ? 1 : 0))), 0xc0000000);
});

function step(number: number, changes: [string, string, string][], executed = ALL, depth = 0, name = 'kernel', line = 10 + number): Step {
    const registers = changes.map(([register, before, after]) => ({ name: register, type: '.b32', before, after }));
    return { step: number, time: number, function: name, line, column: 5, active: ALL, executed, depth, registers };
}

function anchor(at: number, name: string, registers: Record<string, [string, number]>): WarpState {
    return {
        step: at, time: at, groups: [], exited: 0, present: ALL, frames: [{ function: name, line: 1 }], specials: [], parameters: [],
        registers: Object.entries(registers).map(([register, [value, known]]) => ({ name: register, type: '.b32', value, known, uniform: false })),
    };
}

test('the trace forwards and backwards', () => {
    const [one, two, three] = [words(() => 1), words(() => 2), words((lane) => (lane < 16 ? 3 : 2))];
    const trace = new Trace(4);
    assert.deepEqual(trace.missing(0), { kind: 'window', from: 0 });
    trace.add([step(0, [['%a', zeros, one]]), step(1, [['%b', zeros, two]]), step(2, [['%a', one, one], ['%b', two, three]], 0xffff), step(3, [])], anchor(0, 'kernel', { '%a': [zeros, 0], '%b': [zeros, 0] }));
    const look = (position: number): unknown[] => {
        const file = trace.at(position);
        assert.ok(file);
        return file.rows.map((row) => [row.value === zeros ? 0 : row.value === one ? 1 : row.value === two ? 2 : 3, row.known, row.written, row.before !== undefined, row.changed]);
    };
    const expected = [
        [[1, ALL, 0, true, ALL], [0, 0, -1, false, 0]],
        [[1, ALL, 0, false, 0], [2, ALL, 1, true, ALL]],
        [[1, ALL, 2, true, 0xffff], [3, ALL, 2, true, 0xffff]],
        [[1, ALL, 2, false, 0], [3, ALL, 2, false, 0]],
    ];
    for (const position of [0, 1, 2, 3, 2, 1, 0, 3, 0, 2]) assert.deepEqual(look(position), expected[position], `at ${position}`);
    const row = trace.at(2)?.row('%b');
    assert.ok(row);
    assert.equal(rowIsUniform(row, ALL), false);
    assert.equal(rowIsUniform(row, 0xff), true);
});

test('marks stay with the lanes that were not written, and hinder a row from being one cell', () => {
    const trace = new Trace(2);
    const marked = step(0, [['%a', zeros, zeros]]);
    const [change] = marked.registers;
    assert.ok(change);
    change.approximate = ALL;
    trace.add([marked, step(1, [['%a', zeros, zeros]], 0xff)], anchor(0, 'kernel', { '%a': [zeros, 0] }));
    const row = trace.at(1)?.rows[0];
    assert.ok(row);
    assert.equal(row.approximate, 0xffffff00);
    assert.equal(rowIsUniform(row, ALL), false);
    trace.at(0);
    assert.equal(row.approximate, ALL);
    assert.equal(rowIsUniform(row, ALL), true);
});

test('a call begins with registers of its own, and the caller has its own again afterwards', () => {
    const trace = new Trace(5);
    const [one, two] = [words(() => 1), words(() => 2)];
    trace.add(
        [step(0, [['%a', zeros, one]]), step(1, [], ALL, 0), step(2, [['%a', zeros, two]], ALL, 1, 'callee'), step(3, [], ALL, 1, 'callee'), step(4, [], ALL, 0)],
        anchor(0, 'kernel', { '%a': [zeros, 0] }),
    );
    assert.equal(trace.missing(1), undefined);
    assert.deepEqual(trace.missing(3), { kind: 'anchor', from: 2 });
    trace.add([], anchor(2, 'callee', { '%a': [zeros, 0], '%c': [zeros, 0] }));
    assert.deepEqual(trace.at(3)?.rows.map((row) => row.name), ['%a', '%c']);
    assert.equal(trace.at(3)?.row('%a')?.value, two);
    assert.deepEqual(trace.missing(4), { kind: 'anchor', from: 4 });
    trace.add([], anchor(4, 'kernel', { '%a': [one, ALL] }));
    assert.equal(trace.at(4)?.row('%a')?.value, one);
    assert.equal(trace.at(4)?.row('%a')?.written, 0);
});

test('the timeline answers where a line is executed next, and where a fault is', () => {
    const timeline = new TimelineStore(6);
    timeline.add({ from: 0, steps: [[10, ALL, ALL, 0], [11, ALL, ALL, 0], [12, 0xff, 0xff, 0], [11, ALL, 0xf, 0], [12, ALL, ALL, 0], [13, 0xff, 0xff, 0]] });
    const line = (wanted: number) => (view: { line: number }): boolean => view.line === wanted;
    assert.deepEqual(timeline.find(1, 1, line(11)), { kind: 'step', step: 3 });
    assert.deepEqual(timeline.find(3, 1, line(11)), { kind: 'none' });
    assert.deepEqual(timeline.find(3, -1, line(11)), { kind: 'step', step: 1 });
    assert.deepEqual(timeline.executions(12, 3), { number: 1, of: 2 });
    assert.deepEqual([...(timeline.lastSteps() ?? [])].slice(6, 10), [5, 5, 4, 4]);
    const fault = { kind: 'race', line: 12, column: 5, message: '', lanes: 1, cta: [0, 0, 0] as [number, number, number], warp: 0 };
    assert.equal(timeline.stepOfFault(fault), 2);
    assert.equal(timeline.stepOfFault({ ...fault, fatal: true }), 4);
    assert.deepEqual(new TimelineStore(50_000).find(19_999, 1, line(1)), { kind: 'missing', chunk: 1 });
});

test('accesses: banks, sectors, the bytes around them', () => {
    const access = (space: string, bytes: number, address: (lane: number) => number, kind: Access['kind'] = 'load'): Access => ({
        kind, space, bytes, lanes: ALL, addresses: Array.from({ length: 32 }, (_, lane) => address(lane).toString(16)),
    });
    const shared = access('shared', 4, (lane) => lane * 8, 'store');
    assert.deepEqual(banksOf(shared)[2], [1, 17]);
    assert.deepEqual(banksOf(shared)[1], []);
    const lines = linesOf(access('global', 4, (lane) => 0x1000 + lane * 8));
    assert.equal(lines.length, 2);
    assert.deepEqual(lines[0]?.sectors.map((sector) => sector.lanes.length), [4, 4, 4, 4]);
    assert.deepEqual(lines[0].sectors[0]?.touched, [[0, 4], [8, 12], [16, 20], [24, 28]]);
    assert.deepEqual(aroundAccess(shared), { space: 'shared', offset: 0, length: 256 });
    const marks = touchedBytes({ name: '', space: 'shared', address: '7e00', offset: 0, bytes: '00'.repeat(16), known: [] }, [shared]);
    assert.deepEqual([...marks], [2, 2, 2, 2, 0, 0, 0, 0, 2, 2, 2, 2, 0, 0, 0, 0]);
});
