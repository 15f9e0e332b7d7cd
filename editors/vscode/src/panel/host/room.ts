// Widens the panel beside the text: with an open side bar, half of the window is too narrow for 16 lanes.

import * as vscode from 'vscode';

/** Width in pixels that fits 16 lanes. */
const MIN_WIDTH = 640;
/** Maximum share of the editor area that the panel may take. */
const MAX_SHARE = 0.6;

/** The result of `vscode.getEditorLayout`. */
interface Layout {
    orientation: number;
    groups: { size?: number; groups?: unknown[] }[];
}

/**
 * Widens the second of two groups side by side, if they still have the default widths. `width` is the current width of
 * the panel in pixels.
 */
export async function makeRoom(width: number): Promise<void> {
    if (width === 0 || width >= MIN_WIDTH) return;
    const { orientation, groups } = await vscode.commands.executeCommand<Layout>('vscode.getEditorLayout');
    const [text, panel] = groups;
    if (orientation !== 0 || groups.length !== 2 || text?.size === undefined || panel?.size === undefined) return;
    if (groups.some((group) => group.groups !== undefined) || Math.abs(text.size - panel.size) > 20) return;
    const share = Math.min(MAX_SHARE, MIN_WIDTH / (text.size + panel.size));
    await vscode.commands.executeCommand('vscode.setEditorLayout', { orientation, groups: [{ size: 1 - share }, { size: share }] });
}
