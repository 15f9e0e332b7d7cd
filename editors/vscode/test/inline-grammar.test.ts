// The TextMate grammars of PTX in strings, in small grammars that stand in for those of VS Code. tests/editors uses the
// real ones.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { before, test } from 'node:test';
import { createOnigScanner, createOnigString, loadWASM } from 'vscode-oniguruma';
import { INITIAL, Registry, parseRawGrammar, type IGrammar } from 'vscode-textmate';

/** The parts of VS Code's grammars that matter: what is in the text of `asm`, and ordinary strings. */
const HOSTS: Record<string, object> = {
    'source.cuda-cpp': {
        scopeName: 'source.cuda-cpp',
        patterns: [
            {
                begin: '\\basm\\s*(?:volatile)?\\s*\\(',
                end: '\\)',
                name: 'meta.asm.cuda-cpp',
                patterns: [
                    { begin: '"', end: '"', name: 'string.quoted.double.cuda-cpp', contentName: 'meta.embedded.assembly' },
                    { begin: '\\(', end: '\\)' },
                ],
            },
            { begin: '"', end: '"', name: 'string.quoted.double.cuda-cpp' },
        ],
    },
    'source.python': { scopeName: 'source.python', patterns: [{ begin: '"', end: '"', name: 'string.quoted.single.python' }], repository: { expression: { patterns: [] } } },
};
/** A host whose strings have no other rules. */
const plain = (scopeName: string) => ({ scopeName, patterns: [{ begin: '"', end: '"', name: 'string.quoted.double' }] });
for (const scope of ['source.rust', 'source.llvm', 'source.julia']) HOSTS[scope] = plain(scope);
const OWN: Record<string, string> = { 'macros.ptx': 'syntaxes/ptx-macros.tmLanguage.json', 'inline.ptx': 'syntaxes/ptx-inline.tmLanguage.json', 'calls.ptx': 'syntaxes/ptx-calls.tmLanguage.json' };

let registry: Registry;

before(async () => {
    const wasm = createRequire(resolve('package.json')).resolve('vscode-oniguruma/release/onig.wasm');
    await loadWASM(readFileSync(wasm));
    registry = new Registry({
        onigLib: Promise.resolve({ createOnigScanner, createOnigString }),
        loadGrammar: (scope) => {
            const file = OWN[scope];
            const text = file === undefined ? JSON.stringify(HOSTS[scope] ?? { scopeName: scope, patterns: [] }) : readFileSync(file, 'utf8');
            return Promise.resolve(parseRawGrammar(text, `${scope}.json`));
        },
        getInjections: () => Object.keys(OWN),
    });
});

/** The words that have a scope of ours, one `text scope` each. */
async function shown(host: string, text: string): Promise<string[]> {
    const grammar: IGrammar | null = await registry.loadGrammar(host);
    assert.ok(grammar);
    let state = INITIAL;
    return text.split('\n').flatMap((line) => {
        const { tokens, ruleStack } = grammar.tokenizeLine(line, state);
        state = ruleStack;
        return tokens
            .map(({ startIndex, endIndex, scopes }) => ({ word: line.slice(startIndex, endIndex).trim(), scope: scopes.at(-1) ?? '' }))
            .filter(({ word, scope }) => word !== '' && scope.endsWith('.ptx') && !scope.startsWith('meta.'))
            .map(({ word, scope }) => `${word} ${scope.replace(/\.ptx$/, '')}`);
    });
}

test('an instruction in a string, operands, escapes, constraints', async () => {
    assert.deepEqual(await shown('source.cuda-cpp', 'asm volatile("@%1 ld.global.u32 %0, [%%rd1];\\n" : "=r"(a) : "b"(q) : "memory");'), [
        '@ keyword.operator.guard',
        '%1 variable.other.predicate',
        'ld entity.name.function.opcode',
        '.global storage.modifier.state-space',
        '.u32 support.type',
        '%0 variable.parameter',
        ', punctuation.separator',
        '[ punctuation.section.brackets',
        '%%rd1 variable.other.register',
        '] punctuation.section.brackets',
        '; punctuation.terminator',
        '\\n constant.character.escape',
        '=r string.quoted.double.constraint',
        'b string.quoted.double.constraint',
        'memory string.quoted.double.constraint',
    ]);
});

test('a comment ends with its line or its string', async () => {
    assert.deepEqual(await shown('source.cuda-cpp', 'asm("// one\\nret; /* two" "trap;" :::);'), [
        '// one comment.line.double-slash',
        '\\n constant.character.escape',
        'ret keyword.control.flow',
        '; punctuation.terminator',
        '/* comment.block',
        'two comment.block',
        'trap keyword.control.flow',
        '; punctuation.terminator',
    ]);
});

