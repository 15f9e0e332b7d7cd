// What does not work in a browser. package.json hides these commands there.

import { COMMANDS } from '../commandNames';

const PROGRAM = "NVIDIA's assembler is a program, which a browser cannot run. Use VS Code on a computer.";
const DEBUGGER = 'The debugger is a program, which a browser cannot run. Evaluate the warp instead, or use VS Code on a computer.';

export const UNAVAILABLE: Readonly<Record<string, string>> = {
    [COMMANDS.askForEntry]: DEBUGGER,
    [COMMANDS.checkWorkspace]: 'In a browser, only open files are checked.',
    [COMMANDS.compareRegisters]: PROGRAM,
    [COMMANDS.debugEntry]: DEBUGGER,
    [COMMANDS.evaluateStatement]: 'In a browser, PTX in other languages is highlighted but not evaluated. Use VS Code on a computer.',
    [COMMANDS.goToSource]: 'In a browser, no source files are at hand. Use VS Code on a computer.',
    [COMMANDS.showSass]: PROGRAM,
};
