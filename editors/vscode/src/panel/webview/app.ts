// The page: assembles the views and updates them when the session changes.

import type { Fault } from '../../protocol';
import { type Action, type FromHost, NO_PREFERENCES, type Preferences, preferencesFrom } from '../messages';
import { Bus, type Host } from './bus';
import { writerOfBytes, writesRegister } from './model/origin';
import { scopeOf } from './origin';
import { type Change, Session } from './session';
import { Controls } from './view/controls';
import { button, element, setAttribute, setText } from './view/dom';
import { Grid } from './view/grid';
import { Groups } from './view/groups';
import { Head } from './view/head';
import { Help } from './view/help';
import { LaunchPane } from './view/launchForm';
import { MatricesPane } from './view/matrices';
import { MemoryPane } from './view/memory';
import { Menu } from './view/menu';
import { Notice } from './view/notice';
import { ResultsPane } from './view/results';
import { type Pane, Tabs } from './view/tabs';
import { splitter } from './view/splitter';
import { TimelineView } from './view/timeline';
import { Tooltip } from './view/tooltip';

/** The state of the page that survives a reload of the window. */
export interface Kept {
    uri: string;
    entry: string | undefined;
    step: number;
}

const ORDERS: readonly [Preferences['order'], string][] = [
    ['recent', 'Recent first'],
    ['declared', 'As declared'],
    ['name', 'By name'],
];
const WIDTHS: readonly Preferences['width'][] = ['fit', 'narrow', 'normal', 'wide'];
const MOST_TIMED = 400;
/** Milliseconds in which a server usually starts again. */
const RESTART_TIME = 2000;

export class App {
    private readonly bus: Bus;
    private readonly session: Session;
    private readonly tooltip = new Tooltip();
    private readonly menu = new Menu();
    private readonly help = new Help();
    private readonly controls: Controls;
    private readonly timeline: TimelineView;
    private readonly grid: Grid;
    private readonly groups: Groups;
    private readonly head: Head;
    private readonly notice: Notice;
    private readonly memory: MemoryPane;
    private readonly matrices: MatricesPane;
    private readonly results: ResultsPane;
    private readonly launch: LaunchPane;
    private readonly tabs: Tabs;
    private readonly filter = element('input', { type: 'search', class: 'filter', placeholder: 'Filter: %r*', 'aria-label': 'Filter registers by name; * stands for anything', spellcheck: 'false' });
    private readonly changed: HTMLButtonElement;
    private readonly inLine: HTMLButtonElement;
    private readonly collapse: HTMLButtonElement;
    private readonly order = element('select', { 'aria-label': 'Order of the registers' });
    private readonly count = element('span', { class: 'unseen', 'aria-live': 'polite' });
    private readonly main = element('main', { class: 'main' });
    private uri = '';
    private askedAt = 0;
    private painted = false;
    /** Runs while the server has ended and may start again. */
    private ending: ReturnType<typeof setTimeout> | undefined;
    private readonly stepTimes: number[] = [];

