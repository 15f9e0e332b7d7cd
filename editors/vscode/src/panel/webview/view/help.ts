// A dialog that lists the keys.

import { button, element } from './dom';

const KEYS: readonly (readonly [keys: string, act: string])[] = [
    ['N or .', 'Step forward'],
    ['B or ,', 'Step back'],
    ['Space', 'Play, pause'],
    ['G · Shift+G', 'First step · last step'],
    ['Shift+N · Shift+B', 'Next · previous execution of this line'],
    ['C · Shift+C', 'Next · previous execution of the line under the cursor of the editor'],
    ['E · Shift+E', 'Next · previous fault'],
    ['/', 'Filter the registers'],
    ['R', 'Go to the register grid'],
    ['Arrows, Home, End', 'Move in the grid; with Ctrl to its edges'],
    ['Enter', 'In the grid: on a name expand or collapse, on a value make its lane the focus'],
    ['F · Shift+F', 'In the grid: next · previous way to read the register'],
    ['I', 'In the grid: all readings of the value'],
    ['Click · double click, O', 'A value or a byte: which step and lane wrote it · go there'],
    ['Backspace', 'Back to where a value was followed to its writer'],
    ['Ctrl+C', 'In the grid: copy the value; on a name, the values of all lanes'],
    ['X', 'Collapse uniform registers, or show all lanes of them'],
    ['W', 'Least width of the columns: as the values need, narrow, normal, wide'],
    ['L', 'Follow the cursor of the editor, or not'],
    ['1 – 4', 'Memory, Matrices, Results, Launch: keep this pane open; again, and the pane shows what the step does'],
    ['?', 'This list'],
];

const SIGNS: readonly (readonly [sign: string, meaning: string])[] = [
    ['step 3 of 18', 'The third instruction that this warp executes; values are those after it'],
    ['—', 'Nothing has written this value yet'],
    ['4 × lane', 'All lanes in one text: 0 in lane 0, 4 in lane 1, 8 in lane 2 … Click the name to see every lane'],
    ['→ x+16', 'The address leads 16 bytes into the buffer x'],
    ['[n]', 'A parameter of the kernel'],
    ['f16×2, int, hex …', 'How the value is read; click to choose. Bits are read as the instructions that use them do'],
    ['f16 lo · f16 hi', 'The two numbers of a register, in rows of their own where they do not fit into one cell'],
    ['.3333, 1.2e-38', 'A rounded fraction: point at it to see all digits. Whole numbers are always complete'],
    ['?', 'The manual leaves this value unspecified'],
    ['≈', 'An approximation: a device may differ in the last places'],
    ['bold, with a bar', 'Written by this step'],
    ['grey', 'The lane is elsewhere: it diverged from the lanes that execute'],
    ['hatched', 'The lane has exited'],
    ['empty', 'There is no such lane'],
    ['colours of the timeline', 'The line that a lane executes, first to last; pale where its guard is false, empty where it waits for the others'],
    ['● ◌ … ✕', 'Of a lane: executes this step; guard false; elsewhere (diverged); has exited'],
];

export class Help {
    readonly node = element('dialog', { class: 'help', 'aria-labelledby': 'help-title' });

    constructor() {
        const rows = (list: readonly (readonly [string, string])[]): HTMLElement => {
            const body = element('tbody');
            for (const [one, other] of list) body.append(element('tr', {}, element('th', { scope: 'row' }, element('kbd', {}, one)), element('td', {}, other)));
            return element('table', { class: 'plain' }, body);
        };
        const close = button('Close', 'Close', () => {
            this.node.close();
        });
        // Without this the first button, at the end, gets the focus, and the list is scrolled to it.
        const title = element('h2', { id: 'help-title', tabindex: '-1' }, 'Keys');
        title.autofocus = true;
        this.node.append(title, rows(KEYS), element('h2', {}, 'Signs'), rows(SIGNS), close);
    }

    toggle(): void {
        if (this.node.open) this.node.close();
        else this.node.showModal();
    }
}
