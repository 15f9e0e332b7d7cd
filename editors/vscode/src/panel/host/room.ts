// Room for the panel beside the text: half of the window is too little for 16 lanes where a side bar is open.

import * as vscode from 'vscode';

/** Pixels in which 16 lanes fit. */
const WANTED = 640;
/** The part of the editors' room that the panel may take from the text. */
const MAX_SHARE = 0.6;

/** What `vscode.getEditorLayout` gives. */
interface Layout {
    orientation: number;
    groups: { size?: number; groups?: unknown[] }[];
}

/** Widens the second of two groups that stand side by side, when they are as wide as VS Code has made them and the panel has `width` pixels. */
export async function makeRoom(width: number): Promise<void> {
    if (width === 0 || width >= WANTED) return;
    const { orientation, groups } = await vscode.commands.executeCommand<Layout>('vscode.getEditorLayout');
    const [text, panel] = groups;
    if (orientation !== 0 || groups.length !== 2 || text?.size === undefined || panel?.size === undefined) return;
    if (groups.some((group) => group.groups !== undefined) || Math.abs(text.size - panel.size) > 20) return;
    const share = Math.min(MAX_SHARE, WANTED / (text.size + panel.size));
    await vscode.commands.executeCommand('vscode.setEditorLayout', { orientation, groups: [{ size: 1 - share }, { size: share }] });
}
