#include "core/bound/step_work.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "core/base/error.h"
#include "core/base/number_text.h"
#include "core/base/quote.h"
#include "core/bound/cleaned_graph.h"
#include "core/cost/compute_class.h"
#include "core/cost/cost_model.h"
#include "core/cost/stream_steps.h"
#include "core/graph/direction.h"
#include "core/predict/compiled_times.h"

namespace overlap {
namespace {

/// Times in a file have six decimals, so one of several bytes can be this much shorter than the rate says.
constexpr double rounding_ms = 5e-7;
constexpr double ms_per_s = 1e3;

bool is_sorted(const Graph& graph) {
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        for (const NodeId input : graph.inputs(node)) {
            if (input >= node) return false;
        }
    }
    return true;
}

bool is_packing(std::string_view target) {
    constexpr std::array<std::string_view, 5> packing = {"aten.cat.default", "aten.constant_pad_nd.default",
                                                         "aten.new_zeros.default", "aten.split.Tensor",
                                                         "_operator.getitem"};
    return std::ranges::find(packing, target) != packing.end() || target == "operator.getitem";
}

bool is_conversion(std::string_view target) {
    return target == "prims.convert_element_type.default" || target == "aten._to_copy.default";
}

bool can_merge(CollectiveKind kind) {
    return kind == CollectiveKind::all_gather || kind == CollectiveKind::reduce_scatter ||
           kind == CollectiveKind::all_reduce;
}

class WorkFinder {
  public:
    WorkFinder(CleanedGraph cleaned, const TimeSource* source) : work_(std::make_shared<StepWork>()), source_(source) {
        work_->graph = std::move(cleaned.graph);
        work_->memory_is_fixed = cleaned.memory_is_fixed;
    }

    std::shared_ptr<const StepWork> find(const std::stop_token& stop) {
        if (stop.stop_requested()) fail("it was stopped");
        if (stop.stop_requested() || !prepare()) return work_;
        const Graph& graph = *work_->graph;
        find_compute();
        find_links();
        for (const IssuedCollective& issued : steps_.collectives) {
            if (!add(issued)) return work_;
        }
        for (NodeId node = 0; node < graph.node_count(); ++node) {
            const StreamStep& step = steps_.of_node[node];
            if (step.kind != StreamStep::Kind::collective && step.kind != StreamStep::Kind::wait) continue;
            work_->collective_of_node[node] = static_cast<std::int32_t>(step.collective);
            work_->is_wait[node] = step.kind == StreamStep::Kind::wait;
        }
        find_computed_again();
        find_needs();
        find_preparation();
        return work_;
    }

  private:
    bool fail(std::string obstacle) {
        work_->obstacle = std::move(obstacle);
        return false;
    }

    bool prepare() {
        const Graph& graph = *work_->graph;
        work_->collective_of_node.assign(graph.node_count(), -1);
        work_->is_wait.assign(graph.node_count(), false);
        work_->anchor_of_node.assign(graph.node_count(), -1);
        work_->compute_ms.assign(graph.node_count(), 0);
        if (!graph.header().cost)
            return fail(
                "the graph has no cost model, so what a merged collective takes is not "
                "known");
        if (!is_sorted(graph)) return fail("a node of the graph comes before one of its inputs");
        if (source_ && source_->measured()) return fail("measured times are those of one plan and bound no other");
        steps_ = stream_steps(graph);
        try {
            times_ms_ = sourced_times(graph, source_).times_ms;
            if (source_ && source_->compilation) compiled_ = compiled_times(graph, *source_->compilation);
        } catch (const InputError& error) {
            return fail(error.what());
        }
        return true;
    }

