#include "core/mesh/planners/path_search.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>

#include "core/base/byte_units.h"
#include "core/base/error.h"
#include "core/mesh/planners/shared_state_space.h"
#include "core/mesh/shard_layout.h"
#include "core/mesh/sharding_text.h"

namespace overlap {

namespace {

StepKind step_kind(EdgeCost cost) {
    switch (cost) {
        case EdgeCost::all_to_all:
            return StepKind::all_to_all;
        case EdgeCost::all_reduce:
            return StepKind::all_reduce;
        case EdgeCost::reduce_scatter:
            return StepKind::reduce_scatter;
        case EdgeCost::permute:
            return StepKind::permute;
        default:
            return StepKind::all_gather;
    }
}

/// The mesh dimensions of a bit set as the places of its bits.
std::vector<int> mesh_dims_in(unsigned bits) {
    std::vector<int> dims;
    dims.reserve(static_cast<std::size_t>(std::popcount(bits)));
    for (; bits != 0; bits &= bits - 1) dims.push_back(std::countr_zero(bits));
    return dims;
}

template <typename Value>
void append_new(std::vector<Value>& list, const Value& value) {
    if (std::find(list.begin(), list.end(), value) == list.end()) list.push_back(value);
}

}  // namespace

EdgeTimes::EdgeTimes(const DeviceMesh& mesh, const MeshTensor& tensor, const CollectiveTimes& times, Options options)
    : times_(times),
      mesh_shape_(mesh.shape),
      mesh_dims_(mesh.dims()),
      bytes_(static_cast<double>(tensor.bytes())),
      options_(options),
      table_(static_cast<std::size_t>(edge_cost_count) << (2 * mesh.dims()), std::nan("")) {}

double EdgeTimes::compute(const StateEdge& edge, std::uint8_t cutting) const {
    if (edge.cost == EdgeCost::strided_all_gather && options_.free_strided_gathers) return 0.0;
    std::int64_t shards = 1, ranks = 1;
    for (int mesh_dim = 0; mesh_dim < mesh_dims_; ++mesh_dim) {
        const std::int64_t size = mesh_shape_[static_cast<std::size_t>(mesh_dim)];
        if ((cutting >> mesh_dim & 1) != 0) shards *= size;
        if ((edge.mesh_dims >> mesh_dim & 1) != 0) ranks *= size;
    }
    if (ranks == 1 && options_.free_single_ranks) return 0.0;
    const double local_gib = bytes_ / static_cast<double>(shards) / bytes_per_gib;
    return times_.time(step_kind(edge.cost), mesh_dims_in(edge.mesh_dims), local_gib);
}

PathSearch::Reached& PathSearch::reached(std::uint32_t state) {
    if (state >= reached_.size()) reached_.resize(std::max<std::size_t>(state + 1, 2 * reached_.size()));
    return reached_[state];
}

bool PathSearch::pop(Entry& entry) {
    // Entries of the level in the heap were pushed before the ones in the list.
    const bool listed = level_front_ < level_.size();
    if (heap_.empty() && !listed) return false;
    if (listed && (heap_.empty() || heap_.front() > level_[level_front_])) {
        entry = level_[level_front_++];
        return true;
    }
    std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
    entry = heap_.back();
    heap_.pop_back();
    return true;
}

PathSearch::Result PathSearch::run(StateSpace& space, EdgeTimes& times, std::uint32_t source, std::uint32_t target,
                                   std::uint8_t partial_targets, const std::stop_token& stop) {
    ++run_;
    heap_.clear();
    level_.clear();
    level_front_ = 0;
    std::uint64_t pushes = 0;
    double dearest = std::numeric_limits<double>::infinity();
    Result result;
    reached(source) = {0.0, 0, source, {}, run_, false};
    level_.push_back({0.0, 0, source});

    Entry entry{};
    while (pop(entry)) {
        if (entry.state == target) {
            result.cost = entry.cost;
            return result;
        }
        if (reached_[entry.state].expanded) continue;
        reached_[entry.state].expanded = true;
        if (++result.states_expanded % expansions_between_looks == 0) {
            if (stop.stop_requested()) throw InputError("redistribution", "planning was stopped");
            if (pushes > pushes_limit)
                throw InputError("redistribution", "the search was given up after " +
                                                       std::to_string(result.states_expanded) +
                                                       " states; a mesh or tensor of fewer dimensions can be planned");
        }
        const auto penalty = static_cast<std::uint32_t>(entry.tie >> tie_bits);
        const std::span<const StateEdge> edges = space.edges(entry.state);
        if (space.size() > reached_.size()) reached_.resize(std::max(space.size(), 2 * reached_.size()));
        const std::uint8_t cutting = space.cutting(entry.state);
        for (const StateEdge& edge : edges) {
            if (edge.into_partial_target && (edge.mesh_dims & partial_targets) == 0) continue;
            ++pushes;
            const double step = times.of(edge, cutting);
            const double cost = entry.cost + step;
            // Dearer than a way to the target that is known: never popped before it.
            if (cost > dearest) continue;
            const std::uint32_t next_penalty = penalty + edge.penalty;
            Reached& next = reached_[edge.target];
            // What is already reached at no higher cost was pushed earlier and will be popped first.
            if (next.run == run_ &&
                (next.expanded || next.cost < cost || (next.cost == cost && next.penalty <= next_penalty)))
                continue;
            next = {cost, next_penalty, entry.state, edge, run_, false};
            if (edge.target == target) dearest = cost;
            const Entry pushed{cost, std::uint64_t{next_penalty} << tie_bits | pushes, edge.target};
            if (step == 0.0 && edge.penalty == 0) {
                level_.push_back(pushed);
            } else {
                heap_.push_back(pushed);
                std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
            }
        }
    }
    return result;
}

std::vector<PathSearch::PathStep> PathSearch::path(StateSpace& space, EdgeTimes& times, std::uint32_t source,
                                                   std::uint32_t target) const {
    std::vector<PathStep> steps;
    for (std::uint32_t state = target; state != source; state = reached_[state].from) {
        const Reached& step = reached_[state];
        steps.push_back({step.from, state, step.edge, times.of(step.edge, space.cutting(step.from))});
    }
    std::reverse(steps.begin(), steps.end());
    return steps;
}

StateSpace& StateSpaces::between(const ShardingState& source, const ShardingState& target) {
    // Order of first occurrence, source before target: torch keeps sets, whose order is chance.
    StateSpaceRules rules = rules_;
    std::vector<Placement> strided_shards;
    for (const ShardingState* state : {&source, &target})
        for (const Placement& placement : state->placements) {
            if (placement.is_partial()) append_new(rules.reduce_ops, placement.reduce_op);
            if (!placement.is_strided_shard()) continue;
            append_new(strided_shards, placement);
            if (state == &target) append_new(rules.strided_targets, placement);
        }
    for (const std::shared_ptr<StateSpace>& space : spaces_)
        if (space->rules() == rules && space->code().strided_shards() == strided_shards) return *space;
    return *spaces_.emplace_back(make(std::move(rules), std::move(strided_shards)));
}

std::shared_ptr<StateSpace> StateSpaces::make(StateSpaceRules rules, std::vector<Placement> strided_shards) const {
    const auto mesh_dims = static_cast<int>(sizes_.mesh_shape.size());
    const auto tensor_dims = static_cast<int>(sizes_.tensor_shape.size());
    if (rules.torch_only() && strided_shards.empty())
        if (std::shared_ptr<StateSpace> shared = shared_state_space(mesh_dims, tensor_dims, rules.reduce_ops))
            return shared;
    return std::make_shared<StateSpace>(StateCode(mesh_dims, tensor_dims, std::move(strided_shards)), std::move(rules),
                                        sizes_);
}

SearchQuestion search_question(StateSpaces& spaces, const ShardingState& source, const ShardingState& target,
                               const DeviceMesh& mesh, int tensor_dims) {
    validate_state(source, mesh, tensor_dims);
    validate_state(target, mesh, tensor_dims);
    SearchQuestion question;
    question.space = &spaces.between(source, target);
    question.source = question.space->find(question.space->code().pack(source));
    question.target = question.space->find(question.space->code().pack(target));
    for (std::size_t mesh_dim = 0; mesh_dim < target.placements.size(); ++mesh_dim)
        if (target.placements[mesh_dim] == Placement::partial(ReduceOp::sum))
            question.partial_targets = static_cast<std::uint8_t>(question.partial_targets | 1U << mesh_dim);
    return question;
}

RedistributionPlan described_plan(const std::vector<PathSearch::PathStep>& path, const ShardingState& source,
                                  StateSpace& space, const DeviceMesh& mesh, const Extents& tensor_shape,
                                  std::int64_t rank) {
    RedistributionPlan plan;
    plan.states.reserve(path.size() + 1);
    plan.steps.reserve(path.size());
    plan.states.push_back(source);
    const Extents coordinate = path.empty() ? Extents() : mesh.coordinate(rank);
    for (const PathSearch::PathStep& taken : path) {
        plan.states.push_back(space.code().unpack(space.state(taken.to)));
        const ShardingState& before = plan.states[plan.states.size() - 2];
        const ShardingState& after = plan.states.back();
        RedistributionStep& step = plan.steps.emplace_back();
        step.mesh_dims = mesh_dims_in(taken.edge.mesh_dims);
        const auto first = static_cast<std::size_t>(step.mesh_dims.front());
        step.source = before.placements[first];
        step.destination = after.placements[first];
        step.kind = taken.edge.cost == EdgeCost::permute ? StepKind::permute : step_kind(step.source, step.destination);
        step.cost = taken.cost;
        if (step.flattened()) {
            describe_merged_step(step, before, mesh, tensor_shape, coordinate);
        } else {
            step.logical_shape = logical_shape(before, mesh, tensor_shape, step.mesh_dims.front(), coordinate);
        }
        plan.total_cost += step.cost;
    }
    return plan;
}

void fail_no_path(const ShardingState& source, const ShardingState& target) {
    throw InputError("redistribution", "no sequence of steps leads from " + to_text(source) + " to " + to_text(target));
}

}  // namespace overlap
