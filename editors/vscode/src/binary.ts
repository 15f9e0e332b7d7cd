// Finds the server: in the path of a setting, in the extension's package, or on PATH. Independent of VS Code.

import { accessSync, constants, statSync } from 'node:fs';
import { posix, win32, type PlatformPath } from 'node:path';

export interface Search {
    /** The value of `ptx-analyzer.server.path`; empty if it is not set. */
    setting: string;
    /** The folder of the extension. */
    extension: string;
    path: string | undefined;
    /** The home folder of the user. */
    home: string;
    platform: NodeJS.Platform;
    isExecutable: (file: string) => boolean;
}

export type Place = 'setting' | 'package' | 'PATH';

export type Found = { file: string; place: Place } | { problem: string };

export function isExecutable(file: string): boolean {
    try {
        accessSync(file, constants.X_OK);
        return statSync(file).isFile();
    } catch {
        return false;
    }
}

/** The rules of a platform for paths. */
function rules(platform: NodeJS.Platform): PlatformPath {
    return platform === 'win32' ? win32 : posix;
}

/** The path of the executable in a platform-specific package. */
export function packagedServer(extension: string, platform: NodeJS.Platform): string {
    return rules(platform).join(extension, 'server', executableName('ptx-analyzer', platform));
}

export function findServer(search: Search): Found {
    const setting = search.setting.trim();
    if (setting !== '') return named(setting, search);
    const packaged = packagedServer(search.extension, search.platform);
    if (search.isExecutable(packaged)) return { file: packaged, place: 'package' };
    const onPath = lookUp('ptx-analyzer', search);
    if (onPath !== undefined) return { file: onPath, place: 'PATH' };
    return {
        problem:
            'This package of the extension holds no server for this machine, and there is no `ptx-analyzer` on PATH. ' +
            'Install the package for your platform, or build the server and name it in `ptx-analyzer.server.path`.',
    };
}

function named(setting: string, search: Search): Found {
    const paths = rules(search.platform);
    const inHome = setting.startsWith('~/') || (search.platform === 'win32' && setting.startsWith('~\\'));
    const written = inHome ? paths.join(search.home, setting.slice(2)) : setting;
    if (paths.isAbsolute(written)) {
        const file = executableName(written, search.platform);
        return search.isExecutable(file)
            ? { file, place: 'setting' }
            : { problem: `\`ptx-analyzer.server.path\` names \`${file}\`, which is not a program that can be run.` };
    }
    if (/[/\\]/.test(setting)) {
        return { problem: `\`ptx-analyzer.server.path\` must be absolute or a name on PATH; it is \`${setting}\`.` };
    }
    const onPath = lookUp(setting, search);
    return onPath === undefined
        ? { problem: `\`ptx-analyzer.server.path\` names \`${setting}\`, which is not on PATH.` }
        : { file: onPath, place: 'setting' };
}

function lookUp(name: string, search: Search): string | undefined {
    const paths = rules(search.platform);
    return (search.path ?? '')
        .split(paths.delimiter)
        .filter((folder) => paths.isAbsolute(folder))
        .map((folder) => paths.join(folder, executableName(name, search.platform)))
        .find((file) => search.isExecutable(file));
}

function executableName(name: string, platform: NodeJS.Platform): string {
    return platform === 'win32' && !name.toLowerCase().endsWith('.exe') ? `${name}.exe` : name;
}