    /// Copies that merging may leave out: conversions that only a gather uses, and what pads an input of a
    /// reduce-scatter and nothing else uses.
    std::vector<bool> left_out() const {
        const Graph& graph = *work_->graph;
        std::vector<bool> left_out(graph.node_count());
        for (NodeId node = graph.node_count(); node-- > 0;) {
            const std::span<const NodeId> users = graph.users(node);
            if (users.empty() || steps_.of_node[node].kind != StreamStep::Kind::compute) continue;
            const auto feeds = [&](CollectiveKind kind) {
                return std::ranges::all_of(users, [&](NodeId user) {
                    const StreamStep& step = steps_.of_node[user];
                    return step.kind == StreamStep::Kind::collective
                               ? steps_.collectives[step.collective].kind == kind
                               : kind == CollectiveKind::reduce_scatter && left_out[user];
                });
            };
            left_out[node] = (is_conversion(graph.target(node)) && feeds(CollectiveKind::all_gather)) ||
                             (is_packing(graph.target(node)) && feeds(CollectiveKind::reduce_scatter));
        }
        return left_out;
    }

    /// In a compiled job, what is read of a gather's result takes time, and what is read of the memory that a merged
    /// gather was copied into does not: core/predict takes it for memory that was only allocated.
    double least_ms(NodeId node) const {
        const Graph& graph = *work_->graph;
        if (compiled_.generated.empty()) return times_ms_[node];
        const std::int32_t kernel = compiled_.kernels.kernel_of_node[node];
        if (kernel < 0) return times_ms_[node];
        std::int64_t bytes = 0;
        for (const NodeId member : compiled_.kernels.kernels[static_cast<std::size_t>(kernel)].nodes)
            for (const NodeId input : graph.inputs(member)) bytes += gathered_bytes(input);
        if (bytes == 0) return times_ms_[node];
        const CostParameters& cost = *graph.header().cost;
        const double rate = cost.memory_bytes_per_s * class_cost(cost, ComputeClass::memory).efficiency;
        const double reading_ms = static_cast<double>(bytes) / rate * ms_per_s;
        // Both times are rounded, here and where a plan's are compared.
        return std::max(compiled_.without_reading_ms[node], times_ms_[node] - reading_ms) - 2 * rounding_ms;
    }

    /// Of what is read as `input`: how much of it collectives returned.
    std::int64_t gathered_bytes(NodeId input) const {
        const Graph& graph = *work_->graph;
        const std::int64_t bytes = graph.output_bytes(input);
        while (graph.target_info(input).traits.view && !graph.inputs(input).empty())
            input = graph.inputs(input).front();
        return steps_.of_node[input].kind == StreamStep::Kind::wait ? bytes : 0;
    }

    void find_compute() {
        const Graph& graph = *work_->graph;
        const std::vector<bool> left_out = this->left_out();
        for (NodeId node = 0; node < graph.node_count(); ++node) {
            if (steps_.of_node[node].kind != StreamStep::Kind::compute || times_ms_[node] <= 0) continue;
            // What a compiler fuses takes other times in other plans.
            if (left_out[node] || (!compiled_.generated.empty() && compiled_.generated[node])) continue;
            work_->compute_ms[node] = least_ms(node);
            if (!graph.target_info(node).traits.compute) continue;
            work_->anchor_of_node[node] = static_cast<std::int32_t>(work_->anchors.size());
            work_->anchors.push_back(node);
        }
    }

    void find_links() {
        const CostParameters& cost = *work_->graph->header().cost;
        const auto& shared = cost.contention ? cost.contention->shared_links : std::vector<std::vector<std::string>>();
        std::vector<std::uint32_t> of_shared(shared.size(), std::numeric_limits<std::uint32_t>::max());
        for (const std::string& group : steps_.groups) {
            std::size_t link = 0;
            while (link < shared.size() && std::ranges::find(shared[link], group) == shared[link].end()) ++link;
            const bool is_new = link == shared.size() || of_shared[link] >= work_->links.size();
            if (is_new) work_->links.emplace_back();
            const auto found = is_new ? static_cast<std::uint32_t>(work_->links.size() - 1) : of_shared[link];
            if (link < shared.size()) of_shared[link] = found;
            work_->links[found].push_back(group);
            link_of_group_.push_back(found);
        }
    }

