#include "core/pipeline/overlap_preview.h"

#include <algorithm>

namespace overlap {

namespace {

/// The nodes of `from` in `to`, by name; no_node where there is none.
std::vector<NodeId> found_by_name(const Graph& from, const Graph& to) {
    std::vector<NodeId> found(from.node_count());
    for (NodeId node = 0; node < from.node_count(); ++node) found[node] = to.find(from.name(node));
    return found;
}

/// The plan's directives except those of the collective that starts at `start` of the undirected graph.
OverlapDirectives without(const Evaluation& evaluation, OverlapDirectives overlaps, NodeId start) {
    std::vector<OverlapDirective> kept;
    for (std::size_t index = 0; index < overlaps.list.size(); ++index) {
        const bool known = index < evaluation.overlaps.directives.size();
        if (!known || evaluation.overlaps.directives[index].start != start) kept.push_back(overlaps.list[index]);
    }
    overlaps.list = std::move(kept);
    return overlaps;
}

DirectedOrder ordered(const Graph& graph, const ModuleTree& modules, const MergedCollectives& merged,
                      const OverlapDirectives& directives) {
    DirectedOrder order(graph, modules, merged, directives);
    for (const OverlapDirective& directive : directives.list) order.add(directive);
    return order;
}

}  // namespace

OverlapPreview::OverlapPreview(std::shared_ptr<const Evaluation> evaluation, const Plan& plan, NodeId start)
    : evaluation_(std::move(evaluation)),
      undirected_(*evaluation_->undirected),
      start_(start),
      modules_(modules_of(*evaluation_, evaluation_->undirected)),
      merged_(merged_collectives(evaluation_->reports)),
      others_(without(*evaluation_, plan.overlaps, undirected_.find(evaluation_->graph->name(start)))),
      order_(ordered(undirected_, *modules_, merged_, others_)),
      undirected_of_(found_by_name(*evaluation_->graph, undirected_)),
      reach_(undirected_, order_.further(), undirected_of_[start]),
      times_ms_(undirected_.node_count()),
      collective_(evaluation_->graph->name(start)) {
    for (NodeId node = 0; node < undirected_of_.size(); ++node)
        if (undirected_of_[node] != no_node) times_ms_[undirected_of_[node]] = evaluation_->times_ms[node];
    const auto member = std::ranges::find(merged_, collective_, &MergedCollectives::value_type::second);
    if (member != merged_.end()) collective_ = member->first;
    directive_.collective = collective_;
    for (std::size_t index = plan.overlaps.list.size(); index-- > 0;) {
        const std::vector<DirectiveOutcome>& outcomes = evaluation_->overlaps.directives;
        if (index < outcomes.size() && outcomes[index].start == reach_.start()) directive_ = plan.overlaps.list[index];
    }
}

std::string OverlapPreview::refusal(OverlapWish wish, NodeId node) const {
    return undirected_of_[node] == no_node ? std::string() : reach_.refusal(wish, undirected_of_[node]);
}

bool OverlapPreview::is_needed(NodeId node) const {
    return undirected_of_[node] != no_node && reach_.is_needed(undirected_of_[node]);
}

bool OverlapPreview::is_dependent(NodeId node) const {
    return undirected_of_[node] != no_node && reach_.is_dependent(undirected_of_[node]);
}

OverlapPreview::Effect OverlapPreview::effect_of(const OverlapDirective& directive) {
    const DirectiveOutcome outcome = order_.add(directive);
    Effect effect = measured(order_.apply(evaluation_->undirected));
    effect.refusal = outcome.refusal;
    order_.take_back();
    return effect;
}

std::vector<double> OverlapPreview::times_of(const PassResult& result) const {
    // Where nodes are wrapped to keep the order, their times come from what the wrapping records of them.
    if (others_.insert_overlap_deps) return sourced_times(*result.graph, evaluation_->time_source.get()).times_ms;
    std::vector<double> times_ms(result.origin.size());
    for (std::size_t node = 0; node < times_ms.size(); ++node) times_ms[node] = times_ms_[result.origin[node]];
    return times_ms;
}

OverlapPreview::Effect OverlapPreview::measured(const PassResult& result) const {
    const Graph& graph = *result.graph;
    // As the evaluation did where the cost model has no factors of contention.
    const TimeSource* source = evaluation_->time_source.get();
    if (source && source->contention && !evaluation_->contention) source = nullptr;
    const Simulation simulation = sourced_simulation(graph, times_of(result), source).simulation;
    return {{}, simulation.step_ms, simulation.exposed_ms, memory_profile(graph, StorageRule::corrected).peak_bytes};
}

OverlapDirectives OverlapPreview::with(const OverlapDirective& directive) const {
    OverlapDirectives overlaps = others_;
    overlaps.list.push_back(directive);
    return overlaps;
}

}  // namespace overlap
