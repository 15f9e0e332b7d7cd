//! `parameter-access`: a parameter, a result or an argument in memory is used in a way that it is not meant for.

use crate::ast::Word;
use crate::codes::Words;
use crate::diagnostic::{Diagnostic, Severity};
use crate::symbols::Origin;
use std::ops::Range;

/// A parameter, a result or an argument in memory that is used in a way that it is not meant for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ParameterAccess {
    /// Its name.
    pub name: Box<str>,
    /// What is wrong with the access.
    pub problem: Problem,
}

/// What is wrong with an access to a parameter, a result or an argument.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Problem {
    /// A parameter is written.
    Written {
        /// It is one of a kernel.
        kernel: bool,
    },
    /// A result is read.
    ResultRead,
    /// What belongs to a call is accessed under a guard.
    Guarded {
        /// It is stored, not loaded.
        stored: bool,
    },
    /// The address of what belongs to a call is taken.
    AddressTaken,
    /// The access names `.param::entry` or `.param::func`, and the variable is in the other.
    OtherSpace {
        /// It is a parameter of a kernel.
        kernel: bool,
        /// The state space of the access.
        space: Box<str>,
    },
}

impl Words for ParameterAccess {
    fn message(&self) -> String {
        let name = &self.name;
        match &self.problem {
            Problem::Written { kernel } => {
                let owner = if *kernel { "the kernel" } else { "this function" };
                format!("`{name}` is a parameter of {owner}, which cannot be written")
            }
            Problem::ResultRead => format!("`{name}` is the result of this function, which can only be written"),
            Problem::Guarded { stored } => {
                let access = if *stored { "stored" } else { "loaded" };
                format!("`{name}` belongs to a call, so it must be {access} without a guard")
            }
            Problem::AddressTaken => format!("`{name}` belongs to a call and has no address"),
            Problem::OtherSpace { kernel, space } => {
                let what = if *kernel { "a parameter of the kernel" } else { "an argument or result of a call" };
                format!("`{name}` is {what}, which is not in `{space}`")
            }
        }
    }

    fn help(&self) -> Option<String> {
        let help = match self.problem {
            Problem::Written { .. } => "copy it into a register, or into a variable in `.local`",
            Problem::ResultRead => "keep the value in a register, and store it before `ret`",
            Problem::Guarded { stored: true } => "choose the value with `selp` first, or branch around the whole call",
            Problem::Guarded { stored: false } => "load it into another register, and move that under the guard",
            Problem::AddressTaken => {
                "only `st.param`, `ld.param` and `call` can name it; put the value into `.local` memory to point to it"
            }
            Problem::OtherSpace { .. } => "write `.param`, which covers both",
        };
        Some(help.to_owned())
    }
}

fn new(range: Range<usize>, name: &str, problem: Problem) -> Diagnostic {
    Diagnostic::new(range, ParameterAccess { name: name.into(), problem })
}

/// The report on a store to a parameter.
pub fn written(range: Range<usize>, name: &str, origin: Origin) -> Diagnostic {
    new(range, name, Problem::Written { kernel: origin == Origin::KernelParameter })
}

/// The report on a load from a result.
pub fn result_read(range: Range<usize>, name: &str) -> Diagnostic {
    new(range, name, Problem::ResultRead)
}

/// The report on a guard before the access to an argument or result of a call.
pub fn guarded(guard: Word<'_>, name: &str, stored: bool) -> Diagnostic {
    new(guard.range(), name, Problem::Guarded { stored })
}

/// The report on the address of an argument or result of a call.
pub fn address_taken(range: Range<usize>, name: &str) -> Diagnostic {
    new(range, name, Problem::AddressTaken)
}

/// The same with a constant added, at which only the code generator objects.
pub fn offset_taken(range: Range<usize>, name: &str) -> Diagnostic {
    address_taken(range, name).severity(Severity::Warning)
}

/// The report on `.param::entry` or `.param::func` where the variable is in the other.
pub fn other_space(range: Range<usize>, name: &str, origin: Origin, modifier: &str) -> Diagnostic {
    let kernel = origin == Origin::KernelParameter;
    new(range, name, Problem::OtherSpace { kernel, space: modifier.into() })
}

#[cfg(test)]
mod tests {
    use crate::testing::{in_kernel, messages};
    use crate::{Code, Severity};

    #[test]
    fn parameters_of_a_kernel_are_read() {
        let found = |body: &str| messages(&in_kernel(Code::ParameterAccess, body));
        let message = "`p` is a parameter of the kernel, which cannot be written";
        assert_eq!(found("st.param.u64 [p], %rd1;"), [message]);
        let space = "`p` is a parameter of the kernel, which is not in `.param::func`";
        assert_eq!(found("ld.param::func.u64 %rd1, [p];"), [space]);
        assert!(found("ld.param.u64 %rd1, [p];").is_empty());
    }

    #[test]
    fn addresses_of_arguments() {
        let found =
            |value: &str| in_kernel(Code::ParameterAccess, &format!(".param .b64 a[2]; mov.u64 %rd1, {value};"));
        assert_eq!(messages(&found("a")), ["`a` belongs to a call and has no address"]);
        assert_eq!(found("a+8")[0].severity, Severity::Warning);
        assert!(found("p").is_empty());
    }
}
