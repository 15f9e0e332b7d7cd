//! `textDocument/signatureHelp`.

use crate::places::at;
use crate::server::Server;
use crate::session::{ClientFeatures, Completing};
use ptx_ide::{InstructionSignature, SignatureParameter};
use tower_lsp_server::jsonrpc::Result;
use tower_lsp_server::ls_types::{
    Documentation, MarkupContent, MarkupKind, ParameterInformation, ParameterLabel, ServerCapabilities, SignatureHelp,
    SignatureHelpOptions, SignatureHelpParams, SignatureInformation,
};

/// Announces signature help to the client.
pub fn provide(capabilities: &mut ServerCapabilities, _: ClientFeatures) {
    let characters = |all: &[&str]| Some(all.iter().map(|c| (*c).to_owned()).collect());
    capabilities.signature_help_provider = Some(SignatureHelpOptions {
        trigger_characters: characters(&[" ", ",", "(", "["]),
        retrigger_characters: characters(&[",", "{", "}", "]", ")"]),
        ..SignatureHelpOptions::default()
    });
}

/// Returns the forms of the instruction whose operands are being written.
pub async fn signature_help(shared: &Server, params: SignatureHelpParams) -> Result<Option<SignatureHelp>> {
    let position = params.text_document_position_params;
    if !shared.state.settings_of(&position.text_document.uri).completion.signatures {
        return Ok(None);
    }
    at(shared, position, |place| {
        Some(answer(ptx_ide::signature_help(&place.snapshot, place.offset())?, place.session.completing))
    })
    .await
}

/// Converts signatures for the client.
pub fn answer(found: ptx_ide::SignatureHelp, client: Completing) -> SignatureHelp {
    let active = found.signatures.get(found.active).and_then(|s| s.active);
    let signatures = found.signatures.into_iter().map(|s| convert(s, client)).collect();
    SignatureHelp { signatures, active_signature: Some(cut(found.active)), active_parameter: active.map(cut) }
}

fn convert(mut signature: InstructionSignature, client: Completing) -> SignatureInformation {
    if !client.parameter_documents {
        let active = signature.active.and_then(|active| signature.parameters.get(active));
        if let Some(parameter) = active.filter(|p| !p.documentation.is_empty()) {
            let name = signature.label.get(parameter.range.clone()).unwrap_or("");
            let line = format!("`{name}`: {}", parameter.documentation);
            let blank = if signature.documentation.is_empty() { "" } else { "\n\n" };
            signature.documentation.push_str(&format!("{blank}{line}"));
        }
        for parameter in &mut signature.parameters {
            parameter.documentation.clear();
        }
    }
    let parameters = signature.parameters.iter().map(|p| parameter(p, &signature.label, client)).collect();
    SignatureInformation {
        documentation: documentation(signature.documentation, client),
        parameters: Some(parameters),
        active_parameter: signature.active.map(cut).filter(|_| client.active_parameter),
        label: signature.label,
    }
}

fn parameter(parameter: &SignatureParameter, label: &str, client: Completing) -> ParameterInformation {
    let text = |range: std::ops::Range<usize>| label.get(range).unwrap_or("");
    // Offsets in a label count UTF-16 code units, whatever encoding documents use.
    let units = |end: usize| cut(text(0..end).encode_utf16().count());
    let name = if client.label_offsets {
        ParameterLabel::LabelOffsets([units(parameter.range.start), units(parameter.range.end)])
    } else {
        ParameterLabel::Simple(text(parameter.range.clone()).to_owned())
    };
    ParameterInformation { label: name, documentation: documentation(parameter.documentation.clone(), client) }
}

fn documentation(value: String, client: Completing) -> Option<Documentation> {
    if value.is_empty() {
        return None;
    }
    let kind = if client.markdown { MarkupKind::Markdown } else { MarkupKind::PlainText };
    Some(Documentation::MarkupContent(MarkupContent { kind, value }))
}

fn cut(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}
