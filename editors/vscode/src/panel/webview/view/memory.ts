// The memory pane: the memory accesses of the step (banks of shared memory, sectors of global memory) and the bytes
// around them.

import type { Access, Fact, MemoryBlock, MemoryRequest, Step, TouchedSector } from '../../../protocol';
import { WINDOW } from '../../messages';
import { lanesInWords, lanesOf } from '../model/lanes';
import { aroundAccess, isWithin, MOST_BYTES } from '../model/memory';
import { type BytePlace, placeIn } from '../model/origin';
import type { Session } from '../session';
import { element, grouped, prose, sentence } from './dom';

export class MemoryPane {
    readonly node = element('div', { class: 'memory' });
    private readonly accesses = element('div', { class: 'accesses' });
    private readonly place = element('select', { 'aria-label': 'Memory to show' });
    private readonly offset = element('input', { type: 'number', min: '0', step: '16', value: '0', 'aria-label': 'Offset in bytes' });
    private readonly type = element('select', { 'aria-label': 'Type of the values' });
    private readonly bytes = element('div', { class: 'bytes', tabindex: '0', role: 'region', 'aria-label': 'Bytes' });
    private visible = false;
    /** The range of memory that is shown. */
    private drawn: MemoryBlock | undefined;
    /** Called to say who wrote bytes, or, with `go`, to go there. */
    onOrigin: (place: BytePlace, text: string, go: boolean) => void = () => undefined;

