// The settings sent to the server, and those for this extension only.

/** The sections of `ptx-analyzer.*` that the server does not know. */
const OWN_SECTIONS = ['server', 'trace'];

type Section = Record<string, unknown>;

/** Names in the section `inline` that the server does not know. */
const OWN_INLINE = ['enable', 'languages'];

/** The section without the parts that the server must not receive. */
export function forServer(section: unknown): Section {
    if (!isSection(section)) return {};
    const out = without(section, OWN_SECTIONS);
    if (isSection(out['inline'])) out['inline'] = without(out['inline'], OWN_INLINE);
    return out;
}

function isSection(value: unknown): value is Section {
    return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function without(section: Section, names: string[]): Section {
    return Object.fromEntries(Object.entries(section).filter(([name]) => !names.includes(name)));
}

/**
 * The initialization options. The server executes the programs named in `ptxas.*` and `nvdisasm.*`, so the extension passes
 * them only in a trusted workspace.
 */
export function initializationOptions(section: unknown, trusted: boolean): Section {
    const settings = forServer(section);
    if (!trusted) {
        delete settings['ptxas'];
        delete settings['nvdisasm'];
    }
    return { 'ptx-analyzer': settings, workspaceTrusted: trusted };
}
