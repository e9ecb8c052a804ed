#include "core/passes/experts/ep_overlap_schedule.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/base/quote.h"
#include "core/base/wording.h"
#include "core/files/json_members.h"
#include "core/graph/editing/topological_sort.h"
#include "core/passes/experts/region_order.h"
#include "core/passes/option_table.h"
#include "core/passes/pass_support.h"

namespace overlap {

namespace {

constexpr std::string_view pass_name = "ep_overlap_schedule_pass";

struct Settings {
    std::string module_pattern;
    bool require_all_to_all = true;
    bool pair_first_token_exchange = false;
};

const OptionTable<Settings>& table() {
    static const auto table =
        OptionTable<Settings>()
            .add({.name = "module_pattern",
                  .help = "Modules whose halves are ordered, as a shell-style pattern of their path, such as "
                          "layers.*.moe.",
                  .required = true},
                 &Settings::module_pattern)
            .add({.name = "require_all_to_all",
                  .help = "Whether a graph without a halved module that exchanges tokens is an error."},
                 &Settings::require_all_to_all)
            .add({.name = "pair_first_token_exchange",
                  .help = "Both halves run up to their first all-to-all before either is launched; torchtitan does so "
                          "for the modules layers.*.moe."},
                 &Settings::pair_first_token_exchange);
    return table;
}

struct Plan {
    std::vector<experts::RegionOrder> orders;
    std::vector<experts::TokenExchanges::Wait> waits;
};

/// @returns nothing when `stop` was requested.
std::optional<Plan> plan_regions(const Graph& graph, const Settings& settings, const std::stop_token& stop) {
    Plan plan;
    for (const experts::ChunkedRegion& region : experts::chunked_regions(graph, settings.module_pattern, pass_name)) {
        if (stop.stop_requested()) return {};
        const experts::TokenExchanges exchanges = experts::token_exchanges(graph, region, pass_name);
        if (exchanges.none()) continue;
        plan.orders.push_back(
            experts::region_order(graph, region, exchanges, settings.pair_first_token_exchange, pass_name));
        plan.waits.insert(plan.waits.end(), exchanges.waits.begin(), exchanges.waits.end());
    }
    return plan;
}

void label_waits(GraphEditor& editor, const std::vector<experts::TokenExchanges::Wait>& waits) {
    for (const auto& [wait, label] : waits) {
        const std::string_view before = editor.text(editor.metadata(wait).custom_json);
        editor.set_custom_json(wait, editor.intern(with_json_member(without_json_member(before, "EP_token_exchange"),
                                                                    "EP_token_exchange_wait", in_quotes(label))));
    }
}

void set_non_blocking(GraphEditor& editor, NodeId copy, bool non_blocking) {
    const NodeRecord& record = editor.record(copy);
    std::vector<Value> entries;
    for (const Value& value : editor.children(record.kwargs)) entries.push_back(value);
    std::size_t place = 0;
    while (place < entries.size() && editor.text(entries[place].string) != "non_blocking") place += 2;
    if (place >= entries.size()) {
        entries.push_back(Value::of_string(editor.intern("non_blocking")));
        entries.emplace_back();
    }
    entries[place + 1] = Value::of_boolean(non_blocking);
    const Value kwargs = editor.dictionary(entries);
    editor.set_arguments(copy, editor.record(copy).args, kwargs);
}

/// What has to come before each node, besides its inputs: the node that its region's order has before it.
class Predecessors {
  public:
    Predecessors(const Plan& plan, std::uint32_t node_count) : first_(node_count + 1) {
        for_each(plan, [&](NodeId node, NodeId) { ++first_[node + 1]; });
        std::partial_sum(first_.begin(), first_.end(), first_.begin());
        list_.resize(first_.back());
        std::vector<std::uint32_t> end(first_.begin(), first_.end() - 1);
        for_each(plan, [&](NodeId node, NodeId previous) {
            const auto known = std::span(list_).subspan(first_[node], end[node] - first_[node]);
            if (std::ranges::find(known, previous) == known.end()) list_[end[node]++] = previous;
        });
        close_gaps(end);
    }

    FurtherDependencies dependencies() const { return {first_, list_}; }

  private:
    template <typename Visit>
    static void for_each(const Plan& plan, const Visit& visit) {
        for (const experts::RegionOrder& order : plan.orders) {
            for (std::size_t at = 1; at < order.sequence.size(); ++at) {
                if (order.sequence[at] != order.sequence[at - 1]) visit(order.sequence[at], order.sequence[at - 1]);
            }
        }
    }

    /// A region's order may have a node twice, and the same one before it.
    void close_gaps(const std::vector<std::uint32_t>& end) {
        std::uint32_t filled = 0;
        for (NodeId node = 0; node < end.size(); ++node) {
            const std::uint32_t begin = std::exchange(first_[node], filled);
            for (std::uint32_t place = begin; place < end[node]; ++place) list_[filled++] = list_[place];
        }
        first_.back() = filled;
    }

    std::vector<std::uint32_t> first_;
    std::vector<NodeId> list_;
};

}  // namespace

std::string_view EpOverlapSchedule::summary() const {
    return "Orders the halves of modules with experts so that one half's all-to-alls run while the other computes";
}

std::span<const PassOption> EpOverlapSchedule::options() const {
    return table().options();
}

PassResult EpOverlapSchedule::run(const std::shared_ptr<const Graph>& graph, const Options& options,
                                  std::stop_token stop) const {
    const Settings settings = table().read(options);
    require_order(*graph, name());
    const std::optional<Plan> planned = plan_regions(*graph, settings, stop);
    if (!planned) return {};
    const Plan& plan = *planned;
    if (plan.orders.empty()) {
        if (!settings.require_all_to_all) return unchanged(graph, name());
        throw PassRefusal(std::string(name()), "option module_pattern",
                          "no module that matches " + in_quotes(settings.module_pattern) +
                              " is halved and exchanges tokens: the model has to halve its batch, or "
                              "ep_overlap_chunk_pass; torchtitan raises a ValueError");
    }
    GraphEditor editor(graph);
    label_waits(editor, plan.waits);
    for (const experts::RegionOrder& order : plan.orders) {
        for (const std::vector<NodeId>& copies : order.count_copies) {
            for (const NodeId copy : copies) set_non_blocking(editor, copy, copy != copies.back());
        }
    }
    if (!stable_topological_sort(editor, Predecessors(plan, graph->node_count()).dependencies())) {
        throw PassRefusal(std::string(name()), "",
                          "the order that hides the all-to-alls contradicts the graph, and torchtitan raises an "
                          "AssertionError (stable topological sort failed); it runs this pass behind bucketing");
    }
    PassResult result = finished(editor, name());
    Problem scheduled;
    scheduled.title = "Expert overlap";
    scheduled.message = counted(plan.orders.size(), "halved module") + " ordered, with " +
                        counted(plan.waits.size(), "all-to-all") + " that the other half's compute may hide";
    result.report.problems.push_back(std::move(scheduled));
    return result;
}

}  // namespace overlap
