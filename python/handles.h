#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/graph/graph.h"
#include "core/pipeline/evaluation.h"
#include "core/timeline/timeline.h"

namespace overlap::python {

// What objects of Python hold: core's immutable values, shared with other objects.

struct GraphHandle {
    std::shared_ptr<const Graph> graph;
    std::shared_ptr<const Graph> as_read;  ///< what plans are for: the same with its own batch
    std::vector<std::string> notes{};      ///< of reading it, or of the last change
};

struct EvaluationHandle {
    std::shared_ptr<const Evaluation> evaluation;
};

struct TimelineHandle {
    std::shared_ptr<const Timeline> timeline;
    std::shared_ptr<const Evaluation> evaluation;
};

/// Memory of a timeline.
struct MemoryHandle {
    std::shared_ptr<const Timeline> timeline;
};

struct LaneHandle {
    std::shared_ptr<const Timeline> timeline;
    std::uint32_t lane = 0;
};

/// As a notebook shows them.
std::string html_of(const TimelineHandle& timeline);
std::string html_of(const MemoryHandle& memory);

}  // namespace overlap::python
