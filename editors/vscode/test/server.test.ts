import assert from 'node:assert/strict';
import { delimiter } from 'node:path/posix';
import { test } from 'node:test';
import { findServer, packagedServer, type Search } from '../src/binary';
import { versionMismatch } from '../src/version';
import { forServer, initializationOptions } from '../src/settings';

function search(there: string[], given: Partial<Search> = {}): ReturnType<typeof findServer> {
    return findServer({
        setting: '',
        extension: '/extension',
        path: ['/usr/bin', 'relative', '/opt/bin'].join(delimiter),
        home: '/home/me',
        platform: 'linux',
        isExecutable: (file) => there.includes(file),
        ...given,
    });
}

function problem(found: ReturnType<typeof findServer>): string {
    assert.ok('problem' in found);
    return found.problem;
}

test('the server of the package comes before one on PATH, and the setting before both', () => {
    const packaged = packagedServer('/extension', 'linux');
    assert.deepEqual(search([packaged, '/opt/bin/ptx-analyzer']), { file: packaged, place: 'package' });
    assert.deepEqual(search(['/opt/bin/ptx-analyzer']), { file: '/opt/bin/ptx-analyzer', place: 'PATH' });
    assert.deepEqual(search([packaged, '/mine'], { setting: ' /mine ' }), { file: '/mine', place: 'setting' });
});

test('a setting may name a file in the home folder, or a name on PATH', () => {
    const mine = '/home/me/bin/ptx-analyzer';
    assert.deepEqual(search([mine], { setting: '~/bin/ptx-analyzer' }), { file: mine, place: 'setting' });
    assert.deepEqual(search(['/usr/bin/other'], { setting: 'other' }), { file: '/usr/bin/other', place: 'setting' });
});

test('a setting that leads nowhere is said, and nothing else is run in its place', () => {
    const packaged = packagedServer('/extension', 'linux');
    assert.match(problem(search([packaged], { setting: '/gone' })), /`\/gone`, which is not a program/);
    assert.match(problem(search([packaged], { setting: './here' })), /must be absolute/);
    assert.match(problem(search([packaged], { setting: 'gone' })), /not on PATH/);
});

test('without any server there is a word on what to do; folders of PATH that are relative are not looked at', () => {
    assert.match(problem(search(['relative/ptx-analyzer'])), /Install the package for your platform/);
    assert.match(problem(search([], { path: undefined })), /ptx-analyzer\.server\.path/);
});

test('on Windows it ends in .exe, which a setting may leave out, and paths are those of Windows', () => {
    const windows = { platform: 'win32', home: 'C:\\Users\\me', extension: 'C:\\extension', path: 'relative;C:\\tools;C:\\Program Files\\PTX' } as const;
    assert.equal(packagedServer('C:\\extension', 'win32'), 'C:\\extension\\server\\ptx-analyzer.exe');
    const found = 'C:\\Program Files\\PTX\\ptx-analyzer.exe';
    assert.deepEqual(search([found], windows), { file: found, place: 'PATH' });
    const inHome = 'C:\\Users\\me\\bin\\mine.exe';
    for (const [setting, file] of [
        ['D:\\work\\ptx-analyzer', 'D:\\work\\ptx-analyzer.exe'],
        ['d:/work/ptx-analyzer.EXE', 'd:/work/ptx-analyzer.EXE'],
        ['\\\\server\\share\\mine.exe', '\\\\server\\share\\mine.exe'],
        ['~\\bin\\mine', inHome],
        ['~/bin/mine', inHome],
    ] as const) {
        assert.deepEqual(search([file], { ...windows, setting }), { file, place: 'setting' }, setting);
    }
    assert.deepEqual(search(['C:\\tools\\mine.exe'], { ...windows, setting: 'mine' }), { file: 'C:\\tools\\mine.exe', place: 'setting' });
    assert.match(problem(search([], { ...windows, setting: '.\\mine' })), /must be absolute/);
});

test('a server of another release is noticed', () => {
    assert.equal(versionMismatch('0.1.3', '0.1.0'), undefined);
    assert.equal(versionMismatch(undefined, '0.1.0'), undefined);
    assert.match(versionMismatch('0.2.0', '0.1.0') ?? '', /0\.2\.0.*0\.1\.0/);
});

test('what is for the extension alone does not reach the server', () => {
    assert.deepEqual(forServer({ server: { path: '/x' }, trace: { server: 'off' }, target: 'sm_90' }), { target: 'sm_90' });
    assert.deepEqual(forServer(null), {});
    assert.deepEqual(forServer('text'), {});
});

test('the assembler is vouched for in a trusted workspace, and not even named in another', () => {
    const section = { ptxas: { path: '/usr/bin/ptxas' }, target: 'sm_90' };
    assert.deepEqual(initializationOptions(section, true), { 'ptx-analyzer': section, workspaceTrusted: true });
    assert.deepEqual(initializationOptions(section, false), { 'ptx-analyzer': { target: 'sm_90' }, workspaceTrusted: false });
});
