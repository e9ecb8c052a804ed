#pragma once

#include <cstddef>
#include <cstdint>

#include "core/run/cuda/cudnn_library.h"

namespace overlap::cuda {

/// The functions of libcudnn.so.9 that are called, as it declares them; a status of 0 is success.
struct CudnnLibrary::Functions {
    int (*create)(void** handle) = nullptr;
    int (*destroy)(void* handle) = nullptr;
    int (*set_stream)(void* handle, CUstream_st* stream) = nullptr;
    std::size_t (*version)() = nullptr;
    const char* (*error_text)(int status) = nullptr;
    int (*create_descriptor)(int type, void** descriptor) = nullptr;
    int (*destroy_descriptor)(void* descriptor) = nullptr;
    int (*set_attribute)(void* descriptor, int attribute, int type, std::int64_t count, const void* values) = nullptr;
    int (*get_attribute)(void* descriptor, int attribute, int type, std::int64_t asked, std::int64_t* count,
                         void* values) = nullptr;
    int (*finalize)(void* descriptor) = nullptr;
    int (*execute)(void* handle, void* plan, void* variant_pack) = nullptr;
};

}  // namespace overlap::cuda