    constructor(
        host: Host,
        private readonly keep: (kept: Kept) => void,
    ) {
        this.bus = new Bus(host, (message) => {
            this.heard(message);
        });
        const session = new Session(this.bus, NO_PREFERENCES);
        this.session = session;
        const reveal = (line: number, column = 1): void => {
            this.bus.send({ type: 'reveal', line, column });
        };
        this.controls = new Controls(session, reveal);
        this.timeline = new TimelineView(session, this.tooltip);
        this.grid = new Grid(session, this.tooltip, (row, at) => {
            this.menu.open(
                at,
                `How to read ${row.data.name}`,
                session.readingsOf(row.data).map((reading) => ({
                    label: reading.title,
                    detail: '',
                    chosen: session.readingOf(row.data) === reading.name,
                    act: () => {
                        session.setReading(row.data.name, reading.name);
                    },
                })),
                at.closest<HTMLElement>('.rowhead') ?? at,
            );
        });
        this.grid.onCount = (shown, of) => {
            setText(this.count, shown === of ? `${of} registers` : `${shown} of ${of} registers`);
        };
        this.grid.onPoint = (register, lane) => {
            this.matrices.pointAt(register, lane);
        };
        this.grid.onOrigin = (register, lane, go) => {
            const function_ = session.current?.function;
            void this.controls.showOrigin(`\`${register}\` of lane ${lane}`, (step) => (step.function === function_ && writesRegister(step, register, lane) ? lane : undefined), 'warp', go);
        };
        this.grid.onCopy = (text) => {
            this.bus.send({ type: 'copy', text });
        };
        this.groups = new Groups(session, reveal);
        this.memory = new MemoryPane(session);
        this.memory.onOrigin = (place, text, go) => {
            void this.controls.showOrigin(text, (step) => writerOfBytes(step, place), scopeOf(place.space), go);
        };
        this.matrices = new MatricesPane(session);
        this.results = new ResultsPane(session, (fault) => { this.goToFault(fault); }, reveal);
        this.launch = new LaunchPane(session, this.bus);
        this.launch.onEntries = (entries) => {
            this.head.setEntries(entries);
        };
        this.tabs = new Tabs(this.panes(), (name) => {
            this.choosePane(name);
        });
        this.head = new Head(session, {
            entry: (name) => {
                this.bus.send({ type: 'entry', entry: name });
                this.session.entry = name;
                this.session.evaluation = undefined;
                this.session.launch = undefined;
                this.session.number = 0;
                session.selectWarp([0, 0, 0], 0);
            },
            results: () => { this.tabs.open('results'); },
            keep: host.keepsPanels ? (): void => { this.bus.send({ type: 'keep' }); } : undefined,
            help: () => { this.help.toggle(); },
        });
        this.notice = new Notice(session, {
            again: () => { void session.start({ keep: true }); },
            reveal,
            writeLaunch: () => { this.launch.writeToFile(); },
            launch: () => { this.tabs.open('launch'); },
        });
        this.changed = this.toggle('Changed', 'Only registers that this step writes', () => { this.applyFilter(); });
        this.inLine = this.toggle('In this line', 'Only registers that the instruction names', () => { this.applyFilter(); });
        this.collapse = this.toggle('Collapse', 'One cell for registers that hold the same in all lanes (X)', () => {
            session.remember({ collapse: this.collapse.getAttribute('aria-pressed') === 'true' });
        });
        for (const [value, text] of ORDERS) this.order.append(element('option', { value }, text));
        this.order.addEventListener('change', () => {
            const chosen = ORDERS.find(([value]) => value === this.order.value);
            if (chosen !== undefined) session.remember({ order: chosen[0] });
        });
        this.filter.addEventListener('input', () => { this.applyFilter(); });
        this.filter.addEventListener('keydown', (event) => {
            if (event.key !== 'Escape' && event.key !== 'Enter') return;
            if (event.key === 'Escape') this.filter.value = '';
            this.applyFilter();
            this.grid.takeFocus();
        });
        session.listen((changes) => {
            this.follow(changes);
        });
        document.addEventListener('keydown', (event) => {
            this.keyed(event);
        });
        // After a change of the theme, repaint the pictures that use its colours.
        new MutationObserver(() => {
            this.timeline.contentChanged();
        }).observe(document.documentElement, { attributes: true, attributeFilter: ['class', 'style'], subtree: false });
        new MutationObserver(() => {
            this.timeline.contentChanged();
        }).observe(document.body, { attributes: true, attributeFilter: ['class', 'data-vscode-theme-id'] });
    }

    mount(root: HTMLElement): void {
        const bar = element(
            'div',
            { class: 'filter-bar' },
            this.filter,
            this.changed,
            this.inLine,
            element('span', { class: 'gap' }),
            this.collapse,
            this.order,
            button('↔', 'Width of the columns', () => { this.nextWidth(); }, 'W'),
        );
        const registers = element('section', { class: 'registers', 'aria-label': 'Registers' }, bar, this.grid.node, this.count);
        this.main.append(registers, splitter(this.main, () => this.session.preferences.share, (share) => { this.session.remember({ share }); }), this.tabs.node);
        root.replaceChildren(
            this.head.node,
            this.notice.node,
            element('section', { class: 'stepping', 'aria-label': 'Steps' }, this.controls.node, this.controls.answer, this.controls.place, this.groups.node, this.timeline.node),
            this.main,
            this.menu.node,
            this.help.node,
            this.tooltip.node,
        );
        root.classList.add('panel');
        this.preferencesChanged();
        this.follow(new Set<Change>(['notice']));
        this.bus.send({ type: 'ready', width: Math.round(window.innerWidth) });
    }

    private panes(): Pane[] {
        return [
            { name: 'memory', title: 'Memory', node: this.memory.node, show: (visible) => { this.memory.show(visible); } },
            { name: 'matrices', title: 'Matrices', node: this.matrices.node, show: (visible) => { this.matrices.show(visible); } },
            { name: 'results', title: 'Results', node: this.results.node, show: (visible) => { this.results.show(visible); } },
            { name: 'launch', title: 'Launch', node: this.launch.node, show: () => undefined },
        ];
    }

    private hasMatrices(): boolean {
        return (this.session.moment?.matrices?.length ?? 0) > 0;
    }

    /** Opens a pane and keeps it open. Chosen again, it stays open until a step has something else to show. */
    private choosePane(name: string): void {
        this.tabs.open(name);
        this.session.remember({ pane: this.session.preferences.pane === name ? '' : name });
    }

