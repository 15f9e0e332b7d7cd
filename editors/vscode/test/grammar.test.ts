// The TextMate grammar, which provides colours before the server answers, compared with the instruction set and with
// the server's semantic tokens.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { before, test } from 'node:test';
import { createOnigScanner, createOnigString, loadWASM } from 'vscode-oniguruma';
import { INITIAL, Registry, parseRawGrammar, type IGrammar } from 'vscode-textmate';
import { repository, serverFile, startServer } from './lsp';

interface Word {
    text: string;
    line: number;
    column: number;
    scope: string;
}

let grammar: IGrammar;

before(async () => {
    const wasm = createRequire(resolve('package.json')).resolve('vscode-oniguruma/release/onig.wasm');
    await loadWASM(readFileSync(wasm));
    const file = 'syntaxes/ptx.tmLanguage.json';
    const registry = new Registry({
        onigLib: Promise.resolve({ createOnigScanner, createOnigString }),
        loadGrammar: () => Promise.resolve(parseRawGrammar(readFileSync(file, 'utf8'), file)),
    });
    const loaded = await registry.loadGrammar('source.ptx');
    assert.ok(loaded);
    grammar = loaded;
});

function words(text: string): Word[] {
    let state = INITIAL;
    return text.split('\n').flatMap((code, line) => {
        const { tokens, ruleStack } = grammar.tokenizeLine(code, state);
        state = ruleStack;
        return tokens.map(({ startIndex, endIndex, scopes }) => ({
            text: code.slice(startIndex, endIndex),
            line,
            column: startIndex,
            scope: (scopes.at(-1) ?? '').replace(/\.ptx$/, ''),
        }));
    });
}

/** The text without blanks, one `text scope` per line, for comparison with the expectation of a test. */
function shown(text: string): string[] {
    return words(text)
        .filter((word) => word.text.trim() !== '')
        .map((word) => `${word.text.trim()} ${word.scope}`);
}

test('an instruction: guard, opcode, modifiers, operands', () => {
    assert.deepEqual(shown('@!%p1 ld.global.v2.f32 {%f1, %f2}, [%rd1+16]; // two'), [
        '@ keyword.operator.guard',
        '! keyword.operator.logical',
        '%p1 variable.other.predicate',
        'ld entity.name.function.opcode',
        '.global storage.modifier.state-space',
        '.v2 support.constant.modifier',
        '.f32 support.type',
        '{ punctuation.section.braces',
        '%f1 variable.other.register',
        ', punctuation.separator',
        '%f2 variable.other.register',
        '} punctuation.section.braces',
        ', punctuation.separator',
        '[ punctuation.section.brackets',
        '%rd1 variable.other.register',
        '+ keyword.operator',
        '16 constant.numeric.integer',
        '] punctuation.section.brackets',
        '; punctuation.terminator',
        '// two comment.line.double-slash',
    ]);
});

test('several statements in one line, and a label before them', () => {
    assert.deepEqual(
        shown('loop: mov.u32 %r1, %tid.x; bra.uni loop;').filter((word) => !word.includes('punctuation')),
        [
            'loop entity.name.label',
            'mov entity.name.function.opcode',
            '.u32 support.type',
            '%r1 variable.other.register',
            '%tid.x variable.other.constant.special-register',
            'bra keyword.control.flow',
            '.uni support.constant.modifier',
            'loop entity.name.label',
        ],
    );
});

test('a function with a result has its name, and a call does not become an opcode', () => {
    const found = shown('.visible .func (.param .b32 result) twice(\n    .param .b32 x\n)\n{\ncall.uni (r),\n    twice,\n    (x);\n}');
    assert.ok(found.includes('twice entity.name.function'));
    assert.ok(found.includes('.func keyword.other.directive'));
    assert.ok(found.includes('call keyword.control.flow'));
    assert.ok(found.includes('twice variable.other'));
    assert.ok(!found.some((word) => word.endsWith('entity.name.function.opcode')));
});

