// The page of the webview. Its content security policy allows only the extension's own script and stylesheet,
// identified by a nonce. It forbids network access, evaluation of text, submitting forms, and another base for
// addresses.

import * as vscode from 'vscode';

function resources(extension: vscode.Uri): vscode.Uri {
    return vscode.Uri.joinPath(extension, 'dist');
}

/**
 * The script and the stylesheet, cached. They are inlined in the page, because loading them through VS Code would take
 * as long as everything else.
 */
let parts: Promise<{ script: string; style: string }> | undefined;

async function read(extension: vscode.Uri): Promise<{ script: string; style: string }> {
    // In a browser, the extension's files are not on a disk.
    const text = async (name: string): Promise<string> =>
        new TextDecoder().decode(await vscode.workspace.fs.readFile(vscode.Uri.joinPath(resources(extension), name)));
    const [script, style] = await Promise.all([text('webview.js'), text('webview.css')]);
    return { script, style };
}

/** 16 random bytes as hexadecimal digits. */
function randomName(): string {
    return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

export async function page(extension: vscode.Uri): Promise<string> {
    parts ??= read(extension).catch((error: unknown) => {
        parts = undefined;
        throw error;
    });
    const { script, style } = await parts;
    const nonce = randomName();
    const policy = `default-src 'none'; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'; base-uri 'none'; form-action 'none';`;
    return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Warp</title>
<style nonce="${nonce}">${style}</style>
</head>
<body class="empty">
<div id="root"></div>
<script nonce="${nonce}">${script}</script>
</body>
</html>`;
}
