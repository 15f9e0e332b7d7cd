//! What instructions do: an arm for every key of the instruction set's data, each a function of its family that turns a decoded
//! instruction into an [`Action`]. A key without an arm does not compile.

mod address;
pub mod barrier;
mod cache;
pub mod cluster;
pub mod copies;
mod extended;
mod external;
mod integer;
mod logic;
mod memory;
mod misc;
mod moves;
mod printf;
pub mod tensor_memory;
mod typed;
mod video;

#[cfg(test)]
mod tests;

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
        Exec::ExtendedAddCc => extended::add_cc(inst),
        Exec::ExtendedAddc => extended::addc(inst),
        Exec::ExtendedMadCc => extended::mad_cc(inst),
        Exec::ExtendedMadc => extended::madc(inst),
        Exec::ExtendedSubCc => extended::sub_cc(inst),
        Exec::ExtendedSubc => extended::subc(inst),
        Exec::IntegerAbs => integer::abs(inst),
        Exec::IntegerAdd => integer::add(inst),
        Exec::IntegerBfe => integer::bfe(inst),
        Exec::IntegerBfi => integer::bfi(inst),
        Exec::IntegerBfind => integer::bfind(inst),
        Exec::IntegerBmsk => integer::bmsk(inst),
        Exec::IntegerBrev => integer::brev(inst),
        Exec::IntegerClmad => integer::clmad(inst),
        Exec::IntegerClz => integer::clz(inst),
        Exec::IntegerDiv => integer::div(inst),
        Exec::IntegerDp2a => integer::dp2a(inst),
        Exec::IntegerDp4a => integer::dp4a(inst),
        Exec::IntegerFns => integer::fns(inst),
        Exec::IntegerMad => integer::mad(inst),
        Exec::IntegerMad24 => integer::mad24(inst),
        Exec::IntegerMax => integer::max(inst),
        Exec::IntegerMin => integer::min(inst),
        Exec::IntegerMul => integer::mul(inst),
        Exec::IntegerMul24 => integer::mul24(inst),
        Exec::IntegerNeg => integer::neg(inst),
        Exec::IntegerPopc => integer::popc(inst),
        Exec::IntegerRem => integer::rem(inst),
        Exec::IntegerSad => integer::sad(inst),
        Exec::IntegerSub => integer::sub(inst),
        Exec::IntegerSzext => integer::szext(inst),
        Exec::LogicAnd => logic::and(inst),
        Exec::LogicCnot => logic::cnot(inst),
        Exec::LogicLop3 => logic::lop3(inst),
        Exec::LogicNot => logic::not(inst),
        Exec::LogicOr => logic::or(inst),
        Exec::LogicShf => logic::shf(inst),
        Exec::LogicShl => logic::shl(inst),
        Exec::LogicShr => logic::shr(inst),
        Exec::LogicXor => logic::xor(inst),
        Exec::MovePrmt => logic::prmt(inst),
        Exec::VideoVabsdiff
        | Exec::VideoVadd
        | Exec::VideoVmax
        | Exec::VideoVmin
        | Exec::VideoVset
        | Exec::VideoVshl
        | Exec::VideoVshr
        | Exec::VideoVsub => video::scalar(inst),
        Exec::VideoVmad => video::vmad(inst),
        Exec::VideoVabsdiff2
        | Exec::VideoVabsdiff4
        | Exec::VideoVadd2
        | Exec::VideoVadd4
        | Exec::VideoVavrg2
        | Exec::VideoVavrg4
        | Exec::VideoVmax2
        | Exec::VideoVmax4
        | Exec::VideoVmin2
        | Exec::VideoVmin4
        | Exec::VideoVset2
        | Exec::VideoVset4
        | Exec::VideoVsub2
        | Exec::VideoVsub4 => video::packed(inst),
        _ => Err("not there yet".into()),
    }
}
