//! Options of the assembler that a user may add: those that change the generated code, and none that read or write a file.

/// An option of the assembler with all its names, without dashes.
struct AssemblerOption {
    names: &'static [&'static str],
    /// Whether the option has a value, as the next argument or after `=`.
    value: bool,
}

const fn flag(names: &'static [&'static str]) -> AssemblerOption {
    AssemblerOption { names, value: false }
}

const fn with_value(names: &'static [&'static str]) -> AssemblerOption {
    AssemblerOption { names, value: true }
}

/// The allowed options, from the help of releases 11.8, 12.9 and 13.5.
const ALLOWED: &[AssemblerOption] = &[
    with_value(&["Ofast-compile", "Ofc"]),
    with_value(&["allow-expensive-optimizations"]),
    flag(&["compile-as-tools-patch", "astoolspatch"]),
    flag(&["compile-only", "c"]),
    with_value(&["def-load-cache", "dlcm"]),
    with_value(&["def-store-cache", "dscm"]),
    flag(&["device-debug", "g"]),
    with_value(&["device-function-maxrregcount", "func-maxrregcount"]),
    with_value(&["device-stack-protector"]),
    flag(&["disable-optimizer-constants", "disable-optimizer-consts"]),
    flag(&["disable-warnings", "w"]),
    flag(&["dont-merge-basicblocks", "no-bb-merge"]),
    with_value(&["enable-func-clone-sc"]),
    flag(&["extensible-whole-program", "ewp"]),
    with_value(&["fmad"]),
    with_value(&["force-load-cache", "flcm"]),
    with_value(&["force-store-cache", "fscm"]),
    flag(&["g-tensor-memory-access-check", "g-tmem-access-check"]),
    flag(&["generate-line-info", "lineinfo"]),
    flag(&["gno-fabric-access-check"]),
    flag(&["gno-tensor-memory-access-check", "gno-tmem-access-check"]),
    flag(&["legacy-bar-warp-wide-behavior"]),
    flag(&["make-errors-visible-at-exit"]),
    with_value(&["maxntid"]),
    with_value(&["maxrregcount"]),
    with_value(&["minnctapersm"]),
    with_value(&["opt-level", "O"]),
    flag(&["optimize-float-atomics", "opt-fp-atomics"]),
    flag(&["override-directive-values"]),
    with_value(&["position-independent-code", "pic"]),
    flag(&["preserve-relocs"]),
    with_value(&["register-usage-level", "regUsageLevel"]),
    flag(&["return-at-end", "ret-end"]),
    with_value(&["sanitize"]),
    flag(&["sp-bounds-check"]),
    with_value(&["split-compile"]),
    flag(&["suppress-async-bulk-multicast-advisory-warning"]),
    flag(&["suppress-debug-info"]),
    flag(&["suppress-double-demote-warning"]),
    flag(&["suppress-position-independent-code-warning"]),
    flag(&["suppress-sparse-mma-advisory-info"]),
    flag(&["suppress-stack-size-warning"]),
    flag(&["warn-on-double-precision-use", "warn-double-usage"]),
    flag(&["warn-on-local-memory-usage", "warn-lmem-usage"]),
    flag(&["warn-on-spills", "warn-spills"]),
    flag(&["warning-as-error", "Werror"]),
];

/// Rejected options, and the reason for each.
const REFUSED: &[(&[&str], &str)] = &[
    (&["output-file", "o"], "what is assembled is thrown away"),
    (&["gpu-name", "arch"], "the target is that of the module, or the argument `target` of the command"),
    (&["entry", "e"], "the command has an argument `entry`"),
    (&["options-file", "optf"], "options are not read from files; list them here"),
    (&["input-as-string", "ias"], "the module is that of the document"),
    (&["verbose", "v", "verbose2", "v2"], "it is added anyhow"),
    (&["help", "h", "version", "V", "list-arch", "arch-ls", "list-version", "version-ls"], "it assembles nothing"),
];

/// Checks whether all options of a list may be added to the assembler's command line.
///
/// # Errors
/// A description of the first rejected option.
pub fn check(arguments: &[String]) -> Result<(), String> {
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let Some(name) = argument.strip_prefix("--").or_else(|| argument.strip_prefix('-')) else {
            return Err(format!("`{argument}` is not an option: one begins with a dash, and files are not taken"));
        };
        let (name, value) = match name.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (name, None),
        };
        // `-O3` has its value in the same word.
        let short = name.strip_prefix('O').filter(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()));
        if short.is_some() && value.is_none() && !argument.starts_with("--") {
            continue;
        }
        if let Some((_, why)) = REFUSED.iter().find(|(names, _)| names.contains(&name)) {
            return Err(format!("`{argument}` is not accepted: {why}"));
        }
        let Some(known) = ALLOWED.iter().find(|k| k.names.contains(&name)) else {
            return Err(format!("`{argument}` is not one of the options known to change only the generated code"));
        };
        match (known.value, value) {
            (false, Some(_)) => return Err(format!("`{argument}`: this option takes no value")),
            (true, None) if rest.next().is_none_or(|v| v.is_empty() || v.starts_with('-')) => {
                return Err(format!("`{argument}` takes a value"));
            }
            (true, Some("")) => return Err(format!("`{argument}` takes a value")),
            _ => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(arguments: &[&str]) -> Result<(), String> {
        check(&arguments.iter().map(|a| (*a).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn what_changes_the_code_is_taken() {
        for arguments in [
            &[][..],
            &["-O3"],
            &["-O", "1", "--fmad=false", "-lineinfo"],
            &["--maxrregcount", "64", "-c"],
            &["-maxrregcount=64", "--device-debug"],
        ] {
            assert_eq!(checked(arguments), Ok(()), "{arguments:?}");
        }
    }

    #[test]
    fn what_names_files_is_not() {
        for (arguments, part) in [
            (&["-o", "/etc/passwd"][..], "thrown away"),
            (&["-o=/etc/passwd"], "thrown away"),
            (&["-o/etc/passwd"], "not one of"),
            (&["--output-file=x"], "thrown away"),
            (&["--options-file", "x"], "not read from files"),
            (&["-g", "x.ptx"], "not an option"),
            (&["@x"], "not an option"),
            (&["--gpu-name=sm_90"], "target"),
            (&["--maxrregcount"], "takes a value"),
            (&["--maxrregcount", "-o"], "takes a value"),
            (&["--fmad="], "takes a value"),
            (&["-g=1"], "takes no value"),
            (&["--apply-controls"], "not one of"),
            (&["-"], "not one of"),
            (&[""], "not an option"),
        ] {
            let refused = checked(arguments).unwrap_err();
            assert!(refused.contains(part), "{arguments:?}: {refused}");
        }
    }
}
