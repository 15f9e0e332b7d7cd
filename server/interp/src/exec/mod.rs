//! What instructions do: an arm for every key of the instruction set's data, each a function of its family that turns a decoded
//! instruction into an [`Action`]. A key without an arm does not compile.

mod address;
mod asynchronous;
pub mod barrier;
mod bulk;
mod cache;
pub mod cluster;
pub mod copies;
mod external;
mod launch_control;
pub mod mbarrier;
mod memory;
mod misc;
mod moves;
mod multimem;
mod opaque;
mod printf;
mod surface;
mod tensor;
pub mod tensor_memory;
mod tensormap;
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
        Exec::SurfaceSuld => surface::load(inst),
        Exec::SurfaceSuq => surface::ask(inst),
        Exec::SurfaceSured | Exec::SurfaceSuredFormatted => surface::reduce(inst),
        Exec::SurfaceSust => surface::store(inst),
        Exec::SurfaceSustFormatted => surface::store_formatted(inst),
        Exec::TensorApplypriority | Exec::TensorPrefetch => tensor::check_only(inst),
        Exec::TensorLoad => tensor::load(inst),
        Exec::TensorReduce => tensor::reduce(inst),
        Exec::TensorStore => tensor::store(inst),
        Exec::TensormapCpFenceproxy => tensormap::copy(inst),
        Exec::TensormapQuery => tensormap::query(inst),
        Exec::TensormapReplace => tensormap::replace(inst),
        Exec::TextureIstypep => texture::is_type(inst),
        Exec::TextureTex | Exec::TextureTexGrad | Exec::TextureTexLevel => texture::read(inst),
        Exec::TextureTld4 => texture::gather_four(inst),
        Exec::TextureTxq => texture::ask(inst),
        // One device: a multimem address is the address of its one replica.
        Exec::MultimemLdReduce => multimem::load(inst),
        Exec::MultimemRed | Exec::MultimemRedAsync => multimem::reduce(inst),
        Exec::MultimemSt | Exec::MultimemStAsync => memory::store(inst),
        _ => Err("not there yet".into()),
    }
}
