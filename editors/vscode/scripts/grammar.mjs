// Writes the grammars in syntaxes/: PTX files, PTX in strings, and calls whose strings hold PTX. The rules describe
// shapes: an opcode is the first word of a statement, a modifier follows it after a dot. test/grammar.test.ts compares
// the few word lists with the instruction set.
//
//   node scripts/grammar.mjs [--check]
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

// The end of a word, and the characters of a name.
const name = '[A-Za-z_$%][\\w$]*';
const type =
    '(?:pred|[busf]\\d+(?:x\\d+)?(?:_p\\d+|p\\d+x\\d+)?|b6p2x16|bf16(?:x2)?|tf32|u?e\\d+m\\d+(?:x\\d+)?|s2f6x2|(?:tex|sampler|surf)ref)(?![\\w$])';
const space = '(?:reg|sreg|const(?:\\[\\d+\\])?|global|local|param(?:::(?:entry|func))?|shared(?:::(?:cta|cluster))?|tex)(?![\\w$:\\[])';
// Special registers, which look like any other register.
const special =
    '%(?:(?:tid|ntid|ctaid|nctaid|clusterid|nclusterid|cluster_ctaid|cluster_nctaid)(?:\\.[xyzw])?' +
    '|cluster_n?ctarank|is_explicit_cluster|laneid|n?warpid|n?smid|gridid|lanemask_(?:eq|[gl][et])|clock(?:64|_hi)?' +
    '|globaltimer(?:_lo|_hi)?|pm[0-7](?:_64)?|envreg\\d+|(?:total|aggr|dynamic)_smem_size|reserved_smem_offset_(?:begin|end|cap|\\d)' +
    '|current_graph_exec|perctamemory(?:offset|size))(?![\\w$])';
// Compilers give predicates such names; the register of a guard is a predicate whatever its name.
const predicate = '%p\\d*(?![\\w$])';
const flow = '(?:bra|brx|call|ret|exit|trap)(?![\\w$])';

const opcode = `(?:(${flow})|([a-z][a-z0-9]*(?:_[a-z0-9]+)*))((?:\\.[\\w:]*)*)`;
// A word is an opcode if operands, a semicolon or a modifier follow, but not a comma or a bracket, as after a name in a
// list.
const opcodeEnd = '(?=\\s*(?:;|//|/\\*)|(?<=[.:]\\w*)\\s*$|\\s+[^\\s,=)\\]};:])';

const captures = (...scopes) => Object.fromEntries(scopes.map((scope, index) => [index + 1, scope]).filter(([, scope]) => scope));
const scope = (text) => ({ name: `${text}.ptx` });
const inside = (...names) => ({ patterns: names.map((include) => ({ include: `#${include}` })) });

