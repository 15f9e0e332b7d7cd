//! Encodes the diagnostics of a text for the client.
//!
//! Between two keystrokes nearly all diagnostics stay the same, but for their places. So the encoder remembers the rest of each one as JSON.

use crate::convert::{self, ConversionContext};
use ptx_analysis::Diagnostic;
use ptx_wire::outgoing::{self, Outgoing};
use serde::Serialize;
use serde_json::Value;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use tower_lsp_server::ls_types::{self, Uri};

/// A diagnostic usually has fewer bytes than this as JSON.
const USUAL_SIZE: usize = 512;

/// Remembers what it has encoded.
#[derive(Debug, Default)]
pub struct Encoder {
    /// All members of a diagnostic but its places, by a hash of what they are made of.
    known: HashMap<u64, EncodedMembers>,
    /// The number of publications.
    publications: u64,
}

#[derive(Debug)]
struct EncodedMembers {
    /// The members with the closing brace.
    json: Box<str>,
    /// The last publication that had them.
    used: u64,
}

impl Encoder {
    /// The notification that publishes these diagnostics for a version of a document.
    pub fn publication<'d>(
        &mut self,
        context: &ConversionContext<'_>,
        version: i32,
        found: impl Iterator<Item = &'d Diagnostic>,
    ) -> Vec<u8> {
        const END: &[u8] = b"]}}";
        self.publications += 1;
        let mut count = 0;
        let mut out = publication(context.uri, Some(version), &[]);
        out.reserve(USUAL_SIZE * found.size_hint().0);
        if out.ends_with(END) {
            out.truncate(out.len() - END.len());
            for diagnostic in found {
                if count > 0 {
                    out.push(b',');
                }
                self.encode(context, diagnostic, &mut out);
                count += 1;
            }
            out.extend_from_slice(END);
        }
        if self.known.len() > 2 * count + 64 {
            self.known.retain(|_, members| members.used == self.publications);
        }
        out
    }

    fn encode(&mut self, context: &ConversionContext<'_>, diagnostic: &Diagnostic, out: &mut Vec<u8>) {
        out.extend_from_slice(b"{\"range\":");
        write(&context.session.encoding.range(context.rope, &diagnostic.range), out);
        out.push(b',');
        if let Some(related) = convert::related(context, diagnostic) {
            out.extend_from_slice(b"\"relatedInformation\":");
            write(&related, out);
            out.push(b',');
        }
        let mut hasher = DefaultHasher::new();
        (&diagnostic.finding, diagnostic.severity, diagnostic.unnecessary).hash(&mut hasher);
        let publications = self.publications;
        let new = || EncodedMembers { json: members(context, diagnostic), used: publications };
        let members = self.known.entry(hasher.finish()).or_insert_with(new);
        members.used = publications;
        out.extend_from_slice(members.json.as_bytes());
    }
}

/// The members of a diagnostic but its places, with the closing brace.
fn members(context: &ConversionContext<'_>, diagnostic: &Diagnostic) -> Box<str> {
    let converted = convert::diagnostics(context, std::slice::from_ref(diagnostic));
    let mut value = serde_json::to_value(converted.first()).unwrap_or_default();
    if let Value::Object(members) = &mut value {
        members.remove("range");
        members.remove("relatedInformation");
    }
    let json = value.to_string();
    json.strip_prefix('{').unwrap_or("}").into()
}

fn write(value: &impl Serialize, out: &mut Vec<u8>) {
    let before = out.len();
    // Only a map whose keys are not strings cannot be written.
    if serde_json::to_writer(&mut *out, value).is_err() {
        out.truncate(before);
        out.extend_from_slice(b"null");
    }
}

/// Encodes the notification directly as text; the framework would first build a tree of JSON values.
pub fn publication(uri: &Uri, version: Option<i32>, diagnostics: &[ls_types::Diagnostic]) -> Vec<u8> {
    #[derive(Serialize)]
    struct PublishParams<'a> {
        uri: &'a Uri,
        #[serde(skip_serializing_if = "Option::is_none")]
        version: Option<i32>,
        diagnostics: &'a [ls_types::Diagnostic],
    }
    let bytes = 256 + USUAL_SIZE * diagnostics.len();
    let params = PublishParams { uri, version, diagnostics };
    outgoing::long_notification("textDocument/publishDiagnostics", params, bytes)
}

/// Sends diagnostics to the client.
pub fn publish(outgoing: &Outgoing, uri: &Uri, version: Option<i32>, diagnostics: &[ls_types::Diagnostic]) {
    outgoing.encoded(publication(uri, version, diagnostics));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::ClientFeatures;
    use ptx_analysis::{Analyzer, Severity};
    use ptx_syntax::Snapshot;

    fn json(body: &[u8]) -> Value {
        serde_json::from_slice(body).expect("JSON")
    }

    #[test]
    fn a_publication_is_what_the_library_makes_of_it() {
        let uri: Uri = "file:///a%20b.ptx".parse().expect("an address");
        let function = "add.u32 %r1, nothing, 1;\nadd.u32 %r1, nothing, 1;\nmov.bogus %r1, 2;\nadd.u32 \"é\\\" %r1;\n";
        for (related, tags) in [(false, false), (true, true), (true, false)] {
            let session = ClientFeatures { related_information: related, tags, ..ClientFeatures::default() };
            let mut encoder = Encoder::default();
            let mut known = Vec::new();
            // The same diagnostics at other places.
            for head in ["", "// é\n", "\n\n"] {
                let module = ".version 8.0\n.target sm_80\n.global .u32 x;\n.global .u32 x;\n";
                let snapshot = Snapshot::new(&format!("{head}{module}.func f()\n{{\n{function}}}\n"));
                let mut found = Analyzer::default().analyze(&snapshot).diagnostics;
                assert!(found.len() > 4 && found.iter().any(|d| !d.related.is_empty()), "{found:#?}");
                found[0] = found[0].clone().severity(Severity::Hint);
                found[1].unnecessary = true;
                let context = ConversionContext { uri: &uri, rope: snapshot.rope(), session };
                let expected = publication(&uri, Some(7), &convert::diagnostics(&context, &found));
                assert_eq!(json(&encoder.publication(&context, 7, found.iter())), json(&expected));
                known.push(encoder.known.len());
            }
            assert!(known[0] > 0 && known.iter().all(|count| *count == known[0]), "{known:?}");
        }
    }

    #[test]
    fn no_diagnostics() {
        let uri: Uri = "file:///a.ptx".parse().expect("an address");
        let snapshot = Snapshot::new("");
        let context = ConversionContext { uri: &uri, rope: snapshot.rope(), session: ClientFeatures::default() };
        let encoded = Encoder::default().publication(&context, 7, [].iter());
        assert_eq!(json(&encoded), json(&publication(&uri, Some(7), &[])));
    }

    #[test]
    fn what_is_gone_is_forgotten() {
        let uri: Uri = "file:///a.ptx".parse().expect("an address");
        let mut encoder = Encoder::default();
        for round in 0..100 {
            let text = format!(".version 8.0\n.target sm_80\n.func f()\n{{\n add.u32 %r1, a{round}, b{round}; }}\n");
            let snapshot = Snapshot::new(&text);
            let found = Analyzer::default().analyze(&snapshot).diagnostics;
            let context = ConversionContext { uri: &uri, rope: snapshot.rope(), session: ClientFeatures::default() };
            encoder.publication(&context, round, found.iter());
            assert!(encoder.known.len() <= 2 * found.len() + 64, "{}", encoder.known.len());
        }
    }
}