test('other spellings of asm, and strings that hold no PTX', async () => {
    assert.deepEqual(await shown('source.cuda-cpp', '__asm__ __volatile__("ret;" ::: "memory"); f("ret;");'), [
        'ret keyword.control.flow',
        '; punctuation.terminator',
        'memory string.quoted.double.constraint',
    ]);
});

test('calls in Python, over several lines', async () => {
    const text = 'y = tl.inline_asm_elementwise("""\n  add.u32 $0, $1, 1;\n""", "=r,r", [x])\nz = "add.u32"';
    assert.deepEqual(await shown('source.python', text), [
        'add entity.name.function.opcode',
        '.u32 support.type',
        '$0 variable.parameter',
        ', punctuation.separator',
        '$1 variable.parameter',
        ', punctuation.separator',
        '1 constant.numeric.integer',
        '; punctuation.terminator',
    ]);
});

/** The opcodes that have a colour. */
const opcodes = async (host: string, text: string): Promise<string[]> =>
    (await shown(host, text)).filter((word) => / entity\.name\.function\.opcode$| keyword\.control\.flow$/.test(word)).map((word) => word.split(' ', 1).join());

test('macros of Rust: operands, braces, raw strings', async () => {
    assert.deepEqual(await shown('source.rust', 'asm!("{{ add.u32 {0}, {x:e}, 1; }}", out(reg32) y);'), [
        '{ punctuation.section.braces',
        '{ punctuation.section.braces',
        'add entity.name.function.opcode',
        '.u32 support.type',
        '{0} variable.parameter',
        ', punctuation.separator',
        '{x:e} variable.parameter',
        ', punctuation.separator',
        '1 constant.numeric.integer',
        '; punctuation.terminator',
        '} punctuation.section.braces',
        '} punctuation.section.braces',
    ]);
    assert.deepEqual(await opcodes('source.rust', 'ptx_asm! { r##"\n  mov.u32 %0, "1";\n"##, in("r") x }\nf("ret;");'), ['mov']);
    assert.deepEqual(await opcodes('source.rust', 'let y = ptx_asm!(\n  "exit;",\n  in("r") f("ret;"),\n);'), ['exit']);
});

test('asm! of Rust has a colour only for PTX', async () => {
    const each: [string, string[]][] = [
        ['bar.sync 0;', ['bar']],
        ['fence.proxy.async;', ['fence']],
        ['mov.pred {p}, 1;', ['mov']],
        ['  @%p bra DONE;', ['bra']],
        ['{{ .reg .b32 t;', []],
        ['mov {0}, rax', []],
        ['lock add.w {0}, 1', []],
        ['vadd.f32 s0, s1, s2', []],
        ['fadd.s f0, f1', []],
        ['b.eq 2f', []],
    ];
    for (const [text, wanted] of each) assert.deepEqual(await opcodes('source.rust', `core::arch::asm!("${text}", options(nomem));`), wanted, text);
    assert.ok((await shown('source.rust', 'asm!(\n  "{{",\n  ".reg .b32 t;",\n  "}}");')).includes('.b32 support.type'));
});

test('asm of LLVM IR, with escapes', async () => {
    assert.deepEqual(await shown('source.llvm', '%r = call i32 asm sideeffect "mov.u32 $0, 1;\\0A\\09ret;", "=r"()'), [
        'mov entity.name.function.opcode',
        '.u32 support.type',
        '$0 variable.parameter',
        ', punctuation.separator',
        '1 constant.numeric.integer',
        '; punctuation.terminator',
        '\\0A constant.character.escape',
        '\\09 constant.character.escape',
        'ret keyword.control.flow',
        '; punctuation.terminator',
    ]);
    assert.deepEqual(await opcodes('source.llvm', 'call void asm sideeffect "mov %eax, 1", "~{eax}"()'), []);
});

test('@asmcall of Julia', async () => {
    assert.deepEqual(await shown('source.julia', 'LLVM.Interop.@asmcall("shl.b32 \\$0, \\$1, 2;", "=r,r", true, f("ret;"))'), [
        'shl entity.name.function.opcode',
        '.b32 support.type',
        '\\$0 variable.parameter',
        ', punctuation.separator',
        '\\$1 variable.parameter',
        ', punctuation.separator',
        '2 constant.numeric.integer',
        '; punctuation.terminator',
    ]);
    assert.deepEqual(await opcodes('source.julia', '@asmcall("""\n  bar.sync 0;\n  """, "~{memory}", true)'), ['bar']);
});
