// Asks NVIDIA's occupancy calculator how many CTAs run on a multiprocessor, and prints what occupancy.txt.gz holds: target, registers of a thread,
// threads of a CTA, then CTAs for each size of static shared memory in the first line. The headers are not part of this project: only whoever records
// needs them (pip download nvidia-cuda-runtime nvidia-cuda-cccl; of the former just cuda_occupancy.h, or the latter expects a whole toolkit):
//
//     g++ -std=c++17 -I…/include/cccl -I(folder of cuda_occupancy.h) occupancy.cpp && ./a.out | gzip -9n > occupancy.txt.gz
#include <climits>
#include <cstdio>
#include <cuda_occupancy.h>
#include <cuda/__device/arch_traits.h>

const int shared[] = {0, 1, 100, 1024, 3000, 8192, 16000, 32768, 48128, 49152};

template <cuda::arch_id Id> void ask(const char* name)
{
  constexpr auto t = cuda::arch_traits<Id>();
  cudaOccDeviceProp p;
  p.computeMajor = t.compute_capability_major;
  p.computeMinor = t.compute_capability_minor;
  p.maxThreadsPerBlock = t.max_threads_per_block;
  p.maxThreadsPerMultiprocessor = t.max_threads_per_multiprocessor;
  p.regsPerBlock = t.max_registers_per_block;
  p.regsPerMultiprocessor = t.max_registers_per_multiprocessor;
  p.warpSize = t.warp_size;
  p.sharedMemPerBlock = t.max_shared_memory_per_block;
  p.sharedMemPerMultiprocessor = t.max_shared_memory_per_multiprocessor;
  p.numSms = 1;
  p.sharedMemPerBlockOptin = t.max_shared_memory_per_block_optin;
  p.reservedSharedMemPerBlock = t.reserved_shared_memory_per_block;
  const int registers[] = {4, 16, 24, 31, 32, 33, 37, 40, 48, 56, 64, 65, 72, 80, 96, 100, 128, 129, 160, 168, 200, 255};
  const int threads[] = {1, 32, 33, 64, 96, 128, 192, 224, 256, 320, 384, 512, 640, 768, 1000, 1024, 1025};
  for (int r : registers)
    for (int n : threads)
    {
      printf("%s %d %d", name, r, n);
      for (int s : shared)
      {
        cudaOccFuncAttributes f;
        f.maxThreadsPerBlock = INT_MAX;
        f.numRegs = r;
        f.sharedSizeBytes = s;
        f.numBlockBarriers = 1;
        cudaOccDeviceState state;
        cudaOccResult result;
        if (cudaOccMaxActiveBlocksPerMultiprocessor(&result, &p, &f, &state, n, 0) != CUDA_OCC_SUCCESS)
          result.activeBlocksPerMultiprocessor = -1;
        printf(" %d", result.activeBlocksPerMultiprocessor);
      }
      printf("\n");
    }
}

int main()
{
  printf("shared");
  for (int s : shared)
    printf(" %d", s);
  printf("\n");
#define ASK(N) ask<cuda::arch_id::sm_##N>("sm_" #N);
  ASK(50) ASK(52) ASK(53) ASK(60) ASK(61) ASK(62) ASK(70) ASK(75) ASK(80) ASK(86) ASK(87) ASK(88) ASK(89) ASK(90) ASK(100) ASK(103) ASK(110) ASK(120) ASK(121)
}
