//! Compares repeated declarations of a variable of the module.

use crate::diagnostic::Diagnostic;
use crate::rules::linkage::{self, DeclaredType};
use ptx_sema::hir::ast::{ConstantValue, Declaration, Declarator};
use ptx_sema::hir::symbols::{Symbol, VariableSymbol};
use ptx_sema::hir::types::TypeId;
use std::ops::Range;

/// The properties of a declaration that later declarations of the same name are compared with.
#[derive(Debug, Clone)]
pub(crate) struct Earlier {
    /// Byte range of the name, in the file.
    pub range: Range<usize>,
    external: bool,
    linkage: bool,
    space: &'static str,
    ty: Option<TypeId>,
    elements: u8,
    /// The sizes of the dimensions, 0 for `[]`. `None` if they cannot be compared: one is wrong, or the initializer determines one.
    sizes: Option<Vec<i128>>,
}

impl Earlier {
    /// The properties of a declaration. If `symbol` is not a variable, they have no type and are not compared.
    pub(crate) fn new(
        declaration: &Declaration<'_>,
        declarator: &Declarator<'_>,
        symbol: &Symbol,
        range: Range<usize>,
    ) -> Self {
        let (space, ty, elements) = match symbol {
            Symbol::Variable(VariableSymbol { space, ty, elements, .. }) => (*space, *ty, *elements),
            _ => ("", None, 1),
        };
        let size = |(_, size): &(Range<usize>, Option<ConstantValue>)| match size {
            None => Some(0),
            Some(ConstantValue::Integer(Some(n))) => Some(*n),
            Some(_) => None,
        };
        let sizes: Option<Vec<i128>> = declarator.dimensions.iter().map(size).collect();
        let open = |s: &Vec<i128>| s.first() == Some(&0) && declarator.initializer.is_some();
        Self {
            range,
            // ptxas: it does not treat the names of a range (`x<4>`) as external.
            external: declarator.count.is_none() && declaration.linkages.iter().any(|l| l.text == ".extern"),
            linkage: !declaration.linkages.is_empty(),
            space,
            ty,
            elements,
            sizes: sizes.filter(|s| !open(s)),
        }
    }
}

/// The mismatch of a declaration with an earlier one of the same name, if there is one.
pub(crate) fn redeclared(name: &str, earlier: &Earlier, later: &Earlier) -> Option<Diagnostic> {
    let (place, first) = (later.range.clone(), earlier.range.clone());
    let type_of = |declared: &Earlier| Some(DeclaredType { element: declared.ty?, elements: declared.elements });
    let (before, now) = (type_of(earlier)?, type_of(later)?);
    if before != now {
        return Some(linkage::other_type(place, name, before, first));
    }
    if let (Some(before), Some(now)) = (&earlier.sizes, &later.sizes) {
        // `x[]` agrees with every size of its dimension.
        let agree = |(index, (a, b)): (usize, (&i128, &i128))| a == b || (index == 0 && (*a == 0 || *b == 0));
        if before.len() != now.len() || !before.iter().zip(now).enumerate().all(agree) {
            return Some(linkage::other_size(place, name, before, first));
        }
    }
    if earlier.external && !later.linkage {
        return Some(linkage::hidden(place, name, first));
    }
    (earlier.space != later.space).then(|| linkage::other_space(place, name, earlier.space, first))
}
