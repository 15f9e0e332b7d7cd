//! Test helpers: a kernel from PTX text and buffers, and the results of its run.

use crate::decode::Executable;
use crate::findings::{Fault, FaultKind};
use crate::machine::{GridShape, Machine, Memory, RunStatus, Settings};
use crate::memory::Storage;
use crate::trace::{self, GridRun};
use ptx_check::execution::CheckedProgram;
use ptx_num::image::{Bindings, Image, ImageId, Opaque};
use ptx_num::values::Marks;
use std::sync::Arc;

/// A kernel that is to be run.
pub(crate) struct TestKernel {
    executable: Arc<Executable>,
    /// The launch dimensions: one CTA of one warp unless changed.
    pub shape: GridShape,
    /// The enabled checks, and limits.
    pub settings: Settings,
    memory: Memory,
    images: Bindings,
    next: usize,
    buffers: Vec<u64>,
}

/// The result of a run.
pub(crate) struct TestOutcome {
    /// The run.
    pub run: GridRun,
    buffers: Vec<u64>,
}

impl TestKernel {
    /// The first kernel of a module. Code that the assembler would reject fails the test.
    pub(crate) fn new(text: &str) -> Self {
        let snapshot = ptx_syntax::Document::new(text).snapshot();
        let program = Arc::new(CheckedProgram::new(&snapshot).program);
        assert!(program.errors.is_empty(), "{:#?}", program.errors);
        let entry = program.functions.iter().find(|f| f.kernel && f.body.is_some()).expect("a kernel").name.clone();
        let executable = Executable::new(program, &entry).expect("it can be executed");
        let parameters: u64 = executable.parameters.iter().map(|(at, bytes)| u64::from(at + bytes)).max().unwrap_or(0);
        let memory = Memory {
            global: executable.global.clone(),
            constant: executable.constant.clone(),
            parameters: Storage::new(parameters, true),
        };
        Self {
            executable: Arc::new(executable),
            shape: GridShape::new([1; 3], [32, 1, 1]),
            settings: Settings::default(),
            memory,
            images: Bindings::default(),
            next: 0,
            buffers: Vec::new(),
        }
    }

    /// A kernel with this body. Its parameters are `out`, a buffer, then `p1`, `p2` …, all `.u64`; calls of `buffer` and `value` set them
    /// in order. Registers: `%p<8>`, `%h<8>` (16 bits), `%r<32>`, `%f<16>`, `%rd<16>`, `%d<8>`, `%q<4>` (128 bits); `%rd0` holds `out`.
    /// With an empty `target` the module is for sm_90a. The PTX version is 9.0.
    pub(crate) fn body(target: &str, body: &str) -> Self {
        let target = if target.is_empty() { "sm_90a" } else { target };
        let wide = if target >= "sm_70" || target.len() > 5 { ".reg .b128 %q<4>;" } else { "" };
        Self::new(&format!(
            ".version 9.0\n.target {target}\n.address_size 64\n\
             .entry k(.param .u64 out, .param .u64 p1, .param .u64 p2, .param .u64 p3, .param .u64 p4) {{\n\
             .reg .pred %p<8>; .reg .b16 %h<8>; .reg .b32 %r<32>; .reg .f32 %f<16>; .reg .b64 %rd<16>; .reg .f64 %d<8>; {wide}\n\
             ld.param.u64 %rd0, [out];\n{body}\nret;\n}}\n"
        ))
    }

    /// Sets the number of threads per CTA.
    pub(crate) fn threads(mut self, threads: u32) -> Self {
        self.shape.block = [threads, 1, 1];
        self
    }

    /// Sets the number of CTAs in the grid and in a cluster.
    pub(crate) fn ctas(mut self, grid: u32, cluster: u32) -> Self {
        (self.shape.grid, self.shape.cluster) = ([grid, 1, 1], [cluster, 1, 1]);
        self.shape.explicit_cluster = cluster > 1;
        self
    }

    /// Sets the bytes of the next parameter.
    fn parameter(&mut self, bytes: &[u8]) {
        let (at, size) = self.executable.parameters[self.next];
        self.memory.parameters.write(at.into(), &bytes[..bytes.len().min(size as usize)], Marks::NONE);
        self.next += 1;
    }

