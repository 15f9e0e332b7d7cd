// Helpers that create elements. Texts only ever become text nodes: nothing from a file or the server is parsed as HTML.

export type Child = Node | string | undefined;

export interface Attributes {
    class?: string;
    id?: string;
    title?: string;
    [name: `aria-${string}`]: string | undefined;
    [name: `data-${string}`]: string | undefined;
    role?: string;
    type?: string;
    tabindex?: string;
    for?: string;
    placeholder?: string;
    value?: string;
    hidden?: string;
    colspan?: string;
    scope?: string;
    min?: string;
    max?: string;
    step?: string;
    rows?: string;
    spellcheck?: string;
    list?: string;
}

export function element<K extends keyof HTMLElementTagNameMap>(
    tag: K,
    attributes: Attributes = {},
    ...children: Child[]
): HTMLElementTagNameMap[K] {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes) as [string, string | undefined][]) {
        if (value !== undefined) made.setAttribute(name, value);
    }
    for (const child of children) if (child !== undefined) made.append(child);
    return made;
}

/** A sentence of the server: what stands between backticks is code. */
export function prose(text: string): DocumentFragment {
    const made = document.createDocumentFragment();
    text.split('`').forEach((part, at) => { made.append(at % 2 === 1 ? element('code', {}, part) : part); });
    return made;
}

/** A text of the server for places that have no code, such as titles and labels. */
export function withoutTicks(text: string): string {
    return text.replaceAll('`', '');
}

/** A message of the server as a sentence of its own. */
export function sentence(text: string): string {
    return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

/** A button with an action; `keys` are shown in its title. A text label is also its name, an icon needs `name`. */
export function button(label: Child, name: string, act: () => void, keys?: string): HTMLButtonElement {
    const words = typeof label === 'string' && label.length > 1;
    const made = element('button', { type: 'button', title: keys === undefined ? name : `${name} (${keys})`, ...(words ? {} : { 'aria-label': name }) }, label);
    made.addEventListener('click', act);
    return made;
}

const SVG = 'http://www.w3.org/2000/svg';

/** An icon made of paths in a 16 × 16 square, in the colour of the surrounding text. */
export function icon(...paths: string[]): SVGElement {
    const made = document.createElementNS(SVG, 'svg');
    made.setAttribute('viewBox', '0 0 16 16');
    made.setAttribute('aria-hidden', 'true');
    made.setAttribute('class', 'icon');
    for (const path of paths) {
        const line = document.createElementNS(SVG, 'path');
        line.setAttribute('d', path);
        made.append(line);
    }
    return made;
}

/** Changes a text only if it differs, because the browser lays out every change again. */
export function setText(node: HTMLElement, text: string): void {
    if (node.textContent !== text) node.textContent = text;
}

export function setClass(node: HTMLElement, name: string): void {
    if (node.className !== name) node.className = name;
}

export function setAttribute(node: Element, name: string, value: string | undefined): void {
    if (value === undefined) {
        if (node.hasAttribute(name)) node.removeAttribute(name);
    } else if (node.getAttribute(name) !== value) {
        node.setAttribute(name, value);
    }
}

/** Limits calls of a function to one per painted frame. */
export function perFrame(act: () => void): () => void {
    let asked = false;
    return () => {
        if (asked) return;
        asked = true;
        requestAnimationFrame(() => {
            asked = false;
            act();
        });
    };
}

export function grouped(number: number): string {
    return number.toLocaleString('en-US').replaceAll(',', '\u202f');
}
