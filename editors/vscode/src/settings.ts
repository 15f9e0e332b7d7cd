// The settings sent to the server, and those for this extension only.

/** The sections of `ptx-analyzer.*` that the server does not know. */
const OWN_SECTIONS = ['server', 'trace'];

type Section = Record<string, unknown>;

/** The section without the parts that the server must not receive. */
export function forServer(section: unknown): Section {
    if (typeof section !== 'object' || section === null || Array.isArray(section)) return {};
    return Object.fromEntries(Object.entries(section).filter(([name]) => !OWN_SECTIONS.includes(name)));
}

/**
 * The initialization options. The server executes the assembler named in `ptxas.*`, so the extension passes it only in
 * a trusted workspace.
 */
export function initializationOptions(section: unknown, trusted: boolean): Section {
    const settings = forServer(section);
    if (!trusted) delete settings['ptxas'];
    return { 'ptx-analyzer': settings, workspaceTrusted: trusted };
}
