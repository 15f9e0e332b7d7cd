const assert = require('node:assert/strict');
const { mkdirSync, writeFileSync, readFileSync } = require('node:fs');
const { join, resolve } = require('node:path');
const vscode = require('vscode');

const EXTENSION = 'ptx-analyzer.ptx-analyzer';
const kernels = resolve(__dirname, '../../../kernels');
const root = () => vscode.workspace.workspaceFolders[0].uri.fsPath;

/** Polls until `look` returns a value; on timeout, throws an error that names `what`. */
async function until(what, look, seconds = 20) {
    const end = Date.now() + seconds * 1000;
    for (;;) {
        const found = await look();
        if (found) return found;
        if (Date.now() > end) throw new Error(`waited ${seconds} s for ${what}`);
        await new Promise((done) => setTimeout(done, 30));
    }
}

const api = () => vscode.extensions.getExtension(EXTENSION).activate();
const running = async () => {
    const { serverState } = await api();
    return until('the server to run', () => serverState() === 'running');
};

/** Writes a file into the project and shows it. */
async function open(name, text) {
    const file = join(root(), name);
    mkdirSync(resolve(file, '..'), { recursive: true });
    writeFileSync(file, text);
    const document = await vscode.workspace.openTextDocument(file);
    const editor = await vscode.window.showTextDocument(document, { preview: false });
    return { document, editor, uri: document.uri };
}

const kernel = (name) => readFileSync(join(kernels, name), 'utf8');
const diagnostics = (uri) => vscode.languages.getDiagnostics(uri);

/** The position of a text in a document, plus `right` characters. */
function place(document, text, right = 0) {
    const offset = document.getText().indexOf(text);
    assert.ok(offset >= 0, `the document has no '${text}'`);
    return document.positionAt(offset + right);
}

const command = (name, ...args) => vscode.commands.executeCommand(name, ...args);
const tabs = () => vscode.window.tabGroups.all.flatMap((group) => group.tabs);

const closeAll = () => command('workbench.action.closeAllEditors');
const codes = (uri) => diagnostics(uri).map(({ code }) => (typeof code === 'object' ? code.value : code));

module.exports = { EXTENSION, api, closeAll, codes, command, diagnostics, kernel, open, place, root, running, tabs, until };
