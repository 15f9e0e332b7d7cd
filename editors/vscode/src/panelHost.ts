// Where the warp panel and the rest of the extension meet: what the panel is given, and what it gives back.

import type * as vscode from 'vscode';
import type { LanguageClient } from 'vscode-languageclient/node';
import type {
    Evaluated,
    EvaluateArguments,
    Evaluation,
    Fragments,
    FragmentsArguments,
    Launches,
    LaunchesArguments,
    ShowWarpArguments,
} from './protocol';

/** What the panel may ask of the server. Every request fails with an `Error` whose message can be shown to a user. */
export interface WarpApi {
    /** The client, if the server runs. */
    client(): LanguageClient | undefined;
    evaluate(args: EvaluateArguments, token?: vscode.CancellationToken): Promise<Evaluation>;
    fragments(args: FragmentsArguments): Promise<Fragments | null>;
    launches(args: LaunchesArguments): Promise<Launches>;
    /** Values and faults go away from the document, and it is no longer evaluated again after edits. */
    clear(uri: string): Promise<void>;
    /** A document was evaluated again after an edit: what is shown of it is out of date. */
    readonly onEvaluated: vscode.Event<Evaluated>;
    /** The server was started, stopped or started again; what it knew of evaluations is gone. */
    readonly onServerChanged: vscode.Event<void>;
}

/** What a refused evaluation says besides its message: `data` of an error of `WarpApi.evaluate`. */
export { RequestRefused } from './requests';

/** The panel, as the extension sees it. */
export interface WarpPanel extends vscode.Disposable {
    show(args: ShowWarpArguments): Promise<void>;
}

/** What `./panel/index` exports under this name. */
export type RegisterWarpPanel = (context: vscode.ExtensionContext, api: WarpApi) => WarpPanel;
