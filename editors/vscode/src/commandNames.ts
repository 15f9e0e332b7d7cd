// Names of commands. Those of the server begin with `ptx-analyzer.`, as do the four of this extension that the server may name;
// what a user runs from the palette begins with `ptx.`, since the client library takes the server's names for itself.

export const COMMANDS = {
    rename: 'ptx-analyzer.rename',
    showReferences: 'ptx-analyzer.showReferences',
    showWarp: 'ptx-analyzer.showWarp',
    suggest: 'ptx-analyzer.suggest',

    askForEntry: 'ptx.askForEntry',
    checkWorkspace: 'ptx.checkWorkspace',
    clearEvaluation: 'ptx.clearEvaluation',
    compareRegisters: 'ptx.compareRegisters',
    debugEntry: 'ptx.debugEntry',
    evaluateWarp: 'ptx.evaluateWarp',
    explain: 'ptx.explain',
    goToLine: 'ptx.goToLine',
    newKernel: 'ptx.newKernel',
    restartServer: 'ptx.restartServer',
    showLog: 'ptx.showLog',
    showMenu: 'ptx.showMenu',
    showRegisters: 'ptx.showRegisters',
    showServerStatus: 'ptx.showServerStatus',
    showSyntaxTree: 'ptx.showSyntaxTree',
    writeLaunch: 'ptx.writeLaunch',
} as const;

export const SERVER_COMMANDS = {
    checkWorkspace: 'ptx-analyzer.checkWorkspace',
    clearEvaluation: 'ptx-analyzer.clearEvaluation',
    compareRegisters: 'ptx-analyzer.compareRegisters',
    evaluateWarp: 'ptx-analyzer.evaluateWarp',
    explain: 'ptx-analyzer.explain',
    fragments: 'ptx-analyzer.fragments',
    launches: 'ptx-analyzer.launches',
    registerPressure: 'ptx-analyzer.registerPressure',
    serverStatus: 'ptx-analyzer.serverStatus',
    showSyntaxTree: 'ptx-analyzer.showSyntaxTree',
    writeLaunch: 'ptx-analyzer.writeLaunch',
} as const;
