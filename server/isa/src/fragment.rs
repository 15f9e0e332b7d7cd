//! Evaluates the formulas of `fragment`: the elements of a matrix that each thread holds, and the threads that hold an
//! element.

use crate::tables::{
    Expr, Form, FormPattern, FormValue, FormulaOperation, FormulaStep, FormulaVariable, FragmentInfo, FragmentUse, Isa,
    Length, TypeExpr, dimension,
};

/// The layout of one operand of one instruction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FragmentLayout {
    /// The entry in the tables.
    pub fragment: &'static FragmentInfo,
    /// The number of threads that hold the matrix together.
    pub threads: u32,
    /// The number of the operand's registers in each thread.
    pub registers: u32,
    /// The width of a register in bits.
    pub register_bits: u32,
    /// The number of matrices.
    pub matrices: u32,
    /// The number of rows of each matrix.
    pub rows: u32,
    /// The number of columns of each matrix.
    pub columns: u32,
    /// The number of elements of each thread that holds any.
    pub count: u32,
    /// The width of an element in bits.
    pub width: u32,
    /// The type of the elements, if the modifiers name one.
    pub ty: Option<&'static str>,
    numbers: FormulaNumbers,
}

/// A matrix that is distributed over the registers of several lanes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperandMatrix {
    /// The text of the operand.
    pub operand: String,
    /// The name of the matrix: `A`, `D`.
    pub name: &'static str,
    /// The type of its elements, with the dot.
    pub ty: Option<&'static str>,
    /// Size of an element in bits.
    pub bits: u32,
    /// Number of rows.
    pub rows: u32,
    /// Number of columns.
    pub columns: u32,
    /// Number of threads that hold the matrix: 32, or the 128 of a warpgroup.
    pub threads: u32,
    /// The registers of the operand, in order.
    pub registers: Vec<String>,
    /// The owner of each element: its lane, register and part.
    pub elements: Vec<MatrixElement>,
}

/// An element of a matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MatrixElement {
    /// The lane; in a warpgroup, the index of the thread.
    pub lane: u32,
    /// Index of the register within the operand.
    pub register: u32,
    /// Index of the element within the register, from the lowest bits.
    pub part: u32,
    /// Row, from 0.
    pub row: u32,
    /// Column, from 0.
    pub column: u32,
}

impl MatrixElement {
    /// Lane, register, part, row and column.
    pub fn numbers(&self) -> [u32; 5] {
        [self.lane, self.register, self.part, self.row, self.column]
    }
}

/// The inputs of formulas that are the same for all elements.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct FormulaNumbers {
    shape: [Option<i64>; 6],
    lets: Vec<i64>,
    inputs: Vec<i64>,
    per_register: i64,
}

/// A position in the matrices: matrix, row, column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MatrixPosition {
    /// The index of the matrix.
    pub matrix: u32,
    /// The index of the row.
    pub row: u32,
    /// The index of the column.
    pub column: u32,
}

/// The thread that holds an element, and the element's index in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Holder {
    /// The thread: the lane, and 32 times the warp of a warpgroup.
    pub thread: u32,
    /// The index of the element, counted through the thread's registers.
    pub element: u32,
}

/// The position of an element in the registers of its thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ElementBits {
    /// The index of the operand's register.
    pub register: u32,
    /// The element's lowest bit in the register.
    pub low: u32,
    /// The width of the element in bits.
    pub width: u32,
}

/// The result of a layout look-up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LayoutLookup {
    /// The layout is known.
    Layout(Box<FragmentLayout>),
    /// The layout is undocumented or does not exist; the entry gives the reason and an alternative.
    Unspecified(&'static FragmentInfo),
}

