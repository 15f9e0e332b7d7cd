// The text of the launch form, and its edits of the source.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { launchEdit, statementText } from '../src/panel/host/launchEdit';
import { launchComments, launchText, parseBuffer, parseLaunch, problemOf, problemOfBuffer, splitWords, valueOf, withValue } from '../src/panel/webview/model/launch';

test('words are split where no bracket and no quotation mark encloses the space', () => {
    assert.deepEqual(splitWords('a=f32[8]:uniform(0, 1, seed=7) b=[1, 2]  c={image=2d size=[8,4]} d="x y"'), ['a=f32[8]:uniform(0, 1, seed=7)', 'b=[1, 2]', 'c={image=2d size=[8,4]}', 'd="x y"']);
});

test('what the form does not understand stays as it was written', () => {
    const text = 'grid=2 block=32 n=100 odd x=f32[8]:hex(00)\nparams: m={tensor_map=x dims=[4, 4]}\nexpect: out[0]=1.0   out[1]=2.0 ±1e-6\n';
    const lines = parseLaunch(text);
    assert.equal(launchText(lines), text);
    assert.equal(valueOf(lines, 'm'), '{tensor_map=x dims=[4, 4]}');
    const edited = withValue(withValue(lines, 'n', '7'), 'm', '{tensor_map=y}');
    assert.equal(launchText(edited), text.replace('n=100', 'n=7').replace('{tensor_map=x dims=[4, 4]}', '{tensor_map=y}'));
    assert.equal(launchText(lines), text);
    assert.deepEqual(launchComments(parseLaunch('grid=1\nexpect: out=zero')), ['//! launch: grid=1', '//! expect: out=zero']);
});

test('new values: sizes come first, parameters last, empty ones go', () => {
    const lines = parseLaunch('grid=1 block=32 n=4');
    assert.equal(launchText(withValue(lines, 'cluster', '2')), 'grid=1 block=32 cluster=2 n=4');
    assert.equal(launchText(withValue(lines, 'a', '1.5')), 'grid=1 block=32 n=4 a=1.5');
    assert.equal(launchText(withValue(lines, 'n', '')), 'grid=1 block=32');
});

test('the comments of a source are read as they stand', () => {
    const lines = parseLaunch('//! launch: grid=1 x=f32[4*8]:iota\n//! expect: x[0]=0.0');
    assert.equal(valueOf(lines, 'x'), 'f32[4*8]:iota');
    assert.deepEqual(parseBuffer('f32[4*8]:iota(1, 2)'), { type: 'f32', length: '4*8', fill: 'iota(1, 2)' });
    for (const other of ['&x+16', 'u8:hex(00)', 'f32[8]:[1, 2]', 'f32:file(a.bin)', '7']) assert.equal(parseBuffer(other), undefined, other);
});

test('problems are found at their fields', () => {
    assert.equal(problemOf('grid', '2,2'), undefined);
    assert.ok(problemOf('grid', '0'));
    assert.ok(problemOf('block', '1,2,3,4'));
    assert.ok(problemOf('shared', '-1'));
    assert.equal(problemOf('cluster', ''), undefined);
    assert.equal(problemOfBuffer({ type: 'f32', length: '32*8', fill: 'uniform(0, 1, seed=7)' }), undefined);
    assert.equal(problemOfBuffer({ type: 'f32', length: 'n', fill: 'zero' })?.field, 'length');
    assert.equal(problemOfBuffer({ type: 'f32', length: '3', fill: 'zero y=1' })?.field, 'fill');
});

test('a launch is written above its kernel, or over the one that stands there', () => {
    const source = ['.version 8.0', '', '  //! launch: grid=1', '  //! expect: out=zero', '  .entry k()'];
    assert.deepEqual(launchEdit(source, ['//! launch: grid=2'], null, 5), { from: 4, to: 4, lines: ['  //! launch: grid=2'] });
    assert.deepEqual(launchEdit(source, ['//! launch: grid=2'], { line: 3, lines: ['//! launch: grid=1', '//! expect: out=zero'] }, 5), { from: 2, to: 4, lines: ['  //! launch: grid=2'] });
    assert.equal(launchEdit(source, ['//! launch: grid=2'], { line: 3, lines: ['//! launch: grid=9'] }, 5), undefined);
});

test('the text of a statement', () => {
    const source = ['    add.u32 %a, %b, 1; // one', '    mma.sync', '        {%a}, // d', '        {%b};', 'x: mov.u32 %ä, 1; mov.u32 %b, 2;'];
    assert.equal(statementText(source, 1, 5), 'add.u32 %a, %b, 1;');
    assert.equal(statementText(source, 2, 5), 'mma.sync {%a}, {%b};');
    assert.equal(statementText(source, 5, 19), 'mov.u32 %b, 2;'.slice(0));
    assert.equal(statementText(source, 99, 1), '');
});
