// The tests of PTX files: launches with `//! expect:` lines, in VS Code's Test Explorer.

import * as vscode from 'vscode';
import { whenOpened } from '../inline';
import type { Platform } from '../platform';
import type { Server } from '../server';
import { addProfiles, TestRunner } from './run';
import { TestTree } from './tree';

export class LaunchTests implements vscode.Disposable {
    readonly #disposables: vscode.Disposable[] = [];
    readonly #outcomes = new WeakMap<vscode.TestItem, string[]>();
    #controller: vscode.TestController | undefined;

    constructor(
        private readonly server: Server,
        private readonly platform: Platform,
    ) {
        // Other languages' files activate the extension too, and they have no tests.
        const later = (): void => {
            setTimeout(() => {
                this.#create();
            }, 0);
        };
        this.#disposables.push(whenOpened(['ptx'], later));
    }

    dispose(): void {
        vscode.Disposable.from(...this.#disposables).dispose();
    }

    /** The tree as text, with the outcomes of the last runs. */
    outline(): string[] {
        const rows = (items: vscode.TestItemCollection | undefined, indent: string): string[] =>
            [...(items ?? [])].flatMap(([, item]) => {
                const [outcome, ...messages] = this.#outcomes.get(item) ?? [];
                const own = `${indent}${item.label}${outcome === undefined ? '' : ` = ${outcome}`}`;
                return [own, ...messages.map((message) => `${indent}  ! ${message}`), ...rows(item.children, `${indent}  `)];
            });
        return rows(this.#controller?.items, '');
    }

    #create(): void {
        const controller = vscode.tests.createTestController('ptx-analyzer', 'PTX');
        const tree = new TestTree(controller, this.server);
        const runner = new TestRunner(controller, tree, this.server, (item, outcome) => {
            this.#outcomes.set(item, outcome);
        });
        addProfiles(controller, runner, this.platform.unavailable);
        this.#controller = controller;
        this.#disposables.push(controller, tree);
        if (this.server.state.kind === 'running') tree.updateOpen();
    }
}
