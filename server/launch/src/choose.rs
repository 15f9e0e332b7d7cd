//! Selects the launch of a request. The kernel is given by its name or by a place in the text. The launch is written above the
//! kernel, sent along, or guessed.

use super::evaluate::LaunchModule;
use super::file::{self, Language};
use ptx_flow::program::ProgramFunction;
use ptx_launch_syntax::{Launch, LaunchMistake, written};
use serde_json::Value;

/// A request for a launch.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LaunchQuery {
    /// The kernel's name. Without a name it is the kernel at the place; without a place the first kernel with a launch, or else
    /// the first kernel.
    pub entry: Option<String>,
    /// Byte offset in the text: in a kernel, or above it.
    pub at: Option<usize>,
    /// Origin of the launch.
    pub launch: LaunchOrigin,
    /// Index of the launch among those above the kernel, from 0.
    pub number: usize,
}

/// The place where a launch is written.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum LaunchOrigin {
    /// Above the kernel; if there is none, the whole launch is guessed.
    #[default]
    Above,
    /// Nowhere: the whole launch is guessed.
    Nowhere,
    /// In lines of the request.
    Lines(String),
    /// In a table of the request, with the keys of launch files.
    Table(Value),
}

/// The launch that a query selects.
#[derive(Debug, Clone)]
pub struct LaunchChoice {
    /// The launch.
    pub launch: Launch,
    /// Number of launches above the kernel.
    pub launches: usize,
}

/// The reason why a query selects no launch.
#[derive(Debug, Clone)]
pub enum LaunchChoiceError {
    /// There is no such kernel: the message.
    Kernel(String),
    /// The launch has mistakes. Their places refer to the text that contains it: the module itself for [`LaunchOrigin::Above`].
    Launch(Vec<LaunchMistake>),
}

impl LaunchModule {
    /// Returns the kernel that a request selects.
    ///
    /// # Errors
    /// A message, if there is none.
    pub fn kernel(&self, entry: Option<&str>, at: Option<usize>) -> Result<&ProgramFunction, String> {
        let kernels = || self.program.functions.iter().filter(|c| c.kernel && c.body.is_some());
        let names = || {
            let names: Vec<String> = kernels().map(|k| format!("`{}`", k.name)).collect();
            if names.is_empty() { "it has none".to_owned() } else { format!("there are {}", names.join(", ")) }
        };
        if let Some(entry) = entry {
            let found = kernels().find(|k| &*k.name == entry);
            return found.ok_or_else(|| format!("there is no kernel `{entry}` in this module: {}", names()));
        }
        if let Some(at) = at {
            let end = |c: &ProgramFunction| c.start + c.body.as_ref().map_or(0, |b| b.body.end as usize);
            // Lines above a kernel belong to it.
            let mut after: Vec<&ProgramFunction> = self.program.functions.iter().filter(|c| c.body.is_some()).collect();
            after.sort_by_key(|c| c.start);
            let mut after = after.into_iter().filter(|c| end(c) >= at);
            let mut found = after.next();
            // A place above a function that is not a kernel selects the next kernel.
            if found.is_some_and(|c| !c.kernel && c.start > at) {
                found = after.find(|c| c.kernel);
            }
            return match found {
                Some(callable) if callable.kernel => Ok(callable),
                Some(callable) => Err(format!(
                    "`{}` is a function, and only a kernel (`.entry`) can be launched: {}",
                    callable.name,
                    names()
                )),
                None => Err(format!("there is no kernel here or below: {}", names())),
            };
        }
        let (launches, _) = self.launches();
        let first = launches.first().and_then(|l| kernels().find(|k| k.name == l.entry));
        first.or_else(|| kernels().next()).ok_or_else(|| "this module has no kernel (`.entry`) with a body".to_owned())
    }