const grammar = {
    $schema: 'https://raw.githubusercontent.com/martinring/tmlanguage/master/tmlanguage.json',
    name: 'PTX',
    scopeName: 'source.ptx',
    patterns: inside(
        'comment', 'preprocessor', 'string', 'label', 'callable', 'target', 'branch', 'parameter', 'guarded', 'instruction', 'guard', 'directive',
        'register', 'number', 'constant', 'component', 'name', 'operator', 'punctuation',
    ).patterns,
    repository: {
        comment: {
            patterns: [
                {
                    comment: 'How the kernel below is launched, and what is expected of it.',
                    begin: '//!',
                    beginCaptures: { 0: scope('punctuation.definition.comment') },
                    end: '$',
                    ...scope('comment.line.documentation'),
                    patterns: [
                        { match: '\\b(launch|params|globals|buffers|expect)(:)', captures: captures(scope('keyword.other.documentation'), scope('punctuation.separator')) },
                        { match: `(${name}(?:\\[\\d+\\])?)(=)`, captures: captures(scope('variable.parameter'), scope('keyword.operator.assignment')) },
                        { match: '\\b[usbf]\\d+(?=\\[)', ...scope('storage.type') },
                        { include: '#number' },
                    ],
                },
                { match: '//.*$', ...scope('comment.line.double-slash') },
                { begin: '/\\*', end: '\\*/', ...scope('comment.block') },
            ],
        },
        preprocessor: { match: '^\\s*#.*$', ...scope('meta.preprocessor') },
        string: { begin: '"', end: '"|$', ...scope('string.quoted.double'), patterns: [{ match: '\\\\.', ...scope('constant.character.escape') }] },
        label: { match: `(?:^|(?<=[;{}]))\\s*(${name})\\s*(:)(?!:)`, captures: captures(scope('entity.name.label'), scope('punctuation.separator.label')) },
        callable: {
            comment: 'A kernel or function, with its name; a result may stand between the two.',
            match: `(\\.(?:entry|func))(?![\\w$])\\s*(\\([^()]*\\)\\s*)?(${name})?`,
            captures: captures(scope('keyword.other.directive'), inside('directive', 'register', 'number', 'name', 'punctuation'), scope('entity.name.function')),
        },
        target: {
            match: '(\\.target)(?![\\w$])\\s*([\\w, \\t]*)',
            captures: captures(scope('keyword.other.directive'), { patterns: [{ match: '\\w+', ...scope('constant.language.target') }, { include: '#punctuation' }] }),
        },
        guarded: {
            comment: 'An instruction behind its guard predicate.',
            match: `(@)(!?)\\s*(${name})\\s+${opcode}${opcodeEnd}`,
            captures: captures(
                scope('keyword.operator.guard'), scope('keyword.operator.logical'), scope('variable.other.predicate'),
                scope('keyword.control.flow'), scope('entity.name.function.opcode'), inside('modifier'),
            ),
        },
        branch: {
            comment: 'A branch with the label that it goes to.',
            match: `(?:^|(?<=[;{}:]))\\s*(?:(@)(!?)\\s*(${name})\\s+)?(bra)((?:\\.[\\w:]*)*)\\s+(${name})(?![.\\w$])`,
            captures: captures(
                scope('keyword.operator.guard'), scope('keyword.operator.logical'), scope('variable.other.predicate'),
                scope('keyword.control.flow'), inside('modifier'), scope('entity.name.label'),
            ),
        },
        parameter: {
            patterns: [
                {
                    comment: 'The declaration of a parameter, up to its name.',
                    match: `(\\.param)\\s+((?:\\.\\w+(?:\\s+\\d+)?\\s*)+?)\\s*(${name})`,
                    captures: captures(scope('storage.modifier.state-space'), inside('directive', 'number'), scope('variable.parameter')),
                },
                {
                    comment: 'What an access to parameters addresses.',
                    match: `([A-Za-z_$][\\w$]*_param_\\d+)(?![\\w$])`,
                    captures: captures(scope('variable.parameter')),
                },
                {
                    match: `(?:^|(?<=[;{}:]))\\s*(ld)((?:\\.[\\w:]+)*\\.param(?:::\\w+)?(?:\\.[\\w:]+)*)\\s+([^\\[\\];]*)(\\[)\\s*([A-Za-z_$][\\w$]*)`,
                    captures: captures(
                        scope('entity.name.function.opcode'), inside('modifier'), inside('register', 'punctuation'),
                        scope('punctuation.section.brackets'), scope('variable.parameter'),
                    ),
                },
            ],
        },
        instruction: {
            match: `(?:^|(?<=[;{}:]))\\s*${opcode}${opcodeEnd}`,
            captures: captures(scope('keyword.control.flow'), scope('entity.name.function.opcode'), inside('modifier')),
        },
        guard: {
            match: `(@)(!?)\\s*(${name})`,
            captures: captures(scope('keyword.operator.guard'), scope('keyword.operator.logical'), scope('variable.other.predicate')),
        },
        modifier: {
            patterns: [
                { match: `\\.${type}`, ...scope('support.type') },
                { match: `\\.${space}`, ...scope('storage.modifier.state-space') },
                { match: '\\.[\\w:]*', ...scope('support.constant.modifier') },
            ],
        },
        directive: {
            patterns: [
                { match: '@@\\w+', ...scope('keyword.other.directive') },
                { match: `(?<![\\w$%])\\.(?:${type}|v[248](?![\\w$]))`, ...scope('support.type') },
                { match: `(?<![\\w$%])\\.${space}`, ...scope('storage.modifier.state-space') },
                { match: '(?<![\\w$%.])\\.[A-Za-z_][\\w]*', ...scope('keyword.other.directive') },
            ],
        },
        register: {
            patterns: [
                { match: special, ...scope('variable.other.constant.special-register') },
                { match: predicate, ...scope('variable.other.predicate') },
                { match: '%[A-Za-z_$][\\w$]*', ...scope('variable.other.register') },
            ],
        },
        number: {
            patterns: [
                { match: '(?<![\\w$%])0(?:[fF][0-9a-fA-F]{8}|[dD][0-9a-fA-F]{16})(?![\\w$])', ...scope('constant.numeric.float') },
                { match: '(?<![\\w$%])0[xX][0-9a-fA-F]+U?(?![\\w$])', ...scope('constant.numeric.hex') },
                { match: '(?<![\\w$%])0[bB][01]+U?(?![\\w$])', ...scope('constant.numeric.binary') },
                { match: '(?<![\\w$%])(?:\\d+\\.\\d*(?:[eE][+-]?\\d+)?|\\d+[eE][+-]?\\d+)(?![\\w$])', ...scope('constant.numeric.float') },
                { match: '(?<![\\w$%])\\d+U?(?![\\w$])', ...scope('constant.numeric.integer') },
            ],
        },
        constant: { match: '\\bWARP_SZ\\b', ...scope('constant.language') },
        component: { match: '(?<=[\\w$>])\\.(?:[xyzwrgba]|[bh]\\d)(?![\\w$])', ...scope('variable.other.property') },
        name: { match: '[A-Za-z_$][\\w$]*', ...scope('variable.other') },
        operator: { match: '<<|>>|&&|\\|\\||[=!<>]=|[-+*/%&|^~!?<>=]', ...scope('keyword.operator') },
        punctuation: {
            patterns: [
                { match: ';', ...scope('punctuation.terminator') },
                { match: ',', ...scope('punctuation.separator') },
                { match: '[{}]', ...scope('punctuation.section.braces') },
                { match: '[\\[\\]]', ...scope('punctuation.section.brackets') },
                { match: '[()]', ...scope('punctuation.section.parens') },
            ],
        },
    },
};

