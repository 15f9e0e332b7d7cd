// The interface between the warp panel and the rest of the extension.

import type * as vscode from 'vscode';
import type { BaseLanguageClient } from 'vscode-languageclient';
import type {
    Evaluated,
    EvaluateArguments,
    Evaluation,
    Launches,
    LaunchesArguments,
    ShowWarpArguments,
} from './protocol';

/**
 * The requests that the panel may send to the server. If one fails, its `Error` has a message that can be shown to the
 * user.
 */
export interface WarpApi {
    /** The client; undefined if the server does not run. */
    client(): BaseLanguageClient | undefined;
    evaluate(args: EvaluateArguments, token?: vscode.CancellationToken): Promise<Evaluation>;
    launches(args: LaunchesArguments): Promise<Launches>;
    /** Removes values and faults from the document and stops its evaluation after edits. */
    clear(uri: string): Promise<void>;
    /** Fires when a document was evaluated again after an edit: the shown results are outdated. */
    readonly onEvaluated: vscode.Event<Evaluated>;
    /** Fires when the server was started, stopped or restarted; it has forgotten all evaluations. */
    readonly onServerChanged: vscode.Event<void>;
}

/** The error of a refused evaluation; its `data` contains details. */
export { RequestRefused } from './requests';

/** The panel, as the extension sees it. */
export interface WarpPanel extends vscode.Disposable {
    show(args: ShowWarpArguments): Promise<void>;
}

/** The type of the function with this name in `./panel/index`. */
export type RegisterWarpPanel = (context: vscode.ExtensionContext, api: WarpApi) => WarpPanel;
