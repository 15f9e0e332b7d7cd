// Machine code beside PTX, on the screen. Only for pictures: suite/2-views.test.js checks the view. PTX_TEST_TOOLS is a folder
// with NVIDIA's ptxas and nvdisasm.
import { join } from 'node:path';

const tools = process.env.PTX_TEST_TOOLS;

const scene = {
    name: 'sass',
    title: 'machine code beside a kernel',
    async run(desk) {
        const text = desk.kernel('block_reduce.ptx');
        desk.settings({ 'ptx-analyzer.ptxas.path': join(tools, 'ptxas'), 'ptx-analyzer.nvdisasm.path': join(tools, 'nvdisasm') });
        await desk.run('View: Close Primary Side Bar');
        await desk.open('block_reduce.ptx');
        await desk.goToText(text, '@%p_inside ld.global', 2);
        await desk.run('PTX: Show SASS beside PTX');
        await desk.sees('the machine code', '.view-line:has-text("SHFL.DOWN")', 40);
        await desk.goToText(text, '@%p_inside ld.global', 2);
        await desk.picture('sass');
        await desk.run('View: Close All Editors');
        await desk.run('View: Show Explorer');
    },
};

export const scenes = process.env.PICTURES && tools ? [scene] : [];