// PTX in the strings of other languages. The same rules apply, but a statement also begins behind the quote and
// behind the escape of a line break, registers may have two percent signs, and nothing runs past the quote.
const escaped = (text) => JSON.stringify(text).slice(1, -1);
const inString = (rules) =>
    JSON.parse(
        JSON.stringify(rules)
            .replaceAll(escaped('(?<=[;{}:])'), escaped('(?<=[;{}:"\'(]|\\\\[nrt]|\\\\0[9ADad])'))
            .replaceAll(escaped('(?<=[;{}])'), escaped('(?<=[;{}"\'(]|\\\\[nrt]|\\\\0[9ADad])'))
            .replaceAll(escaped('(?:;|//|/\\*)'), escaped('(?:;|//|/\\*|["\'\\\\])'))
            .replaceAll('"match":"%', '"match":"%%?'),
    );
const KEPT = ['label', 'branch', 'parameter', 'guarded', 'instruction', 'guard', 'directive', 'register', 'number', 'component', 'name', 'operator', 'punctuation'];
const HOSTS = ['source.c', 'source.cpp', 'source.cuda-cpp'];

const inline = {
    $schema: grammar.$schema,
    name: 'PTX in strings',
    scopeName: 'inline.ptx',
    comment: 'The grammars of C, C++ and CUDA call the text of `asm` meta.embedded.assembly; calls.ptx and macros.ptx do so in other languages.',
    injectionSelector: 'L:meta.embedded.assembly -comment',
    patterns: [
        { comment: 'Constraints and clobbers are strings of the same statement.', match: '(?<=")(?:[=+]?&?[a-zA-Z]|memory|cc)(?=")', ...scope('string.quoted.double.constraint') },
        { comment: 'Julia.', match: '\\\\\\$(?:\\d+|\\{[^}"]*\\})', ...scope('variable.parameter') },
        { comment: 'The first are those of LLVM IR.', match: '\\\\(?:0[9ADad]|[0-7]{1,3}|x[0-9a-fA-F]+|.)', ...scope('constant.character.escape') },
        { match: '//(?:(?!\\\\n|").)*', ...scope('comment.line.double-slash') },
        { begin: '/\\*', end: '\\*/|(?=")', ...scope('comment.block') },
        { comment: 'Operands and the number of a statement. The last are those of Rust.', match: '%\\d+|%\\[\\w+\\]|\\$\\{[^}"]*\\}|\\$\\d+|(?<!\\{)\\{\\w+(?::\\w+)?\\}(?!\\})', ...scope('variable.parameter') },
        { match: '%=|%%(?![A-Za-z_$])|\\$\\$', ...scope('constant.character.escape') },
        ...inside(...KEPT).patterns,
    ],
    repository: inString(Object.fromEntries([...KEPT, 'modifier'].map((rule) => [rule, grammar.repository[rule]]))),
};

