// The warp panel's model: the trace forwards and backwards, texts of cells, the timeline.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { laneRanges, lanesInWords } from '../src/panel/webview/model/lanes';
import { aroundAccess } from '../src/panel/webview/model/memory';
import { placeIn, writerOfBytes, writesRegister } from '../src/panel/webview/model/origin';
import { cellText, fullText, isTooLong, longest, needed } from '../src/panel/webview/model/rows';
import { executes, TimelineStore } from '../src/panel/webview/model/timeline';
import { Trace } from '../src/panel/webview/model/trace';
import type { Access, MemoryBlock, Row, Step } from '../src/protocol';

const ALL = 0xffffffff;

test('lanes', () => {
    assert.equal(laneRanges(0b1011_1000_0000_0000_0000_0000_0000_0111), '0–2, 27–29, 31');
    assert.equal(lanesInWords(ALL), 'all 32 lanes');
    assert.equal(lanesInWords(8), 'lane 3');
});

/** A row with the same text in all lanes. */
function row(name: string, text: string, changed = 0): Row {
    return { name, type: '.b32', kind: 'register', size: 4, reading: 'unsigned', label: 'uint', folded: text, parts: [{ label: 'uint', texts: Array<string>(32).fill(text) }], known: ALL, changed };
}

function step(number: number, rows: Row[], all = false, depth = 0, name = 'kernel'): Step {
    return { step: number, time: number, function: name, line: 10 + number, column: 5, end_line: 10 + number, active: ALL, executed: ALL, depth, registers: [], rows: { all, rows } };
}

test('the trace forwards and backwards', () => {
    const trace = new Trace(4);
    assert.equal(trace.at(0), undefined);
    trace.add([step(0, [row('%a', '1', ALL), row('%b', '0')], true), step(1, [row('%b', '2', ALL)]), step(2, [row('%a', '1', 0xffff), row('%b', '3', 0xffff)]), step(3, [])]);
    const look = (position: number): unknown[] | undefined => trace.at(position)?.map((own) => [own.data.folded, own.written, own.changed]);
    const expected = [
        [['1', 0, ALL], ['0', -1, 0]],
        [['1', 0, 0], ['2', 1, ALL]],
        [['1', 2, 0xffff], ['3', 2, 0xffff]],
        [['1', 2, 0], ['3', 2, 0]],
    ];
    for (const position of [0, 1, 2, 3, 2, 1, 0, 3, 0, 2]) assert.deepEqual(look(position), expected[position], `at ${position}`);
    // A row that a step leaves alone is the same object: nothing of it is drawn again.
    trace.add([step(4, [])]);
    assert.equal(trace.at(4)?.[0], trace.at(3)?.[0]);
});

test('a call begins with rows of its own, and the caller has its own again afterwards', () => {
    const trace = new Trace(5);
    trace.add([
        step(0, [row('%a', '1', ALL)], true), step(1, []), step(2, [row('%a', '2', ALL), row('%c', '0')], true, 1, 'callee'), step(3, [], false, 1, 'callee'),
        step(4, [row('%a', '1')], true),
    ]);
    assert.deepEqual(trace.at(3)?.map((own) => own.data.name), ['%a', '%c']);
    assert.equal(trace.at(3)?.[0]?.data.folded, '2');
    assert.deepEqual([trace.at(4)?.[0]?.data.folded, trace.at(4)?.[0]?.written], ['1', 0]);
});

test('texts of cells', () => {
    const halves: Row = {
        ...row('%h', ''), reading: 'half2', label: 'f16×2',
        parts: ['lo', 'hi'].map((end) => ({ label: `f16 ${end}`, texts: ['0.3333', null, ...Array<string>(30).fill('1.0')], short: ['0.33', null, ...Array<string>(30).fill('1.0')] })),
    };
    assert.equal(fullText(halves, undefined, 0), '0.3333|0.3333');
    assert.equal(fullText(halves, 1, 2), '1.0');
    assert.equal(fullText(halves, undefined, 1), undefined);
    assert.equal(cellText(halves, 0, 0, 4), '0.33');
    assert.equal(isTooLong(halves, [2], 7), false);
    assert.equal(isTooLong(halves, [0, 2], 7), true);
});

test('whole numbers, digits of bits and whole parts are never cut; fractions may be rounded', () => {
    for (const [text, fraction, length] of [
        ['1', 9, 1], ['4294967295', 9, 10], ['-1135872', 6, 8], ['0x7f00000000', 6, 12], ['0.33333334', 9, 9], ['0.33333334', 6, 6],
        ['-21760.0', 9, 8], ['-21760.0', 6, 6], ['-1135872.0', 9, 9], ['-1135872.0', 6, 10], ['1.1754944e-38', 9, 9], ['nan:3fffff', 6, 10], ['true', 9, 4],
    ] as const) assert.equal(needed(text, fraction), length, `${text} in ${fraction}`);
    assert.equal(longest({ ...row('%a', '0.33333334'), approximate: 1 }, 9), 10, 'with its sign');
});

