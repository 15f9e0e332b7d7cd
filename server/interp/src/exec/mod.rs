//! What instructions do: an arm for every key of the instruction set's data, each a function of its family that turns a decoded
//! instruction into an [`Action`]. A key without an arm does not compile.

mod address;
pub mod barrier;
mod cache;
pub mod cluster;
pub mod copies;
mod external;
mod memory;
mod misc;
mod moves;
mod opaque;
mod printf;
mod surface;
pub mod tensor_memory;
mod texture;

use crate::decode::{Action, Inst, Refusal};
use ptx_isa::Exec;

pub(crate) use external::external;

/// What an instruction does, or why it cannot be executed.
pub(crate) fn action(inst: &mut Inst<'_>) -> Result<Action, Refusal> {
    let Some(exec) = inst.exec() else {
        let why = inst.entry().refusal_of(inst.form()).unwrap_or("nothing is known of what it does");
        return Err(format!("`{}` is not executed: {why}", inst.entry().name).into());
    };
    match exec {
        Exec::AddressCvta => address::cvta(inst),
        Exec::AddressGetctarank => address::getctarank(inst),
        Exec::AddressIsspacep => address::isspacep(inst),
        Exec::AddressMapa => address::mapa(inst),
        Exec::CacheApplypriority | Exec::CachePrefetch | Exec::CachePrefetchu => Ok(Action::Nothing),
        Exec::CacheCreatepolicyCvt | Exec::CacheCreatepolicyFractional | Exec::CacheCreatepolicyRange => {
            cache::policy(inst)
        }
        Exec::CacheDiscard => cache::discard(inst),
        Exec::ControlBra => crate::decode::control::branch(inst),
        Exec::ControlBrx => crate::decode::control::table(inst),
        Exec::ControlCall => crate::decode::control::call(inst),
        Exec::ControlExit => Ok(Action::Exit),
        Exec::ControlRet => Ok(Action::Return),
        Exec::MemoryLd | Exec::MemoryLdNc | Exec::MemoryLdu => memory::load(inst),
        Exec::MemorySt => memory::store(inst),
        Exec::MiscNanosleep => misc::nanosleep(inst),
        Exec::MiscTrap => misc::trap(inst),
        Exec::MiscBrkpt | Exec::MiscPmevent | Exec::MiscSetmaxnreg | Exec::GridDependency => Ok(Action::Nothing),
        Exec::MoveMov => moves::mov(inst),
        Exec::MoveVector => moves::vector(inst),
        Exec::SurfaceSuld => surface::load(inst),
        Exec::SurfaceSuq => surface::ask(inst),
        Exec::SurfaceSured | Exec::SurfaceSuredFormatted => surface::reduce(inst),
        Exec::SurfaceSust => surface::store(inst),
        Exec::SurfaceSustFormatted => surface::store_formatted(inst),
        Exec::TextureIstypep => texture::is_type(inst),
        Exec::TextureTex | Exec::TextureTexGrad | Exec::TextureTexLevel => texture::read(inst),
        Exec::TextureTld4 => texture::gather_four(inst),
        Exec::TextureTxq => texture::ask(inst),
        _ => Err("not there yet".into()),
    }
}