test('the header, numbers, strings, preprocessor lines, unfinished comments', () => {
    const found = shown(
        '.version 8.5\n.target sm_90a, debug\n#define X 1\n.file 1 "a.cu"\nmov.f32 %f1, 0f3F800000;\nmov.u32 %r1, 0x1fU;\nmov.u32 %r2, WARP_SZ;\n/* still\nopen',
    );
    for (const word of [
        '8.5 constant.numeric.float',
        'sm_90a constant.language.target',
        'debug constant.language.target',
        '#define X 1 meta.preprocessor',
        '0f3F800000 constant.numeric.float',
        '0x1fU constant.numeric.hex',
        'WARP_SZ constant.language',
        'open comment.block',
    ]) {
        assert.ok(found.includes(word), `${word} is not in ${found.join('\n')}`);
    }
});

test('a statement that is being typed has its opcode, and each kind of word has its own scope', () => {
    assert.deepEqual(shown('    ld.'), ['ld entity.name.function.opcode', '. support.constant.modifier']);
    assert.deepEqual(shown('@%p1 ld.global.').slice(-3), ['ld entity.name.function.opcode', '.global storage.modifier.state-space', '. support.constant.modifier']);
    assert.ok(shown('and.pred %p3, %p1, %p2;').includes('%p2 variable.other.predicate'));
    assert.ok(shown('    ld.param.u64 %rd1, [out];').includes('out variable.parameter'));
    assert.ok(shown('    .param .u64 .ptr .global .align 16 out,').includes('out variable.parameter'));
    assert.ok(shown('@!%p1 bra.uni done;').includes('done entity.name.label'));
});

test('a launch above a kernel', () => {
    const found = shown('//! launch: grid=1 x=f32[64]:iota\n//! expect: x[3]=6.0 ±1e-6');
    for (const word of ['launch keyword.other.documentation', 'grid variable.parameter', 'f32 storage.type', 'expect keyword.other.documentation', '6.0 constant.numeric.float']) {
        assert.ok(found.includes(word), `${word} is not in ${found.join('\n')}`);
    }
});

interface Named {
    name: string;
    flow?: string;
    components?: string;
    count?: number;
}

interface InstructionSet {
    types: Named[];
    spaces: Named[];
    special_registers: Named[];
    instructions: Named[];
    directives: Named[];
    constants: Named[];
}

function instructionSet(): InstructionSet {
    return JSON.parse(execFileSync(serverFile(), ['isa', '--format', 'json'], { encoding: 'utf8', maxBuffer: 1 << 28 })) as InstructionSet;
}

test('every word that the grammar lists is one of the instruction set, and none is missing', () => {
    const isa = instructionSet();
    const wrong: string[] = [];
    const expect = (code: string, word: string, scope: string): void => {
        if (!words(code).some((one) => one.text.trim() === word && one.scope === scope)) wrong.push(`${code}: ${word} is not ${scope}`);
    };
    for (const { name } of isa.types) {
        expect(`.reg ${name} %x;`, name, 'support.type');
        expect(`mov${name} %a, %b;`, name, 'support.type');
    }
    for (const { name } of isa.spaces) expect(`mov${name} %a, %b;`, name, 'storage.modifier.state-space');
    for (const { name, components, count } of isa.special_registers) {
        const numbered = (count ?? 0) > 0 ? Array.from({ length: count ?? 0 }, (_, index) => `${name}${index}`) : [name];
        for (const one of numbered) {
            const component = components ? `${one}.${components.charAt(0)}` : one;
            expect(`mov.u32 %r1, ${component};`, component, 'variable.other.constant.special-register');
        }
    }
    for (const { name, flow } of isa.instructions) {
        const opcode = name.split('.')[0] ?? name;
        expect(`    ${name} %r1;`, opcode, flow === 'next' ? 'entity.name.function.opcode' : 'keyword.control.flow');
    }
    for (const { name } of isa.directives.filter(({ name }) => name.startsWith('.'))) {
        const found = words(`${name} x`).find((one) => one.text === name)?.scope;
        if (!/^(?:keyword\.other\.directive|storage\.modifier\.state-space)$/.test(found ?? '')) wrong.push(`${name} is ${String(found)}`);
    }
    for (const { name } of isa.constants) expect(`mov.u32 %r1, ${name};`, name, 'constant.language');
    assert.deepEqual(wrong, []);
});

