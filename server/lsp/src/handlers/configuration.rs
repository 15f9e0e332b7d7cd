//! The client's configuration: sent at the start, with change notifications, or on request.

use crate::refresh;
use crate::server::Server;
use crate::settings::{self, SECTION, SettingProblem, Settings};
use crate::sync::lock;
use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tower_lsp_server::ls_types::{ConfigurationItem, MessageType, Registration, Uri};

/// Number of the last settings: a late answer must not undo newer settings.
static LAST: AtomicU64 = AtomicU64::new(0);

/// Registers for changes of the configuration and requests the current settings, at the beginning of the session.
pub fn begin(shared: &Arc<Server>) {
    let session = shared.state.session();
    if session.registers_configuration {
        let (runner, shared) = (shared, Arc::clone(shared));
        runner.spawn(async move {
            let registration = Registration {
                id: "configuration".to_owned(),
                method: "workspace/didChangeConfiguration".to_owned(),
                register_options: Some(serde_json::json!({ "section": SECTION })),
            };
            let done = shared.client().await.register_capability(vec![registration]);
            if let Some(Err(error)) = shared.answer(done).await {
                tracing::warn!("the client does not report changes of its configuration: {error}");
            }
        });
    }
    ask(shared);
}

/// Handles `workspace/didChangeConfiguration`. Some clients send the settings along, others expect a request. The sent settings
/// do not cover single folders.
pub fn changed(shared: &Arc<Server>, sent: &Value) {
    if !changed_to(shared, sent) || shared.state.folders().iter().nth(1).is_some() {
        ask(shared);
    }
}

/// Applies settings if the sent object contains any; returns whether it does.
pub fn changed_to(shared: &Arc<Server>, sent: &Value) -> bool {
    let Some(section) = settings::section(sent) else {
        return false;
    };
    LAST.fetch_add(1, Ordering::Relaxed);
    apply(shared, section);
    true
}

/// Requests the settings: the global ones and those of each folder.
pub fn ask(shared: &Arc<Server>) {
    if !shared.state.session().configuration {
        return;
    }
    let number = LAST.fetch_add(1, Ordering::Relaxed) + 1;
    let (runner, shared) = (shared, Arc::clone(shared));
    runner.spawn(async move {
        let folders: Vec<Uri> = shared.state.folders().iter().map(|f| f.uri.clone()).collect();
        let item = |scope_uri: Option<&Uri>| ConfigurationItem {
            scope_uri: scope_uri.cloned(),
            section: Some(SECTION.to_owned()),
        };
        let items = std::iter::once(item(None)).chain(folders.iter().map(|uri| item(Some(uri)))).collect();
        match shared.answer(shared.client().await.configuration(items)).await {
            Some(Ok(answers)) if LAST.load(Ordering::Relaxed) == number => {
                let mut answers = answers.into_iter();
                // `null` means that nothing is set; the settings of the start stay valid.
                let everywhere = answers.next().filter(|s| !s.is_null()).map(|s| read(&shared, &s));
                let mut differ = everywhere.is_some_and(|settings| shared.state.set_settings(settings));
                for (folder, answer) in folders.iter().zip(answers) {
                    let own = Some(answer).filter(|s| !s.is_null()).map(|s| read(&shared, &s));
                    differ |= shared.state.change_folders(|folders| folders.set_settings(folder, own));
                }
                if differ {
                    take_effect(&shared);
                }
            }
            Some(Ok(_)) => {}
            Some(Err(error)) => tracing::warn!("the client does not send its configuration: {error}"),
            None => tracing::warn!("the client has not answered about its configuration"),
        }
    });
}

fn apply(shared: &Arc<Server>, section: &Value) {
    let settings = read(shared, section);
    // Settings that a client sends by itself are global and replace those of folders.
    let folders: Vec<Uri> = shared.state.folders().iter().map(|f| f.uri.clone()).collect();
    let mut differ = shared.state.set_settings(settings);
    for folder in folders {
        differ |= shared.state.change_folders(|folders| folders.set_settings(&folder, None));
    }
    if differ {
        take_effect(shared);
    }
}

/// Reads settings, and reports problems in them.
fn read(shared: &Arc<Server>, section: &Value) -> Settings {
    let (mut settings, problems) = Settings::read(section);
    // Settings that may come from a project must not name a program.
    shared.ptxas.program.ignore(&std::mem::take(&mut settings.ptxas).path);
    shared.nvdisasm.program.ignore(&std::mem::take(&mut settings.nvdisasm).path);
    for problem in problems {
        match problem {
            SettingProblem::Unknown(name) => tracing::warn!("there is no setting `{name}`"),
            SettingProblem::Wrong { name, expected } => {
                complain(shared, format!("the setting `{name}` takes {expected}"))
            }
        }
    }
    settings
}

/// Rechecks and refreshes everything after a change of the settings.
pub fn take_effect(shared: &Arc<Server>) {
    for document in shared.state.documents() {
        document.recheck();
    }
    shared.workspace.changed();
    refresh::all(shared);
}

/// Shows a message to the user, once for each mistake.
pub fn complain(shared: &Arc<Server>, message: String) {
    tracing::warn!("{message}");
    if lock(&shared.complaints).insert(message.clone()) {
        let (runner, shared) = (shared, Arc::clone(shared));
        runner.spawn(async move {
            shared.client().await.show_message(MessageType::WARNING, format!("ptx-analyzer: {message}")).await;
        });
    }
}