/** Strings of a call in Python that hold PTX, with the names that the Python grammar gives to strings. */
const pythonString = (quote, kind) => ({
    begin: `([fFrRbBuU]{0,2})(${quote})`,
    beginCaptures: captures({ name: 'storage.type.string.python' }, { name: 'punctuation.definition.string.begin.python' }),
    end: quote,
    endCaptures: { 0: { name: 'punctuation.definition.string.end.python' } },
    name: `string.quoted.${kind}.python`,
    contentName: 'meta.embedded.assembly.ptx',
});

const calls = {
    $schema: grammar.$schema,
    name: 'PTX in calls',
    scopeName: 'calls.ptx',
    comment: 'Python functions that take PTX, and spellings of `asm` that VS Code’s grammars do not know.',
    injectionSelector: ['source.python', ...HOSTS].map((host) => `L:${host} -string -comment -meta.asm`).join(', '),
    patterns: [
        {
            begin: '(?<!\\w)(inline_asm|inline_asm_elementwise|elementwise_inline_asm|inline_ptx)\\s*(\\()',
            beginCaptures: captures({ name: 'meta.function-call.generic.python' }, { name: 'punctuation.definition.arguments.begin.python' }),
            end: '\\)',
            endCaptures: { 0: { name: 'punctuation.definition.arguments.end.python' } },
            name: 'meta.function-call.ptx',
            patterns: [
                pythonString('"""', 'multi'),
                pythonString("'''", 'multi'),
                { comment: 'Constraints.', match: '(["\'])[=+&~{}\\w,]*\\1', name: 'string.quoted.single.python' },
                pythonString('"', 'single'),
                pythonString("'", 'single'),
                { include: 'source.python#expression' },
                { match: ',', name: 'punctuation.separator.arguments.python' },
                { match: '=', name: 'keyword.operator.assignment.python' },
            ],
        },
        {
            begin: '\\b(?!(?:asm|__asm__)\\s*(?:volatile\\s*)?\\()(__asm|asm|__asm__)\\b\\s*((?:__volatile__|__volatile|volatile|inline|goto)(?:\\s+\\w+)*)?\\s*(\\()',
            beginCaptures: captures({ name: 'storage.type.asm.cpp' }, { name: 'storage.modifier.cpp' }, { name: 'punctuation.section.parens.begin.cpp' }),
            end: '\\)',
            endCaptures: { 0: { name: 'punctuation.section.parens.end.cpp' } },
            name: 'meta.asm.ptx',
            patterns: [
                {
                    begin: '(R?)(")',
                    end: '"',
                    name: 'string.quoted.double.cpp',
                    contentName: 'meta.embedded.assembly.ptx',
                },
                { begin: '\\(', end: '\\)', patterns: [{ include: '$base' }] },
                { include: 'source.cpp#comments' },
            ],
        },
    ],
};

/**
 * Whether the text behind the quote is PTX and not the assembly of another processor: a word with a PTX type, an opcode
 * that has none, a declaration, a guard, or a brace of PTX alone. The server decides in the same way, but for a whole
 * statement and with all opcodes; a rule sees one line.
 */
