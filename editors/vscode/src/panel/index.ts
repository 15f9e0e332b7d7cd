// The extension's side of the warp panel: the open panels, and the commands that act on them.

import * as vscode from 'vscode';
import type { WarpApi, WarpPanel } from '../panelHost';
import type { ShowWarpArguments } from '../protocol';
import { Panel, VIEW_TYPE } from './host/panel';
import { ACTIONS, isRecord } from './messages';

/** Prefix of the panel's commands, which are followed by the names in `ACTIONS`. */
const COMMAND = 'ptx.warp.';

export function registerWarpPanel(context: vscode.ExtensionContext, api: WarpApi): WarpPanel {
    const panels = new Panels(context, api);
    context.subscriptions.push(panels);
    return panels;
}

class Panels implements WarpPanel {
    private readonly open = new Set<Panel>();
    private readonly registered: vscode.Disposable[] = [];
    private latest: Panel | undefined;

    constructor(
        private readonly context: vscode.ExtensionContext,
        private readonly api: WarpApi,
    ) {
        const command = (name: string, act: () => unknown): void => {
            this.registered.push(vscode.commands.registerCommand(`${COMMAND}${name}`, act));
        };
        for (const action of ACTIONS) command(action, () => this.current()?.act(action));
        command('nextAtCursor', () => this.current()?.goToCursor(true));
        command('previousAtCursor', () => this.current()?.goToCursor(false));
        // For tests and measurements: the timings of the panel that was shown last.
        this.registered.push(vscode.commands.registerCommand('ptx-analyzer.panelTimings', () => this.latest?.timings));
        this.registered.push(
            vscode.window.registerWebviewPanelSerializer(VIEW_TYPE, {
                deserializeWebviewPanel: async (webview, state: unknown) => {
                    await this.restore(webview, state);
                },
            }),
        );
    }

    async show(args: ShowWarpArguments): Promise<void> {
        let panel = [...this.open].find((one) => !one.kept);
        if (panel === undefined) {
            const alone = vscode.window.tabGroups.all.length === 1;
            panel = this.adopt(
                vscode.window.createWebviewPanel(VIEW_TYPE, 'Warp', { viewColumn: vscode.ViewColumn.Beside, preserveFocus: false }, { enableFindWidget: false, retainContextWhenHidden: true }),
                alone,
            );
        }
        await panel.show(args);
    }

    /** Restores a panel of the last session, whose page VS Code has recreated. */
    private async restore(webview: vscode.WebviewPanel, state: unknown): Promise<void> {
        if (!isRecord(state) || typeof state['uri'] !== 'string' || state['uri'] === '') {
            webview.dispose();
            return;
        }
        const panel = this.adopt(webview);
        const entry = typeof state['entry'] === 'string' ? state['entry'] : undefined;
        const step = typeof state['step'] === 'number' ? state['step'] : undefined;
        await panel.show({ uri: state['uri'], ...(entry === undefined ? {} : { entry }) }, step);
    }

    private adopt(webview: vscode.WebviewPanel, beside = false): Panel {
        const panel = new Panel(webview, this.context, this.api, beside);
        this.open.add(panel);
        this.latest = panel;
        panel.onDidDispose(() => {
            this.open.delete(panel);
            if (this.latest === panel) this.latest = [...this.open].at(-1);
            if (panel.uri !== undefined && ![...this.open].some((other) => other.uri === panel.uri)) void this.api.clear(panel.uri).catch(() => undefined);
        });
        panel.onDidActivate(() => {
            this.latest = panel;
        });
        return panel;
    }

    private current(): Panel | undefined {
        return [...this.open].find((one) => one.active) ?? this.latest;
    }

    dispose(): void {
        for (const one of this.registered) one.dispose();
        for (const panel of this.open) panel.dispose();
    }
}
