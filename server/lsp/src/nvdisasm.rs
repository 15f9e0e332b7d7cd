//! NVIDIA's disassembler in the server: its configuration, and the machine code of documents.

use super::ptxas::Key;
use super::sync::lock;
use super::vouched::VouchedProgram;
use ptx_nvidia::answer::TiedCode;
use ptx_nvidia::{ExecutableStamp, Tool, absolute};
use serde_json::Value;
use std::collections::{HashMap, VecDeque};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use tower_lsp_server::ls_types::Uri;

/// Maximum number of stored results.
const MAX_RESULTS: usize = 8;

/// Maximum number of instructions in all stored results, besides the newest.
const MAX_INSTRUCTIONS: usize = 400_000;

/// State of the disassembler in the server.
#[derive(Debug)]
pub struct Nvdisasm {
    /// The user's setting, and the version of the program.
    pub program: VouchedProgram<PathBuf>,
    known: Mutex<CodeCache>,
}

#[derive(Debug, Default)]
struct CodeCache {
    /// The results, the newest last.
    results: VecDeque<(CodeKey, Arc<TiedCode>)>,
    documents: HashMap<Uri, DocumentCode>,
}

/// All inputs of machine code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeKey {
    /// The inputs of the assembler.
    pub assembler: Key,
    /// Identifies the state of the disassembler.
    pub disassembler: ExecutableStamp,
}

/// The machine code of a document for its own target.
#[derive(Debug, Clone)]
pub struct DocumentCode {
    /// The revision of the text.
    pub revision: u64,
    /// Its machine code.
    pub code: Arc<TiedCode>,
}

impl Default for Nvdisasm {
    fn default() -> Self {
        Self { program: VouchedProgram::new(Tool::Nvdisasm), known: Mutex::default() }
    }
}

impl Nvdisasm {
    /// Reads the setting from the client's first message. Returns a message if it is invalid.
    pub fn begin(&self, options: Option<&Value>) -> Option<String> {
        self.program.begin(options, |settings| {
            let path = &settings.nvdisasm.path;
            (!path.is_empty()).then(|| absolute(path))
        })
    }

    /// Returns the stored result for the same inputs.
    pub fn known(&self, key: &CodeKey) -> Option<Arc<TiedCode>> {
        let known = lock(&self.known);
        known.results.iter().rev().find(|(k, _)| k == key).map(|(_, code)| Arc::clone(code))
    }

    /// Stores a result.
    pub fn remember(&self, key: CodeKey, code: Arc<TiedCode>) {
        let mut known = lock(&self.known);
        // It may replace a result without live registers.
        known.results.retain(|(k, _)| *k != key);
        known.results.push_back((key, code));
        let too_many = |results: &VecDeque<(CodeKey, Arc<TiedCode>)>| {
            let instructions: usize = results.iter().map(|(_, c)| c.code.count()).sum();
            results.len() > 1 && (results.len() > MAX_RESULTS || instructions > MAX_INSTRUCTIONS)
        };
        while too_many(&known.results) {
            known.results.pop_front();
        }
    }

    /// Stores the machine code of a document's text for its own target.
    pub fn note(&self, uri: &Uri, revision: u64, code: Arc<TiedCode>) {
        lock(&self.known).documents.insert(uri.clone(), DocumentCode { revision, code });
    }

    /// Returns the machine code of a document, if its text is still that of the revision.
    pub fn current(&self, uri: &Uri, revision: u64) -> Option<Arc<TiedCode>> {
        let known = lock(&self.known);
        known.documents.get(uri).filter(|d| d.revision == revision).map(|d| Arc::clone(&d.code))
    }

    /// Removes the machine code of a closed document.
    pub fn forget(&self, uri: &Uri) {
        lock(&self.known).documents.remove(uri);
    }
}
