// What instrumented code calls at each comparison, for targets whose inputs are decisions: libFuzzer looks for the
// compared values in the input, where they never stand, and takes a fifth of the time for it. The linker puts these in
// the place of libFuzzer's own (--wrap).

#include <cstdint>

extern "C" {
void __wrap___sanitizer_cov_trace_cmp1(std::uint8_t, std::uint8_t) {}
void __wrap___sanitizer_cov_trace_cmp2(std::uint16_t, std::uint16_t) {}
void __wrap___sanitizer_cov_trace_cmp4(std::uint32_t, std::uint32_t) {}
void __wrap___sanitizer_cov_trace_cmp8(std::uint64_t, std::uint64_t) {}
void __wrap___sanitizer_cov_trace_const_cmp1(std::uint8_t, std::uint8_t) {}
void __wrap___sanitizer_cov_trace_const_cmp2(std::uint16_t, std::uint16_t) {}
void __wrap___sanitizer_cov_trace_const_cmp4(std::uint32_t, std::uint32_t) {}
void __wrap___sanitizer_cov_trace_const_cmp8(std::uint64_t, std::uint64_t) {}
void __wrap___sanitizer_cov_trace_switch(std::uint64_t, std::uint64_t*) {}
}
