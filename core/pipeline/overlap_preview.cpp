#include "core/pipeline/overlap_preview.h"

#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "core/passes/hazards.h"
#include "core/passes/pass_support.h"
#include "core/pipeline/step_with_links_shared.h"

namespace overlap {

namespace {

/// The nodes of `from` in `to`, by name; no_node where there is none.
std::vector<NodeId> found_by_name(const Graph& from, const Graph& to) {
    std::vector<NodeId> found(from.node_count());
    for (NodeId node = 0; node < from.node_count(); ++node) found[node] = to.find(from.name(node));
    return found;
}

/// What a directive wants and another does not; of no collective where that is nothing.
OverlapDirective wanted_anew(const OverlapDirective& directive, const OverlapDirective& present) {
    OverlapDirective anew;
    for (const auto wish : {&OverlapDirective::start_after, &OverlapDirective::start_before,
                            &OverlapDirective::wait_after, &OverlapDirective::hide_behind}) {
        if ((directive.*wish).empty() || directive.*wish == present.*wish) continue;
        anew.*wish = directive.*wish;
        anew.collective = "it";
    }
    return anew;
}

DirectedOrder ordered(const Graph& graph, const ModuleTree& modules, const MergedCollectives& merged,
                      const OverlapDirectives& directives) {
    DirectedOrder order(graph, modules, merged, directives);
    for (const OverlapDirective& directive : directives.list) order.add(directive);
    return order;
}

}  // namespace

std::string OverlapPreview::Effect::refusal() const {
    if (!hazard.empty()) return hazard;
    const bool any_holds = std::ranges::any_of(refusals, [](const std::string& refusal) { return refusal.empty(); });
    return any_holds || refusals.empty() ? unchanged : refusals.front();
}

OverlapPreview::OverlapPreview(std::shared_ptr<const Evaluation> evaluation, const Plan& plan,
                               std::vector<NodeId> starts)
    : evaluation_(std::move(evaluation)),
      undirected_(*evaluation_->undirected),
      modules_(modules_of(*evaluation_, evaluation_->undirected)),
      merged_(merged_collectives(evaluation_->reports)),
      undirected_of_(found_by_name(*evaluation_->graph, undirected_)),
      moved_(moved_of(plan, starts)),
      others_(without_moved(plan.overlaps)),
      order_(ordered(undirected_, *modules_, merged_, others_)),
      reach_(undirected_, order_.further(), undirected_of_[starts.front()]),
      times_ms_(undirected_.node_count()) {
    try {
        require_order(undirected_, "overlaps");
    } catch (const PassRefusal& refusal) {
        out_of_order_ = refusal.problem();
    }
    for (NodeId node = 0; node < undirected_of_.size(); ++node)
        if (undirected_of_[node] != no_node) times_ms_[undirected_of_[node]] = evaluation_->times_ms[node];
}

std::vector<OverlapPreview::Moved> OverlapPreview::moved_of(const Plan& plan, const std::vector<NodeId>& starts) const {
    std::vector<Moved> moved;
    const std::vector<DirectiveOutcome>& outcomes = evaluation_->overlaps.directives;
    for (const NodeId start : starts) {
        Moved& each = moved.emplace_back(Moved{start, std::string(evaluation_->graph->name(start)), {}});
        const auto member = std::ranges::find(merged_, each.collective, &MergedCollectives::value_type::second);
        if (member != merged_.end()) each.collective = member->first;
        for (std::size_t index = 0; index < std::min(plan.overlaps.list.size(), outcomes.size()); ++index)
            if (outcomes[index].start != no_node && outcomes[index].start == undirected_of_[start])
                each.own.push_back({plan.overlaps.list[index], outcomes[index].holds()});
    }
    return moved;
}

OverlapDirectives OverlapPreview::without_moved(const OverlapDirectives& overlaps) const {
    OverlapDirectives others = overlaps;
    others.list.clear();
    const std::vector<DirectiveOutcome>& outcomes = evaluation_->overlaps.directives;
    for (std::size_t index = 0; index < overlaps.list.size(); ++index) {
        const bool is_moved = index < outcomes.size() && outcomes[index].start != no_node &&
                              std::ranges::any_of(moved_, [&](const Moved& each) {
                                  return undirected_of_[each.start] == outcomes[index].start;
                              });
        if (!is_moved) others.list.push_back(overlaps.list[index]);
    }
    return others;
}

OverlapDirective OverlapPreview::directive(std::size_t index) const {
    if (!moved_[index].own.empty()) return moved_[index].own.front().directive;
    return {.collective = moved_[index].collective};
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

OverlapPreview::Effect OverlapPreview::effect_of(std::span<const OverlapDirective> directives) {
    Effect effect;
    effect.overlaps = others_;
    DirectedOrder order = order_;
    for (std::size_t index = 0; index < moved_.size(); ++index) {
        if (index < directives.size()) {
            effect.refusals.push_back(order.add(directives[index]).refusal);
            if (effect.refusals.back().empty()) {
                effect.overlaps.list.push_back(directives[index]);
                continue;
            }
        }
        for (const Own& own : moved_[index].own) {
            if (const DirectiveOutcome outcome = order.add(own.directive); own.holds && !outcome.holds())
                effect.displaced.push_back(outcome.refusal);
            effect.overlaps.list.push_back(own.directive);
        }
    }
    if (!out_of_order_.empty()) {
        effect.hazard = out_of_order_;
        return effect;
    }
    const PassResult result = order.apply(evaluation_->undirected);
    effect.hazard = new_hazard(*result.graph);
    effect.unchanged = why_unchanged(directives, result);
    const std::vector<double> times_ms = times_of(result);
    const Simulation simulation = simulated_like(*evaluation_, *result.graph, times_ms);
    effect.step_ms = simulation.step_ms;
    effect.exposed_ms = simulation.exposed_ms;
    if (evaluation_->on_shared_links) {
        const auto shared = shared_links_like(*evaluation_, *result.graph, times_ms, simulation);
        effect.shared_step_ms = shared ? shared->step_ms : simulation.step_ms;
        effect.shared_exposed_ms = shared ? shared->exposed_ms : simulation.exposed_ms;
    }
    effect.peak_bytes = memory_profile(*result.graph, StorageRule::corrected).peak_bytes;
    return effect;
}

/// One that the plan does not have already.
std::string OverlapPreview::new_hazard(const Graph& result) const {
    for (const Problem& problem : reads_before_fill(result))
        if (is_new_read_before_fill(problem, evaluation_->problems)) return problem.message;
    return {};
}

std::string OverlapPreview::why_unchanged(std::span<const OverlapDirective> directives,
                                          const PassResult& result) const {
    // Nodes that are wrapped to keep the order are a change even where none moves. What only drops a wish of the plan
    // is one of the plan.
    if (others_.insert_overlap_deps || result.origin != undirected_of_) return {};
    OverlapDirective anew;
    for (std::size_t index = 0; index < std::min(directives.size(), moved_.size()) && anew.collective.empty(); ++index)
        anew = wanted_anew(directives[index], directive(index));
    if (anew.collective.empty()) return {};
    return "changes nothing: " + (moved_.size() > 1 ? "the order is like that" : describe(anew)) + " already";
}

std::vector<double> OverlapPreview::times_of(const PassResult& result) const {
    // Where nodes are wrapped to keep the order, their times come from what the wrapping records of them.
    if (others_.insert_overlap_deps) return sourced_times(*result.graph, evaluation_->time_source.get()).times_ms;
    std::vector<double> times_ms(result.origin.size());
    for (std::size_t node = 0; node < times_ms.size(); ++node) times_ms[node] = times_ms_[result.origin[node]];
    return times_ms;
}

}  // namespace overlap
