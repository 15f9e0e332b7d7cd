// Read-only documents without a file, with texts from the server.

import * as vscode from 'vscode';

const SCHEME = 'ptx-analyzer';
/** Maximum number of stored documents. Older ones are forgotten; their open tabs keep their text. */
const KEPT = 50;

export class Documents implements vscode.TextDocumentContentProvider, vscode.Disposable {
    readonly #texts = new Map<string, string>();
    readonly #changed = new vscode.EventEmitter<vscode.Uri>();
    // The registration reads it.
    readonly onDidChange = this.#changed.event;
    readonly #registration = vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);

    provideTextDocumentContent(uri: vscode.Uri): string {
        return this.#texts.get(uri.toString()) ?? '';
    }

    /** Shows Markdown as a rendered page beside the editor, or as text if there is no renderer. */
    async showMarkdown(title: string, text: string): Promise<void> {
        const uri = this.#keep(`${title}.md`, text);
        try {
            await vscode.commands.executeCommand('markdown.showPreviewToSide', uri);
        } catch {
            await vscode.window.showTextDocument(uri, { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true, preview: true });
        }
    }

    async showText(title: string, text: string): Promise<void> {
        const uri = this.#keep(`${title}.txt`, text);
        await vscode.window.showTextDocument(uri, { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true, preview: true });
    }

    dispose(): void {
        this.#registration.dispose();
        this.#changed.dispose();
    }

    #keep(name: string, text: string): vscode.Uri {
        // The last part of the path is the title of the tab.
        const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${name.replace(/[/\\:]+/g, ' ')}` });
        const key = uri.toString();
        this.#texts.delete(key);
        this.#texts.set(key, text);
        for (const old of this.#texts.keys()) {
            if (this.#texts.size <= KEPT) break;
            this.#texts.delete(old);
        }
        this.#changed.fire(uri);
        return uri;
    }
}