test('the timeline answers where a line is executed next', () => {
    const timeline = new TimelineStore(6);
    timeline.add({ from: 0, steps: [[10, ALL, ALL, 0, 10], [11, ALL, ALL, 0, 11], [12, 0xff, 0xff, 0, 12], [11, ALL, 0xf, 0, 11], [12, ALL, ALL, 0, 12], [13, 0xff, 0xff, 0, 15]] });
    const line = (wanted: number) => (view: { line: number }): boolean => view.line === wanted;
    assert.deepEqual(timeline.find(1, 1, line(11)), { kind: 'step', step: 3 });
    assert.deepEqual(timeline.find(3, 1, line(11)), { kind: 'none' });
    assert.deepEqual(timeline.find(3, -1, line(11)), { kind: 'step', step: 1 });
    // A statement of several lines is executed in each of them.
    const all = (wanted: number): number[] => [0, 1, 2, 3, 4, 5].filter((step) => executes(timeline.at(step), wanted));
    assert.deepEqual([12, 13, 15, 16].map(all), [[2, 4], [5], [5], []]);
    assert.deepEqual([13, 14, 15, 16].map((wanted) => timeline.nearest(wanted, 0)), [5, 5, 5, undefined]);
    assert.deepEqual(timeline.executions(12, 3), { number: 1, of: 2 });
    assert.deepEqual([...(timeline.lastSteps() ?? [])].slice(6, 10), [5, 5, 4, 4]);
    assert.deepEqual(new TimelineStore(50_000).find(19_999, 1, line(1)), { kind: 'missing', chunk: 1 });
});

test('the bytes around an access', () => {
    const access = (space: string, address: (lane: number) => number): Access => ({
        kind: 'load', space, bytes: 4, lanes: ALL, title: '', addresses: Array.from({ length: 32 }, (_, lane) => address(lane).toString(16)),
    });
    assert.deepEqual(aroundAccess(access('shared', (lane) => lane * 8)), { space: 'shared', offset: 0, length: 256 });
    assert.deepEqual(aroundAccess(access('global', (lane) => 0x7f0000000f + lane)), { address: '7f00000000', length: 64 });
});

test('who wrote a register, and bytes of memory', () => {
    const own = step(3, [row('%a', '1', 0b100), row('%b', '1')]);
    assert.deepEqual([writesRegister(own, '%a', 2), writesRegister(own, '%a', 1), writesRegister(own, '%b', 2), writesRegister(own, '%c', 2)], [true, false, false, false]);
    const access = (kind: string, space: string, addresses: (string | null)[], names?: (string | null)[]): Access => ({ kind, space, bytes: 4, lanes: ALL, title: '', addresses, ...(names === undefined ? {} : { names }) });
    const block = (space: string, address: string, offset: number, name: string | null = null): MemoryBlock => ({ name, space, address, offset, bytes: '', known: [], unspecified: false, approximate: false });
    const writer = (of: Access, place: ReturnType<typeof placeIn>): number | undefined => writerOfBytes({ ...own, accesses: [of] }, place);
    const shared = access('store', 'shared', [null, '10', '14', '18'], [null, 'tile', 'tile+4', 'tile+8']);
    // By the offset in the space, by the name, and by the address.
    assert.equal(writer(shared, placeIn(block('shared', '1000010', 0x10), 4, 4, false)), 2);
    assert.equal(writer(shared, placeIn(block('shared', '1000010', 0x10), 3, 1, false)), 1);
    assert.equal(writer(shared, placeIn(block('shared', '1000010', 0x10), 12, 4, false)), undefined);
    assert.equal(writer(shared, placeIn(block('shared', '1000010', 0, 'tile'), 8, 1, true)), 3);
    assert.equal(writer(shared, placeIn(block('shared', '1000010', 0, 'other'), 8, 1, true)), undefined);
    assert.equal(writer(access('update', 'global', ['7f00000004']), placeIn(block('global', '7f00000000', 0, 'x'), 4, 2, true)), 0);
    assert.equal(writer(access('load', 'global', ['7f00000004']), placeIn(block('global', '7f00000000', 0, 'x'), 4, 2, true)), undefined);
    assert.equal(writer(access('store', 'local', ['10']), placeIn(block('shared', '1000010', 0x10), 0, 4, false)), undefined);
});
