//! The semantics of instructions: one match arm for every key of the instruction set's data. Each arm calls a function of its family that
//! turns a decoded instruction into an [`OpAction`]. A key without an arm does not compile.

mod address;
mod asynchronous;
mod atomic;
mod barrier;
mod bulk;
mod cache;
mod cluster;
mod compare;
mod control;
mod convert;
mod effort;
mod extended;
mod external;
mod fence;
mod float;
mod half;
mod integer;
mod launch_control;
mod ldmatrix;
mod logic;
#[cfg(test)]
mod matrix_tests;
mod mbarrier;
mod memory;
mod misc;
mod mixed;
mod mma;
mod moves;
mod multimem;
mod opaque;
mod printf;
mod shared_matrix;
mod sparse;
mod stack;
mod surface;
mod tcgen05;
mod tensor;
mod tensormap;
#[cfg(test)]
mod tests;
mod texture;
mod typed;
mod video;
mod warp;
mod wgmma;
mod wmma;

pub(crate) use effort::effort;

use crate::inst::DecodeContext;
use crate::machine::code::{ActionResult, OpAction};
use crate::machine::state::flights::Family;
use crate::machine::state::operands::TensorKind;
use crate::memory::Scope;
use ptx_isa::{Exec, Modifier};

/// Whether an instruction makes the copy engine or a tensor core read shared memory.
pub(crate) fn reads_through_engine(exec: Exec) -> bool {
    let copies = matches!(exec, Exec::BulkCp | Exec::BulkReduce | Exec::MultimemBulkCp | Exec::MultimemBulkReduce);
    let products = matches!(
        exec,
        Exec::Tcgen05Cp
            | Exec::Tcgen05Mma
            | Exec::Tcgen05MmaBlockScaled
            | Exec::Tcgen05MmaSp
            | Exec::Tcgen05MmaSpBlockScaled
            | Exec::Tcgen05MmaWs
            | Exec::Tcgen05MmaWsSp
            | Exec::WgmmaMmaAsync
            | Exec::WgmmaMmaAsyncSp
    );
    copies || products || matches!(exec, Exec::TensorStore | Exec::TensorReduce)
}

/// Whether an instruction may make the copy engine read global memory.
pub(crate) fn reads_global_through_engine(exec: Exec) -> bool {
    matches!(exec, Exec::BulkCp | Exec::MultimemBulkCp | Exec::TensorLoad)
}

/// Whether an instruction reads a texture.
pub(crate) fn reads_texture(exec: Exec) -> bool {
    matches!(exec, Exec::TextureTex | Exec::TextureTexGrad | Exec::TextureTexLevel | Exec::TextureTld4)
}

/// Whether an instruction may order accesses for fewer threads than all: its scope is narrower than `.gpu`, or it arrives at an mbarrier that
/// may be in another CTA without saying `.cluster`.
pub(crate) fn narrows_scope(inst: &DecodeContext<'_>) -> bool {
    let scope = memory::scope(inst);
    match inst.exec() {
        Some(
            Exec::MbarrierArrive
            | Exec::MbarrierArriveDrop
            | Exec::MbarrierArriveExpectTx
            | Exec::MbarrierArriveDropExpectTx,
        ) => scope != Some(Scope::Cluster) && !inst.has(Modifier::SharedCta) && !inst.has(Modifier::Shared),
        Some(Exec::FenceMbarrierInit | Exec::FenceProxy | Exec::ClusterArrive | Exec::ClusterWait) | None => false,
        Some(_) => scope.is_some_and(|s| s < Scope::Gpu),
    }
}