    /// Sets the next parameter to the address of a buffer with these bytes.
    pub(crate) fn buffer(mut self, bytes: &[u8]) -> Self {
        let name = format!("buffer {}", self.buffers.len());
        let address = self.memory.global.allocate(&name, Storage::from_bytes(bytes), 256);
        self.buffers.push(address);
        self.parameter(&address.to_le_bytes());
        self
    }

    /// Sets the next parameter to the address of a buffer of `bytes` unwritten bytes.
    pub(crate) fn blank(mut self, bytes: u64) -> Self {
        let name = format!("buffer {}", self.buffers.len());
        let address = self.memory.global.allocate(&name, Storage::new(bytes, false), 256);
        self.buffers.push(address);
        self.parameter(&address.to_le_bytes());
        self
    }

    /// Sets the next parameter to this value.
    pub(crate) fn value(mut self, value: u64) -> Self {
        self.parameter(&value.to_le_bytes());
        self
    }

    /// Adds an image and returns its identifier.
    pub(crate) fn add_image(&mut self, image: Image) -> ImageId {
        self.images.add_image(image)
    }

    /// Sets the next parameter to the handle of a texture, a sampler or a surface.
    pub(crate) fn handle(mut self, opaque: Opaque) -> Self {
        let handle = self.memory.global.allocate("handle", Storage::new(0, false), 256);
        self.images.bind(handle, opaque);
        self.value(handle)
    }

    /// Binds a variable of the module to a texture, a sampler or a surface.
    pub(crate) fn bind(mut self, variable: &str, opaque: Opaque) -> Self {
        self.images.bind(self.executable.variables[variable].address, opaque);
        self
    }

    /// Sets the next parameter to these bytes.
    pub(crate) fn bytes_of(mut self, bytes: &[u8]) -> Self {
        self.parameter(bytes);
        self
    }

    /// The address of a buffer.
    pub(crate) fn address(&self, buffer: usize) -> u64 {
        self.buffers[buffer]
    }

    /// Runs the kernel.
    pub(crate) fn run(self) -> TestOutcome {
        self.run_until(&|| false)
    }

    /// Runs the kernel until it ends or is cancelled.
    pub(crate) fn run_until(mut self, cancelled: &dyn Fn() -> bool) -> TestOutcome {
        let buffers = std::mem::take(&mut self.buffers);
        TestOutcome { run: trace::run(self.machine(), cancelled), buffers }
    }

    /// The machine before the first step.
    pub(crate) fn machine(self) -> Machine {
        let mut machine = Machine::new(self.executable, self.shape, self.settings, self.memory);
        machine.images = self.images;
        machine
    }

    /// Runs the kernel, which must finish without findings.
    pub(crate) fn fine(self) -> TestOutcome {
        let out = self.run();
        assert_eq!((out.status(), out.faults()), (RunStatus::Finished, &[][..]));
        out
    }
}

impl TestOutcome {
    /// How the run ended.
    pub(crate) fn status(&self) -> RunStatus {
        self.run.status
    }

    /// The findings.
    pub(crate) fn faults(&self) -> &[Fault] {
        &self.run.machine.findings.faults
    }

    /// The kinds of the findings.
    pub(crate) fn kinds(&self) -> Vec<FaultKind> {
        self.faults().iter().map(|f| f.kind).collect()
    }

    /// The bytes of a buffer.
    pub(crate) fn bytes(&self, buffer: usize) -> Vec<u8> {
        let address = self.buffers[buffer];
        self.run.machine.memory.global.find(address, 0).expect("the buffer is there").storage.to_vec()
    }

    /// The bytes of an image.
    pub(crate) fn image(&self, id: ImageId) -> &[u8] {
        &self.run.machine.images.image(id).expect("the image is there").bytes
    }

    /// The combined marks of a range of bytes in a buffer.
    pub(crate) fn marks(&self, buffer: usize, offset: u64, bytes: usize) -> Marks {
        let address = self.buffers[buffer];
        let storage = &self.run.machine.memory.global.find(address, 0).expect("the buffer is there").storage;
        storage.read(offset, &mut vec![0; bytes]).marks
    }