    /// A bucket moves the bytes of its members at the best of the link's rates, and each member's latency passes before
    /// its own bytes move. Latencies of two groups can pass at once on one link, so they are not work of the link.
    bool add(const IssuedCollective& issued) {
        const Graph& graph = *work_->graph;
        const std::string& group = steps_.groups[issued.group];
        const CostParameters::Link* link = graph.header().cost->link(group);
        if (!link) return fail("the cost model has no link for process group " + in_quotes(group));
        LinkWork work;
        work.node = issued.node;
        work.link = link_of_group_[issued.group];
        work.kind = issued.kind;
        work.moved_bytes = issued.bytes;
        const double alone_ms = times_ms_[issued.node];
        const double latency_ms = std::min(collective_latency_ms(*link, issued.kind, issued.bytes), alone_ms);
        work.latency_ms = latency_ms;
        work.transfer_ms = alone_ms - latency_ms;
        work.duration_ms = alone_ms;
        if (can_merge(issued.kind)) {
            const auto of_kind = link->kinds.find(issued.kind);
            double rate = link->bytes_per_s;
            if (of_kind != link->kinds.end() && !of_kind->second.empty()) {
                rate = 0;
                double least_ms = std::numeric_limits<double>::infinity();
                for (const CostParameters::LinkRate& way : of_kind->second) {
                    rate = std::max(rate, way.bytes_per_s);
                    least_ms = std::min(least_ms, way.latency_ms);
                }
                work.latency_ms = std::min(work.latency_ms, least_ms);
            }
            const double moving_ms = static_cast<double>(issued.bytes) / rate * ms_per_s;
            work.transfer_ms = std::min(work.transfer_ms, std::max(0.0, moving_ms - rounding_ms));
            work.duration_ms = std::min(alone_ms, collective_time_ms(*link, issued.kind, issued.bytes));
        }
        work_->collectives.push_back(work);
        return true;
    }

    /// What is computed again comes after the first time that any of it is, and so after the last heavy compute before
    /// the last of these.
    void find_computed_again() {
        const Graph& graph = *work_->graph;
        work_->is_again.assign(graph.node_count(), false);
        std::vector<NodeId> again;
        NodeId last_original = no_node;
        for (NodeId node = 0; node < graph.node_count(); ++node) {
            if (work_->compute_ms[node] <= 0 || !is_recomputed(graph, node)) continue;
            again.push_back(node);
            const std::string_view name = graph.name(node);
            const NodeId original = graph.find(name.substr(0, name.find("_recomputed")));
            if (original != no_node && (last_original == no_node || original > last_original)) last_original = original;
        }
        // A part of a graph, or one that was put into another order, may have it otherwise.
        if (last_original == no_node || again.front() < last_original) return;
        for (const NodeId anchor : work_->anchors)
            if (anchor <= last_original && !runs_in_backward(graph, anchor)) work_->made_once = anchor;
        if (work_->made_once == no_node) return;
        for (const NodeId node : again) work_->is_again[node] = true;
        work_->again = std::move(again);
    }

    /// Backward over the graph: the first anchor behind each node. Behind a collective is what comes after its waits:
    /// what uses it without one does not wait for it.
    void find_needs() {
        const Graph& graph = *work_->graph;
        const auto end = static_cast<std::int32_t>(work_->anchors.size());
        work_->needed_by.assign(graph.node_count(), end);
        for (LinkWork& collective : work_->collectives) collective.needed_by = end;
        for (NodeId node = graph.node_count(); node-- > 0;) {
            std::int32_t& needed_by = work_->needed_by[node];
            for (const NodeId user : graph.users(node)) needed_by = std::min(needed_by, work_->needed_by[user]);
            if (work_->anchor_of_node[node] >= 0) needed_by = work_->anchor_of_node[node];
            if (!work_->is_wait[node]) continue;
            LinkWork& collective = work_->collectives[static_cast<std::size_t>(work_->collective_of_node[node])];
            collective.needed_by = std::min(collective.needed_by, needed_by);
        }
    }

