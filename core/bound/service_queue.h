#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace overlap {

/// Jobs of one machine, each with a time before which it cannot begin and a time that it takes. It tells how early all
/// of them can have ended, whatever the order in which the machine works on them:
///
///     max over r of ( r + sum of the work of jobs with release >= r )
///
/// A treap by release; both operations take O(log n). Priorities are a hash, so that results are the same everywhere.
class ServiceQueue {
  public:
    void add(double release_ms, double work_ms, std::uint32_t job);

    bool empty() const { return root_ < 0; }
    /// When all jobs can have ended at the earliest; 0 without jobs.
    double end_ms() const { return root_ < 0 ? 0 : nodes_[static_cast<std::size_t>(root_)].end_ms; }
    /// The job whose release is the r of that maximum: from it on the machine does not stand still.
    /// @pre not empty.
    std::uint32_t first_job() const { return nodes_[static_cast<std::size_t>(root_)].first_job; }
    /// The job with the latest release; one of them where several have it.
    /// @pre not empty.
    std::uint32_t last_job() const;

  private:
    struct Node {
        double release_ms, work_ms;
        double sum_ms;                 ///< of the subtree
        double end_ms;                 ///< of the subtree alone
        std::uint32_t job, first_job;  ///< its own, and that of the subtree's maximum
        std::uint32_t priority;
        std::int32_t left = -1, right = -1;
    };

    void update(std::int32_t index);
    /// Parts by release: those before it, and the others.
    std::pair<std::int32_t, std::int32_t> split(std::int32_t index, double release_ms);
    std::int32_t joined(std::int32_t left, std::int32_t right);

    std::vector<Node> nodes_;
    std::int32_t root_ = -1;
};

}  // namespace overlap