impl Isa {
    /// The layout of an operand of an instruction, given by the instruction's full name, its form, the value in each slot of
    /// the form, and the operand's name. `None` if the operand is not a matrix fragment.
    ///
    /// `input` returns the values of other operands on which the layout depends, by name and index in the list; an unknown
    /// value counts as 0.
    pub fn layout(
        &self,
        instruction: &str,
        form: &Form,
        values: &[Option<&'static str>],
        operand: &str,
        input: impl Fn(&str, usize) -> Option<i64>,
    ) -> Option<LayoutLookup> {
        let written = ModifierValues { isa: self, form, values };
        let fragment = self.fragments.iter().find(|f| {
            let applies = |u: &FragmentUse| {
                u.instructions.contains(&instruction) && u.operands.contains(&operand) && written.applies(u, f.ty)
            };
            f.uses.iter().any(applies)
        })?;
        if !fragment.unspecified.is_empty() {
            return Some(LayoutLookup::Unspecified(fragment));
        }
        let value = form.operands.iter().find_map(|o| named(&o.pattern, operand))?;
        FragmentLayout::new(&written, fragment, value, input).map(|l| LayoutLookup::Layout(Box::new(l)))
    }

    /// Whether any instruction with this opcode has operands with a layout.
    pub fn has_fragments(&self, opcode: &str) -> bool {
        let word = |name: &str| name.split('.').next() == Some(opcode);
        self.fragments.iter().flat_map(|f| f.uses).flat_map(|u| u.instructions).any(|name| word(name))
    }
}

fn named(pattern: &FormPattern, operand: &str) -> Option<FormValue> {
    let of = |value: &FormValue| (value.name == operand).then_some(*value);
    match pattern {
        FormPattern::Value(v) | FormPattern::Arguments(v) => of(v),
        FormPattern::Address(parts) => parts.iter().find_map(of),
        FormPattern::Pair(pair) => of(&pair.first).or_else(|| of(&pair.second)),
        FormPattern::Sink => None,
    }
}

/// The modifiers of an instruction, by slot of its form.
struct ModifierValues<'a> {
    isa: &'a Isa,
    form: &'a Form,
    values: &'a [Option<&'static str>],
}

impl ModifierValues<'_> {
    fn has(&self, term: &str) -> bool {
        let value = |index: usize| self.values.get(index).copied().flatten();
        match term.split_once('=') {
            Some((slot, wanted)) => {
                let index = self.form.slots.iter().position(|s| s.name == slot);
                index.is_some_and(|i| value(i) == Some(wanted))
            }
            None => self.values.contains(&Some(term)),
        }
    }

    fn all(&self, terms: &[&str]) -> bool {
        terms.iter().all(|t| self.has(t))
    }

    fn applies(&self, usage: &FragmentUse, ty: u8) -> bool {
        self.all(usage.with)
            && (usage.without.is_empty() || !self.all(usage.without))
            && (usage.elements.is_empty() || self.ty(ty).is_some_and(|t| usage.elements.contains(&t)))
    }

    /// One of the types among the modifiers; `which` counts from 1.
    fn ty(&self, which: u8) -> Option<&'static str> {
        let index = usize::from(which).checked_sub(1)?;
        self.values.iter().copied().flatten().filter(|v| self.isa.ty(v).is_some()).nth(index)
    }

    fn bits(&self, ty: &TypeExpr) -> Option<u32> {
        match ty {
            TypeExpr::None => None,
            TypeExpr::Slot(slot) => self.isa.ty(self.values.get(usize::from(*slot)).copied().flatten()?),
            TypeExpr::Named(name) => self.isa.ty(name),
            TypeExpr::Wide(inner) => return self.bits(inner).map(|b| b * 2),
            TypeExpr::Half(inner) => return self.bits(inner).map(|b| b / 2),
            TypeExpr::Bits(inner) => return self.bits(inner),
        }
        .map(|ty| ty.bits.into())
    }

    /// The number of registers of an operand.
    fn length(&self, value: &FormValue) -> Option<u32> {
        let slot = |slot: u8| self.values.get(usize::from(slot)).copied().flatten();
        match value.length {
            Length::Scalar => Some(1),
            Length::Fixed(n) => Some(n.into()),
            Length::Slot(s) => slot(s)?.trim_start_matches(|c: char| !c.is_ascii_digit()).parse().ok(),
            Length::Map(index) => {
                let map = self.form.maps.get(usize::from(index))?;
                let key: Vec<&str> = map.slots.iter().map(|s| slot(*s).unwrap_or("").trim_start_matches('.')).collect();
                let row = map.rows.iter().find(|r| r.key == key.join("/"))?;
                row.lengths.first().map(|n| (*n).into())
            }
            Length::Formula(formula) => formula.value(self.values, |ty| self.isa.ty(ty).map(|t| t.bits.into())),
        }
    }

    /// The dimensions `m`, `n`, `k`, `rows`, `width` of the shape, and the factor 4 of `.x4`.
    fn shape(&self) -> [Option<i64>; 6] {
        let values = || self.values.iter().copied().flatten();
        let of = |name: &str| values().find_map(|v| dimension(v, name)).map(i64::from);
        let times = values().find_map(|v| v.strip_prefix(".x")?.parse().ok());
        [of("m"), of("n"), of("k"), of("rows"), of("width"), times]
    }
}

