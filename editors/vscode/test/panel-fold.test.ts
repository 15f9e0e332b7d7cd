// Values of all lanes in one text, and texts for narrow columns.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ParameterState } from '../src/protocol';
import { destination, foldedText, nameOfAddress } from '../src/panel/webview/model/fold';
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
    // Only lanes that count decide.
    const odd = row('.u32', 4, (lane) => (lane < 8 ? 4n * BigInt(lane) : 7n));
    assert.equal(foldedText(odd, 'unsigned', 0xff), '4 × lane');
    assert.equal(foldedText(odd, 'unsigned', ALL), undefined);
    // The same everywhere, not written everywhere, marked, or read as a number with a fraction: not folded.
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
    assert.equal(shortText('float', '79360.0', 4), '8e4');
    assert.equal(shortText('float', '0.3333333', 4), '.333');
    assert.equal(shortText('float', 'NaN', 4), 'NaN');
    assert.equal(shortText('half2', '12.0 13.0', 5), '12 13');
    assert.equal(shortText('unsigned', '1065353216', 5), '1065…');
    assert.equal(shortText('hex', '3c003c00', 5), '…3c00');
});
