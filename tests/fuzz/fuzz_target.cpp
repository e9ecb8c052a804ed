// What all targets share: libFuzzer's entry points, and the bound on memory.

#include "tests/fuzz/fuzz_target.h"

#include <sanitizer/allocator_interface.h>
#include <sanitizer/common_interface_defs.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "core/base/error.h"

namespace overlap::fuzz {
namespace {

/// Bounds for each byte of an input: of one allocation, and of all that is alive at a time. The shortest things of a
/// text, such as modules of one letter or the ones and signs of 1+1+1, take tens of bytes for each of their own.
constexpr std::int64_t one_for_each_byte = 50, alive_for_each_byte = 250;
/// First buffers, which even an empty input gets.
constexpr std::int64_t allowance = std::int64_t{256} << 10;

std::atomic<std::int64_t> alive = 0, alive_before = 0;
constexpr std::int64_t unlimited = INT64_MAX;
std::atomic<std::int64_t> alive_limit = unlimited, one_limit = unlimited;
std::size_t input_bytes = 0;

void on_allocation(const volatile void*, std::size_t size) {
    const auto bytes = static_cast<std::int64_t>(size);
    const std::int64_t now = alive.fetch_add(bytes, std::memory_order_relaxed) + bytes;
    if (now <= alive_limit.load(std::memory_order_relaxed) && bytes <= one_limit.load(std::memory_order_relaxed))
        return;
    alive_limit = one_limit = unlimited;  // telling of it allocates
    std::fprintf(stderr, "ERROR: for an input of %zu bytes, %zu are allocated, with which %lld are alive\n",
                 input_bytes, size, static_cast<long long>(now - alive_before));
    __sanitizer_print_stack_trace();
    std::abort();
}

void on_release(const volatile void* address) {
    const auto size = __sanitizer_get_allocated_size(address);
    alive.fetch_sub(static_cast<std::int64_t>(size), std::memory_order_relaxed);
}

void run_if_accepted(std::string_view input) {
    try {
        run(input);
    } catch (const InputError&) {
        // Refused, with a sentence: what is wanted of most inputs.
    }
}

}  // namespace

void count_input(std::size_t bytes) {
    if (alive_limit == unlimited) return;
    alive_limit += alive_for_each_byte * static_cast<std::int64_t>(bytes);
    one_limit += one_for_each_byte * static_cast<std::int64_t>(bytes);
}

void require(bool holds, std::string_view reason) {
    if (holds) return;
    std::fprintf(stderr, "ERROR: %.*s\n", static_cast<int>(reason.size()), reason.data());
    std::abort();
}

std::string_view take_until(std::string_view& input, char separator) {
    const std::size_t end = input.find(separator);
    const std::string_view part = input.substr(0, end);
    input.remove_prefix(end == std::string_view::npos ? input.size() : end + 1);
    return part;
}

}  // namespace overlap::fuzz

extern "C" int LLVMFuzzerInitialize(int*, char***) {
    using namespace overlap::fuzz;
    run_if_accepted({});  // tables that are made at the first use belong to no input
    __sanitizer_install_malloc_and_free_hooks(on_allocation, on_release);
    return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace overlap::fuzz;
    if (size > input_limit) return 0;
    input_bytes = size;
    alive_before = alive.load();
    alive_limit = alive_before + allowance;
    one_limit = allowance;
    count_input(size);
    run_if_accepted({reinterpret_cast<const char*>(data), size});
    alive_limit = one_limit = unlimited;
    return 0;
}
