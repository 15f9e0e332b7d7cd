//! Which modules of a crate depend on which, and the circles among them.

use super::source::{Files, Modules, SourcePath};
use std::collections::{BTreeMap, BTreeSet};

/// A dependency of a module on what another one declares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Edge {
    from: usize,
    to: usize,
}

/// The dependencies between the modules of a crate, each with the path that shows it.
#[derive(Debug)]
pub struct Graph {
    modules: Modules,
    edges: BTreeMap<Edge, SourcePath>,
}

/// Nodes that lead back to themselves, with the paths that lead from one to another.
#[derive(Debug, PartialEq, Eq)]
pub struct Circle {
    pub nodes: BTreeSet<String>,
    /// `from → to: path (file:line)`.
    pub edges: Vec<String>,
}

/// What a path means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Target {
    Module(usize),
    /// Something that a module declares.
    Item(usize),
}

impl Graph {
    /// Reads a crate from the file of its root.
    pub fn read(files: &Files, root: &str) -> Self {
        let modules = Modules::read(files, root);
        let mut edges = BTreeMap::new();
        for (from, module) in modules.all.iter().enumerate() {
            let resolver = Resolver { modules: &modules };
            let mut add = |targets: Vec<Target>, path: &SourcePath| {
                for target in targets {
                    // Naming a module only leads to what is named in it.
                    let Target::Item(to) = target else { continue };
                    if to != from {
                        edges.entry(Edge { from, to }).or_insert_with(|| path.clone());
                    }
                }
            };
            for path in module.imports.iter().filter(|import| !import.is_public).map(|import| &import.path) {
                add(resolver.path(from, path), path);
            }
            for path in &module.paths {
                add(resolver.path(from, path), path);
            }
            // A window to what lies inside of a module is not a dependency of the module.
            for path in module.imports.iter().filter(|import| import.is_public).map(|import| &import.path) {
                let outside = |target: &Target| !modules.is_in(target.module(), from);
                add(resolver.path(from, path).into_iter().filter(outside).collect(), path);
            }
            for path in &module.globs {
                let targets = resolver.path(from, path).into_iter();
                add(targets.map(|target| Target::Item(target.module())).collect(), path);
            }
        }
        Self { modules, edges }
    }

    /// Returns the circles among the files of the crate.
    pub fn file_circles(&self) -> Vec<Circle> {
        let file = |module: usize| self.modules.all[module].file.clone();
        let arrow =
            |(edge, path): (&Edge, _)| Arrow { from: file(edge.from), to: file(edge.to), file: file(edge.from), path };
        let edges = self.edges.iter().map(arrow);
        circles(edges.filter(|arrow| arrow.from != arrow.to))
    }

    /// Returns the circles among modules beside each other, each taken with all that is below it.
    pub fn module_circles(&self) -> Vec<Circle> {
        let mut siblings: BTreeMap<usize, Vec<Arrow<'_>>> = BTreeMap::new();
        for (edge, path) in &self.edges {
            let (from, to) = (self.chain(edge.from), self.chain(edge.to));
            let common = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
            if let (Some(a), Some(b)) = (from.get(common), to.get(common)) {
                let file = self.modules.all[edge.from].file.clone();
                let arrow = Arrow { from: self.full_name(*a), to: self.full_name(*b), file, path };
                siblings.entry(from[common - 1]).or_default().push(arrow);
            }
        }
        siblings.into_values().flat_map(|arrows| circles(arrows.into_iter())).collect()
    }

    /// Returns the dependencies between the modules of the root, each taken with all that is below it.
    pub fn room_edges(&self) -> BTreeSet<(String, String)> {
        let room = |module| self.chain(module).get(1).map(|room| self.modules.all[*room].name.clone());
        let edges = self.edges.keys().filter_map(|edge| Some((room(edge.from)?, room(edge.to)?)));
        edges.filter(|(from, to)| from != to).collect()
    }

    /// Returns the dependencies between files, as `from → to`.
    pub fn file_edges(&self) -> BTreeSet<String> {
        let file = |module: usize| &self.modules.all[module].file;
        let edges = self.edges.keys().filter(|edge| file(edge.from) != file(edge.to));
        edges.map(|edge| format!("{} → {}", file(edge.from), file(edge.to))).collect()
    }

    /// Returns the modules from the root to one.
    fn chain(&self, module: usize) -> Vec<usize> {
        let mut out: Vec<usize> =
            std::iter::successors(Some(module), |module| self.modules.all[*module].parent).collect();
        out.reverse();
        out
    }

    fn full_name(&self, module: usize) -> String {
        let names = self.chain(module).into_iter().skip(1).map(|module| self.modules.all[module].name.as_str());
        names.collect::<Vec<_>>().join("::")
    }
}

impl Target {
    fn module(self) -> usize {
        let (Self::Module(module) | Self::Item(module)) = self;
        module
    }
}

/// A dependency between two nodes of any kind.
struct Arrow<'a> {
    from: String,
    to: String,
    /// The file that has the path.
    file: String,
    path: &'a SourcePath,
}

