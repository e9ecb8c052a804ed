// Stands in for libcuda.so.1 of a driver that is older than the toolkit: it tells its version, and has nothing else.

#include <cstdint>
#include <cstring>

namespace {

constexpr int success = 0;
constexpr int not_found = 500;            // CUDA_ERROR_NOT_FOUND
constexpr int version_of_driver = 12020;  // CUDA 12.2

}  // namespace

extern "C" {

int cuInit(unsigned) {
    return success;
}

int cuDriverGetVersion(int* version) {
    *version = version_of_driver;
    return success;
}

// The runtime library asks for every function by its name.
int cuGetProcAddress_v2(const char* name, void** function, int, std::uint64_t, int* status) {
    *function = nullptr;
    if (std::strcmp(name, "cuInit") == 0) *function = reinterpret_cast<void*>(cuInit);
    if (std::strcmp(name, "cuDriverGetVersion") == 0) *function = reinterpret_cast<void*>(cuDriverGetVersion);
    if (std::strcmp(name, "cuGetProcAddress") == 0) *function = reinterpret_cast<void*>(cuGetProcAddress_v2);
    if (status) *status = *function ? 0 : 1;
    return *function ? success : not_found;
}
}
