// The actions of a VS Code user: opens files, runs commands, points, types, looks. Scenes use this interface.
import { chmodSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { shrink } from './png.mjs';
import { until } from './workbench.mjs';

const kernels = fileURLToPath(new URL('../../kernels/', import.meta.url));
/** Maximum size of a picture in the documentation, in bytes. */
const MAX_PICTURE = 150 * 1024;

export class Desk {
    constructor({ page, project, pictures, change, extensions }) {
        Object.assign(this, { page, project, pictures, change, extensions });
    }

    /** Changes settings while VS Code runs. */
    settings(changes) {
        this.change(changes);
    }

    /** The process ids of the running language servers of this VS Code. */
    servers() {
        return readdirSync('/proc').filter((id) => /^\d+$/.test(id)).filter((id) => {
            try {
                const [program, option] = readFileSync(`/proc/${id}/cmdline`, 'utf8').split('\0');
                return program.startsWith(this.extensions) && option === '';
            } catch {
                return false;
            }
        }).map(Number);
    }

    /** Writes a new file into the project. */
    write(name, text) {
        const file = join(this.project, name);
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(file, text);
    }

    /** Writes a shell script into the project; returns its path. */
    program(name, commands) {
        this.write(name, `#!/bin/sh\n${commands}\n`);
        const file = join(this.project, name);
        chmodSync(file, 0o755);
        return file;
    }

    /** Copies a kernel of the repository into the project; `change` may alter its text. */
    kernel(name, change = (text) => text, as = name) {
        const text = change(readFileSync(join(kernels, name), 'utf8'));
        this.write(as, text);
        return text;
    }

    /** Opens a file of the project and waits for its text. */
    async open(name) {
        const { page } = this;
        const row = page.locator(`.quick-input-list .monaco-list-row[aria-label*="${name}"]`).first();
        // VS Code may not yet know a file that was written a moment ago.
        for (let tries = 1; ; tries++) {
            await page.keyboard.press('Control+p');
            await page.locator('.quick-input-box input').first().waitFor();
            await page.keyboard.type(name);
            const seen = await row.waitFor({ timeout: tries * 4000 }).then(() => true, () => false);
            if (seen) break;
            if (tries === 4) throw new Error(`${name} cannot be opened`);
            await page.keyboard.press('Escape');
        }
        await row.click();
        await page.locator(`.tab.active[data-resource-name="${name}"]`).waitFor();
        await page.locator('.editor-group-container.active .monaco-editor.focused').first().waitFor();
    }

    /** Runs a palette command by its title. */
    async run(title) {
        const { page } = this;
        const row = page.locator(`.quick-input-list .monaco-list-row[aria-label^="${title}"]`).first();
        // A key may be lost while the focus moves into or out of a panel.
        for (let tries = 1; ; tries++) {
            await page.keyboard.press('F1');
            const input = page.locator('.quick-input-box input').first();
            // The palette closes when something else takes the focus.
            const opened = await input.fill(`>${title}`, { timeout: 4000 }).then(() => true, () => false);
            if (opened && (await row.waitFor({ timeout: 4000 }).then(() => true, () => false))) break;
            if (tries === 4) throw new Error(`the command ${title} cannot be run`);
            await page.keyboard.press('Escape');
            await page.locator('.part.titlebar').click({ position: { x: 3, y: 3 } }).catch(() => undefined);
        }
        await row.click();
        // The palette closes, or the command replaces it with an input.
        await until('the palette to close', 15, async () => {
            const input = page.locator('.quick-input-widget:visible .quick-input-box input').first();
            return (await input.count()) === 0 || !(await input.inputValue().catch(() => '')).startsWith('>');
        });
    }

    /** Moves the cursor; line and column count from 1. */
    async goTo(line, column = 1) {
        const { page } = this;
        // Move the focus from a panel beside the text back to the text.
        if ((await page.locator('.monaco-editor.focused').count()) === 0) {
            await page.keyboard.press('Control+1');
            await page.locator('.monaco-editor.focused').first().waitFor();
        }
        await page.keyboard.press('Control+g');
        await page.locator('.quick-input-box input').first().waitFor();
        await page.keyboard.type(`${line}:${column}`);
        await page.keyboard.press('Enter');
        await page.locator('.quick-input-widget').waitFor({ state: 'hidden' });
        await page.locator('.monaco-editor.focused').first().waitFor();
    }

    /** Moves the cursor to a text of the file, plus `right` characters. */
    async goToText(text, wanted, right = 0) {
        const offset = text.indexOf(wanted);
        if (offset < 0) throw new Error(`there is no '${wanted}'`);
        const before = text.slice(0, offset);
        const line = before.split('\n').length;
        await this.goTo(line, offset - before.lastIndexOf('\n') + right);
        return line;
    }

    async theme(name) {
        const { page } = this;
        await this.run('Preferences: Color Theme');
        const row = page.locator(`.quick-input-list .monaco-list-row[aria-label^="${name}"]`).first();
        await page.keyboard.type(name);
        await row.waitFor();
        await row.click();
        await page.locator('.quick-input-widget').waitFor({ state: 'hidden' });
    }

    /** Closes editors, panels and messages, so that the next scene begins with an empty window. */
    async clear() {
        const { page } = this;
        await page.keyboard.press('Escape');
        await this.run('View: Close All Editors');
        const asked = page.locator('.monaco-dialog-box .monaco-button', { hasText: "Don't Save" });
        if (await asked.isVisible().catch(() => false)) await asked.click();
        await this.run('Notifications: Clear All Notifications');
        await this.run('View: Show Explorer');
    }

    /** Waits until an element is visible. */
    async sees(what, locator, seconds = 20) {
        const found = typeof locator === 'string' ? this.page.locator(locator).first() : locator;
        await found.waitFor({ timeout: seconds * 1000 }).catch(() => {
            throw new Error(`not seen: ${what}`);
        });
        return found;
    }

    /** The text of the status bar. */
    async status() {
        return ((await this.page.locator('.part.statusbar').textContent()) ?? '').replaceAll('\u00a0', ' ').replace(/\s+/g, ' ');
    }

    /** Saves a picture; with `part`, of that part of the screen. Colours and hints are drawn last. */
    async picture(name, part) {
        if (!this.pictures) return;
        await this.page.waitForTimeout(700);
        const path = join(this.pictures, `vscode-${name}.png`);
        const picture = shrink(await this.page.screenshot({ animations: 'disabled', caret: 'initial', ...(part && { clip: part }) }));
        writeFileSync(path, picture);
        if (picture.length > MAX_PICTURE) throw new Error(`the picture ${name} has ${picture.length} bytes`);
    }
}
