#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/job/document/job_document.h"

namespace overlap::job {

/// Which replicas a collective is among: the mesh dimensions that it goes over, by position.
using GroupKind = std::vector<std::size_t>;

/// The copies of the pipeline: where their ranks lie in the mesh, how slow they are, and which cannot be told apart.
class Replicas {
  public:
    /// @param ranks pipeline ranks. @param rank_of_stage the pipeline rank of each stage, as a CheckedSchedule has it.
    /// @throws InputError: a mesh whose `pp` is not the schedule's ranks, slow ranks, replicas or stages that the job
    /// does not have, more ranks than a job may have.
    Replicas(const JobDocument& job, std::int32_t ranks, std::span<const std::int32_t> rank_of_stage);

    std::int64_t count() const { return count_; }
    /// Number of a pipeline rank of a replica. Without a mesh replica · p + pipeline rank.
    std::int64_t rank_of(std::int64_t replica, std::int32_t pipeline_rank) const;

    /// Where a rank of the job is.
    struct Place {
        std::int64_t replica = 0;
        std::int32_t pipeline_rank = 0;
    };
    /// The place whose rank_of() is `rank`, which is below count() times the pipeline ranks.
    Place place_of(std::int64_t rank) const;

    /// The ranks of a replica's group of a kind, on one pipeline rank, ascending.
    std::vector<std::int64_t> ranks_of_group(std::size_t kind, std::int64_t replica, std::int32_t pipeline_rank) const;

    /// The kind of group over a dimension. Without a mesh `dp` is over all replicas, and other dimensions have one
    /// rank.
    /// @throws InputError at `place` where the mesh has no such dimension, or it is `pp`.
    std::size_t kind_over(const std::string& dim, const std::string& place);
    /// The group that gradients are reduced over: the dimensions called `dp`, `dp_…`, `fsdp`, `replica` or
    /// `replicas`; all where there is none.
    std::size_t gradient_kind();

    /// Finds the classes: replicas are alike where their factors are, and the classes in all of their groups.
    /// @param fold false: each replica is a class of its own.
    /// @param placement what else tells a replica apart, such as the links that its messages cross; may be null.
    void classify(bool fold,
                  const std::function<std::vector<std::uint32_t>(std::int64_t replica)>& placement = nullptr);

    std::size_t class_count() const { return representative_.size(); }
    std::uint32_t class_of(std::int64_t replica) const { return class_of_[static_cast<std::size_t>(replica)]; }
    std::int64_t representative(std::size_t of_class) const { return representative_[of_class]; }
    /// What multiplies a stage's compute in a class.
    double factor(std::size_t of_class, std::int32_t stage) const {
        return factors_[of_class * stages_ + static_cast<std::size_t>(stage)];
    }
    /// What multiplies the work of experts in a class: the share of its rank in the routing, 1 on average.
    double routed(std::size_t of_class) const {
        return share_.empty() ? 1 : share_[share_place(representative_[of_class])];
    }
    /// The groups of a kind, each as the classes in it, ascending; groups of the same classes are one.
    std::vector<std::vector<std::uint32_t>> groups(std::size_t kind) const;

  private:
    using Signature = std::vector<std::pair<std::int32_t, double>>;  ///< factors of single stages

    void read_slow(const JobDocument& job, std::span<const std::int32_t> rank_of_stage);
    void read_routing(const RoutingSpec& routing);
    /// The position of a replica in the dimension of the routing.
    std::size_t share_place(std::int64_t replica) const {
        return static_cast<std::size_t>(replica / dims_[routed_dim_].replica_stride % dims_[routed_dim_].size);
    }
    void read_mesh(const MeshSpec& mesh, std::int32_t ranks);
    std::size_t kind(GroupKind dims);
    /// The group of each replica.
    std::vector<std::uint32_t> group_of(const GroupKind& dims) const;
    bool refine();

    struct Dim {
        std::string name;
        std::int64_t size = 1;
        std::int64_t replica_stride = 0;  ///< in the replica's number; 0: `pp`
        std::int64_t rank_stride = 0;     ///< in the rank's number
    };
    std::vector<Dim> dims_;
    std::int64_t pp_stride_ = 1, count_ = 1;
    std::int32_t ranks_ = 1;
    std::size_t stages_ = 1;
    bool has_mesh_ = false;
    std::vector<double> share_;  ///< of each rank of the dimension, 1 on average; empty: no routing
    std::size_t routed_dim_ = 0;
    std::vector<GroupKind> kinds_;
    std::vector<double> common_;                            ///< factors of all replicas
    std::vector<std::pair<std::int64_t, Signature>> slow_;  ///< of replicas that differ, by number
    std::vector<std::uint32_t> class_of_;
    std::vector<std::int64_t> representative_;
    std::vector<double> factors_;
};

}  // namespace overlap::job
