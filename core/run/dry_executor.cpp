#include <algorithm>

#include "core/base/error.h"
#include "core/run/executor.h"

namespace overlap {

void DryExecutor::begin_step() {
    std::fill(in_flight_.begin(), in_flight_.end(), false);
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

double DryExecutor::end_step() {
    return 0;
}

}  // namespace overlap
