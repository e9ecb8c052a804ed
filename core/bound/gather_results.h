#pragma once

#include <cstdint>
#include <vector>

#include "core/bound/step_work.h"
#include "core/memory/storage_table.h"

namespace overlap {

/// What a gather returns; its wait returns the same memory.
struct GatherResult {
    std::int64_t bytes = 0;  ///< alive from the start of the gather to the last use of what it returns
    /// What uses it: its wait and views of it are no uses.
    std::vector<NodeId> uses;
};

/// Of each of StepWork::collectives; without uses where it is no gather, or its result may vanish early.
std::vector<GatherResult> gather_results(const StepWork& work, const StorageTable& table);

}  // namespace overlap
