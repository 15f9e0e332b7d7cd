// Folded texts for the values of all lanes, and short texts for narrow columns.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ParameterState } from '../src/protocol';
import { destination, foldedText, nameOfAddress } from '../src/panel/webview/model/fold';
import { formatOfPart, isTooLong, partLabel, partsOf, wholeRow } from '../src/panel/webview/model/parts';
import { valueText } from '../src/panel/webview/model/formats';
import { laneDigits } from '../src/panel/webview/model/lanes';
import { shortText } from '../src/panel/webview/model/short';
import type { Row } from '../src/panel/webview/model/trace';

const ALL = 0xffffffff;

function hex(value: bigint, bytes: number): string {
    const digits = BigInt.asUintN(bytes * 8, value).toString(16).padStart(bytes * 2, '0');
    return (digits.match(/../g) ?? []).reverse().join('');
}

function row(type: string, bytes: number, value: (lane: number) => bigint): Row {
    const lanes = Array.from({ length: 32 }, (_, lane) => hex(value(lane), bytes));
    return { name: '%r', type, value: lanes.join(''), known: ALL, unspecified: 0, approximate: 0, written: 0, changed: 0, before: undefined };
}

void test('values that count up or down from lane to lane are one text', () => {
    assert.equal(foldedText(row('.u64', 8, (lane) => 0x7f00000000n + 4n * BigInt(lane)), 'hex', ALL), '0x7f00000000 + 4 × lane');
    assert.equal(foldedText(row('.u32', 4, (lane) => BigInt(lane)), 'unsigned', ALL), 'lane');
    assert.equal(foldedText(row('.s32', 4, (lane) => 5n - 2n * BigInt(lane)), 'signed', ALL), '5 − 2 × lane');
    assert.equal(foldedText(row('.s32', 4, (lane) => BigInt(lane) - 3n), 'signed', ALL), '-3 + lane');
    // Only the relevant lanes determine the folding.
    const odd = row('.u32', 4, (lane) => (lane < 8 ? 4n * BigInt(lane) : 7n));
    assert.equal(foldedText(odd, 'unsigned', 0xff), '4 × lane');
    assert.equal(foldedText(odd, 'unsigned', ALL), undefined);
    // Any two values count up, so they are not folded.
    assert.equal(foldedText(odd, 'unsigned', 0x3), undefined);
    // Not folded: equal values, values missing in a lane, marked values, and values in a floating-point format.
    assert.equal(foldedText(row('.u32', 4, () => 7n), 'unsigned', ALL), undefined);
    assert.equal(foldedText({ ...row('.u32', 4, (lane) => BigInt(lane)), known: 0xffff }, 'unsigned', ALL), undefined);
    assert.equal(foldedText({ ...row('.u32', 4, (lane) => BigInt(lane)), approximate: 1 }, 'unsigned', ALL), undefined);
    assert.equal(foldedText(row('.b32', 4, (lane) => BigInt(lane)), 'float', ALL), undefined);
});

void test('addresses name the buffer that they lead into', () => {
    const parameters: ParameterState[] = [
        { name: 'x', type: '.u64', offset: 0, value: hex(0x7f00000000n, 8), points_to: 'x' },
        { name: 'n', type: '.u32', offset: 8, value: hex(3n, 4) },
    ];
    const buffers = { x: '00'.repeat(128) };
    assert.equal(nameOfAddress(0x7f00000000n, parameters, buffers), 'x');
    assert.equal(nameOfAddress(0x7f00000010n, parameters, buffers), 'x+16');
    assert.equal(nameOfAddress(0x7f00000080n, parameters, buffers), undefined);
    assert.equal(destination(row('.u64', 8, (lane) => 0x7f00000004n + 4n * BigInt(lane)), ALL, parameters, buffers), 'x+4');
});

void test('texts are shortened so that they are not misread', () => {
    assert.equal(shortText('float', '126.0', 4), '126');
    assert.equal(shortText('float', '79360.0', 4), '79k');
    assert.equal(shortText('float', '-1310720.0', 4), '-1M');
    assert.equal(shortText('float', '-1310720.0', 5), '-1.3M');
    assert.equal(shortText('float', '3.4e38', 4), '3e38');
    assert.equal(shortText('float', '-0.0', 3), '-0');
    assert.equal(shortText('float', '0.3333333', 4), '.333');
    assert.equal(shortText('float', 'NaN', 4), 'NaN');
    assert.equal(shortText('half2', '12.0 13.0', 5), '12 13');
    assert.equal(shortText('unsigned', '1065353216', 5), '1065…');
    assert.equal(shortText('hex', '3c003c00', 5), '…3c00');
});

void test('two halves that do not fit into a cell are two rows', () => {
    const pair = row('.f16x2', 4, (lane) => 0x3c00n + (BigInt(lane) << 16n));
    assert.ok(isTooLong(pair, 'half2', [0, 1], 4) && !isTooLong(pair, 'half2', [0], 7) && !isTooLong(pair, 'hex', [0], 4));
    assert.ok(!isTooLong(row('.b16', 2, () => 1n), 'half2', [0], 1), 'one half has no parts');
    const [low, high, ...more] = partsOf(pair, 'half2');
    assert.ok(low !== undefined && high !== undefined && more.length === 0);
    assert.deepEqual([low.name, low.type, wholeRow(low) === pair, partLabel(high, 'half')], ['%r', '.f16', true, 'f16 hi']);
    const texts = [low, high].map((part) => valueText(formatOfPart('half2'), laneDigits(part.value, 2, 5)));
    assert.deepEqual(texts, ['1.0', '3e-7']);
    const bytes = partsOf({ ...row('.b32', 4, () => 0x40383000n), before: '00'.repeat(128) }, 'fp8');
    assert.deepEqual(bytes.map((part) => [part.value.slice(0, 2), part.before?.length, partLabel(part, 'fp8')]), [['00', 64, 'e4m3 0'], ['30', 64, 'e4m3 1'], ['38', 64, 'e4m3 2'], ['40', 64, 'e4m3 3']]);
    assert.deepEqual(partsOf(pair, 'hex'), [pair]);
});