/// The inputs of formulas that depend on the element.
#[derive(Clone, Copy, Default)]
struct ElementContext {
    thread: i64,
    element: i64,
    row: Option<i64>,
    column: Option<i64>,
}

impl FormulaNumbers {
    fn variable(&self, variable: FormulaVariable, at: ElementContext) -> Option<i64> {
        let lane = at.thread % 32;
        Some(match variable {
            FormulaVariable::Lane => lane,
            FormulaVariable::Warp => at.thread / 32,
            FormulaVariable::Group => lane / 4,
            FormulaVariable::Quad => lane % 4,
            FormulaVariable::Element => at.element,
            FormulaVariable::Register => at.element.checked_div(self.per_register)?,
            FormulaVariable::Within => at.element.checked_rem(self.per_register)?,
            FormulaVariable::PerRegister => self.per_register,
            FormulaVariable::Row => at.row?,
            FormulaVariable::Column => at.column?,
            FormulaVariable::M => self.shape[0]?,
            FormulaVariable::N => self.shape[1]?,
            FormulaVariable::K => self.shape[2]?,
            FormulaVariable::Rows => self.shape[3]?,
            FormulaVariable::Width => self.shape[4]?,
            FormulaVariable::Times => self.shape[5]?,
        })
    }

    fn step(&self, step: FormulaStep, at: ElementContext) -> Option<i64> {
        match step {
            FormulaStep::Number(n) => Some(n),
            FormulaStep::Variable(v) => self.variable(v, at),
            FormulaStep::Let(index) => self.lets.get(usize::from(index)).copied(),
            FormulaStep::Input(index) => self.inputs.get(usize::from(index)).copied(),
            FormulaStep::Operation(_) => None,
        }
    }

    fn value(&self, expr: &Expr, at: ElementContext) -> Option<i64> {
        evaluate(expr, |step| self.step(step, at))
    }

    /// The values of a formula for all elements of a thread.
    fn all(&self, expr: &Expr, thread: u32, count: u32) -> Option<Series> {
        let mut stack: Vec<Series> = Vec::new();
        for step in expr.steps {
            let at = |element: u32| ElementContext {
                thread: thread.into(),
                element: element.into(),
                ..ElementContext::default()
            };
            let series = match step {
                FormulaStep::Operation(operation) => {
                    let (b, a) = (stack.pop()?, stack.pop()?);
                    a.apply(*operation, b)?
                }
                FormulaStep::Variable(
                    FormulaVariable::Element | FormulaVariable::Register | FormulaVariable::Within,
                ) => Series::Many((0..count).map(|element| self.step(*step, at(element))).collect::<Option<_>>()?),
                _ => Series::One(self.step(*step, at(0))?),
            };
            stack.push(series);
        }
        stack.pop()
    }
}

/// The value of a part of a formula for each element of a thread.
enum Series {
    /// One value for all elements.
    One(i64),
    /// One value per element.
    Many(Vec<i64>),
}

impl Series {
    fn at(&self, element: u32) -> i64 {
        match self {
            Self::One(value) => *value,
            Self::Many(values) => values.get(element as usize).copied().unwrap_or(-1),
        }
    }

    fn apply(self, operation: FormulaOperation, other: Self) -> Option<Self> {
        let many = |values: Vec<i64>, by: &dyn Fn(usize, i64) -> Option<i64>| {
            values.into_iter().enumerate().map(|(i, value)| by(i, value)).collect::<Option<Vec<i64>>>().map(Self::Many)
        };
        match (self, other) {
            (Self::One(a), Self::One(b)) => operation.apply(a, b).map(Self::One),
            (Self::Many(a), Self::One(b)) => many(a, &|_, a| operation.apply(a, b)),
            (Self::One(a), Self::Many(b)) => many(b, &|_, b| operation.apply(a, b)),
            (Self::Many(a), Self::Many(b)) => many(a, &|i, a| operation.apply(a, *b.get(i)?)),
        }
    }
}

