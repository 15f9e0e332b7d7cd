// Random bytes for Rust's standard library, which calls `ProcessPrng`. Windows has had this library since version 7; Wine got it after
// version 8, the one in Debian 12, and has the same function under an older name.
#include <windows.h>

BOOLEAN NTAPI SystemFunction036(PVOID bytes, ULONG length);

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE bytes, SIZE_T length) { return SystemFunction036(bytes, (ULONG)length); }
