#pragma once

#include <cstdint>
#include <vector>

#include "core/bound/bound_trace.h"
#include "core/bound/collective_reach.h"
#include "core/bound/step_work.h"

namespace overlap {

/// When each point of the work can start at the earliest, whatever the order of compute; or, backward, how much must
/// come after its end at least. The two are alike: backward, what needs a point takes the place of what it needs.
class WorkTimes {
  public:
    enum class Direction : std::uint8_t { forward, backward };

    /// @param work, reach outlive this.
    WorkTimes(const StepWork& work, const CollectiveReach& reach, Direction direction);

    /// Points are held back by no less.
    /// @returns whether that is later than what was known.
    bool raise(WorkPoint point, double until_ms, Hold hold);
    /// Carries what holds each point on to others: along dependencies, and, to collectives, through machines that have
    /// to do all that they need before. Once through the work, as all that a time depends on comes before it.
    void settle();

    double at(WorkPoint point) const { return start_ms_[point]; }
    const std::vector<double>& all() const { return start_ms_; }
    const std::vector<Hold>& holds() const { return holds_; }

  private:
    /// Jobs of a machine by release, those that were added since in the order in which they were.
    struct Jobs {
        struct Job {
            double release_ms, work_ms;
            WorkPoint point;
        };
        std::vector<Job> list;
        std::size_t sorted = 0;

        void sort();
    };

    bool is_forward() const { return direction_ == Direction::forward; }
    WorkPoint point_of(std::size_t collective) const { return static_cast<WorkPoint>(nodes_ + collective); }
    void find_members();
    void visit(NodeId node);
    void visit_computed_again(NodeId node);
    void visit_start(NodeId node, std::size_t collective);
    void serve(std::size_t collective, std::uint32_t machine);

    const StepWork& work_;
    const CollectiveReach& reach_;
    Direction direction_;
    std::size_t nodes_;
    std::vector<double> start_ms_;        ///< by point
    std::vector<Hold> holds_;             ///< by point
    std::vector<Jobs> jobs_;              ///< of each machine: those whose time is known
    std::vector<std::uint64_t> members_;  ///< by block, then by collective: those that it is needed by
};

}  // namespace overlap
