#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "core/graph/tensor.h"

namespace overlap {

/// A kernel of a collective as a profiler recorded it.
struct ProfiledCollective {
    std::string name;                 ///< `Collective name`, such as `_allgather_base`
    std::vector<std::int64_t> ranks;  ///< of its process group, ascending; empty where unknown
    std::int64_t group_size = 0;
    std::int64_t output_elements = 0;
    std::string dtype;  ///< as c10 calls it: `Float`, `BFloat16`
    double time_us = 0;
    std::string group;                     ///< `Process Group Name`
    std::optional<std::int64_t> sequence;  ///< `Seq`
};

using TensorSizes = std::vector<std::vector<std::int64_t>>;

/// An operator of the host with the time of all kernels that it launched.
struct ProfiledOperator {
    std::string name;             ///< `aten::mm`
    TensorSizes shapes, strides;  ///< of its tensor inputs
    std::optional<Dtype> dtype;   ///< of its first input; nothing where torch does not know the name
    double time_us = 0;
};

/// The times in a profiler's trace.
struct ProfileRecords {
    std::vector<ProfiledCollective> collectives;  ///< in the order of the file
    std::vector<ProfiledOperator> operators;      ///< in the order in which their External ids appear
    /// Operators with lists of tensors among their inputs, which torch keeps but no look-up can ask for.
    std::uint64_t operators_with_lists = 0;
    bool has_events = false;    ///< torch's reader also takes documents without a list of them
    bool is_simulated = false;  ///< a step was simulated and written as a trace; nothing was measured
};

/// The profiles of several ranks of one job as one. PyTorch 2.15 reads a single file, so the rule is ours: a collective
/// that several ranks recorded, known by group, ranks and `Seq`, counts once with the shortest of its times, which is
/// that of the rank that arrived last and did not wait. Everything else is kept from each rank.
ProfileRecords combine_profiles(std::vector<ProfileRecords> ranks);

/// Tables of times from a profile, as torch 2.15 makes and reads them
/// (torch/_inductor/fx_passes/profile_guided_estimation.py, `ProfileData`): equal to the last bit.
class ProfileTables {
  public:
    explicit ProfileTables(const ProfileRecords& records);

    enum class Source : std::uint8_t {
        profile,    ///< this size was recorded, or lies near recorded ones
        bandwidth,  ///< larger than twice the largest recorded: by the highest bandwidth that the group has shown
    };
    struct CollectiveTime {
        double time_ms = 0;
        Source source = Source::profile;
    };

    /// The time of a collective: what was recorded on a group of the same ranks, or, where there is nothing, on the
    /// only group of the same size and the same distance between ranks; interpolated in the logarithms of size and
    /// time between the nearest sizes, in proportion outside.
    /// @param name torch's or the profiler's name. @param ranks ascending. @param dtype as c10 calls it.
    std::optional<CollectiveTime> collective(std::string_view name, const std::vector<std::int64_t>& ranks,
                                             std::int64_t output_elements, const std::string& dtype) const;

    /// The mean time of an operator on inputs of exactly these sizes.
    std::optional<double> operator_ms(const std::string& name, const TensorSizes& shapes, const TensorSizes& strides,
                                      std::optional<Dtype> dtype) const;

    std::size_t operator_count() const { return operators_.size(); }

  private:
    struct Point {
        std::int64_t elements = 0;
        double time_us = 0;
    };
    using Ranks = std::vector<std::int64_t>;
    /// Distance between neighbouring ranks, and size: groups along one dimension of a mesh have both in common.
    using MeshDimension = std::pair<std::int64_t, std::int64_t>;
    using OperatorKey = std::tuple<std::string, TensorSizes, TensorSizes, std::optional<Dtype>>;

    void add_collectives(const std::vector<ProfiledCollective>& records);
    void add_bandwidths(const std::vector<ProfiledCollective>& records);
    const std::vector<Point>* points(const std::string& kind, const Ranks& ranks, const std::string& dtype) const;
    std::optional<double> by_bandwidth(const Ranks& ranks, std::int64_t elements, const std::string& dtype) const;

    std::map<std::tuple<std::string, Ranks, std::string>, std::vector<Point>> by_ranks_;
    std::map<std::tuple<std::string, MeshDimension, std::string>, std::vector<Point>> by_dimension_;
    std::map<MeshDimension, std::size_t> groups_of_dimension_;
    std::map<Ranks, double> peak_gb_per_s_;
    std::map<MeshDimension, double> peak_gb_per_s_of_dimension_;
    std::map<OperatorKey, double> operators_;  ///< microseconds
};

/// The dtype that a profiler's `Input type` names, as far as torch's profile reader knows it.
std::optional<Dtype> dtype_of_input_type(std::string_view type);

/// c10's name of a dtype, which collectives carry: `BFloat16`.
std::string c10_dtype_name(Dtype dtype);

}  // namespace overlap
