// What the server is told at its start, and what of the settings is for this extension alone.

/** The parts of `ptx-analyzer.*` that the server does not know. */
const OWN_SECTIONS = ['server', 'trace'];

type Section = Record<string, unknown>;

/** The section as the server may see it. */
export function forServer(section: unknown): Section {
    if (typeof section !== 'object' || section === null || Array.isArray(section)) return {};
    return Object.fromEntries(Object.entries(section).filter(([name]) => !OWN_SECTIONS.includes(name)));
}

/**
 * The initialization options. The assembler named in `ptxas.*` is a program that the server runs, so it is vouched for only
 * in a trusted workspace; elsewhere the server does not even hear of it.
 */
export function initializationOptions(section: unknown, trusted: boolean): Section {
    const settings = forServer(section);
    if (!trusted) delete settings['ptxas'];
    return { 'ptx-analyzer': settings, workspaceTrusted: trusted };
}
