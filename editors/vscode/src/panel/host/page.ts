// The page of the webview. Its content security policy allows only the extension's own script and stylesheet,
// identified by a nonce. It forbids network access, evaluation of text, submitting forms, and another base for
// addresses.

import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import * as vscode from 'vscode';

function resources(extension: vscode.Uri): vscode.Uri {
    return vscode.Uri.joinPath(extension, 'dist');
}

/**
 * The script and the stylesheet, cached. They are inlined in the page, because loading them through VS Code would take
 * as long as everything else.
 */
let parts: { script: string; style: string } | undefined;

function read(extension: vscode.Uri): { script: string; style: string } {
    const text = (name: string): string => readFileSync(vscode.Uri.joinPath(resources(extension), name).fsPath, 'utf8');
    return { script: text('webview.js'), style: text('webview.css') };
}

export function page(extension: vscode.Uri): string {
    parts ??= read(extension);
    const nonce = randomBytes(16).toString('base64url');
    const policy = `default-src 'none'; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'; base-uri 'none'; form-action 'none';`;
    return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Warp</title>
<style nonce="${nonce}">${parts.style}</style>
</head>
<body class="empty">
<div id="root"></div>
<script nonce="${nonce}">${parts.script}</script>
</body>
</html>`;
}
