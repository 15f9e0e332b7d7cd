//! What the worker of a document publishes about a text. It knows no server and does not wait.

use crate::convert::{self, ConversionContext};
use crate::session::ClientFeatures;
use ptx_analysis::Figures;
use ptx_analysis::{Report, SharedReport};
use ptx_host::{GroupResult, HostTargets, Placed};
use ptx_syntax::{Rope, Snapshot};
use std::borrow::Cow;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tower_lsp_server::ls_types::{self, Uri};

/// A text with its syntax tree.
#[derive(Debug)]
pub struct ParsedText {
    /// The revision of the text.
    pub revision: u64,
    /// `None` for a text that is not PTX.
    pub snapshot: Option<Snapshot>,
    /// The register report of the last flow lints, with positions in this text.
    pub figures: Arc<Figures>,
    /// Whether the flow lints have run on exactly this text.
    pub complete: bool,
}

impl ParsedText {
    /// An empty result for a revision: no tree, and none will follow.
    pub fn nothing(revision: u64) -> Self {
        Self { revision, snapshot: None, figures: Arc::default(), complete: true }
    }
}

/// A text with its diagnostics.
#[derive(Debug)]
pub struct CheckedText {
    /// The revision of the text.
    pub revision: u64,
    /// Number of earlier publications of the same revision.
    pub stage: u32,
    /// The client's version of the text.
    pub version: i32,
    /// The text and its tree; `None` if it is not PTX.
    pub snapshot: Option<Snapshot>,
    /// The reported diagnostics.
    pub report: Report,
    /// The same diagnostics, one for one, in the protocol's form.
    pub converted: Converted,
    /// For each diagnostic whether it is held back, that is, not published yet.
    pub held: Vec<bool>,
    /// The report of the checks, whatever the configured levels; `None` if no check has run.
    pub unfiltered: Option<Arc<SharedReport>>,
    /// Durations of the check's parts.
    pub timings: Timings,
}

/// Diagnostics in the protocol's form. Those of PTX are converted when a request first needs them; the message that publishes them does not.
#[derive(Debug, Default)]
pub struct Converted {
    known: OnceLock<Vec<ls_types::Diagnostic>>,
    /// What a later conversion needs: the document, and the features of the client.
    later: Option<(Uri, ClientFeatures)>,
}

impl Converted {
    /// Diagnostics that are to be converted later.
    pub fn later(uri: Uri, session: ClientFeatures) -> Self {
        Self { known: OnceLock::new(), later: Some((uri, session)) }
    }
}

impl From<Vec<ls_types::Diagnostic>> for Converted {
    fn from(known: Vec<ls_types::Diagnostic>) -> Self {
        Self { known: known.into(), later: None }
    }
}

/// Durations of the parts of the last check.
#[derive(Debug, Clone, Copy, Default)]
pub struct Timings {
    /// Applying the edits and parsing.
    pub parse: Duration,
    /// Checking.
    pub check: Duration,
    /// Flow lints, if they ran.
    pub lints: Duration,
    /// Converting the diagnostics to the protocol's form.
    pub convert: Duration,
}

impl CheckedText {
    /// An empty result for a revision: no diagnostics.
    pub fn nothing(revision: u64, version: i32, timings: Timings) -> Self {
        Self {
            revision,
            stage: 0,
            version,
            snapshot: None,
            report: Report::default(),
            converted: Converted::default(),
            held: Vec::new(),
            unfiltered: None,
            timings,
        }
    }
}

impl CheckedText {
    /// All diagnostics of the checks, whatever their configured level; `None` if no check has run.
    pub fn unfiltered(&self) -> Option<Vec<ptx_analysis::Diagnostic>> {
        self.unfiltered.as_ref().map(|report| report.diagnostics.to_vec())
    }

    /// The reported diagnostics in the protocol's form.
    pub fn diagnostics(&self) -> &[ls_types::Diagnostic] {
        self.converted.known.get_or_init(|| match (&self.converted.later, &self.snapshot) {
            (Some((uri, session)), Some(snapshot)) => {
                let context = ConversionContext { uri, rope: snapshot.rope(), session: *session };
                convert::diagnostics(&context, &self.report.diagnostics)
            }
            _ => Vec::new(),
        })
    }

    /// Returns the diagnostics that the client is to show now: all that are not held back.
    pub fn published(&self) -> Cow<'_, [ls_types::Diagnostic]> {
        let diagnostics = self.diagnostics();
        if !self.held.contains(&true) {
            return Cow::Borrowed(diagnostics);
        }
        let mut held = self.held.iter();
        Cow::Owned(diagnostics.iter().filter(|_| held.next() != Some(&true)).cloned().collect())
    }

    /// The same, not converted.
    pub fn shown(&self) -> impl Iterator<Item = &ptx_analysis::Diagnostic> {
        let held = self.held.iter().chain(std::iter::repeat(&false));
        self.report.diagnostics.iter().zip(held).filter(|(_, held)| !**held).map(|(diagnostic, _)| diagnostic)
    }
}

/// A text with the PTX in its strings.
#[derive(Debug)]
pub struct HostText {
    /// The revision of the text.
    pub revision: u64,
    /// The client's version of the text.
    pub version: i32,
    /// The text.
    pub rope: Rope,
    /// The statements with PTX.
    pub groups: Arc<[Placed]>,
    /// The results of the check, one for each group; `None` until they are known.
    pub results: Option<Arc<[GroupResult]>>,
    /// The targets for which it is checked.
    pub targets: HostTargets,
}

impl HostText {
    /// The result for a group, if it is known.
    pub fn result(&self, group: usize) -> Option<&GroupResult> {
        self.results.as_ref()?.get(group)
    }
}
