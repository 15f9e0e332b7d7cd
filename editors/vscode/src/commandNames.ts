// Names of commands. Names of server commands begin with `ptx-analyzer.`, and so do the four extension commands that
// the server may name. Names of palette commands begin with `ptx.`, because the client library registers the server's
// names itself.

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
    evaluateStatement: 'ptx.evaluateStatement',
    evaluateWarp: 'ptx.evaluateWarp',
    explain: 'ptx.explain',
    goToLine: 'ptx.goToLine',
    goToSource: 'ptx.goToSource',
    newKernel: 'ptx.newKernel',
    restartServer: 'ptx.restartServer',
    showLog: 'ptx.showLog',
    showMenu: 'ptx.showMenu',
    showRegisters: 'ptx.showRegisters',
    showSass: 'ptx.showSass',
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
    inlineKernel: 'ptx-analyzer.inlineKernel',
    launches: 'ptx-analyzer.launches',
    registerPressure: 'ptx-analyzer.registerPressure',
    sass: 'ptx-analyzer.sass',
    serverStatus: 'ptx-analyzer.serverStatus',
    showSyntaxTree: 'ptx-analyzer.showSyntaxTree',
    sourceOf: 'ptx-analyzer.sourceOf',
    writeLaunch: 'ptx-analyzer.writeLaunch',
} as const;
