// Checks that the default themes of VS Code distinguish the classes of words, with the server's tokens and without
// them.
import { contrast, distance } from './colours.mjs';
import { until } from './workbench.mjs';

/** A statement of each kind; `«word»` marks a word, whose class is at the same position in CLASSES. */
const MARKED = `.version 8.5
.target sm_80
.address_size 64

.visible .entry colours(.param .u64 out)
{
    .reg .pred %p<3>;
    .reg .b32 %r<4>;
    .reg .b64 %rd<3>;

    «ld».param.u64 %rd1, [«out»];
    mov.u32 «%r1», «%tid»«.x»;
    mad«.lo»«.s32» %r2, %r1, «12», %r1;
    setp.ge.s32 %p1, %r2, 64;
    @«%p1» bra «DONE»;
    st«.global».u32 [%rd1], %r2;
DONE:
    ret;
}
`;
const CLASSES = ['opcode', 'parameter', 'register', 'special register', 'component', 'modifier', 'type', 'number', 'predicate', 'label', 'state space'];
/** Only the server has a colour for this class, so its colour shows whether the server's tokens are active. */
const COMPONENT = 'component';
const TEXT = MARKED.replace(/[«»]/g, '');

/** The line and column of each class, from 0. */
function places() {
    return [...MARKED.matchAll(/«[^»]*»/g)].map((found, index) => {
        const before = MARKED.slice(0, found.index).replace(/[«»]/g, '');
        return { name: CLASSES[index], line: before.split('\n').length - 1, column: before.length - before.lastIndexOf('\n') - 1 };
    });
}

/** The themes, each with its background and the required contrast. Consecutive themes have different backgrounds. */
const THEMES = [
    ['Dark Modern', 'rgb(31, 31, 31)', 4.5],
    ['Light Modern', 'rgb(255, 255, 255)', 4.5],
    ['Dark 2026', 'rgb(18, 19, 20)', 4.5],
    ['Light 2026', 'rgb(255, 255, 255)', 4.5],
    ['Default High Contrast', 'rgb(0, 0, 0)', 6],
    ['Default High Contrast Light', 'rgb(255, 255, 255)', 6],
];

/** The colour of each class on the screen, and the background. */
function seen(page) {
    return page.evaluate(({ wanted, lines }) => {
        const editor = document.querySelector('.editor-group-container.active .monaco-editor');
        const shown = [...editor.querySelectorAll('.view-line')].map((line) => ({ line, top: line.getBoundingClientRect().top })).sort((a, b) => a.top - b.top);
        const words = (text) => text.replaceAll('\u00a0', ' ');
        const out = { background: getComputedStyle(editor.querySelector('.monaco-editor-background')).backgroundColor };
        for (const { name, line, column } of wanted) {
            const node = shown.find((one) => words(one.line.textContent) === lines[line])?.line;
            let at = 0;
            for (const span of node?.querySelectorAll('span > span') ?? []) {
                const end = at + span.textContent.length;
                if (at <= column && column < end) {
                    const style = getComputedStyle(span);
                    out[name] = { colour: style.color, weight: style.fontWeight, italic: style.fontStyle };
                }
                at = end;
            }
        }
        return out;
    }, { wanted: places(), lines: TEXT.split('\n') });
}

/** Classes that are adjacent in statements: these must be distinguishable at a glance. */
const NEIGHBOURS = [
    ['opcode', 'modifier'], ['opcode', 'state space'], ['opcode', 'type'], ['opcode', 'register'], ['opcode', 'predicate'], ['opcode', 'label'],
    ['modifier', 'type'], ['modifier', 'state space'], ['modifier', 'register'], ['modifier', 'label'], ['state space', 'type'], ['type', 'register'], ['type', 'predicate'],
    ['register', 'special register'], ['register', 'number'], ['register', 'predicate'], ['register', 'parameter'], ['predicate', 'label'],
];
const isBeside = (one, other) => NEIGHBOURS.some((pair) => pair.includes(one) && pair.includes(other));

/** The problems with the colours of a theme: classes that look alike, and classes that are hard to read. */
function faults(colours, { background, least, server }) {
    const out = [];
    const missing = CLASSES.filter((name) => !colours[name]);
    if (missing.length > 0) return [`not on the screen: ${missing.join(', ')}`];
    if (colours.background !== background) return [`the background is ${colours.background}`];
    if ((colours[COMPONENT].colour !== colours['special register'].colour) !== server) return [`the server ${server ? 'has not coloured' : 'colours'} the text`];
    const classes = CLASSES.filter((name) => name !== COMPONENT);
    classes.forEach((name, index) => {
        const ratio = contrast(colours[name].colour, colours.background);
        if (ratio < least) out.push(`${name} ${colours[name].colour} has a contrast of ${ratio.toFixed(1)}`);
        for (const other of classes.slice(index + 1)) {
            const apart = distance(colours[name].colour, colours[other].colour);
            if (apart < (isBeside(name, other) ? 13 : 9)) out.push(`${name} ${colours[name].colour} and ${other} ${colours[other].colour} look alike (${apart.toFixed(0)})`);
        }
    });
    return out;
}

export const scenes = [
    {
        name: 'colours',
        title: 'ten classes of words are told apart in the default themes, with the server and without it',
        async run(desk) {
            const { page } = desk;
            desk.write('colours.ptx', TEXT);
            const wrong = [];
            desk.settings({ 'editor.inlayHints.enabled': 'off', 'editor.codeLens': false, 'editor.occurrencesHighlight': 'off' });
            await desk.open('colours.ptx');
            await desk.sees('a lens or the status of the server', '.part.statusbar :text-matches("PTX 8.5")', 40);
            try {
                for (const [theme, background, least] of THEMES) {
                    for (const server of [true, false]) {
                        desk.settings({ 'workbench.colorTheme': theme, '[ptx]': { 'editor.semanticHighlighting.enabled': server } });
                        let last = [];
                        const look = async () => (last = faults(await seen(page), { background, least, server })).length === 0;
                        const good = await until('the colours', 10, look).then(() => true, () => false);
                        if (!good) wrong.push(...last.map((fault) => `${theme}, ${server ? 'with' : 'without'} the server: ${fault}`));
                        if (process.env.COLOURS) console.log(theme, server, JSON.stringify(await seen(page)));
                        if (process.env.COLOURS) await desk.picture(`colours-${theme.toLowerCase().replaceAll(' ', '-')}${server ? '' : '-without'}`);
                    }
                }
            } finally {
                desk.settings({ 'workbench.colorTheme': 'Dark Modern', '[ptx]': {}, 'editor.inlayHints.enabled': 'on', 'editor.codeLens': true, 'editor.occurrencesHighlight': 'singleFile' });
            }
            if (wrong.length > 0) throw new Error(wrong.join('\n'));
        },
    },
];
