// The page that is loaded into the webview. Its content policy allows the extension's own script and stylesheet, and nothing else:
// no network, no inline script or style, no evaluation of text.

import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';

export function resources(extension: vscode.Uri): vscode.Uri {
    return vscode.Uri.joinPath(extension, 'dist');
}

export function page(webview: vscode.Webview, extension: vscode.Uri): string {
    const nonce = randomBytes(16).toString('base64url');
    const file = (name: string): string => webview.asWebviewUri(vscode.Uri.joinPath(resources(extension), name)).toString();
    const policy = `default-src 'none'; style-src ${webview.cspSource}; script-src 'nonce-${nonce}';`;
    return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Warp</title>
<link rel="stylesheet" href="${file('webview.css')}">
</head>
<body class="empty">
<div id="root"></div>
<script nonce="${nonce}" src="${file('webview.js')}"></script>
</body>
</html>`;
}
