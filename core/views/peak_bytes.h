#pragma once

#include <vector>

#include "core/layout/box_tree.h"
#include "core/pipeline/evaluation.h"

namespace overlap {

/// What is held at the peak of Evaluation::corrected_memory, by the nodes of the evaluation's input that allocate it.
struct PeakBytesOfInput {
    /// Of each node of the input. What a pass merged is shared among the members by their bytes.
    std::vector<double> nodes;
    double other = 0;  ///< allocated by what a pass made of no node of the input
};
PeakBytesOfInput peak_bytes_of_input(const Evaluation& evaluation);

/// Of each box of the input's boxes, what it holds included; the root has all bytes of the peak.
std::vector<double> box_peak_bytes(const Evaluation& evaluation, const BoxTree& tree);

}  // namespace overlap
