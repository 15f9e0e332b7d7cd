//! Collects the parts of a body besides instructions: source locations, and variables with initial values.

use super::{ProgramFunction, SourceLocation, initial, with_initials};
use crate::flow::FlowFunction;
use ptx_sema::hir::directive_parts::{self, plain_location};
use ptx_sema::hir::lower::{self, ItemSource};
use ptx_sema::hir::module::{Header, ModuleItem};
use ptx_sema::hir::statements::{Child, children};
use ptx_sema::hir::symbols::VariableOrigin;
use ptx_syntax::{Node, fields, kinds};

impl ProgramFunction {
    /// Adds the body.
    pub(super) fn fill(
        &mut self,
        source: ItemSource<'_>,
        item: &ModuleItem<'_>,
        mut function: FlowFunction,
        header: &Header,
        index: usize,
    ) {
        let Some(body) = item.node.child_by_field_id(fields().body) else { return };
        let mut found = BodyCollector { source, header, item: index, function: &mut function, out: self };
        found.block(body);
        self.body = Some(function);
    }
}

struct BodyCollector<'a, 't> {
    source: ItemSource<'t>,
    header: &'a Header,
    item: usize,
    function: &'a mut FlowFunction,
    out: &'a mut ProgramFunction,
}

impl BodyCollector<'_, '_> {
    fn block(&mut self, node: Node<'_>) {
        let k = kinds();
        for Child { start, kind, node, .. } in children(node) {
            if start.saturating_sub(self.source.base) >= self.source.text.len() {
                break;
            }
            let Some(node) = node else { continue };
            if kind == k.block {
                self.block(node);
            } else if kind == k.loc_directive {
                self.location(node);
            } else if kind == k.variable_declaration {
                self.variables(node);
            }
        }
    }

    /// Records a source location, which holds for the instructions up to the next one.
    fn location(&mut self, node: Node<'_>) {
        let (own, _) = plain_location(self.source.word(node).text)
            .map_or_else(|| directive_parts::locations(self.source, node), |(own, inlined)| (Some(own), inlined));
        let Some((file, line, column)) = own else { return };
        let start = self.source.range(node).start as u32;
        let instruction = self.function.instructions.partition_point(|i| i.range.start < start) as u32;
        self.out.locations.push(SourceLocation { instruction, file, line, column });
    }

    fn variables(&mut self, node: Node<'_>) {
        let declaration = lower::declaration(self.source, node);
        if declaration.declarators.iter().all(|d| d.initializer.is_none()) {
            return;
        }
        let names = initial::InitializerNames { header: self.header, item: self.item, function: Some(self.function) };
        let all = with_initials(self.source, node, &declaration, VariableOrigin::Body, &names);
        for (declared, contents) in all {
            let start = declared.name.range().start as u32;
            let known = self.function.variables.iter().position(|v| v.range.start == start && !v.range.is_empty());
            let Some(index) = known.filter(|_| contents.contents.initialized) else { continue };
            if let Some(variable) = self.function.variables.get_mut(index) {
                variable.symbol.bytes = contents.size.or(variable.symbol.bytes);
            }
            self.out.initials.push((index as u32, contents.contents));
        }
    }
}
