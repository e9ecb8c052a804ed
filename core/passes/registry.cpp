#include <array>

#include "core/passes/manual_overlap_bucketing.h"
#include "core/passes/pass.h"

namespace overlap {

std::span<const Pass* const> all_passes() {
    static const ManualOverlapBucketing manual_overlap_bucketing;
    static const std::array<const Pass*, 1> passes = {&manual_overlap_bucketing};
    return passes;
}

const Pass* find_pass(std::string_view name) {
    for (const Pass* pass : all_passes()) {
        if (pass->name() == name) return pass;
    }
    return nullptr;
}

}  // namespace overlap
