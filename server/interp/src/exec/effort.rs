//! What instructions cost besides their step, as far as it does not depend on the bytes that they move: that is charged where they are moved.
//!
//! The numbers are measured (`cargo run --release -p ptx-launch --example bombs`), in ordinary instructions of about 50 ns. Instructions that
//! are not named here take less than four of these, or charge for what they do.

use crate::inst::DecodeContext;
use crate::machine::code::InstructionEffort;
use ptx_isa::{Exec, Modifier};

/// The effort of an instruction.
pub(crate) fn effort(inst: &DecodeContext<'_>) -> InstructionEffort {
    let Some(exec) = inst.exec() else { return InstructionEffort::default() };
    // These roundings are computed without the processor's floating-point unit.
    let is_directed = || [Modifier::Rz, Modifier::Rm, Modifier::Rp].into_iter().any(|rounding| inst.has(rounding));
    let (base, lane) = match exec {
        // Registers alone.
        Exec::HalfEx2 | Exec::HalfTanh => (16, 0),
        Exec::HalfFma => (7, 0),
        Exec::ConvertFloatPair | Exec::ConvertNarrow | Exec::ConvertWiden => (16, 0),
        Exec::ConvertFloatPairStochastic | Exec::ConvertNarrowStochastic => (24, 0),
        Exec::FloatCos | Exec::FloatSin | Exec::FloatTanh => (6, 0),
        Exec::FloatSqrt if is_directed() => (16, 0),
        Exec::FloatAdd | Exec::FloatDiv | Exec::FloatFma | Exec::FloatMul | Exec::FloatRcp | Exec::FloatSub
            if is_directed() =>
        {
            (6, 0)
        }
        Exec::IntegerBfe | Exec::IntegerBfi | Exec::IntegerDiv | Exec::IntegerFns | Exec::IntegerRem => (4, 0),
        Exec::MovePack | Exec::MoveUnpack => (4, 0),
        Exec::VideoVabsdiff
        | Exec::VideoVabsdiff2
        | Exec::VideoVabsdiff4
        | Exec::VideoVadd
        | Exec::VideoVadd2
        | Exec::VideoVadd4
        | Exec::VideoVavrg2
        | Exec::VideoVavrg4
        | Exec::VideoVmad
        | Exec::VideoVmax
        | Exec::VideoVmax2
        | Exec::VideoVmax4
        | Exec::VideoVmin
        | Exec::VideoVmin2
        | Exec::VideoVmin4
        | Exec::VideoVset
        | Exec::VideoVset2
        | Exec::VideoVset4
        | Exec::VideoVshl
        | Exec::VideoVshr
        | Exec::VideoVsub
        | Exec::VideoVsub2
        | Exec::VideoVsub4 => (6, 0),
        // Barriers, fences and waits look at other warps.
        Exec::BarrierArrive | Exec::BarrierRed | Exec::BarrierSync => (6, 0),
        Exec::ClusterArrive | Exec::ClusterWait => (8, 0),
        Exec::BarrierWarpSync | Exec::FenceMbarrierInit | Exec::FenceProxy => (4, 0),
        Exec::FenceMembar | Exec::FenceMemory => (12, 0),
        Exec::MbarrierArrive
        | Exec::MbarrierArriveDrop
        | Exec::MbarrierArriveDropExpectTx
        | Exec::MbarrierArriveExpectTx
        | Exec::MbarrierCompleteTx
        | Exec::MbarrierExpectTx
        | Exec::MbarrierInit
        | Exec::MbarrierInval
        | Exec::MbarrierTestWait
        | Exec::MbarrierTestWaitParity
        | Exec::MbarrierTryWait
        | Exec::MbarrierTryWaitParity
        | Exec::AsyncMbarrierArrive => (2, 6),
        // Asynchronous operations are stored until they are complete.
        Exec::AsyncCp | Exec::AsyncRed | Exec::AsyncSt | Exec::ClusterTryCancel | Exec::Tcgen05Commit => (2, 12),
        Exec::AsyncCommitGroup | Exec::AsyncWaitAll | Exec::AsyncWaitGroup => (2, 2),
        Exec::BulkCommitGroup | Exec::BulkWaitGroup => (2, 2),
        Exec::BulkCp | Exec::BulkReduce | Exec::BulkSt | Exec::MultimemBulkCp | Exec::MultimemBulkReduce => (2, 16),
        Exec::TensorLoad
        | Exec::TensorReduce
        | Exec::TensorStore
        | Exec::TensorApplypriority
        | Exec::TensorPrefetch => (2, 40),
        Exec::TensormapCpFenceproxy | Exec::TensormapQuery | Exec::TensormapReplace => (2, 8),
        // Lanes look at each other.
        Exec::WarpMatchAll | Exec::WarpMatchAny => (24, 0),
        Exec::WarpReduxSync | Exec::WarpShfl | Exec::WarpShflSync => (6, 0),
        Exec::WarpElectSync | Exec::WarpVote | Exec::WarpVoteSync => (3, 0),
        // Lanes go one by one.
        Exec::TextureTex | Exec::TextureTexGrad | Exec::TextureTexLevel | Exec::TextureTld4 => (4, 5),
        Exec::TextureTxq | Exec::TextureIstypep => (1, 1),
        Exec::SurfaceSuld
        | Exec::SurfaceSured
        | Exec::SurfaceSuredFormatted
        | Exec::SurfaceSust
        | Exec::SurfaceSustFormatted => (4, 1),
        Exec::SurfaceSuq => (1, 1),
        Exec::SparseCompress | Exec::SparseDecompress => (4, 4),
        Exec::StackAlloca | Exec::StackRestore | Exec::StackSave => (1, 1),
        Exec::MiscSetmaxnreg => (4, 0),
        // Matrices are taken apart, element by element.
        Exec::MatrixLdmatrix | Exec::MatrixStmatrix | Exec::MatrixMovmatrix => (14, 0),
        Exec::WmmaLoadA | Exec::WmmaLoadB | Exec::WmmaLoadC | Exec::WmmaStoreD => (40, 0),
        Exec::Tcgen05Ld | Exec::Tcgen05LdRed | Exec::Tcgen05St => (60, 2),
        Exec::Tcgen05Cp | Exec::Tcgen05Shift => (200, 0),
        Exec::Tcgen05WaitLd | Exec::Tcgen05WaitSt | Exec::Tcgen05FenceAfter => (2, 0),
        _ => (0, 0),
    };
    InstructionEffort { base, lane }
}
