// The server behind the warp panel's page in tests: the program itself, with kernels from memory. It does what the
// extension does between page and server (editors/vscode/src/panel/host).

import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const require = createRequire(`${ROOT}editors/vscode/package.json`);
const { createMessageConnection, StreamMessageReader, StreamMessageWriter } = require('vscode-jsonrpc/node');
const { buildSync } = require('esbuild');

/** The kernels of the tests. */
export const KERNELS = readFileSync(new URL('../fixture/panel.ptx', import.meta.url), 'utf8');

/** The line with a text, from 1. */
export const lineOf = (text, wanted) => text.slice(0, text.indexOf(wanted)).split('\n').length;

/** Functions of the extension itself. */
async function loadExtension() {
    const contents = "export { statementText } from './host/launchEdit'; export { isRefusal } from './messages';";
    const { outputFiles } = buildSync({ stdin: { contents, resolveDir: `${ROOT}editors/vscode/src/panel`, loader: 'ts' }, bundle: true, format: 'esm', write: false });
    return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].text).toString('base64')}`);
}

function programFile() {
    const files = [process.env.PTX_ANALYZER, `${ROOT}target/release/ptx-analyzer`, `${ROOT}target/debug/ptx-analyzer`];
    const file = files.find((one) => one !== undefined && existsSync(one));
    if (file === undefined) throw new Error(`there is no server at ${files.filter(Boolean).join(' or ')}`);
    return file;
}

/** A document that the server has open. */
class Document {
    #server;
    #version = 1;

    constructor(server, uri, text) {
        this.#server = server;
        this.uri = uri;
        this.text = text;
    }

    /** Replaces the text, as an editor does; the server then evaluates the document again. */
    async edit(text) {
        this.text = text;
        this.#version += 1;
        await this.#server.connection.sendNotification('textDocument/didChange', { textDocument: { uri: this.uri, version: this.#version }, contentChanges: [{ text }] });
    }

    /** Calls the listener whenever the server has evaluated the document after an edit. */
    onEvaluated(listener) {
        this.#server.listeners.set(this.uri, listener);
    }

    /** The answer to a question of a page about the entry; throws `{message, refusal}`. */
    async answer(question, entry) {
        if (question.kind === 'statements') {
            const source = this.text.split('\n');
            return { texts: question.places.map(({ line, column }) => this.#server.extension.statementText(source, line, column)) };
        }
        const [name, own] = question.kind === 'launches' ? ['launches', {}] : ['evaluateWarp', { ...question.arguments, ...(entry === undefined ? {} : { entry }) }];
        try {
            return await this.#server.connection.sendRequest('workspace/executeCommand', { command: `ptx-analyzer.${name}`, arguments: [{ uri: this.uri, ...own }] });
        } catch ({ message, data }) {
            throw { message, refusal: this.#server.extension.isRefusal(data) ? data : null };
        }
    }
}

/** Starts the program. `open` gives it a document, `close` ends it. */
export async function startServer() {
    const child = spawn(programFile(), [], { stdio: ['pipe', 'pipe', 'ignore'] });
    const connection = createMessageConnection(new StreamMessageReader(child.stdout), new StreamMessageWriter(child.stdin));
    const server = { connection, listeners: new Map(), extension: await loadExtension() };
    connection.onNotification('ptx-analyzer/evaluated', (evaluated) => server.listeners.get(evaluated.uri)?.(evaluated));
    connection.listen();
    const experimental = { commands: { commands: ['ptx-analyzer.showWarp'] } };
    await connection.sendRequest('initialize', { processId: null, rootUri: null, capabilities: { experimental } });
    await connection.sendNotification('initialized', {});
    let number = 0;
    return {
        async open(text = KERNELS) {
            number += 1;
            const document = new Document(server, `file:///kernels/panel-${number}.ptx`, text);
            await connection.sendNotification('textDocument/didOpen', { textDocument: { uri: document.uri, languageId: 'ptx', version: 1, text } });
            return document;
        },
        async close() {
            await connection.sendRequest('shutdown');
            await connection.sendNotification('exit');
            connection.dispose();
        },
    };
}

/** A kernel with many registers, many steps and lanes that part: for measurements. */
export function largeKernel(registers, rounds) {
    const names = Array.from({ length: registers }, (_, at) => `%f${at}`);
    const code = names.map((name, at) => `${at % 7 === 3 ? '@%p_some ' : ''}fma.rn.f32 ${name}, ${names[(at + 1) % registers]}, %lanes, 0f${(0x3e800000 + at).toString(16)};`);
    return `.version 8.0
.target sm_80
.address_size 64
//! launch: grid=1 block=32
.visible .entry large()
{
    .reg .pred %p_some, %p_more;
    .reg .u32 %round, %third;
    .reg .f32 ${names.join(', ')}, %lanes;
    mov.u32 %third, %tid.x;
    cvt.rn.f32.u32 %lanes, %third;
    rem.u32 %third, %third, 3;
    setp.ne.u32 %p_some, %third, 0;
    mov.u32 %round, 0;
    ${names.map((name) => `mov.f32 ${name}, 0f3f800000;`).join('\n    ')}
again:
    ${code.join('\n    ')}
    add.u32 %round, %round, 1;
    setp.lt.u32 %p_more, %round, ${rounds};
    @%p_more bra again;
    ret;
}
`;
}
