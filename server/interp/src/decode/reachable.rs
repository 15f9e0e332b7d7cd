//! Functions that a kernel can reach.

use ptx_flow::program::{ModuleProgram, RelocationTarget};

/// Indices of the functions that a kernel can reach, the kernel first.
///
/// These are the functions that reachable bodies name, and functions whose address is an initial value of a variable. A call with a
/// prototype may reach all functions, because a launch can pass the address of any.
pub(super) fn reachable(program: &ModuleProgram, entry: usize) -> Vec<usize> {
    let has_body = |i: &usize| program.functions.get(*i).is_some_and(|f| f.body.is_some());
    let index = |name: &str| program.function(name).filter(has_body);
    let mut work = vec![entry];
    for variable in &program.variables {
        let functions = variable.initial.relocations.iter().filter_map(|r| match &r.to {
            RelocationTarget::Function(name) => index(name),
            RelocationTarget::Variable(_) | RelocationTarget::Local(_) => None,
        });
        work.extend(functions.filter(|f| !program.functions[*f].kernel));
    }
    let mut out = Vec::new();
    while let Some(function) = work.pop() {
        if out.contains(&function) {
            continue;
        }
        out.push(function);
        let body = program.functions[function].body.as_ref();
        if body.is_some_and(|b| b.lists.iter().any(|list| list.prototype.is_some())) {
            work.extend((0..program.functions.len()).filter(|f| has_body(f) && !program.functions[*f].kernel));
        }
        work.extend(body.into_iter().flat_map(|b| b.functions.iter().filter_map(|name| index(name))));
    }
    // The kernel comes first, the others in the order of the module.
    out.sort_unstable_by_key(|f| (*f != entry, *f));
    out
}
