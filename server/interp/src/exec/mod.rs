//! What instructions do: an arm for every key of the instruction set's data, each a function of its family that turns a decoded
//! instruction into an [`Action`]. A key without an arm does not compile.

mod address;
mod asynchronous;
mod atomic;
pub mod barrier;
mod bulk;
mod cache;
pub mod cluster;
pub mod copies;
mod extended;
mod external;
mod fence;
mod integer;
mod launch_control;
mod logic;
pub mod mbarrier;
mod memory;
mod misc;
mod moves;
mod multimem;
mod printf;
mod stack;
pub mod tensor_memory;
mod typed;
mod video;
mod warp;

#[cfg(test)]
mod tests;

use crate::decode::{Action, Inst, Refusal};
use ptx_isa::Exec;

pub(crate) use external::external;

/// Whether an instruction has the copy engine read shared memory.
pub(crate) fn reads_through_engine(exec: Exec) -> bool {
    let copies = matches!(exec, Exec::BulkCp | Exec::BulkReduce | Exec::MultimemBulkCp | Exec::MultimemBulkReduce);
    copies || matches!(exec, Exec::TensorStore | Exec::TensorReduce)
}

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
        Exec::AsyncCommitGroup => Ok(asynchronous::commit(copies::Family::Small)),
        Exec::AsyncCp => asynchronous::copy(inst),
        Exec::AsyncMbarrierArrive => asynchronous::mbarrier_arrive(inst),
        Exec::AsyncRed => asynchronous::reduce(inst),
        Exec::AsyncSt => asynchronous::store(inst),
        Exec::AsyncWaitAll => Ok(asynchronous::wait_all()),
        Exec::AsyncWaitGroup => asynchronous::wait(inst, copies::Family::Small),
        Exec::BulkApplypriority => bulk::apply_priority(inst),
        Exec::BulkCommitGroup => Ok(asynchronous::commit(copies::Family::Bulk)),
        Exec::BulkCp | Exec::MultimemBulkCp => bulk::copy(inst),
        Exec::BulkPrefetch => bulk::prefetch(inst),
        Exec::BulkReduce | Exec::MultimemBulkReduce => bulk::reduce(inst),
        Exec::BulkSt => bulk::store(inst),
        Exec::BulkWaitGroup => asynchronous::wait(inst, copies::Family::Bulk),
        Exec::CacheApplypriority | Exec::CachePrefetch | Exec::CachePrefetchu => Ok(Action::Nothing),
        Exec::CacheCreatepolicyCvt | Exec::CacheCreatepolicyFractional | Exec::CacheCreatepolicyRange => {
            cache::policy(inst)
        }
        Exec::CacheDiscard => cache::discard(inst),
        Exec::ClusterQueryCancel => launch_control::query_cancel(inst),
        Exec::ClusterTryCancel => launch_control::try_cancel(inst),
        Exec::ControlBra => crate::decode::control::branch(inst),
        Exec::ControlBrx => crate::decode::control::table(inst),
        Exec::ControlCall => crate::decode::control::call(inst),
        Exec::ControlExit => Ok(Action::Exit),
        Exec::ControlRet => Ok(Action::Return),
        Exec::MbarrierArrive | Exec::MbarrierArriveExpectTx => mbarrier::arrive(inst),
        Exec::MbarrierArriveDrop | Exec::MbarrierArriveDropExpectTx => mbarrier::arrive_drop(inst),
        Exec::MbarrierCheckLayout => mbarrier::check_layout(inst),
        Exec::MbarrierCompleteTx => mbarrier::complete_tx(inst),
        Exec::MbarrierExpectTx => mbarrier::expect_tx(inst),
        Exec::MbarrierInit => mbarrier::init(inst),
        Exec::MbarrierInval => mbarrier::inval(inst),
        Exec::MbarrierPendingCount => mbarrier::pending_count(inst),
        Exec::MbarrierTestWait | Exec::MbarrierTestWaitParity => mbarrier::wait(inst, false),
        Exec::MbarrierTryWait | Exec::MbarrierTryWaitParity => mbarrier::wait(inst, true),
        Exec::MemoryLd | Exec::MemoryLdNc | Exec::MemoryLdu => memory::load(inst),
        Exec::MemorySt => memory::store(inst),
        Exec::MiscNanosleep => misc::nanosleep(inst),
        Exec::MiscTrap => misc::trap(inst),
        Exec::MiscBrkpt | Exec::MiscPmevent | Exec::MiscSetmaxnreg | Exec::GridDependency => Ok(Action::Nothing),
        Exec::MoveMov => moves::mov(inst),
        Exec::MoveVector => moves::vector(inst),
        // One device: a multimem address is the address of its one replica.
        Exec::MultimemLdReduce => multimem::load(inst),
        Exec::MultimemRed | Exec::MultimemRedAsync => multimem::reduce(inst),
        Exec::MultimemSt | Exec::MultimemStAsync => memory::store(inst),
        Exec::BarrierArrive => barrier::barrier(inst, barrier::Arrival::Arrive),
        Exec::BarrierRed => barrier::barrier(inst, barrier::Arrival::Reduce),
        Exec::BarrierSync => barrier::barrier(inst, barrier::Arrival::Sync),
        Exec::BarrierWarpSync => barrier::warp_sync(inst),
        Exec::ClusterArrive => cluster::arrive(inst),
        Exec::ClusterWait => cluster::wait(inst),
        Exec::AtomicAtom | Exec::AtomicRed | Exec::AtomicCas | Exec::AtomicExch => atomic::scalar(inst),
        Exec::AtomicAtomVector | Exec::AtomicRedVector => atomic::vector(inst),
        Exec::FenceMemory => fence::fence(inst),
        Exec::FenceMbarrierInit | Exec::FenceProxy => fence::proxy(inst),
        Exec::StackAlloca => stack::alloca(inst),
        Exec::StackRestore => stack::restore(inst),
        Exec::StackSave => stack::save(inst),
        Exec::WarpActivemask => warp::activemask(inst),
        Exec::WarpElectSync => warp::elect(inst),
        Exec::WarpMatchAll => warp::matches(inst, true),
        Exec::WarpMatchAny => warp::matches(inst, false),
        Exec::WarpReduxSync => warp::redux(inst),
        Exec::WarpShfl | Exec::WarpShflSync => warp::shuffle(inst),
        Exec::WarpVote | Exec::WarpVoteSync => warp::vote(inst),
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
