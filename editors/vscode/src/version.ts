// Compares the versions of server and extension. Independent of VS Code.

/** A warning if server and extension are not of the same release, otherwise undefined. */
export function versionMismatch(server: string | undefined, extension: string): string | undefined {
    if (server === undefined) return undefined;
    const release = (version: string): string => version.split('.').slice(0, 2).join('.');
    if (release(server) === release(extension)) return undefined;
    return `The server is version ${server}, this extension ${extension}: what is newer in one may be missing in the other.`;
}