    /**
     * Opens the pane that shows what the step does, unless the user has chosen one: its matrices, its memory, otherwise the
     * results of the run.
     */
    private followStep(): void {
        // A launch is being edited there.
        if (this.session.preferences.pane !== '' || this.tabs.current === 'launch') return;
        const { current, moment, position, steps } = this.session;
        // Whether a step has matrices is known a moment later; until then its pane stays.
        if (current === undefined || moment === undefined) return;
        const touches = position < steps - 1 && current.accesses?.some((access) => access.space !== 'param') === true;
        const wanted = this.hasMatrices() ? 'matrices' : touches ? 'memory' : 'results';
        if (wanted !== this.tabs.current) this.tabs.open(wanted);
    }

    private toggle(label: string, title: string, act: () => void): HTMLButtonElement {
        const made = element('button', { type: 'button', class: 'chip-button', title, 'aria-pressed': 'false' }, label);
        made.addEventListener('click', () => {
            made.setAttribute('aria-pressed', String(made.getAttribute('aria-pressed') !== 'true'));
            act();
        });
        return made;
    }

    private applyFilter(): void {
        this.grid.setFilter(this.filter.value, this.changed.getAttribute('aria-pressed') === 'true', this.inLine.getAttribute('aria-pressed') === 'true');
    }

    private nextWidth(): void {
        const at = WIDTHS.indexOf(this.session.preferences.width);
        this.session.remember({ width: WIDTHS[(at + 1) % WIDTHS.length] ?? 'normal' });
    }

    private heard(message: FromHost): void {
        const { session } = this;
        switch (message.type) {
            case 'show': {
                const other = message.target.uri !== this.uri || message.target.entry !== session.evaluation?.entry;
                this.uri = message.target.uri;
                this.askedAt = message.asked;
                this.painted = false;
                session.preferences = preferencesFrom(message.preferences);
                session.entry = message.target.entry;
                this.preferencesChanged();
                this.grid.measure();
                this.head.setFile(message.file);
                if (other) {
                    session.evaluation = undefined;
                    session.launch = undefined;
                    session.number = 0;
                    session.cta = [0, 0, 0];
                    session.warp = 0;
                    session.cursorLine = message.cursor ?? 0;
                    if (session.preferences.pane !== '') this.tabs.open(session.preferences.pane);
                    else this.tabs.open('results');
                }
                void session.start({ line: message.target.line, step: message.step ?? undefined, keep: !other && message.target.line === undefined });
                break;
            }
            case 'edited':
                session.stale = session.evaluation !== undefined;
                session.emit('notice');
                break;
            case 'evaluated':
                if (message.evaluated.refused !== undefined) session.refuseLater(message.evaluated.refused.message, message.evaluated.refused.data);
                else if (!session.knows(message.evaluated)) void session.start({ keep: session.evaluation !== undefined });
                break;
            case 'server':
                this.serverChanged(message.running);
                break;
            case 'cursor':
                if (!session.followCursor(message.line)) this.controls.notExecuted(message.line);
                break;
            case 'goTo':
                this.controls.ofLine(message.next ? 1 : -1, message.line);
                break;
            case 'act':
                this.act(message.action);
                break;
            case 'answer':
            case 'failure':
                break;
        }
    }

    /** Evaluates again with a new server. If there is none, the panel says so only after a delay, since the server may be starting again. */
    private serverChanged(running: boolean): void {
        const { session } = this;
        if (!running) {
            this.ending ??= setTimeout(() => {
                session.phase = 'gone';
                session.emit('notice');
            }, RESTART_TIME);
            return;
        }
        const ended = this.ending !== undefined;
        clearTimeout(this.ending);
        this.ending = undefined;
        if (!ended && session.phase !== 'gone' && session.phase !== 'refused') return;
        session.phase = session.evaluation === undefined ? 'evaluating' : 'ready';
        void session.start({ keep: true });
    }

    private preferencesChanged(): void {
        const { preferences } = this.session;
        this.order.value = preferences.order;
        this.controls.preferencesChanged();
        this.tabs.pin(preferences.pane);
        this.main.style.setProperty('--share', `${preferences.share}%`);
        setAttribute(this.collapse, 'aria-pressed', String(preferences.collapse));
    }