/// Returns the strongly connected parts with more than one node, the largest first.
fn circles<'a>(arrows: impl Iterator<Item = Arrow<'a>>) -> Vec<Circle> {
    let arrows: Vec<Arrow<'a>> = arrows.collect();
    let mut next: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for arrow in &arrows {
        next.entry(&arrow.from).or_default().insert(&arrow.to);
    }
    let reachable = |start: &'_ str| {
        let mut out: BTreeSet<&str> = BTreeSet::new();
        let mut waiting: Vec<&str> = next.get(start).into_iter().flatten().copied().collect();
        while let Some(node) = waiting.pop() {
            if out.insert(node) {
                waiting.extend(next.get(node).into_iter().flatten());
            }
        }
        out
    };
    let reach: BTreeMap<&str, BTreeSet<&str>> = next.keys().map(|node| (*node, reachable(node))).collect();
    let mut out: Vec<Circle> = Vec::new();
    for (node, reached) in reach.iter().filter(|(node, reached)| reached.contains(*node)) {
        let is_back = |other: &&&str| reach.get(**other).is_some_and(|back| back.contains(node));
        let nodes: BTreeSet<String> = reached.iter().filter(is_back).map(|node| (*node).to_owned()).collect();
        if out.iter().all(|circle| circle.nodes != nodes) {
            let inner = arrows.iter().filter(|arrow| nodes.contains(&arrow.from) && nodes.contains(&arrow.to));
            let edges: BTreeSet<String> = inner.map(Arrow::text).collect();
            out.push(Circle { nodes, edges: edges.into_iter().collect() });
        }
    }
    out.sort_by_key(|circle| std::cmp::Reverse(circle.nodes.len()));
    out
}

impl Arrow<'_> {
    fn text(&self) -> String {
        let Self { from, to, file, path } = self;
        format!("{from} → {to}: {} ({file}:{})", path.segments.join("::"), path.line)
    }
}

/// Finds what paths mean.
struct Resolver<'a> {
    modules: &'a Modules,
}

impl Resolver<'_> {
    /// Returns the meanings of a path in a module; none for another crate or a local name.
    fn path<'p>(&'p self, module: usize, path: &'p SourcePath) -> Vec<Target> {
        let out = match &path.segments[..] {
            // A name of the module itself is not a dependency, and one from a private `use` was counted there.
            [name] => self.shared_name(module, name),
            segments => self.segments(module, segments, &mut Vec::new()),
        };
        match (&path.segments[..], path.is_macro && out.is_empty()) {
            ([name], true) => self.macros(module, name),
            _ => out,
        }
    }

    /// Returns what a name means that comes from a `use …::*` or a public `use`.
    fn shared_name<'p>(&'p self, module: usize, name: &'p str) -> Vec<Target> {
        let imports = self.modules.all[module].imports.iter().filter(|import| import.is_public && import.name == name);
        let shown = imports.flat_map(|import| self.segments(module, &import.path.segments, &mut vec![(module, name)]));
        let mut out: Vec<Target> = shown.collect();
        out.extend(self.in_globs(module, name, &[]));
        out
    }

    /// A macro without a path is the one above in the text. Only one that has a name for itself can be told without the order.
    fn macros(&self, module: usize, name: &str) -> Vec<Target> {
        let own = &self.modules.all[module];
        let is_imported = own.items.contains(name) || own.imports.iter().any(|import| import.name == name);
        match self.modules.macros.get(name).map(Vec::as_slice) {
            Some([declared]) if !is_imported => vec![Target::Item(*declared)],
            _ => Vec::new(),
        }
    }

    fn segments<'p>(&'p self, module: usize, segments: &'p [String], stack: &mut Vec<(usize, &'p str)>) -> Vec<Target> {
        let Some((first, rest)) = segments.split_first() else { return Vec::new() };
        let mut out = match first.as_str() {
            "crate" => vec![Target::Module(0)],
            "self" => vec![Target::Module(module)],
            "super" => self.modules.all[module].parent.map(Target::Module).into_iter().collect(),
            name => self.name(module, name, stack),
        };
        for segment in rest {
            let step = |target: Target| match (target, segment.as_str()) {
                (Target::Module(module), "super") => {
                    self.modules.all[module].parent.map(Target::Module).into_iter().collect()
                }
                (Target::Module(module), name) => {
                    let targets = self.name(module, name, stack);
                    // A macro declares it, or it comes from another crate.
                    if targets.is_empty() { vec![Target::Item(module)] } else { targets }
                }
                (item, _) => vec![item],
            };
            out = out.into_iter().flat_map(step).collect();
        }
        out
    }

    /// Returns what a name means in a module; more than one if a module and a function share it.
    fn name<'p>(&'p self, module: usize, name: &'p str, stack: &mut Vec<(usize, &'p str)>) -> Vec<Target> {
        if stack.contains(&(module, name)) {
            return Vec::new();
        }
        stack.push((module, name));
        let own = &self.modules.all[module];
        let children = own.children.iter().filter(|child| self.modules.all[**child].name == name);
        let mut out: Vec<Target> = children.map(|child| Target::Module(*child)).collect();
        if own.items.contains(name) {
            out.push(Target::Item(module));
        }
        for import in own.imports.iter().filter(|import| import.name == name) {
            out.extend(self.segments(module, &import.path.segments, stack));
        }
        if out.is_empty() {
            out = self.in_globs(module, name, stack);
        }
        stack.pop();
        out
    }

    /// Returns what a name means that comes from a `use …::*`.
    fn in_globs<'p>(&'p self, module: usize, name: &'p str, stack: &[(usize, &'p str)]) -> Vec<Target> {
        let globs = self.modules.all[module].globs.iter();
        let sources = globs.flat_map(|glob| self.segments(module, &glob.segments, &mut stack.to_vec()));
        let sources: Vec<Target> = sources.collect();
        let modules = sources.into_iter().filter_map(|source| match source {
            Target::Module(source) if source != module => Some(source),
            _ => None,
        });
        modules.flat_map(|source| self.name(source, name, &mut stack.to_vec())).collect()
    }
}