    /// Forward over the graph: the last anchor before each node, and the compute between it and each collective.
    void find_preparation() {
        const Graph& graph = *work_->graph;
        work_->after.assign(graph.node_count(), -1);
        for (NodeId node = 0; node < graph.node_count(); ++node) {
            std::int32_t& after = work_->after[node];
            for (const NodeId input : graph.inputs(node)) after = std::max(after, work_->after[input]);
            if (work_->is_again[node]) after = std::max(after, work_->anchor_of_node[work_->made_once]);
            after = std::max(after, work_->anchor_of_node[node]);
        }
        std::vector<std::uint32_t> seen(graph.node_count());
        for (std::uint32_t index = 0; index < work_->collectives.size(); ++index) {
            LinkWork& collective = work_->collectives[index];
            collective.after = work_->after[collective.node];
            constexpr std::size_t most_nodes = 256;  // bounds the work; leaving some out only loosens the bound
            std::vector<NodeId> found{collective.node};
            for (std::size_t next = 0; next < found.size(); ++next) {
                for (const NodeId input : graph.inputs(found[next])) {
                    const bool is_new = seen[input] != index + 1 && work_->after[input] == collective.after;
                    if (!is_new || work_->anchor_of_node[input] >= 0 || found.size() >= most_nodes) continue;
                    seen[input] = index + 1;
                    collective.preparation_ms += work_->compute_ms[input];
                    found.push_back(input);
                }
            }
        }
    }

    std::shared_ptr<StepWork> work_;
    const TimeSource* source_;
    StreamSteps steps_;
    std::vector<double> times_ms_;
    CompiledTimes compiled_;  ///< empty where nothing is compiled
    std::vector<std::uint32_t> link_of_group_;
};

}  // namespace

std::shared_ptr<const StepWork> step_work(const std::shared_ptr<const Graph>& graph,
                                          std::shared_ptr<const TimeSource> source, const std::stop_token& stop) {
    if (!source) source = own_time_source(*graph);
    return WorkFinder(cleaned_up(graph, stop), source.get()).find(stop);
}

double compute_of_every_plan_ms(const StepWork& work) {
    return std::accumulate(work.compute_ms.begin(), work.compute_ms.end(), 0.0);
}

KeptWork kept_work(const StepWork& work, const Evaluation& evaluation) {
    const Graph& result = *evaluation.graph;
    std::map<CollectiveKind, std::int64_t> missing_bytes;
    for (const LinkWork& collective : work.collectives) missing_bytes[collective.kind] += collective.moved_bytes;
    for (const CollectiveTiming& timing : evaluation.simulation.collectives) missing_bytes[timing.kind] -= timing.bytes;
    KeptWork kept{true, true};
    for (const auto& [kind, bytes] : missing_bytes) {
        if (bytes <= 0 || !kept.all) continue;
        kept.all = false;
        kept.missing = bytes_text(bytes) + " of " + std::string(collective_kind_name(kind)) + " are not sent";
    }
    NodeId last = 0, last_anchor = no_node;
    const NodeId made_once = work.made_once == no_node ? no_node : result.find(work.graph->name(work.made_once));
    for (NodeId node = 0; node < work.graph->node_count(); ++node) {
        if (work.compute_ms[node] <= 0) continue;
        const NodeId found = result.find(work.graph->name(node));
        if (found == no_node || evaluation.times_ms[found] < work.compute_ms[node]) {
            const char* const how = found == no_node ? " is not computed" : " takes less time";
            return {false, false, std::string(work.graph->name(node)) + how, {}};
        }
        if (work.is_again[node] && made_once != no_node && found < made_once && kept.all) {
            kept.all = false;
            kept.missing = "computing " + std::string(work.graph->name(node)) +
                           " again behind the forward pass, since it runs before " +
                           std::string(result.name(made_once));
        }
        if (work.anchor_of_node[node] < 0) continue;
        if (found < last && kept.order) {
            kept.order = false;
            kept.moved =
                std::string(work.graph->name(node)) + " runs before " + std::string(work.graph->name(last_anchor));
        }
        last = found;
        last_anchor = node;
    }
    return kept;
}

}  // namespace overlap
