#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace overlap::virtual_device {

/// A call that reaches the device in another way than it was made, as if the runner had made it so. Calls of a kind are
/// counted from 1, anew in each step, so that all steps are changed alike. The README lists the kinds.
struct Change {
    std::string kind;
    std::uint64_t index = 0;
    std::int64_t amount = 0;
};

/// What a test asks of the device. The environment variable OVERLAP_VIRTUAL_DEVICE has it as words `name=value`. A word
/// that ends with `@RANK` holds for that rank alone.
struct Settings {
    int rank = 0;                                        ///< of this process, as mpirun and srun tell it
    int devices = 1;                                     ///< `devices`
    int driver = 13000;                                  ///< `driver`: version of CUDA that it knows, 0 for none
    int capability = 90;                                 ///< `capability`: 10 times that of its kernels
    std::int64_t memory_bytes = std::int64_t{80} << 30;  ///< `memory_bytes` of each device
    double compute_scale = 1;                            ///< `compute_scale`: kernels take that many times as long
    double link_scale = 1;                               ///< `link_scale`: collectives take that many times as long
    double host_scale = 1;                               ///< `host_scale`: copies to and from the host, the same
    std::filesystem::path folder = "/dev/shm";           ///< `folder`: where ranks of a machine meet
    std::filesystem::path report;                        ///< `report`: findings, a JSON object a line; `-RANK` is added
    std::filesystem::path log;                           ///< `log`: what was launched, the same way
    std::filesystem::path communicators;                 ///< `communicators`: what NCCL was asked for, the same way
    std::map<std::string, std::uint64_t> failing;        ///< `fail=FUNCTION,N`: its Nth call fails
    std::uint64_t dies_at = 0;                           ///< `die=N`: the process is killed at its Nth collective
    std::uint64_t silent_from = 0;                       ///< `silent=N`: from its Nth collective on it answers no rank
    std::uint64_t drops_records = 0;                     ///< `drop_records=N`: CUPTI says that it dropped as many
    std::vector<Change> changes;                         ///< `change=KIND,INDEX[,AMOUNT]`
};

/// Those of this process, read with the first call. A wrong word ends the process with a sentence: a test that asked
/// for something else than it gets would prove nothing.
const Settings& settings();

/// Counts a call of the kind. @returns the change that it is subject to, or nullptr.
const Change* change_of_this_call(std::string_view kind);

/// The host has waited for a stream, so a step has ended.
void count_calls_anew();

/// Counts a call of the function. @returns whether it is to fail.
bool fails(std::string_view function);

}  // namespace overlap::virtual_device