    private follow(changes: ReadonlySet<Change>): void {
        const began = performance.now();
        const { session } = this;
        if (changes.has('notice')) {
            this.notice.update();
            this.main.classList.toggle('stale', session.stale || session.phase === 'gone' || (session.refused !== undefined && session.evaluation !== undefined));
            document.body.classList.toggle('empty', session.evaluation === undefined);
            setAttribute(this.main, 'aria-busy', session.phase === 'evaluating' ? 'true' : undefined);
            this.launch.noticed();
        }
        if (changes.has('run')) {
            this.head.update();
            this.grid.reset();
            this.memory.reset();
            this.results.reset();
            this.timeline.reset();
            void this.launch.reset();
        }
        if (changes.has('moment')) {
            this.memory.drawBytes();
            this.matrices.update();
            this.results.update();
            this.groups.update();
            this.controls.update();
            this.followStep();
            this.tabs.mark('matrices', this.hasMatrices(), 'this step has matrices');
        }
        if (changes.has('timeline')) this.timeline.contentChanged();
        if (changes.has('preferences')) this.preferencesChanged();
        if (changes.has('step') || changes.has('focus') || changes.has('texts') || changes.has('preferences')) this.grid.refresh();
        if (changes.has('step') || changes.has('texts') || changes.has('timeline')) this.controls.update();
        if (changes.has('step')) {
            this.timeline.moved();
            this.memory.update();
            this.results.update();
            this.followStep();
            this.tabs.mark('memory', (session.current?.accesses?.length ?? 0) > 0, 'this step touches memory');
            this.keep({ uri: this.uri, entry: session.evaluation?.entry, step: session.position });
            this.time(began);
        }
    }

    /**
     * Measures the time to write a step into the page, and the time from the user's action to the first painted grid.
     */
    private time(began: number): void {
        const first = !this.painted && this.session.rows() !== undefined;
        const answered = Date.now() - this.askedAt;
        if (first) this.painted = true;
        else this.stepTimes.push(performance.now() - began);
        if (this.stepTimes.length > MOST_TIMED) this.stepTimes.shift();
        if (!first) return;
        performance.mark('ptx-first-answer');
        // Measure after the frame is painted: its callback runs before painting, a message posted there arrives
        // afterwards.
        requestAnimationFrame(() => {
            const channel = new MessageChannel();
            channel.port1.onmessage = (): void => {
                performance.mark('ptx-first-grid');
                const firstPaint = Date.now() - this.askedAt;
                // Tests that examine the page read the value here.
                document.body.dataset['firstPaint'] = `${firstPaint}`;
                this.bus.send({ type: 'timings', timings: { firstPaint, answered, steps: [...this.stepTimes] } });
            };
            channel.port2.postMessage(null);
        });
    }

    private goToFault(fault: Fault): void {
        const { session } = this;
        const here = fault.warp === session.warp && fault.cta.every((one, at) => one === session.cta[at]);
        const go = (): void => {
            session.goTo(fault.step);
            this.bus.send({ type: 'reveal', line: fault.line, column: fault.column });
        };
        if (here) {
            go();
            return;
        }
        session.cta = fault.cta;
        session.warp = fault.warp;
        void session.start({ line: fault.line }).then(go);
    }

    act(action: Action): void {
        const { controls } = this;
        const acts: Record<Action, () => void> = {
            first: () => { controls.first(); },
            back: () => { controls.back(); },
            play: () => { controls.togglePlay(); },
            forward: () => { controls.forward(); },
            last: () => { controls.last(); },
            previousOfLine: () => { controls.ofLine(-1); },
            nextOfLine: () => { controls.ofLine(1); },
            nextFault: () => { controls.fault(1); },
            previousFault: () => { controls.fault(-1); },
            help: () => { this.help.toggle(); },
        };
        if (action !== 'play' && action !== 'help') controls.stop();
        acts[action]();
    }

    private keyed(event: KeyboardEvent): void {
        if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
        const { target } = event;
        const typing = target instanceof HTMLElement && target.matches('textarea, select, input:not([type="range"])');
        if (typing || (this.help.node.open && event.key !== '?')) return;
        const actions: Record<string, Action> = {
            n: 'forward', '.': 'forward', b: 'back', ',': 'back', g: 'first', G: 'last', N: 'nextOfLine', B: 'previousOfLine',
            e: 'nextFault', E: 'previousFault', '?': 'help', k: 'play',
        };
        const others: Record<string, () => void> = {
            '/': () => { this.filter.focus(); },
            r: () => { this.grid.takeFocus(); },
            c: () => { this.controls.ofCursor(1); },
            C: () => { this.controls.ofCursor(-1); },
            x: () => { this.collapse.click(); },
            w: () => { this.nextWidth(); },
            l: () => { this.controls.toggleFollow(); },
            Backspace: () => { this.controls.comeBack(); },
            '1': () => { this.choosePane('memory'); },
            '2': () => { this.choosePane('matrices'); },
            '3': () => { this.choosePane('results'); },
            '4': () => { this.choosePane('launch'); },
        };
        const onButton = target instanceof HTMLElement && target.matches('button, summary');
        const action = actions[event.key] ?? (event.key === ' ' && !onButton ? 'play' : undefined);
        const other = others[event.key];
        if (action !== undefined) this.act(action);
        else if (other !== undefined) other();
        else return;
        event.preventDefault();
    }
}
