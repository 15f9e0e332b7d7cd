// Plays the host of the warp panel with a real server: for pictures and measurements.

import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { EXTENSION } from './panel-page.mjs';

const require = createRequire(`${EXTENSION}package.json`);
const { createMessageConnection, StreamMessageReader, StreamMessageWriter } = require('vscode-jsonrpc/node');

/** A server in which files can be opened; `answers(file, entry)` gives what `openPanel` wants. */
export async function startServer(executable) {
    const child = spawn(executable, [], { stdio: ['pipe', 'pipe', 'ignore'] });
    const connection = createMessageConnection(new StreamMessageReader(child.stdout), new StreamMessageWriter(child.stdin));
    const evaluated = [];
    connection.onNotification('ptx-analyzer/evaluated', (notice) => { for (const each of evaluated) each(notice); });
    connection.onRequest('workspace/configuration', ({ items }) => items.map(() => null));
    connection.onRequest('client/registerCapability', () => null);
    for (const name of ['codeLens', 'inlayHint', 'semanticTokens', 'diagnostics']) connection.onRequest(`workspace/${name}/refresh`, () => null);
    connection.listen();
    const experimental = { commands: { commands: ['ptx-analyzer.showWarp'] } };
    await connection.sendRequest('initialize', { processId: process.pid, rootUri: null, capabilities: { experimental, textDocument: { publishDiagnostics: {} } } });
    await connection.sendNotification('initialized', {});
    const command = (name, argument) => connection.sendRequest('workspace/executeCommand', { command: `ptx-analyzer.${name}`, arguments: [argument] });

    return {
        onEvaluated: (act) => evaluated.push(act),
        async open(file) {
            const uri = pathToFileURL(file).href;
            const text = await readFile(file, 'utf8');
            await connection.sendNotification('textDocument/didOpen', { textDocument: { uri, languageId: 'ptx', version: 1, text } });
            return { uri, text };
        },
        answers({ uri, text }, entry) {
            const lines = text.split('\n');
            return async (question) => {
                try {
                    if (question.kind === 'evaluate') return await command('evaluateWarp', { uri, ...(entry ? { entry } : {}), ...question.arguments });
                    if (question.kind === 'launches') return await command('launches', { uri });
                    if (question.kind === 'fragments') return await command('fragments', { uri, line: question.line });
                    return { texts: question.places.map(({ line, column }) => statement(lines, line, column)) };
                } catch (error) {
                    throw Object.assign(new Error(error.message), { refusal: error.data });
                }
            };
        },
        async stop() {
            await connection.sendRequest('shutdown');
            await connection.sendNotification('exit');
            connection.dispose();
        },
    };
}

/** A statement as the panel shows it: up to its semicolon, on one line. */
function statement(lines, line, column) {
    const text = [(lines[line - 1] ?? '').slice(column - 1), ...lines.slice(line, line + 6)].map((own) => own.replace(/\/\/.*/, '')).join(' ');
    return `${text.split(';')[0]};`.replace(/\s+/g, ' ').trim();
}