    /// Returns the launch that a request selects.
    ///
    /// # Errors
    /// If there is no such kernel, or the launch has mistakes.
    pub fn choose(&self, question: &LaunchQuery) -> Result<LaunchChoice, LaunchChoiceError> {
        let kernel = self.kernel(question.entry.as_deref(), question.at).map_err(LaunchChoiceError::Kernel)?;
        let name = &*kernel.name;
        let (launches, mistakes) = self.launches();
        let mine: Vec<&Launch> = launches.iter().filter(|l| &*l.entry == name).collect();
        let bare = || Launch { entry: name.into(), ..Launch::default() };
        let launch = match &question.launch {
            LaunchOrigin::Nowhere => bare(),
            LaunchOrigin::Above => {
                let Some(launch) = mine.get(question.number).or_else(|| mine.last()) else {
                    // A misspelled launch line is an error; nothing is guessed.
                    let around = self.above(kernel);
                    let wrong: Vec<LaunchMistake> =
                        mistakes.into_iter().filter(|m| around.contains(&m.range.start)).collect();
                    return match wrong.is_empty() {
                        true => Ok(LaunchChoice { launch: bare(), launches: 0 }),
                        false => Err(LaunchChoiceError::Launch(wrong)),
                    };
                };
                let inside =
                    |m: &LaunchMistake| launch.range.start <= m.range.start && m.range.start <= launch.range.end;
                let wrong: Vec<LaunchMistake> = mistakes.into_iter().filter(inside).collect();
                if !wrong.is_empty() {
                    return Err(LaunchChoiceError::Launch(wrong));
                }
                (*launch).clone()
            }
            LaunchOrigin::Lines(text) => match written(text, name) {
                (launch, wrong) if wrong.is_empty() => launch,
                (_, wrong) => return Err(LaunchChoiceError::Launch(wrong)),
            },
            LaunchOrigin::Table(table) => match file::launches(&table.to_string(), Language::Json) {
                (_, wrong) if !wrong.is_empty() => return Err(LaunchChoiceError::Launch(wrong)),
                (launches, _) => {
                    let mut launch = launches.into_iter().next().unwrap_or_default();
                    launch.entry = name.into();
                    launch
                }
            },
        };
        Ok(LaunchChoice { launch, launches: mine.len() })
    }

    /// Returns the range of the text between a kernel and the function before it.
    fn above(&self, kernel: &ProgramFunction) -> std::ops::Range<usize> {
        let ends = self.program.functions.iter().filter(|c| c.start < kernel.start);
        let last = ends.map(|c| c.start + c.body.as_ref().map_or(0, |b| b.body.end as usize)).max().unwrap_or(0);
        last..kernel.start
    }
}

#[cfg(test)]
mod tests {
    use super::{LaunchChoiceError, LaunchOrigin, LaunchQuery};
    use crate::evaluate::LaunchModule;
    use ptx_syntax::Snapshot;
    use serde_json::json;

    const TEXT: &str = "\
.version 8.0
.target sm_90
.address_size 64
.visible .entry first(.param .u32 n) { ret; }
.func helper() { ret; }
//! launch: grid=1 block=32
//! launch: grid=2 block=64
.visible .entry second(.param .u32 n) { ret; }
//! lanch: grid=1
.visible .entry third() { ret; }
";

    fn module() -> LaunchModule {
        LaunchModule::new(&Snapshot::new(TEXT))
    }

    fn lines(question: &LaunchQuery) -> String {
        match module().choose(question) {
            Ok(chosen) => format!("{} {} of {}", chosen.launch.entry, chosen.launch.text().trim(), chosen.launches),
            Err(LaunchChoiceError::Kernel(why)) => why,
            Err(LaunchChoiceError::Launch(wrong)) => wrong.into_iter().map(|m| m.message).collect(),
        }
    }

    #[test]
    fn what_is_meant() {
        let at = |text: &str| LaunchQuery { at: TEXT.find(text), ..LaunchQuery::default() };
        let named = |name: &str, launch| LaunchQuery { entry: Some(name.into()), launch, ..LaunchQuery::default() };
        assert_eq!(lines(&LaunchQuery::default()), "second //! launch: grid=1 block=32 of 2");
        assert_eq!(
            lines(&LaunchQuery { number: 1, ..LaunchQuery::default() }),
            "second //! launch: grid=2 block=64 of 2"
        );
        assert_eq!(lines(&at(".version")), "first //! launch: of 0");
        assert_eq!(lines(&at("(.param")), "first //! launch: of 0");
        assert_eq!(lines(&at("grid=2")), "second //! launch: grid=1 block=32 of 2");
        assert!(lines(&at("helper")).contains("`helper` is a function"));
        // A place above a function selects the next kernel.
        let text = ".version 8.0\n.target sm_90\n.func f() { ret; }\n.entry k() { ret; }\n";
        let module = LaunchModule::new(&Snapshot::new(text));
        assert_eq!(module.kernel(None, Some(0)).map(|k| &*k.name), Ok("k"));
        assert_eq!(lines(&named("third", LaunchOrigin::Above)), "`lanch:` is not a line of a launch");
        assert_eq!(lines(&named("third", LaunchOrigin::Nowhere)), "third //! launch: of 0");
        assert!(lines(&named("fourth", LaunchOrigin::Above)).contains("there are `first`, `second`, `third`"));
        assert_eq!(lines(&named("first", LaunchOrigin::Lines("n=3".into()))), "first //! launch: n=3 of 0");
        assert!(lines(&named("first", LaunchOrigin::Lines("n=".into()))).contains("expected"));
        let table = json!({ "grid": [2], "params": { "n": 4 } });
        assert_eq!(lines(&named("first", LaunchOrigin::Table(table))), "first //! launch: grid=2 n=4 of 0");
        assert!(!lines(&named("first", LaunchOrigin::Table(json!({ "gird": 2 })))).starts_with("first"));
    }
}