/** The kinds of semantic tokens, with the matching scopes of the grammar. */
const SCOPES: Record<string, RegExp> = {
    opcode: /^(?:entity\.name\.function\.opcode|keyword\.control\.flow)$/,
    register: /^variable\.other\.(?:register|predicate)$/,
    predicate: /^variable\.other\.(?:register|predicate)$/,
    specialRegister: /^variable\.other\.constant\.special-register$/,
    stateSpace: /^storage\.modifier\.state-space$/,
    modifier: /^support\.constant\.modifier$/,
    type: /^support\.type$/,
    keyword: /^(?:keyword\.other\.directive|storage\.modifier\.state-space)$/,
    label: /^(?:entity\.name\.label|variable\.other)$/,
    function: /^(?:entity\.name\.function|variable\.other)$/,
    parameter: /^variable\.(?:other|parameter)$/,
    variable: /^(?:variable\.other|variable\.parameter|constant\.language)$/,
    comment: /^comment|documentation|punctuation|variable\.parameter|keyword\.operator\.assignment|constant\.numeric|storage\.type$/,
    string: /^string/,
    number: /^constant\.numeric/,
    enumMember: /^constant\.language\.target$/,
    macro: /^meta\.preprocessor$/,
    operator: /^keyword\.operator/,
};

test('the grammar agrees with the server about every word of the kernels', async () => {
    const { connection, capabilities, stop } = await startServer();
    const { legend } = capabilities['semanticTokensProvider'] as { legend: { tokenTypes: string[] } };
    const folder = join(repository, 'tests/kernels');
    const wrong: string[] = [];
    let compared = 0;
    for (const file of readdirSync(folder).filter((one) => one.endsWith('.ptx'))) {
        const text = readFileSync(join(folder, file), 'utf8');
        const uri = `file:///kernels/${file}`;
        await connection.sendNotification('textDocument/didOpen', { textDocument: { uri, languageId: 'ptx', version: 1, text } });
        const { data } = await connection.sendRequest<{ data: number[] }>('textDocument/semanticTokens/full', { textDocument: { uri } });
        const lines = text.split('\n');
        const byPlace = new Map<number, Word[]>();
        for (const word of words(text)) byPlace.set(word.line, [...(byPlace.get(word.line) ?? []), word]);
        let line = 0;
        let column = 0;
        for (let at = 0; at + 4 < data.length; at += 5) {
            const [deltaLine = 0, deltaColumn = 0, length = 0, kind = 0] = data.slice(at, at + 4);
            line += deltaLine;
            column = deltaLine > 0 ? deltaColumn : column + deltaColumn;
            const allowed = SCOPES[legend.tokenTypes[kind] ?? ''];
            if (!allowed) continue;
            compared++;
            // The grammar includes the dot before a modifier; the server's token may not.
            const word = byPlace.get(line)?.find((one) => one.column <= column && column < one.column + one.text.length);
            if (!allowed.test(word?.scope ?? '')) {
                wrong.push(`${file}:${line + 1}: ${lines[line]?.slice(column, column + length) ?? ''} is ${legend.tokenTypes[kind] ?? ''}, not ${word?.scope ?? 'nothing'}`);
            }
        }
    }
    await stop();
    assert.ok(compared > 10_000, `only ${compared} words were compared`);
    assert.deepEqual(wrong, []);
});

test('the grammar in the package is the one that the script writes', () => {
    execFileSync(process.execPath, ['scripts/grammar.mjs', '--check'], { stdio: 'pipe' });
});