/// The value of a formula; `value` returns the values of its variables and numbers.
fn evaluate(expr: &Expr, value: impl Fn(FormulaStep) -> Option<i64>) -> Option<i64> {
    let mut stack = [0i64; 16];
    let mut top = 0;
    for step in expr.steps {
        if let FormulaStep::Operation(operation) = step {
            let [.., a, b] = stack.get(..top)? else { return None };
            let result = operation.apply(*a, *b)?;
            top -= 2;
            *stack.get_mut(top)? = result;
        } else {
            *stack.get_mut(top)? = value(*step)?;
        }
        top += 1;
    }
    (top == 1).then_some(stack[0])
}

impl FragmentLayout {
    fn new(
        written: &ModifierValues<'_>,
        fragment: &'static FragmentInfo,
        value: FormValue,
        input: impl Fn(&str, usize) -> Option<i64>,
    ) -> Option<Self> {
        let lets = fragment.lets.iter().map(|l| l.values.iter().find(|v| written.all(v.with)).map(|v| v.value));
        let inputs = fragment.inputs.iter().map(|i| input(i.operand, i.element.into()).unwrap_or(0));
        let mut numbers = FormulaNumbers {
            shape: written.shape(),
            lets: lets.collect::<Option<_>>()?,
            inputs: inputs.collect(),
            per_register: 0,
        };
        let number = |numbers: &FormulaNumbers, expr: &Expr| {
            numbers.value(expr, ElementContext::default()).and_then(|n| u32::try_from(n).ok())
        };
        let matrices = number(&numbers, &fragment.matrices)?;
        let (rows, columns) = (number(&numbers, &fragment.rows)?, number(&numbers, &fragment.columns)?);
        let registers = written.length(&value).filter(|n| *n > 0)?;
        let threads = u32::from(fragment.threads);
        let count = match fragment.count.is_some() {
            true => number(&numbers, &fragment.count)?,
            false => matrices.checked_mul(rows)?.checked_mul(columns)? / threads,
        };
        let per_register = count.div_ceil(registers).max(1);
        numbers.per_register = per_register.into();
        let register_bits = written.bits(&value.ty).unwrap_or(32);
        let width = match fragment.width.is_some() {
            true => number(&numbers, &fragment.width)?,
            false => register_bits / per_register,
        };
        let ty = written.ty(fragment.ty);
        Some(Self { fragment, threads, registers, register_bits, matrices, rows, columns, count, width, ty, numbers })
    }

    /// The position in the matrix of an element of a thread; `None` if the thread or element is out of range or holds
    /// nothing.
    pub fn element(&self, thread: u32, element: u32) -> Option<MatrixPosition> {
        (element < self.count && self.holds(thread)).then(|| self.place(thread, element)).flatten()
    }

    fn place(&self, thread: u32, element: u32) -> Option<MatrixPosition> {
        let at = ElementContext { thread: thread.into(), element: element.into(), ..ElementContext::default() };
        let number = |expr: &Expr| self.numbers.value(expr, at).and_then(|n| u32::try_from(n).ok());
        let fragment = self.fragment;
        let matrix = if self.matrices == 1 { 0 } else { number(&fragment.part)? };
        let place = MatrixPosition { matrix, row: number(&fragment.row)?, column: number(&fragment.column)? };
        (place.matrix < self.matrices && place.row < self.rows && place.column < self.columns).then_some(place)
    }

    /// Whether a thread holds any elements of the matrix.
    pub fn holds(&self, thread: u32) -> bool {
        let at = ElementContext { thread: thread.into(), ..ElementContext::default() };
        thread < self.threads && self.numbers.value(&self.fragment.held, at).is_some_and(|n| n != 0)
    }

    /// The position of an element in the registers of its thread.
    pub fn bits(&self, element: u32) -> Option<ElementBits> {
        let register = element / self.per_register();
        let at = ElementContext { element: element.into(), ..ElementContext::default() };
        let low = match self.fragment.position.is_some() {
            true => u32::try_from(self.numbers.value(&self.fragment.position, at)?).ok()?,
            false => element % self.per_register() * self.width,
        };
        (register < self.registers).then_some(ElementBits { register, low, width: self.width })
    }

