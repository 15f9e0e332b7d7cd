// The editor's part of a panel: the mark of the current step's line, and navigation to positions.

import * as vscode from 'vscode';
import { splitAtColumn } from './bytes';

export class EditorView implements vscode.Disposable {
    private readonly decoration = vscode.window.createTextEditorDecorationType({
        isWholeLine: true,
        backgroundColor: new vscode.ThemeColor('editor.stackFrameHighlightBackground'),
        // A line at the left, so that the mark does not rely on a background colour alone.
        borderStyle: 'solid',
        borderWidth: '0 0 0 3px',
        borderColor: new vscode.ThemeColor('focusBorder'),
        overviewRulerColor: new vscode.ThemeColor('focusBorder'),
        overviewRulerLane: vscode.OverviewRulerLane.Full,
    });
    private uri: string | undefined;
    private line: number | undefined;
    private readonly listener = vscode.window.onDidChangeVisibleTextEditors(() => {
        this.draw();
    });

    /** Marks a line (from 1), or removes the mark. */
    mark(uri: string, line: number | undefined, reveal: boolean): void {
        this.uri = uri;
        this.line = line;
        this.draw();
        if (!reveal || line === undefined) return;
        const place = new vscode.Range(line - 1, 0, line - 1, 0);
        for (const editor of this.editors()) editor.revealRange(place, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
    }

    /** Shows a position and puts the cursor there; the column counts bytes. */
    async reveal(uri: string, line: number, column: number): Promise<void> {
        const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(uri));
        const text = document.lineAt(Math.min(line, document.lineCount) - 1).text;
        const character = splitAtColumn(text, column)[0].length;
        const place = new vscode.Position(Math.min(line, document.lineCount) - 1, character);
        const open = vscode.window.visibleTextEditors.find((editor) => editor.document === document);
        const column_ = open?.viewColumn ?? vscode.ViewColumn.One;
        const editor = await vscode.window.showTextDocument(document, { viewColumn: column_, preserveFocus: false });
        editor.selection = new vscode.Selection(place, place);
        editor.revealRange(new vscode.Range(place, place), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
    }

    private editors(): vscode.TextEditor[] {
        return vscode.window.visibleTextEditors.filter((editor) => editor.document.uri.toString() === this.uri);
    }

    private draw(): void {
        for (const editor of vscode.window.visibleTextEditors) {
            const own = editor.document.uri.toString() === this.uri && this.line !== undefined && this.line <= editor.document.lineCount;
            const range = own && this.line !== undefined ? [new vscode.Range(this.line - 1, 0, this.line - 1, 0)] : [];
            editor.setDecorations(this.decoration, range);
        }
    }

    dispose(): void {
        this.decoration.dispose();
        this.listener.dispose();
    }
}
