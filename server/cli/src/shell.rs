//! `ptx-analyzer completions` and `ptx-analyzer man`: shell completions and manual pages, generated from the definition
//! of the command line.

use super::files::is_written;
use super::status::CliStatus;
use clap::{Command, CommandFactory};
use clap_complete::Shell;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};
use std::io::{self, Write, stdout};
use std::path::{Path, PathBuf};

/// Which shell.
#[derive(Debug, clap::Args)]
pub struct ShellCompletions {
    /// The shell that reads the script
    #[arg(value_enum)]
    shell: Shell,
}

/// Where to.
#[derive(Debug, clap::Args)]
pub struct Manual {
    /// A folder for the pages of the program and of each command; without one, the program's page is printed
    #[arg(value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    folder: Option<PathBuf>,
}

/// Sections of the program's manual page besides its options: pairs of a term and its meaning, by heading.
const SECTIONS: &[(&str, &[(&str, &str)])] = &[
    (
        "EXIT STATUS",
        &[
            ("0", "No errors and no failed check."),
            ("1", "Findings: errors, a file that is not formatted, a failed expectation."),
            ("2", "Wrong usage, or a file that cannot be read. Other files are still processed."),
        ],
    ),
    (
        "ENVIRONMENT",
        &[
            (
                "PTX_ANALYZER_LOG",
                "The log level on standard error, such as debug, or ptx_analyzer=trace; by default warn.",
            ),
            ("NO_COLOR", "If set and not empty, no colours are used."),
        ],
    ),
];

/// Prints the script that completes the program's arguments.
pub fn completions(arguments: &ShellCompletions) -> CliStatus {
    let mut command = super::CliArguments::command();
    let name = command.get_name().to_owned();
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut command, name.clone(), &mut script);
    let mut script = String::from_utf8_lossy(&script).into_owned();
    if arguments.shell == Shell::Bash {
        // For a program with a hyphen in its name, clap_complete 4.6 uses one name where it detects a command and
        // another where it completes it.
        script = script.replace(&name.replace('-', "__subcmd__"), &name.replace('-', "__"));
    }
    written(stdout().lock().write_all(script.as_bytes()))
}

/// Prints the page of the program, or writes all pages.
pub fn manual(arguments: &Manual) -> CliStatus {
    match &arguments.folder {
        None => written(page(pages_of()).and_then(|(_, text)| stdout().lock().write_all(&text))),
        Some(folder) => match write(folder) {
            Ok(()) => CliStatus::Fine,
            Err(error) => {
                super::files::complain(&format!("{}: {error}", folder.display()));
                CliStatus::Trouble
            }
        },
    }
}

fn written(result: io::Result<()>) -> CliStatus {
    if is_written(result) { CliStatus::Fine } else { CliStatus::Trouble }
}

/// The command line, with subcommands named like their manual pages.
fn pages_of() -> Command {
    let mut command = super::CliArguments::command().disable_help_subcommand(true);
    command.build();
    command
}

fn write(folder: &Path) -> io::Result<()> {
    std::fs::create_dir_all(folder)?;
    let program = pages_of();
    for command in program.get_subcommands().filter(|command| !command.is_hide_set()).chain([&program]) {
        let (name, text) = page(command.clone())?;
        std::fs::write(folder.join(name), text)?;
    }
    Ok(())
}

/// The file name and the text of a command's manual page.
fn page(command: Command) -> io::Result<(String, Vec<u8>)> {
    let (is_program, options) = (command.has_subcommands(), command.get_arguments().any(|a| !a.is_hide_set()));
    let man = Man::new(command);
    let mut text = Vec::new();
    // No date, so that the same version always has the same pages. The header is written here, because that of `Man`
    // would omit the empty date and shift the other arguments.
    let title = man.get_filename().trim_end_matches(".1").to_uppercase();
    let version = env!("CARGO_PKG_VERSION");
    writeln!(text, ".TH {title} 1 \"\" \"ptx-analyzer {version}\" \"PTX Analyzer\"")?;
    man.render_name_section(&mut text)?;
    man.render_synopsis_section(&mut text)?;
    man.render_description_section(&mut text)?;
    if options {
        man.render_options_section(&mut text)?;
    }
    if is_program {
        man.render_subcommands_section(&mut text)?;
        let mut more = Roff::default();
        for (title, entries) in SECTIONS {
            more.control("SH", [*title]);
            for (word, meaning) in *entries {
                more.control("TP", []).text([bold(*word)]).text([roman(*meaning)]);
            }
        }
        more.control("SH", ["SEE ALSO"]).text([roman(env!("CARGO_PKG_REPOSITORY"))]);
        more.to_writer(&mut text)?;
    }
    Ok((man.get_filename(), ascii(&String::from_utf8_lossy(&text)).into_bytes()))
}

/// The page with ASCII characters only, as every `roff` understands it: others are replaced by their numeric names.
fn ascii(page: &str) -> String {
    let mut named = String::with_capacity(page.len());
    for letter in page.chars() {
        if letter.is_ascii() {
            named.push(letter);
        } else {
            named.push_str(&format!("\\[u{:04X}]", u32::from(letter)));
        }
    }
    named
}
