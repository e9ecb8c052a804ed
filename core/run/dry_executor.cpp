#include <algorithm>
#include <string>

#include "core/base/error.h"
#include "core/run/executor.h"

namespace overlap {

void DryExecutor::begin_step() {
    std::fill(in_flight_.begin(), in_flight_.end(), false);
    std::fill(copying_.begin(), copying_.end(), false);
}

void DryExecutor::compute(std::uint32_t, const ComputeWork&) {
    ++commands_;
}

void DryExecutor::collective(std::uint32_t index, const CollectiveWork&) {
    if (in_flight_[index]) {
        throw InputError("collective " + std::to_string(index + 1), "it is launched twice in one step");
    }
    in_flight_[index] = true;
    ++commands_;
}

void DryExecutor::wait(std::uint32_t collective) {
    if (!in_flight_[collective]) {
        throw InputError("collective " + std::to_string(collective + 1), "it is awaited before it is launched");
    }
    ++commands_;
}

void DryExecutor::transfer(std::uint32_t index, const TransferWork& work) {
    const std::string copy = "copy " + std::to_string(index + 1) + " between device and host";
    if (copying_[index]) throw InputError(copy, "it is started twice in one step");
    if (!work.to_host && !copying_[work.source]) {
        throw InputError(copy, "it brings back what has not been copied to the host");
    }
    copying_[index] = true;
    ++commands_;
}

void DryExecutor::wait_for_transfer(std::uint32_t transfer) {
    if (!copying_[transfer]) {
        throw InputError("copy " + std::to_string(transfer + 1) + " between device and host",
                         "it is awaited before it is started");
    }
    ++commands_;
}

double DryExecutor::end_step() {
    return 0;
}

}  // namespace overlap
