//! TEMPORARY
use super::handles::Frame;
use super::memory::Reference;
use super::values;
use ptx_interp::inspect;
use ptx_interp::lanes::Mask;
use ptx_interp::launch::Element;
use ptx_interp::machine::{Machine, Target};

pub const HELP: &str = "";

#[derive(Debug, Clone)]
pub struct Expression {
    text: String,
}
#[derive(Debug, Clone)]
pub enum Place {
    Register(u32),
    Memory(Reference, Element),
}
#[derive(Debug, Clone)]
pub struct Value {
    pub ty: String,
    pub bytes: Box<[u8]>,
    pub mask: Mask,
    pub known: Mask,
    pub unspecified: Mask,
    pub approximate: Mask,
    pub place: Option<Place>,
}
impl Value {
    pub fn is_uniform(&self) -> bool {
        values::is_uniform(&self.ty, &self.bytes, self.mask)
    }
}
impl Expression {
    pub fn parse(text: &str) -> Result<Self, String> {
        Ok(Self { text: text.to_owned() })
    }
    pub fn value(&self, machine: &Machine, frame: Frame, lane: Option<usize>) -> Result<Value, String> {
        let _ = lane;
        let all = inspect::registers(machine, frame.target, frame.group, frame.depth).unwrap_or_default();
        let r = all.into_iter().find(|r| r.name == self.text).ok_or("no such thing")?;
        Ok(Value {
            ty: r.ty.to_owned(),
            bytes: r.bytes,
            mask: frame.mask,
            known: r.known,
            unspecified: 0,
            approximate: 0,
            place: Some(Place::Register(r.slot)),
        })
    }
    pub fn holds(&self, machine: &Machine, target: Target, mask: Mask) -> Result<Mask, String> {
        let _ = (machine, target);
        Ok(mask)
    }
}
#[derive(Debug, Clone)]
pub struct Template(String);
impl Template {
    pub fn parse(text: &str) -> Result<Self, String> {
        Ok(Self(text.to_owned()))
    }
    pub fn fill(&self, machine: &Machine, target: Target, mask: Mask) -> String {
        let _ = (machine, target, mask);
        self.0.clone()
    }
}
pub fn lane_of(name: &str, lane: usize) -> String {
    format!("{name}[{lane}]")
}
pub fn element_of(name: &str, _: Element, index: u64) -> Option<String> {
    Some(format!("{name}[{index}]"))
}