    /// The 32-bit words of a buffer.
    pub(crate) fn u32s(&self, buffer: usize) -> Vec<u32> {
        let bytes = self.bytes(buffer);
        bytes.chunks_exact(4).map(|b| u32::from_le_bytes(b.try_into().expect("four bytes"))).collect()
    }

    /// The 64-bit words of a buffer.
    pub(crate) fn u64s(&self, buffer: usize) -> Vec<u64> {
        let bytes = self.bytes(buffer);
        bytes.chunks_exact(8).map(|b| u64::from_le_bytes(b.try_into().expect("eight bytes"))).collect()
    }
}

/// The bytes of 32-bit words.
pub(crate) fn words(values: impl IntoIterator<Item = u32>) -> Vec<u8> {
    values.into_iter().flat_map(u32::to_le_bytes).collect()
}

#[cfg(test)]
mod tests {
    use super::{TestKernel, words};
    use crate::findings::FaultKind;
    use crate::machine::RunStatus;

    #[test]
    fn constants_and_special_registers_are_stored() {
        let out = TestKernel::body("", "mov.u32 %r0, %tid.x; st.global.u32 [%rd0], 7; st.global.u32 [%rd0+4], %r0; st.global.v2.u32 [%rd0+8], {%r0, 5};")
            .threads(1)
            .buffer(&[0; 16])
            .fine();
        assert_eq!(out.u32s(0), [7, 0, 0, 5]);
    }

    #[test]
    fn what_was_never_written_is_found() {
        let out =
            TestKernel::body("", "st.global.u32 [%rd0], %r3; ld.global.u32 %r4, [%rd0+4];").threads(1).blank(16).run();
        assert_eq!(out.kinds(), [FaultKind::UninitializedRegister, FaultKind::UninitializedMemory]);
        assert_eq!(out.status(), RunStatus::Finished);
        assert!(out.faults()[0].message.contains("%r3"), "{}", out.faults()[0].message);
    }

    #[test]
    fn accesses_outside_end_the_run() {
        let out = TestKernel::body("", "ld.global.u32 %r4, [%rd0+14]; st.global.u32 [%rd0], 1;")
            .threads(1)
            .buffer(&[0; 16])
            .run();
        assert_eq!((out.kinds(), out.status()), (vec![FaultKind::Misaligned], RunStatus::Fault));
        let out = TestKernel::body("", "ld.global.u32 %r4, [%rd0+16]; st.global.u32 [%rd0], 1;")
            .threads(1)
            .buffer(&[0; 16])
            .run();
        assert_eq!((out.kinds(), out.status()), (vec![FaultKind::OutOfBounds], RunStatus::Fault));
        assert!(
            out.faults()[0].message.contains("0 bytes past the end of `buffer 0` (16 bytes)"),
            "{:?}",
            out.faults()
        );
        assert_eq!(out.u32s(0), [0; 4]);
    }

    #[test]
    fn functions_are_called_and_return() {
        let text = ".version 8.0\n.target sm_80\n.address_size 64\n\
            .func (.param .b32 r) f(.param .b32 a, .reg .b32 b) { .reg .b32 %x; .local .align 4 .b8 buf[8]; ld.param.b32 %x, [a];\
              st.local.b32 [buf+4], %x; st.local.b32 [buf], b; mov.b32 %x, 0; ld.local.b32 %x, [buf+4]; st.param.b32 [r], %x; ret; }\n\
            .entry k(.param .u64 out) { .reg .b64 %rd<2>; .reg .b32 %r<4>; ld.param.u64 %rd0, [out]; mov.b32 %r1, 9;\
              { .param .b32 x; .param .b32 y; st.param.b32 [x], 42; call (y), f, (x, %r1); ld.param.b32 %r2, [y]; }\
              st.global.b32 [%rd0], %r2; ret; }";
        let out = TestKernel::new(text).threads(1).buffer(&words([0])).fine();
        assert_eq!(out.u32s(0), [42]);
    }
}
