//! Look-up in the tables.

use crate::tables::{
    AsmConstraint, AssemblerMessage, CudaRelease, Directive, Encoding, Entry, FieldInfo, InitialKind, Isa,
    ModifierInfo, Multiprocessor, Opcode, PredefinedConstant, SpaceInfo, SpecialRegister, TargetInfo, TypeClass,
    TypeInfo, Version,
};
use crate::{ASM_CONSTRAINTS, ASSEMBLER_MESSAGES, RELEASES};
use std::fmt;

impl Isa {
    /// The opcode of that name.
    pub fn opcode(&self, name: &str) -> Option<&'static Opcode> {
        self.opcodes.binary_search_by_key(&name, |o| o.name).ok().map(|i| &self.opcodes[i])
    }

    /// The type of that name (with its dot).
    pub fn ty(&self, name: &str) -> Option<&'static TypeInfo> {
        // Evaluating expressions calls this for every value of every lane. Most names differ in their length, first letter or
        // last digit.
        let sketch = |text: &str| (text.len(), text.as_bytes().get(1).copied(), text.as_bytes().last().copied());
        let wanted = sketch(name);
        self.types.iter().find(|t| sketch(t.name) == wanted && t.name == name)
    }

    /// The modifier of that name (with its dot).
    pub fn modifier(&self, name: &str) -> Option<&'static ModifierInfo> {
        self.modifiers.binary_search_by_key(&name, |m| m.name).ok().map(|i| &self.modifiers[i])
    }

    /// The state space of that name (with its dot).
    pub fn space(&self, name: &str) -> Option<&'static SpaceInfo> {
        self.spaces.iter().find(|s| s.name == name)
    }

    /// The special register of that name: `%tid`, `%envreg7`; without its component.
    pub fn special_register(&self, name: &str) -> Option<&'static SpecialRegister> {
        let exact = self.special_registers.binary_search_by_key(&name, |r| r.name);
        if let Ok(i) = exact {
            return Some(&self.special_registers[i]).filter(|r| r.count == 0);
        }
        let base = name.trim_end_matches(|c: char| c.is_ascii_digit());
        let number: u16 = name[base.len()..].parse().ok()?;
        let i = self.special_registers.binary_search_by_key(&base, |r| r.name).ok()?;
        Some(&self.special_registers[i]).filter(|r| number < r.count)
    }

    /// The directive of that name (with its dot).
    pub fn directive(&self, name: &str) -> Option<&'static Directive> {
        self.directives.binary_search_by_key(&name, |d| d.name).ok().map(|i| &self.directives[i])
    }

    /// The predefined constant of that name.
    pub fn constant(&self, name: &str) -> Option<&'static PredefinedConstant> {
        self.constants.iter().find(|c| c.name == name)
    }

    /// The kind of initial value of that name.
    pub fn initial(&self, name: &str) -> Option<&'static InitialKind> {
        self.initials.iter().find(|i| i.name == name)
    }

    /// The field of opaque types of that name.
    pub fn field(&self, name: &str) -> Option<&'static FieldInfo> {
        self.fields.iter().find(|f| f.name == name)
    }

    /// The encoding of that name.
    pub fn encoding(&self, name: &str) -> Option<&'static Encoding> {
        self.encodings.iter().find(|e| e.name == name)
    }

    /// The target of that name.
    pub fn target(&self, name: &str) -> Option<&'static TargetInfo> {
        self.targets.iter().find(|t| t.name == name)
    }

    /// The resources of the multiprocessors of a target; `None` if they are unknown. A suffix, as in `sm_90a`, is ignored.
    pub fn multiprocessor(&self, target: &str) -> Option<&'static Multiprocessor> {
        let device = target.trim_end_matches(|c: char| c.is_ascii_lowercase());
        self.multiprocessors.iter().find(|m| m.targets.contains(&device))
    }

    /// The newest PTX version in the tables.
    pub fn newest(&self) -> Version {
        self.versions.last().map_or(Version { major: 1, minor: 0 }, |v| v.version)
    }
}

impl Opcode {
    /// The entry of an instruction: the one with the longest path whose parts are all among the modifiers.
    pub fn entry(&self, modifiers: &[&str]) -> Option<&'static Entry> {
        let fits = |e: &&Entry| e.path.iter().all(|p| modifiers.contains(p));
        self.entries.iter().filter(fits).max_by_key(|e| e.path.len())
    }
}

impl TargetInfo {
    /// Whether it has a feature.
    pub fn has(&self, feature: &str) -> bool {
        self.features.contains(&feature)
    }
}

impl TypeInfo {
    /// Whether it is a signed or unsigned integer type.
    pub fn is_integer(&self) -> bool {
        matches!(self.class, TypeClass::Uint | TypeClass::Sint)
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

/// What a message of the assembler or another tool means: of the rows that fit it, the one that fixes most of it.
pub fn tool_message(message: &str) -> Option<&'static AssemblerMessage> {
    let lower = message.to_lowercase();
    let numbered = ASSEMBLER_MESSAGES.iter().find(|m| !m.number.is_empty() && m.number.eq_ignore_ascii_case(&lower));
    let fitting = || ASSEMBLER_MESSAGES.iter().filter(|m| m.fits(&lower));
    numbered.or_else(|| fitting().rev().max_by_key(|m| m.weight()))
}

/// The first CUDA release whose assembler and driver take a PTX version.
pub fn release_of(version: Version) -> Option<&'static CudaRelease> {
    RELEASES.iter().find(|release| release.ptx >= version)
}

/// A CUDA release by its number, `12.8`.
pub fn cuda_release(number: &str) -> Option<&'static CudaRelease> {
    RELEASES.iter().find(|release| release.cuda == number)
}

/// The constraint of inline assembly with this letter.
pub fn asm_constraint(letter: &str) -> Option<&'static AsmConstraint> {
    ASM_CONSTRAINTS.iter().find(|constraint| constraint.letter == letter)
}