const PTX_TEXT =
    '(?=[^"]*?(?<![\\w.%])[a-uw-z]\\w*(?:\\.[a-z0-9_:]+)*\\.(?:[busf](?:8|16|32|64|128)|pred|b?f16x2|bf16)(?!\\w)' +
    '|\\s*(?:\\{\\{\\s*)?(?:bar|barrier|membar|fence\\.(?:proxy|sc|acq_rel)|cp\\.(?:async|reduce)|wgmma|mbarrier|tcgen05|vote)\\.[a-z]' +
    '|\\s*(?:\\{\\{\\s*)?(?:\\.reg\\s+\\.|@!?[%{]?\\w+\\}?\\s+[a-z])|\\s*(?:\\{\\{|\\}\\})(?:\\\\n)?")';

/** A string that holds PTX; `test` looks at the text behind its quote. */
const ptxString = (prefix, quote, language, test = '', kind = 'double') => ({
    begin: `(${prefix})(${quote})${test}`,
    beginCaptures: captures({ name: `storage.type.string.${language}` }, { name: `punctuation.definition.string.begin.${language}` }),
    end: quote.replace('(#*)"', '"\\3'),
    endCaptures: { 0: { name: `punctuation.definition.string.end.${language}` } },
    name: `string.quoted.${kind}.${language}`,
    contentName: 'meta.embedded.assembly.ptx',
});

/** A macro with its brackets. */
const macro = (begin, language, patterns) =>
    ['()', '[]', '{}'].map(([open, close]) => ({
        begin: `${begin}\\s*(\\${open})`,
        beginCaptures: captures({ name: `entity.name.function.macro.${language}` }, { name: `punctuation.brackets.${language}` }),
        end: `\\${close}`,
        endCaptures: { 0: { name: `punctuation.brackets.${language}` } },
        name: 'meta.asm.ptx',
        patterns: [...patterns, { begin: '[(\\[{]', end: '[)\\]}]', patterns: [{ include: `source.${language}` }] }, { include: `source.${language}` }],
    }));
const rustMacro = (name, test) => macro(`(?<![\\w!])(${name}\\s*!)`, 'rust', [ptxString('r', '(#*)"', 'rust', test), ptxString('', '"', 'rust', test)]);

const macros = {
    $schema: grammar.$schema,
    name: 'PTX in macros',
    scopeName: 'macros.ptx',
    comment: 'Macros of Rust and Julia that take PTX, and `asm` of LLVM IR.',
    injectionSelector: ['source.rust', 'source.llvm', 'source.julia'].map((host) => `L:${host} -string -comment -meta.asm`).join(', '),
    patterns: [
        ...rustMacro('ptx_asm', ''),
        ...rustMacro('asm', PTX_TEXT),
        {
            begin: `\\b(asm)((?:\\s+(?:sideeffect|alignstack|inteldialect|unwind))*)\\s+(")${PTX_TEXT}`,
            beginCaptures: captures({ name: 'keyword.other.llvm' }, { name: 'storage.modifier.llvm' }, { name: 'punctuation.definition.string.begin.llvm' }),
            end: '"',
            endCaptures: { 0: { name: 'punctuation.definition.string.end.llvm' } },
            name: 'string.quoted.double.llvm',
            contentName: 'meta.embedded.assembly.ptx',
        },
        ...macro('(@asmcall)', 'julia', [
            ptxString('(?:raw)?', '"""', 'julia', '', 'triple.double'),
            { comment: 'Constraints.', match: '"[=+&~{}\\w,]*"', name: 'string.quoted.double.julia' },
            ptxString('(?:raw)?', '"', 'julia'),
        ]).slice(0, 1),
    ],
};

const files = { 'ptx-macros.tmLanguage.json': macros, 'ptx.tmLanguage.json': grammar, 'ptx-inline.tmLanguage.json': inline, 'ptx-calls.tmLanguage.json': calls };
for (const [name, content] of Object.entries(files)) {
    const file = fileURLToPath(new URL(`../syntaxes/${name}`, import.meta.url));
    const text = `${JSON.stringify(content, null, 4)}\n`;
    if (process.argv.includes('--check')) {
        if (readFileSync(file, 'utf8') !== text) {
            console.error(`syntaxes/${name} is not what scripts/grammar.mjs writes: npm run grammar`);
            process.exit(1);
        }
    } else {
        writeFileSync(file, text);
    }
}
