// What does not work in a browser. package.json hides these commands there.

import { COMMANDS } from '../commandNames';

const PROGRAM = "NVIDIA's assembler is a program, which a browser cannot run. Use VS Code on a computer.";
const DEBUGGER = 'The debugger is a program, which a browser cannot run. Evaluate the warp instead, or use VS Code on a computer.';

export const UNAVAILABLE: Readonly<Record<string, string>> = {
    [COMMANDS.askForEntry]: DEBUGGER,
    [COMMANDS.compareRegisters]: PROGRAM,
    [COMMANDS.debugEntry]: DEBUGGER,
    [COMMANDS.goToSource]: 'In a browser, no source files are at hand. Use VS Code on a computer.',
    [COMMANDS.showSass]: PROGRAM,
};
