// The packages for each platform take only programs for it.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { EXECUTABLE_KINDS, executableKind } from '../scripts/executable.mjs';

/** The beginning of an executable, as the three formats define it. */
function header(system: 'elf' | 'mach' | 'pe', processor: number): Buffer {
    const bytes = Buffer.alloc(0x100);
    if (system === 'elf') {
        bytes.write('\x7fELF', 'latin1');
        bytes.writeUInt16LE(processor, 18);
    } else if (system === 'mach') {
        bytes.writeUInt32LE(0xfeedfacf, 0);
        bytes.writeUInt32LE(processor, 4);
    } else {
        bytes.write('MZ', 'latin1');
        bytes.writeUInt32LE(0x80, 0x3c);
        bytes.write('PE\0\0', 0x80, 'latin1');
        bytes.writeUInt16LE(processor, 0x84);
    }
    return bytes;
}

test('the system and the processor of a program', () => {
    const programs: [string, Buffer][] = [
        ['linux-x64', header('elf', 62)],
        ['linux-arm64', header('elf', 183)],
        ['darwin-x64', header('mach', 0x01000007)],
        ['darwin-arm64', header('mach', 0x0100000c)],
        ['win32-x64', header('pe', 0x8664)],
        ['win32-arm64', header('pe', 0xaa64)],
    ];
    const kinds = programs.map(([target, bytes]) => {
        assert.equal(executableKind(bytes), EXECUTABLE_KINDS[target], target);
        return executableKind(bytes);
    });
    assert.equal(new Set(kinds).size, programs.length);
});

test('files that VS Code cannot run', () => {
    // For RISC-V; cut off; a program for DOS; a script.
    const lost = header('pe', 0x8664);
    lost.writeUInt32LE(0xfffffff0, 0x3c);
    for (const bytes of [header('elf', 243), header('elf', 62).subarray(0, 20), lost, Buffer.from('#!/bin/sh\n'.repeat(20)), Buffer.alloc(0)]) {
        assert.equal(executableKind(bytes), undefined);
    }
});

test('a real program', () => {
    const kind = executableKind(readFileSync(process.execPath));
    assert.equal(kind, EXECUTABLE_KINDS[`${process.platform}-${process.arch}`]);
});
