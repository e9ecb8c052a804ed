#pragma once

#include <string>
#include <vector>

#include "core/plan/plan.h"

namespace overlap {

/// A part of a plan that can be taken away, and the plan without it.
struct ElementRemoval {
    enum class Kind { overlap, bucket, option, step, memory, memory_rule } kind = Kind::overlap;
    /// In words: `bucket layers.0 + layers.1`, `all_gather_5 is issued before mm_3`, an option with its value.
    std::string element;
    std::size_t step = 0;   ///< of options and steps: in the pipeline
    std::size_t index = 0;  ///< of overlaps, buckets and rules of the memory section: in their list
    std::string option;     ///< name of an option
};

/// The overlaps, buckets, options of the automatic pass, steps and rules of memory of a plan. The memory section and
/// the passes that carry it out are one: without one of them the others do not do what they say.
std::vector<ElementRemoval> elements_of(const Plan& plan);

/// The plan without some of its elements.
Plan without(const Plan& plan, const std::vector<ElementRemoval>& removals);

}  // namespace overlap