/// Turns an instruction into its action, or returns the reason why it cannot be executed.
pub(crate) fn action(inst: &mut DecodeContext<'_>) -> ActionResult {
    let Some(exec) = inst.exec() else {
        let why = inst.entry().refusal_of(inst.form()).unwrap_or("its semantics are unknown");
        return Err(format!("`{}` is not executed: {why}", inst.entry().name).into());
    };
    match exec {
        Exec::AddressCvta => address::cvta(inst),
        Exec::AddressGetctarank => address::getctarank(inst),
        Exec::AddressIsspacep => address::isspacep(inst),
        Exec::AddressMapa => address::mapa(inst),
        Exec::AsyncCommitGroup => Ok(asynchronous::commit(Family::Small)),
        Exec::AsyncCp => asynchronous::copy(inst),
        Exec::AsyncMbarrierArrive => asynchronous::mbarrier_arrive(inst),
        Exec::AsyncRed => asynchronous::reduce(inst),
        Exec::AsyncSt => asynchronous::store(inst),
        Exec::AsyncWaitAll => Ok(asynchronous::wait_all()),
        Exec::AsyncWaitGroup => asynchronous::wait(inst, Family::Small),
        Exec::AtomicAtom | Exec::AtomicRed | Exec::AtomicCas | Exec::AtomicExch => atomic::scalar(inst),
        Exec::AtomicAtomVector | Exec::AtomicRedVector => atomic::vector(inst),
        Exec::BarrierArrive => barrier::barrier(inst, barrier::Arrival::Arrive),
        Exec::BarrierRed => barrier::barrier(inst, barrier::Arrival::Reduce),
        Exec::BarrierSync => barrier::barrier(inst, barrier::Arrival::Sync),
        Exec::BarrierWarpSync => barrier::warp_sync(inst),
        Exec::BulkApplypriority => bulk::apply_priority(inst),
        Exec::BulkCommitGroup => Ok(asynchronous::commit(Family::Bulk)),
        Exec::BulkCp | Exec::MultimemBulkCp => bulk::copy(inst),
        Exec::BulkPrefetch => bulk::prefetch(inst),
        Exec::BulkReduce | Exec::MultimemBulkReduce => bulk::reduce(inst),
        Exec::BulkSt => bulk::store(inst),
        Exec::BulkWaitGroup => asynchronous::wait(inst, Family::Bulk),
        Exec::CacheApplypriority | Exec::CachePrefetch | Exec::CachePrefetchu => Ok(OpAction::Nothing),
        Exec::CacheCreatepolicyCvt | Exec::CacheCreatepolicyFractional | Exec::CacheCreatepolicyRange => {
            cache::policy(inst)
        }
        Exec::CacheDiscard => cache::discard(inst),
        Exec::ClusterArrive => cluster::arrive(inst),
        Exec::ClusterQueryCancel => launch_control::query_cancel(inst),
        Exec::ClusterTryCancel => launch_control::try_cancel(inst),
        Exec::ClusterWait => cluster::wait(inst),
        Exec::CompareSelp => compare::selp(inst),
        Exec::CompareSetFloat | Exec::CompareSetInteger => compare::set(inst),
        Exec::CompareSetHalf => compare::set_half(inst),
        Exec::CompareSetPacked => compare::set_packed(inst),
        Exec::CompareSetpFloat | Exec::CompareSetpInteger => compare::setp(inst),
        Exec::CompareSetpHalf => compare::setp_half(inst),
        Exec::CompareSlct => compare::slct(inst),
        Exec::ControlBra => control::branch(inst),
        Exec::ControlBrx => control::table(inst),
        Exec::ControlCall => control::call(inst),
        Exec::ControlExit => Ok(OpAction::Exit),
        Exec::ControlRet => Ok(OpAction::Return),
        Exec::ConvertFloat
        | Exec::ConvertFloatPair
        | Exec::ConvertFloatPairStochastic
        | Exec::ConvertFloatToInteger
        | Exec::ConvertInteger
        | Exec::ConvertIntegerToFloat
        | Exec::ConvertNarrow
        | Exec::ConvertNarrowStochastic
        | Exec::ConvertWiden => convert::cvt(inst),
        Exec::ConvertPack => convert::pack(inst),
        Exec::ExtendedAddCc => extended::add_cc(inst),
        Exec::ExtendedAddc => extended::addc(inst),
        Exec::ExtendedMadCc => extended::mad_cc(inst),
        Exec::ExtendedMadc => extended::madc(inst),
        Exec::ExtendedSubCc => extended::sub_cc(inst),
        Exec::ExtendedSubc => extended::subc(inst),
        Exec::FenceMbarrierInit | Exec::FenceProxy => fence::proxy(inst),
        Exec::FenceMembar | Exec::FenceMemory => fence::fence(inst),
        Exec::FloatAbs => float::abs(inst),
        Exec::FloatAdd => float::add(inst),
        Exec::FloatCopysign => float::copysign(inst),
        Exec::FloatCos => float::cos(inst),
        Exec::FloatDiv => float::div(inst),
        Exec::FloatEx2 => float::ex2(inst),
        Exec::FloatFma => float::fma(inst),
        Exec::FloatLg2 => float::lg2(inst),
        Exec::FloatMad => float::mad(inst),
        Exec::FloatMax => float::max(inst),
        Exec::FloatMin => float::min(inst),
        Exec::FloatMul => float::mul(inst),
        Exec::FloatNeg => float::neg(inst),
        Exec::FloatRcp => float::rcp(inst),
        Exec::FloatRcpApproxF64 => float::rcp_coarse(inst),
        Exec::FloatRsqrt => float::rsqrt(inst),
        Exec::FloatRsqrtApproxF64 => float::rsqrt_coarse(inst),
        Exec::FloatSin => float::sin(inst),
        Exec::FloatSqrt => float::sqrt(inst),
        Exec::FloatSub => float::sub(inst),
        Exec::FloatTanh => float::tanh(inst),
        Exec::FloatTestp => float::testp(inst),
        Exec::HalfAbs => half::abs(inst),
        Exec::HalfAdd => half::add(inst),
        Exec::HalfEx2 => half::ex2(inst),
        Exec::HalfFma => half::fma(inst),
        Exec::HalfMax => half::max(inst),
        Exec::HalfMin => half::min(inst),
        Exec::HalfMul => half::mul(inst),
        Exec::HalfNeg => half::neg(inst),
        Exec::HalfSub => half::sub(inst),
        Exec::HalfTanh => half::tanh(inst),
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
        Exec::MatrixLdmatrix => ldmatrix::load(inst),
        Exec::MatrixMovmatrix => ldmatrix::transpose(inst),
        Exec::MatrixStmatrix => ldmatrix::store(inst),
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
        Exec::MiscBrkpt | Exec::MiscPmevent | Exec::GridDependency => Ok(OpAction::Nothing),
        Exec::MiscSetmaxnreg => misc::set_registers(inst),
        Exec::MiscNanosleep => misc::nanosleep(inst),
        Exec::MiscTrap => misc::trap(inst),
        Exec::MixedAdd => mixed::add(inst),
        Exec::MixedAddNarrow => mixed::add_narrow(inst),
        Exec::MixedAddPacked => mixed::add_packed(inst),
        Exec::MixedFma => mixed::fma(inst),
        Exec::MixedFmaNarrow => mixed::fma_narrow(inst),
        Exec::MixedFmaPacked => mixed::fma_packed(inst),
        Exec::MixedMulNarrow => mixed::mul_narrow(inst),
        Exec::MixedMulPacked => mixed::mul_packed(inst),
        Exec::MixedSub => mixed::sub(inst),
        Exec::MixedSubNarrow => mixed::sub_narrow(inst),
        Exec::MixedSubPacked => mixed::sub_packed(inst),
        Exec::MmaBits
        | Exec::MmaBlockScaled
        | Exec::MmaDense
        | Exec::MmaDouble
        | Exec::MmaInteger
        | Exec::MmaM8n8k4
        | Exec::MmaNarrow
        | Exec::MmaSparse
        | Exec::MmaSparseBlockScaled
        | Exec::MmaSparseInteger
        | Exec::MmaSparseNarrow => mma::mma(inst),
        Exec::MoveMov => moves::mov(inst),
        Exec::MovePack | Exec::MoveUnpack | Exec::MoveVector => moves::vector(inst),
        Exec::MovePrmt => logic::prmt(inst),
        // The machine has one device, so a multimem address is the address of its one replica.
        Exec::MultimemLdReduce => multimem::load(inst),
        Exec::MultimemRed | Exec::MultimemRedAsync => multimem::reduce(inst),
        Exec::MultimemSt | Exec::MultimemStAsync => memory::store(inst),
        Exec::SparseCompress => sparse::compress(inst),
        Exec::SparseDecompress => sparse::decompress(inst),
        Exec::StackAlloca => stack::alloca(inst),
        Exec::StackRestore => stack::restore(inst),
        Exec::StackSave => stack::save(inst),
        Exec::SurfaceSuld => surface::load(inst),
        Exec::SurfaceSuq => surface::ask(inst),
        Exec::SurfaceSured | Exec::SurfaceSuredFormatted => surface::reduce(inst),
        Exec::SurfaceSust => surface::store(inst),
        Exec::SurfaceSustFormatted => surface::store_formatted(inst),
        Exec::Tcgen05Alloc => tcgen05::allocate(inst),
        Exec::Tcgen05Commit => tcgen05::commit(inst),
        Exec::Tcgen05Cp => tcgen05::copy(inst),
        Exec::Tcgen05Dealloc => tcgen05::free(inst),
        Exec::Tcgen05FenceAfter => Ok(tcgen05::fence_after()),
        Exec::Tcgen05FenceBefore => Ok(OpAction::Nothing),
        Exec::Tcgen05Ld | Exec::Tcgen05LdRed => tcgen05::load(inst),
        Exec::Tcgen05LdRedSpcompress | Exec::Tcgen05LdSpcompress => {
            Err("the manual of PTX 9.1 does not describe `.spcompress`".into())
        }
        Exec::Tcgen05Mma
        | Exec::Tcgen05MmaBlockScaled
        | Exec::Tcgen05MmaSp
        | Exec::Tcgen05MmaSpBlockScaled
        | Exec::Tcgen05MmaWs
        | Exec::Tcgen05MmaWsSp => tcgen05::multiply(inst),
        Exec::Tcgen05RelinquishAllocPermit => tcgen05::relinquish(inst),
        Exec::Tcgen05Shift => tcgen05::shift(inst),
        Exec::Tcgen05St => tcgen05::store(inst),
        Exec::Tcgen05WaitLd => Ok(tcgen05::wait(TensorKind::Load)),
        Exec::Tcgen05WaitSt => Ok(tcgen05::wait(TensorKind::Store)),
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
        Exec::VideoVabsdiff
        | Exec::VideoVadd
        | Exec::VideoVmax
        | Exec::VideoVmin
        | Exec::VideoVset
        | Exec::VideoVshl
        | Exec::VideoVshr
        | Exec::VideoVsub => video::scalar(inst),
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
        Exec::VideoVmad => video::vmad(inst),
        Exec::WarpActivemask => warp::activemask(inst),
        Exec::WarpElectSync => warp::elect(inst),
        Exec::WarpMatchAll => warp::matches(inst, true),
        Exec::WarpMatchAny => warp::matches(inst, false),
        Exec::WarpReduxSync => warp::redux(inst),
        Exec::WarpShfl | Exec::WarpShflSync => warp::shuffle(inst),
        Exec::WarpVote | Exec::WarpVoteSync => warp::vote(inst),
        Exec::WgmmaCommitGroup => Ok(wgmma::commit()),
        Exec::WgmmaFence => Ok(wgmma::fence()),
        Exec::WgmmaMmaAsync | Exec::WgmmaMmaAsyncSp => wgmma::mma(inst),
        Exec::WgmmaWaitGroup => wgmma::wait(inst),
        Exec::WmmaLoadA | Exec::WmmaLoadB | Exec::WmmaLoadC => wmma::load(inst),
        Exec::WmmaMma => wmma::mma(inst),
        Exec::WmmaStoreD => wmma::store(inst),
    }
}