    constructor(private readonly session: Session) {
        const bar = element('div', { class: 'pane-bar' }, element('label', {}, 'Show ', this.place), element('label', {}, 'from ', this.offset), element('label', {}, 'as ', this.type));
        this.node.append(this.accesses, bar, this.bytes);
        for (const input of [this.type, this.place, this.offset]) {
            input.addEventListener('change', () => {
                this.offset.disabled = this.place.value === '';
                session.askMoment(0);
            });
        }
        this.bytes.addEventListener('click', (event) => {
            const value = event.target instanceof Element ? event.target.closest<HTMLElement>('td[data-at]') : null;
            const piece = this.drawn;
            if (value === null || piece === undefined) return;
            const at = Number(value.dataset['at']);
            const { size = 1 } = piece.texts ?? {};
            const request = this.request();
            const lane = request !== undefined && 'lane' in request ? request.lane : undefined;
            const place = placeIn(piece, at, size, this.place.value.startsWith('buffer '), lane);
            const where = `0x${(piece.offset + at).toString(16)}`;
            this.onOrigin(place, `${size === 1 ? 'Byte' : `${size} bytes`} ${where} of ${piece.name === null ? `${piece.space} memory` : `\`${piece.name}\``}`, event.detail > 1);
        });
        session.wantedMemory = (): MemoryRequest | undefined => (this.visible ? this.request() : undefined);
    }

    /** Updates what there is to choose for another run. */
    reset(): void {
        const { buffers = [], spaces = [], types = [] } = this.session.evaluation?.memory_choices ?? {};
        offer(this.place, [
            ['', 'around the access'],
            ...buffers.map(({ name, space }): Choice => [`buffer ${name}`, space === 'global' ? name : `${name} (${space})`]),
            // Global memory is found by names and addresses, since nothing lies at its beginning.
            ...spaces.filter((space) => space !== 'global').map((space): Choice => [`space ${space}`, `${space} memory`]),
        ]);
        offer(this.type, types.map((type): Choice => [type, type === 'b8' ? 'Bytes' : `.${type}`]));
        this.offset.disabled = this.place.value === '';
    }

    show(visible: boolean): void {
        const again = visible && !this.visible;
        this.visible = visible;
        if (!visible) return;
        this.update();
        if (again) this.session.askMoment(0);
    }

    update(): void {
        if (!this.visible) return;
        const { session } = this;
        const step = this.lastAccess();
        const list = (step?.accesses ?? []).map((access) => accessView(access));
        if (step?.step === session.position) this.accesses.replaceChildren(...list);
        else this.accesses.replaceChildren(element('p', { class: 'empty' }, `This step does not touch memory.${step === undefined ? '' : ` Step ${step.step + 1}, line ${step.line}, was the last that did:`}`), ...list);
    }

    /** The step at the position, or the last one before it, that touches memory; among the loaded ones. */
    private lastAccess(): Step | undefined {
        const { trace, position } = this.session;
        for (let at = position; at >= Math.max(0, position - WINDOW); at -= 1) {
            const step = trace.step(at);
            const touches = step?.accesses?.some((access) => access.space !== 'param') === true;
            if (touches || (at === position && (step?.accesses?.length ?? 0) > 0)) return step;
        }
        return undefined;
    }

    private request(): MemoryRequest | undefined {
        const [kind, name] = this.place.value.split(/ (.*)/);
        const offset = Math.max(0, Math.floor(Number(this.offset.value) || 0));
        if (kind === 'buffer' && name !== undefined) return { buffer: name, offset, length: MOST_BYTES, type: this.type.value };
        if (kind === 'space' && name !== undefined) return { space: name, offset, length: MOST_BYTES, lane: this.session.focus, type: this.type.value };
        for (const access of this.lastAccess()?.accesses ?? []) {
            const around = aroundAccess(access);
            if (around !== undefined && access.space !== 'param') return { ...around, type: this.type.value };
        }
        return undefined;
    }

    /** Draws the bytes at the step, once they are there. */
    drawBytes(): void {
        if (!this.visible || this.session.moment === undefined) return;
        const piece = this.session.moment.memory?.[0];
        if (piece === undefined || 'error' in piece || piece.bytes === '') {
            this.drawn = undefined;
            const text = piece === undefined ? 'Choose a buffer to look at its bytes.' : 'error' in piece ? sentence(piece.error) : 'Nothing lies there.';
            this.bytes.replaceChildren(element('p', { class: 'empty' }, prose(text)));
            return;
        }
        this.drawn = piece;
        const { size = 1, values = [] } = piece.texts ?? {};
        const perRow = 16 / size;
        const body = element('tbody');
        for (let first = 0; first < values.length; first += perRow) {
            const row = element('tr', {}, element('th', { scope: 'row' }, (piece.offset + first * size).toString(16).padStart(4, '0')));
            for (let at = first; at < Math.min(first + perRow, values.length); at += 1) row.append(cell(piece, values[at] ?? undefined, at * size, size));
            body.append(row);
        }
        const caption = element('caption', {}, `${piece.name ?? piece.space} after this step`, element('span', { class: 'quiet' }, ' · underlined: written, dotted: read, ··: never written'));
        this.bytes.replaceChildren(element('table', { class: 'dump' }, caption, body));
    }
}

type Choice = [value: string, text: string];

/** Fills a list, and keeps what is chosen if it is still there. */
function offer(list: HTMLSelectElement, choices: readonly Choice[]): void {
    const chosen = list.value;
    list.replaceChildren(...choices.map(([value, text]) => element('option', { value }, text)));
    list.value = choices.some(([value]) => value === chosen) ? chosen : (choices[0]?.[0] ?? '');
}

function cell(block: MemoryBlock, text: string | undefined, from: number, size: number): HTMLElement {
    const touched = (ranges: [number, number][] | undefined): boolean => Array.from({ length: size }, (_, byte) => from + byte).some((byte) => isWithin(ranges, byte));
    const [stored, loaded] = [touched(block.written), touched(block.read)];
    const class_ = `${text === undefined ? 'unknown ' : ''}${stored ? 'stored' : loaded ? 'loaded' : ''}`.trim();
    const words = [text === undefined ? 'never written' : '', stored ? 'written by this step' : '', loaded ? 'read by this step' : ''].filter((word) => word !== '').join(', ');
    return element('td', { 'data-at': `${from}`, ...(class_ === '' ? {} : { class: class_ }), ...(words === '' ? {} : { title: words }) }, text ?? '··');
}

function accessView(access: Access): HTMLElement {
    const node = element('div', { class: 'access' }, element('h2', {}, access.title));
    if ((access.facts?.length ?? 0) > 0) node.append(element('dl', { class: 'facts' }, ...(access.facts ?? []).map(fact)));
    if (access.banks !== undefined) node.append(bankStrip(access.banks, access.conflict ?? 1));
    if ((access.touched?.length ?? 0) > 0) node.append(...sectorRows(access));
    return node;
}

function fact({ name, value, bad }: Fact): HTMLElement {
    return element('div', { class: `fact${bad ? ' bad' : ''}` }, element('dt', {}, name), element('dd', {}, bad ? `⚠ ${value}` : value));
}

function bankStrip(banks: readonly number[][], conflict: number): HTMLElement {
    const most = Math.max(1, ...banks.map((lanes) => lanes.length));
    const used = banks.filter((lanes) => lanes.length > 0).length;
    const strip = element('div', { class: conflict > 1 ? 'banks conflict' : 'banks', role: 'img', 'aria-label': `${used} of 32 banks are used; ${conflict > 1 ? `up to ${conflict} different words in one bank` : 'no bank is asked for two words'}` });
    banks.forEach((lanes, bank) => {
        const column = element('div', { class: 'bank', title: lanes.length === 0 ? `Bank ${bank}: not used` : `Bank ${bank}: lanes ${lanes.join(', ')}` });
        for (const lane of lanes.slice(0, 8)) column.append(element('span', { class: 'chip' }, most > 8 ? '' : `${lane}`));
        if (lanes.length > 8) column.append(element('span', { class: 'more' }, `+${lanes.length - 8}`));
        column.append(element('span', { class: 'number' }, bank % 4 === 0 ? `${bank}` : ''));
        strip.append(column);
    });
    return strip;
}

const SVG = 'http://www.w3.org/2000/svg';

function sectorRows(access: Access): HTMLElement[] {
    const list = element('div', { class: 'sectors', role: 'list', 'aria-label': 'Lines of memory that are touched' });
    const lines = access.touched ?? [];
    for (const line of lines) {
        const lanes = line.sectors.reduce((mask, sector) => mask | sector.lanes, 0);
        const used = line.sectors.filter((sector) => sector.lanes !== 0).length;
        const label = line.name ?? line.address;
        const row = element('div', { class: 'memory-line', role: 'listitem', 'aria-label': `${label}: ${used} of 4 sectors, ${lanesInWords(lanes)}` }, element('span', { class: 'address', title: line.address }, label));
        for (const sector of line.sectors) row.append(sectorView(sector));
        list.append(row);
    }
    const more = (access.lines ?? lines.length) - lines.length;
    return more > 0 ? [list, element('p', { class: 'quiet' }, `and ${grouped(more)} more lines`)] : [list];
}

/** A picture of a 32-byte sector. The bytes that lanes access are filled. */
function sectorView({ bytes, lanes }: TouchedSector): Element {
    const picture = document.createElementNS(SVG, 'svg');
    picture.setAttribute('viewBox', '0 0 32 8');
    picture.setAttribute('preserveAspectRatio', 'none');
    picture.setAttribute('class', lanes === 0 ? 'sector unused' : 'sector');
    const title = document.createElementNS(SVG, 'title');
    title.textContent = lanes === 0 ? 'not touched' : `lanes ${lanesOf(lanes).join(', ')}`;
    picture.append(title);
    for (const [from, to] of bytes) {
        const part = document.createElementNS(SVG, 'rect');
        part.setAttribute('x', `${from}`);
        part.setAttribute('y', '0');
        part.setAttribute('width', `${to - from}`);
        part.setAttribute('height', '8');
        picture.append(part);
    }
    return picture;
}
