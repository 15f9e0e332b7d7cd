// Writes the server's settings from docs/settings.schema.json into package.json, together with the extension's own
// settings.
//
//   node scripts/settings.mjs [--check]
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const manifestFile = fileURLToPath(new URL('../package.json', import.meta.url));
const schemaFile = fileURLToPath(new URL('../../../docs/settings.schema.json', import.meta.url));
const pages = 'https://github.com/ptx-analyzer/ptx-analyzer/blob/main/docs/';

const TITLES = {
    server: 'Server',
    target: 'Target',
    project: 'Target',
    diagnostics: 'Diagnostics',
    evaluation: 'Evaluation',
    completion: 'Completion',
    hover: 'Hover',
    inlayHints: 'Inlay Hints',
    inline: 'PTX in other languages',
    codeLens: 'Code Lenses',
    semanticTokens: 'Semantic Tokens',
    formatting: 'Formatting',
    workspace: 'Workspace',
    ptxas: 'NVIDIA’s Assembler',
    nvdisasm: 'NVIDIA’s Disassembler',
    trace: 'Server',
};

/** Settings of the extension only. A project must not choose which programs run, so these have machine scope. */
const OWN = {
    'ptx-analyzer.server.path': {
        type: 'string',
        default: '',
        scope: 'machine',
        markdownDescription:
            'The server to run instead of the one in this package: an absolute path, one that begins with `~/`, or a name on `PATH`.',
    },
    'ptx-analyzer.server.extraEnv': {
        type: 'object',
        default: {},
        additionalProperties: { type: 'string' },
        scope: 'machine',
        markdownDescription: 'Additional environment variables for the server, such as `{"PTX_ANALYZER_LOG": "debug"}`.',
    },
    'ptx-analyzer.inline.enable': {
        type: 'boolean',
        default: true,
        scope: 'window',
        markdownDescription: 'Whether to analyse PTX in the strings of C, C++, CUDA, Python, Rust, LLVM IR and Julia files. A separate server does that.',
    },
    'ptx-analyzer.inline.languages': {
        type: 'array',
        items: { enum: ['cuda-cpp', 'cpp', 'c', 'python', 'rust', 'llvm', 'julia'], type: 'string' },
        uniqueItems: true,
        default: ['cuda-cpp', 'cpp', 'c', 'python', 'rust', 'llvm', 'julia'],
        scope: 'window',
        markdownDescription: 'The languages whose strings are searched for PTX.',
    },
    'ptx-analyzer.trace.server': {
        type: 'string',
        enum: ['off', 'messages', 'verbose'],
        default: 'off',
        scope: 'window',
        markdownDescription: 'Whether to write the messages between editor and server to the log of *PTX Analyzer*.',
    },
};

/** Copies the schema keys that VS Code supports, and turns links between documentation pages into web addresses. */
function forVsCode(name, setting) {
    const property = JSON.parse(JSON.stringify(setting));
    const link = (text) => text.replace(/\]\((?!https?:)([\w-]+\.md)/g, `](${pages}$1`);
    if (property.markdownDescription) property.markdownDescription = link(property.markdownDescription);
    if (property.enum && !property.type) property.type = 'string';
    property.scope = /^ptx-analyzer\.(?:ptxas|nvdisasm)\./.test(name) ? 'machine' : 'resource';
    if (name === 'ptx-analyzer.ptxas.path') {
        property.markdownDescription =
            'NVIDIA’s assembler, to compare registers with: an absolute path. It is never searched for, and runs only in ' +
            `trusted workspaces and only when you ask: [how](${pages}ptxas.md).`;
    }
    if (name === 'ptx-analyzer.nvdisasm.path') {
        property.markdownDescription =
            'NVIDIA’s disassembler, to show machine code beside PTX: an absolute path. It is never searched for, and runs only in ' +
            `trusted workspaces and only when you ask: [how](${pages}sass.md).`;
    }
    return property;
}

function configuration() {
    const { properties } = JSON.parse(readFileSync(schemaFile, 'utf8'));
    const all = {
        ...Object.fromEntries(Object.entries(properties).map(([name, setting]) => [name, forVsCode(name, setting)])),
        ...OWN,
    };
    const groups = new Map();
    for (const title of Object.values(TITLES)) groups.set(title, {});
    for (const name of Object.keys(all).sort()) {
        const title = TITLES[name.split('.')[1]];
        if (title === undefined) throw new Error(`scripts/settings.mjs has no title for ${name}`);
        groups.get(title)[name] = all[name];
    }
    return [...groups].filter(([, found]) => Object.keys(found).length > 0).map(([title, found]) => ({ title, properties: found }));
}

const before = readFileSync(manifestFile, 'utf8');
const manifest = JSON.parse(before);
manifest.contributes.configuration = configuration();
const after = `${JSON.stringify(manifest, null, 4)}\n`;
if (process.argv.includes('--check')) {
    if (before !== after) {
        console.error('package.json does not have the settings of docs/settings.schema.json: npm run settings');
        process.exit(1);
    }
} else {
    writeFileSync(manifestFile, after);
}
