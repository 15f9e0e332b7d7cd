//! The server for the library: lists tools, and calls them with the folders of the client.

use super::load::Load;
use super::roots;
use super::tool::{ServerCard, ToolAnswer, ToolDescription, Toolbox};
use super::work::{OwnedCall, Work};
use ptx_gate::words::{visible, visible_lines};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation, InputRequest, InputRequests,
    InputRequiredResult, ListToolsResult, PaginatedRequestParams, ProtocolVersion, ServerCapabilities, ServerConfig,
    Tool, ToolAnnotations,
};
// The library calls roots deprecated; the protocol has them, and they are how an assistant names its folders.
#[allow(deprecated)]
use rmcp::model::{ListRootsRequest, ListRootsResult};
use rmcp::service::{NotificationContext, RequestContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::{Map, Value};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Time limit for the answer of a client that is asked for its folders.
const ROOTS_TIMEOUT: Duration = Duration::from_secs(5);

/// The key of the request for the folders of the client, within an answer to a call.
const ROOTS: &str = "roots";

/// The argument that names a file.
const PATH: &str = "path";

/// The server of a session.
pub struct McpServer {
    tools: Arc<dyn Toolbox>,
    descriptions: Vec<ToolDescription>,
    config: ServerConfig,
    /// The folders that the user names.
    fixed: Option<Vec<PathBuf>>,
    /// The folders that the client named, until it says that they changed.
    named: Mutex<Option<Vec<PathBuf>>>,
    work: Work,
    load: Load,
}

impl McpServer {
    /// Creates a server.
    pub fn new(tools: Arc<dyn Toolbox>, card: ServerCard, fixed: Option<Vec<PathBuf>>, work: Work) -> Self {
        let descriptions = tools.tools();
        let own = Implementation::new(card.name, card.version).with_title(card.title);
        let config = ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(own)
            .with_instructions(card.instructions);
        Self { tools, descriptions, config, fixed, named: Mutex::new(None), work, load: Load::default() }
    }

    /// The work that it has accepted.
    pub fn load(&self) -> Load {
        self.load.clone()
    }

    fn remember(&self, folders: Option<Vec<PathBuf>>) {
        *self.named.lock().unwrap_or_else(PoisonError::into_inner) = folders;
    }

    /// The folders for a call, or a question for the client that comes first.
    async fn folders(
        &self,
        request: &CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<Vec<PathBuf>, InputRequiredResult> {
        if let Some(fixed) = &self.fixed {
            return Ok(fixed.clone());
        }
        if context.client_capabilities().is_none_or(|can| can.roots.is_none()) {
            return Ok(Vec::new());
        }
        let is_stateless = context.protocol_version().is_some_and(|v| v >= ProtocolVersion::V_2026_07_28);
        if is_stateless {
            // Such a client cannot be asked at any time: it calls again, with the answer.
            return match request.input_responses.as_ref().and_then(|answers| answers.get(ROOTS)) {
                Some(answer) => Ok(serde_json::from_value(answer.clone()).map(paths).unwrap_or_default()),
                None => Err(question()),
            };
        }
        let known = self.named.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(known) = known {
            return Ok(known);
        }
        #[allow(deprecated)]
        let answer = tokio::time::timeout(ROOTS_TIMEOUT, context.peer.list_roots()).await;
        let Ok(Ok(answer)) = answer else {
            tracing::warn!("the client does not say which folders it works in");
            return Ok(Vec::new());
        };
        let folders = paths(answer);
        self.remember(Some(folders.clone()));
        Ok(folders)
    }
}

#[allow(deprecated)]
fn paths(answer: ListRootsResult) -> Vec<PathBuf> {
    answer.roots.iter().filter_map(|root| roots::path(&root.uri)).collect()
}

#[allow(deprecated)]
fn question() -> InputRequiredResult {
    let ask = InputRequest::ListRoots(ListRootsRequest { method: Default::default(), extensions: Default::default() });
    InputRequiredResult::from_input_requests(InputRequests::from([(ROOTS.to_owned(), ask)]))
}

fn listed(tool: &ToolDescription) -> Tool {
    let schema = match &tool.input {
        Value::Object(schema) => schema.clone(),
        _ => Map::new(),
    };
    // Nothing is written, nothing outside of this computer is asked, and the same question has the same answer.
    let hints = ToolAnnotations::with_title(tool.title).read_only(true).open_world(false).idempotent(true);
    Tool::new(tool.name, tool.description, schema).with_title(tool.title).annotate(hints)
}

/// The answer of a tool as it leaves: no word of a kernel or a file has characters that act on an assistant, or on whoever reads along.
fn result(answer: ToolAnswer) -> CallToolResult {
    let content = vec![ContentBlock::text(visible_lines(&answer.text))];
    let mut out = if answer.is_error { CallToolResult::error(content) } else { CallToolResult::success(content) };
    out.structured_content = answer.structured.map(safe);
    out
}

/// A value without unsafe characters in its strings.
fn safe(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(visible_lines(&text).into_owned()),
        Value::Array(items) => items.into_iter().map(safe).collect(),
        Value::Object(members) => {
            members.into_iter().map(|(name, value)| (visible_lines(&name).into_owned(), safe(value))).collect()
        }
        other => other,
    }
}

/// The total length of the strings among the arguments.
fn size(arguments: &Map<String, Value>) -> usize {
    arguments.values().filter_map(Value::as_str).map(str::len).sum()
}

impl ServerHandler for McpServer {
    fn get_info(&self) -> ServerConfig {
        self.config.clone()
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.descriptions.iter().map(listed).collect()))
    }

    async fn call_tool(
        &self,
        mut request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = self.descriptions.iter().find(|tool| tool.name == request.name) else {
            let names: Vec<&str> = self.descriptions.iter().map(|tool| tool.name).collect();
            let name: String = request.name.chars().take(80).collect();
            let words = format!("there is no tool `{}`; the tools are {}", visible(&name), names.join(", "));
            return Err(ErrorData::invalid_params(words, None));
        };
        let arguments = request.arguments.take().unwrap_or_default();
        let _counted = self.load.add(size(&arguments));
        let roots = match arguments.contains_key(PATH) {
            true => match self.folders(&request, &context).await {
                Ok(folders) => folders,
                Err(question) => return Ok(question.into()),
            },
            false => Vec::new(),
        };
        let call = OwnedCall { name: tool.name.to_owned(), arguments, roots, is_long: tool.is_long };
        let cancelled = move || context.ct.is_cancelled();
        Ok(result(self.work.call(Arc::clone(&self.tools), call, cancelled).await).into())
    }

    async fn on_roots_list_changed(&self, _: NotificationContext<RoleServer>) {
        self.remember(None);
    }
}