    /// All elements with their holders, thread by thread.
    pub fn elements(&self) -> impl Iterator<Item = (MatrixPosition, Holder)> + '_ {
        (0..self.threads).filter(|thread| self.holds(*thread)).flat_map(|thread| self.of_thread(thread))
    }

    /// The elements of one thread. Each formula is evaluated for all elements at once, which is several times as fast as one
    /// element after the other.
    fn of_thread(&self, thread: u32) -> Vec<(MatrixPosition, Holder)> {
        let all = |expr: &Expr| self.numbers.all(expr, thread, self.count);
        let fragment = self.fragment;
        let part = if self.matrices == 1 { Some(Series::One(0)) } else { all(&fragment.part) };
        let (Some(part), Some(row), Some(column)) = (part, all(&fragment.row), all(&fragment.column)) else {
            return Vec::new();
        };
        let place = |element: u32| {
            let number = |series: &Series| u32::try_from(series.at(element)).ok();
            let place = MatrixPosition { matrix: number(&part)?, row: number(&row)?, column: number(&column)? };
            let inside = place.matrix < self.matrices && place.row < self.rows && place.column < self.columns;
            inside.then_some((place, Holder { thread, element }))
        };
        (0..self.count).filter_map(place).collect()
    }

    /// All elements with their holders, sorted by matrix, row and column.
    pub fn map(&self) -> Vec<(MatrixPosition, Holder)> {
        let mut all: Vec<_> = self.elements().collect();
        all.sort_unstable();
        all
    }

    /// The holders of the element at a position.
    pub fn holders(&self, place: MatrixPosition) -> Vec<Holder> {
        self.elements().filter(|(p, _)| *p == place).map(|(_, holder)| holder).collect()
    }

    /// The number of elements per register.
    pub fn per_register(&self) -> u32 {
        u32::try_from(self.numbers.per_register).unwrap_or(1).max(1)
    }

    /// The first and the last row or column for which an element stands, if it does not stand for itself.
    pub fn span(&self, place: MatrixPosition) -> Option<(u32, u32)> {
        let at = ElementContext {
            row: Some(place.row.into()),
            column: Some(place.column.into()),
            ..ElementContext::default()
        };
        let number = |expr: &Expr| self.numbers.value(expr, at).and_then(|n| u32::try_from(n).ok());
        Some((number(&self.fragment.first)?, number(&self.fragment.last)?))
    }

    /// The value of a formula step that is the same for all elements: of the instruction, or of one register. Used to write
    /// formulas out.
    pub fn constant(&self, step: FormulaStep, register: Option<u32>) -> Option<i64> {
        match step {
            FormulaStep::Number(n) => Some(n),
            FormulaStep::Let(index) => self.numbers.lets.get(usize::from(index)).copied(),
            FormulaStep::Input(index) => self.numbers.inputs.get(usize::from(index)).copied(),
            FormulaStep::Variable(FormulaVariable::Register) if self.registers == 1 => Some(0),
            FormulaStep::Variable(FormulaVariable::Register) => register.map(i64::from),
            FormulaStep::Variable(FormulaVariable::Within) if self.per_register() == 1 => Some(0),
            FormulaStep::Variable(FormulaVariable::Element) if self.count == 1 => Some(0),
            FormulaStep::Variable(FormulaVariable::Element) if self.per_register() == 1 => register.map(i64::from),
            FormulaStep::Variable(
                v @ (FormulaVariable::M
                | FormulaVariable::N
                | FormulaVariable::K
                | FormulaVariable::Rows
                | FormulaVariable::Width
                | FormulaVariable::Times
                | FormulaVariable::PerRegister),
            ) => self.numbers.variable(v, ElementContext::default()),
            FormulaStep::Variable(_) | FormulaStep::Operation(_) => None,
        }
    }
}

impl FormulaOperation {
    /// Its sign in the notation, and its precedence.
    pub fn sign(self) -> (&'static str, u8) {
        Self::SIGNS.iter().find(|s| s.2 == self).map_or(("", 0), |s| (s.0, s.1))
    }
}
