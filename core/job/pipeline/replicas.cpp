#include "core/job/pipeline/replicas.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include "core/base/error.h"
#include "core/base/grouped_number.h"
#include "core/base/quote.h"
#include "core/job/document/object_reader.h"

namespace overlap::job {

namespace {

/// What several entries may make of a stage's compute together.
constexpr double most_factor = 1e6;

bool is_data_parallel(const std::string& name) {
    return name == "dp" || name.starts_with("dp_") || name == "fsdp" || name == "replica" || name == "replicas";
}

}  // namespace

Replicas::Replicas(const JobDocument& job, std::int32_t ranks, std::span<const std::int32_t> rank_of_stage)
    : ranks_(ranks), stages_(rank_of_stage.size()) {
    if (job.mesh) {
        read_mesh(*job.mesh, ranks);
    } else {
        count_ = job.replicas.value_or(1);
        dims_ = {{"dp", count_, 1, ranks}};
    }
    if (count_ * ranks > most_counted)
        throw InputError("replicas", grouped_text(static_cast<double>(count_)) + " replicas of " +
                                         grouped_text(static_cast<double>(ranks)) + " ranks are more than " +
                                         grouped_text(most_counted));
    common_.assign(stages_, 1);
    read_slow(job, rank_of_stage);
    if (job.routing) read_routing(*job.routing);
}

void Replicas::read_mesh(const MeshSpec& mesh, std::int32_t ranks) {
    has_mesh_ = true;
    std::vector<std::string> order = mesh.order;
    if (order.empty())
        for (const auto& [name, size] : mesh.dims) order.push_back(name);
    std::map<std::string, std::int64_t> stride, size_of(mesh.dims.begin(), mesh.dims.end());
    std::int64_t next = 1;
    for (auto name = order.rbegin(); name != order.rend(); ++name) {
        stride[*name] = next;
        next *= size_of[*name];
    }
    std::optional<std::int64_t> pp;
    for (auto dim = mesh.dims.rbegin(); dim != mesh.dims.rend(); ++dim) {
        const auto& [name, size] = *dim;
        if (name == "pp") {
            pp = size;
            pp_stride_ = stride[name];
            dims_.push_back({name, size, 0, stride[name]});
        } else {
            dims_.push_back({name, size, count_, stride[name]});
            count_ *= size;
        }
    }
    std::reverse(dims_.begin(), dims_.end());
    if (pp.value_or(1) != ranks)
        throw InputError("mesh.dims", "pp has " + std::to_string(pp.value_or(1)) + " ranks, and the schedule " +
                                          std::to_string(ranks));
}

void Replicas::read_routing(const RoutingSpec& routing) {
    routed_dim_ = dims_.size();
    for (std::size_t i = 0; i < dims_.size(); ++i)
        if (dims_[i].name == routing.group && routing.group != "pp") routed_dim_ = i;
    if (routed_dim_ == dims_.size())
        throw InputError("routing.group",
                         "found " + in_quotes(shortened(routing.group)) + ", expected a mesh dimension beside pp");
    if (static_cast<std::int64_t>(routing.share.size()) != dims_[routed_dim_].size)
        throw InputError("routing.share", "has " + std::to_string(routing.share.size()) +
                                              " shares, and the dimension " + std::to_string(dims_[routed_dim_].size) +
                                              " ranks");
    const double sum = std::accumulate(routing.share.begin(), routing.share.end(), 0.0);
    for (const double share : routing.share) share_.push_back(share / sum * static_cast<double>(routing.share.size()));
}

void Replicas::read_slow(const JobDocument& job, std::span<const std::int32_t> rank_of_stage) {
    if (!job.variation) return;
    std::map<std::int64_t, std::map<std::int32_t, double>> single;
    for (std::size_t i = 0; i < job.variation->slow.size(); ++i) {
        const SlowSpec& slow = job.variation->slow[i];
        const std::string place = "variation.slow[" + std::to_string(i) + "]";
        if (slow.replica && *slow.replica >= count_)
            throw InputError(place + ".replica", "found " + std::to_string(*slow.replica) + ", and the job has " +
                                                     std::to_string(count_) + " replicas, numbered from 0");
        const std::int32_t stages = static_cast<std::int32_t>(stages_);
        if (slow.stage && *slow.stage >= stages)
            throw InputError(place + ".stage", "found " + std::to_string(*slow.stage) + ", and the job has " +
                                                   std::to_string(stages) + " stages, numbered from 0");
        if (slow.rank && *slow.rank >= count_ * ranks_)
            throw InputError(place + ".rank", "found " + std::to_string(*slow.rank) + ", and the job has " +
                                                  std::to_string(count_ * ranks_) + " ranks, numbered from 0");
        const Place of_rank = slow.rank ? place_of(*slow.rank) : Place();
        std::optional<std::int64_t> replica = slow.replica;
        if (slow.rank) replica = of_rank.replica;
        const std::int32_t first = slow.stage.value_or(0), last = slow.stage.value_or(stages - 1);
        for (std::int32_t stage = first; stage <= last; ++stage) {
            if (slow.rank && rank_of_stage[static_cast<std::size_t>(stage)] != of_rank.pipeline_rank) continue;
            double& factor =
                replica ? single[*replica].emplace(stage, 1).first->second : common_[static_cast<std::size_t>(stage)];
            factor *= slow.factor;
            if (factor > most_factor)
                throw InputError(place + ".factor", "with those before it stage " + std::to_string(stage) +
                                                        " would take more than 1,000,000 times as long");
        }
    }
    for (const auto& [replica, factors] : single)
        slow_.emplace_back(replica, Signature(factors.begin(), factors.end()));
}

std::int64_t Replicas::rank_of(std::int64_t replica, std::int32_t pipeline_rank) const {
    if (!has_mesh_) return replica * ranks_ + pipeline_rank;
    std::int64_t rank = pipeline_rank * pp_stride_;
    for (const Dim& dim : dims_)
        if (dim.replica_stride > 0) rank += replica / dim.replica_stride % dim.size * dim.rank_stride;
    return rank;
}

Replicas::Place Replicas::place_of(std::int64_t rank) const {
    if (!has_mesh_) return {rank / ranks_, static_cast<std::int32_t>(rank % ranks_)};
    Place place;
    for (const Dim& dim : dims_) {
        const std::int64_t at = rank / dim.rank_stride % dim.size;
        if (dim.replica_stride > 0) {
            place.replica += at * dim.replica_stride;
        } else {
            place.pipeline_rank = static_cast<std::int32_t>(at);
        }
    }
    return place;
}

std::vector<std::int64_t> Replicas::ranks_of_group(std::size_t of_kind, std::int64_t replica,
                                                   std::int32_t pipeline_rank) const {
    std::vector<std::int64_t> members = {replica};
    for (const std::size_t dim : kinds_[of_kind]) {
        const Dim& over = dims_[dim];
        const std::int64_t place = replica / over.replica_stride % over.size;
        const std::size_t before = members.size();
        for (std::int64_t other = 0; other < over.size; ++other)
            for (std::size_t i = 0; i < before && other != place; ++i)
                members.push_back(members[i] + (other - place) * over.replica_stride);
    }
    for (std::int64_t& member : members) member = rank_of(member, pipeline_rank);
    std::sort(members.begin(), members.end());
    return members;
}

std::size_t Replicas::kind(GroupKind dims) {
    const auto found = std::find(kinds_.begin(), kinds_.end(), dims);
    if (found != kinds_.end()) return static_cast<std::size_t>(found - kinds_.begin());
    kinds_.push_back(std::move(dims));
    return kinds_.size() - 1;
}

std::size_t Replicas::kind_over(const std::string& dim, const std::string& place) {
    if (dim == "pp")
        throw InputError(place, "a collective of an action cannot go over pp, whose ranks run other stages");
    for (std::size_t i = 0; i < dims_.size(); ++i)
        if (dims_[i].name == dim || (!has_mesh_ && is_data_parallel(dim))) return kind({i});
    if (!has_mesh_) return kind({});
    throw InputError(place, "the mesh has no dimension " + in_quotes(shortened(dim)));
}

std::size_t Replicas::gradient_kind() {
    GroupKind data, all;
    for (std::size_t i = 0; i < dims_.size(); ++i) {
        if (dims_[i].name == "pp") continue;
        all.push_back(i);
        if (is_data_parallel(dims_[i].name)) data.push_back(i);
    }
    return kind(data.empty() ? all : data);
}

std::vector<std::uint32_t> Replicas::group_of(const GroupKind& dims) const {
    std::vector<std::uint32_t> groups(static_cast<std::size_t>(count_));
    for (std::int64_t replica = 0; replica < count_; ++replica) {
        std::int64_t group = replica;
        for (const std::size_t dim : dims) {
            const Dim& over = dims_[dim];
            group -= replica / over.replica_stride % over.size * over.replica_stride;
        }
        groups[static_cast<std::size_t>(replica)] = static_cast<std::uint32_t>(group);
    }
    return groups;
}

bool Replicas::refine() {
    const std::size_t before = representative_.size();
    std::vector<std::vector<std::uint32_t>> colours(class_of_.size());
    for (std::size_t i = 0; i < class_of_.size(); ++i) colours[i] = {class_of_[i]};
    for (const GroupKind& dims : kinds_) {
        const std::vector<std::uint32_t> groups = group_of(dims);
        std::map<std::uint32_t, std::set<std::uint32_t>> classes;
        for (std::size_t i = 0; i < groups.size(); ++i) classes[groups[i]].insert(class_of_[i]);
        std::map<std::set<std::uint32_t>, std::uint32_t> number;
        std::map<std::uint32_t, std::uint32_t> colour;
        for (const auto& [group, set] : classes)
            colour[group] = number.emplace(set, static_cast<std::uint32_t>(number.size())).first->second;
        for (std::size_t i = 0; i < groups.size(); ++i) colours[i].push_back(colour[groups[i]]);
    }
    std::map<std::vector<std::uint32_t>, std::uint32_t> number;
    representative_.clear();
    for (std::size_t i = 0; i < colours.size(); ++i) {
        const auto [found, first] = number.emplace(colours[i], static_cast<std::uint32_t>(number.size()));
        if (first) representative_.push_back(static_cast<std::int64_t>(i));
        class_of_[i] = found->second;
    }
    return representative_.size() > before;
}

void Replicas::classify(bool fold, const std::function<std::vector<std::uint32_t>(std::int64_t)>& placement) {
    const std::size_t count = static_cast<std::size_t>(count_);
    class_of_.assign(count, 0);
    std::map<Signature, std::uint32_t> number = {{Signature(), 0}};
    for (const auto& [replica, signature] : slow_) {
        class_of_[static_cast<std::size_t>(replica)] =
            number.emplace(signature, static_cast<std::uint32_t>(number.size())).first->second;
    }
    if (!fold) {
        std::iota(class_of_.begin(), class_of_.end(), 0u);
        representative_.resize(count);
        std::iota(representative_.begin(), representative_.end(), 0);
    } else if (number.size() == 1 && !placement && share_.empty()) {
        representative_ = {0};
    } else {
        if (!share_.empty()) {
            std::map<std::pair<std::uint32_t, double>, std::uint32_t> place;
            for (std::size_t i = 0; i < count; ++i) {
                const std::pair key(class_of_[i], share_[share_place(static_cast<std::int64_t>(i))]);
                class_of_[i] = place.emplace(key, static_cast<std::uint32_t>(place.size())).first->second;
            }
        }
        if (placement) {
            std::map<std::pair<std::uint32_t, std::vector<std::uint32_t>>, std::uint32_t> place;
            for (std::size_t i = 0; i < count; ++i) {
                const auto key = std::pair(class_of_[i], placement(static_cast<std::int64_t>(i)));
                class_of_[i] = place.emplace(key, static_cast<std::uint32_t>(place.size())).first->second;
            }
        }
        representative_.clear();
        while (refine()) {
        }
    }
    factors_.clear();
    for (std::size_t i = 0; i < representative_.size(); ++i)
        factors_.insert(factors_.end(), common_.begin(), common_.end());
    for (const auto& [replica, signature] : slow_) {
        const std::size_t of = class_of_[static_cast<std::size_t>(replica)];
        if (representative_[of] != replica) continue;
        for (const auto& [stage, factor] : signature)
            factors_[of * stages_ + static_cast<std::size_t>(stage)] *= factor;
    }
}

std::vector<std::vector<std::uint32_t>> Replicas::groups(std::size_t of_kind) const {
    const std::vector<std::uint32_t> groups = group_of(kinds_[of_kind]);
    std::map<std::uint32_t, std::vector<std::uint32_t>> classes;
    for (std::size_t i = 0; i < groups.size(); ++i) classes[groups[i]].push_back(class_of_[i]);
    std::set<std::vector<std::uint32_t>> distinct;
    for (auto& [group, members] : classes) {
        std::sort(members.begin(), members.end());
        members.erase(std::unique(members.begin(), members.end()), members.end());
        distinct.insert(std::move(members));
    }
    return {distinct.begin(), distinct.end()};
}

}  // namespace overlap::job
