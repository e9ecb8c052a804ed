#pragma once

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace overlap {

/// Lets this process keep memory that it has freed, up to 256 MiB, for programs that run passes again and again: each
/// makes and drops the same large arrays, and memory that went back to the system is cleared by it before it comes
/// again. To be called once, at the start of main().
inline void keep_freed_memory() {
#ifdef __GLIBC__
    constexpr int mebibyte = 1 << 20;
    mallopt(M_MMAP_THRESHOLD, 32 * mebibyte);
    mallopt(M_TRIM_THRESHOLD, 256 * mebibyte);
#endif
}

}  // namespace overlap
