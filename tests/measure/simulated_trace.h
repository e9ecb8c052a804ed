#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/pipeline/evaluation.h"
#include "core/trace/measured_trace.h"

namespace overlap::test {

/// A simulated step written down as a profiler would have recorded it, to be disturbed in known ways. Times are in
/// nanoseconds; collectives are in the order of Simulation::collectives, so that number and place agree.
class SimulatedTrace {
  public:
    struct Kernel {
        std::int64_t start_ns = 0, length_ns = 0, launch_ns = 0;
        NodeId node = no_node;  ///< of compute
        std::string name{};     ///< as the profiler calls it; of compute
        std::int64_t end_ns() const { return start_ns + length_ns; }
    };
    struct Collective : Kernel {
        CollectiveKind kind = CollectiveKind::none;
        std::int64_t bytes = 0;
        std::uint32_t group = 0;  ///< index into groups
        bool has_arguments = true;
        // Of its first output, for json(): what torch's profile reader knows sizes by.
        std::string dtype;  ///< as c10 calls it
        std::int64_t element_bytes = 1, output_elements = 0;
    };
    struct Group {
        std::string name;
        std::vector<std::int64_t> ranks;
    };

    explicit SimulatedTrace(const Evaluation& evaluation);

    /// Moves everything that starts at `time_ns` or later, launches included.
    void delay_from(std::int64_t time_ns, std::int64_t delay_ns);
    /// A kernel takes longer, and what starts after it starts later.
    void lengthen(std::size_t collective, std::int64_t more_ns);

    /// @param clock_ns added to all times: clocks of different ranks have nothing in common.
    std::shared_ptr<const MeasuredTrace> finish(std::int64_t clock_ns = 0) const;
    /// As a file has it, in Kineto's format. @param rank that the file says; nothing: it says none.
    std::string json(std::optional<int> rank = {}) const;

    std::vector<Kernel> compute;
    std::vector<Collective> collectives;
    std::vector<Group> groups;
};

}  // namespace overlap::test
