#include "core/passes/scheduling/schedule_overlap_bucketing.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "core/base/byte_units.h"
#include "core/base/error.h"
#include "core/cost/control_deps.h"
#include "core/cost/cost_model.h"
#include "core/graph/editing/graph_editor.h"
#include "core/graph/editing/topological_sort.h"
#include "core/passes/bucketing/device_puts.h"
#include "core/passes/bucketing/fsdp_pre_bucketing.h"
#include "core/passes/bucketing/module_bucketing.h"
#include "core/passes/overlaps/overlap_order.h"
#include "core/passes/pass_support.h"
#include "core/passes/scheduling/bucket_application.h"
#include "core/passes/scheduling/bucket_search.h"
#include "core/passes/scheduling/collectives.h"
#include "core/passes/scheduling/group_timeline.h"
#include "core/passes/scheduling/overlap_scheduler.h"
#include "core/passes/scheduling/regions/fusion_regions.h"
#include "core/passes/scheduling/schedule_overlap_bucketing_options.h"

namespace overlap {

namespace {

/// Python's `int(gigabytes * 1024 * 1024 * 1024)`, the largest number where it would not fit.
std::int64_t bytes_of_gigabytes(double gigabytes) {
    const double bytes = gigabytes * bytes_per_gib;
    return bytes >= 9e18 ? std::int64_t{9'000'000'000'000'000'000} : static_cast<std::int64_t>(bytes);
}

using Settings = ScheduleOverlapOptions;

std::optional<std::int64_t> bytes_of_gigabytes(std::optional<double> gigabytes) {
    return gigabytes ? std::optional(bytes_of_gigabytes(*gigabytes)) : std::nullopt;
}

/// A number of nodes; above the size of any graph, it is no limit.
std::int64_t at_most_all_nodes(std::int64_t count) {
    return std::min<std::int64_t>(count, no_node);
}

scheduling::SchedulerLimits limits_of(const Settings& settings) {
    scheduling::SchedulerLimits limits;
    limits.in_flight_bytes = bytes_of_gigabytes(settings.max_in_flight_gb);
    limits.off_path_bucket_bytes = bytes_of_gigabytes(settings.max_off_bucket_gb);
    limits.compute_prefetch = at_most_all_nodes(settings.max_compute_pre_fetch);
    limits.collective_distance = at_most_all_nodes(settings.max_coll_distance);
    limits.compute_multiplier = settings.compute_overlap_multipler;
    limits.memory_increase_bytes = bytes_of_gigabytes(settings.max_memory_increase_gb);
    limits.memory_increase_ratio = settings.max_memory_increase_ratio;
    limits.prioritize_bucketing = settings.prioritize_bucketing_during_scheduling;
    return limits;
}

bool has_wait(const Graph& graph) {
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        if (graph.op(node) == NodeOp::call_function && graph.target_info(node).is_wait) return true;
    }
    return false;
}

/// The graph that the scheduler orders: sorted, copies blocking, and FSDP's collectives merged where that is requested.
struct Prepared {
    std::shared_ptr<const Graph> graph;
    std::vector<NodeId> origin;         ///< nodes of the pass's input; empty: it is the input
    std::vector<BucketReport> buckets;  ///< merged before scheduling
    std::vector<double> times_ms;
};

/// Times of nodes as the scheduler sees them. A node that wraps another takes no time itself.
std::vector<double> times_of(const Graph& graph) {
    std::vector<double> times = node_times_ms(graph);
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        if (is_control_deps(graph, node) && !graph.metadata(node).estimate_ms) times[node] = 0;
    }
    return times;
}

bool is_sorted(const Graph& graph) {
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        if (std::ranges::any_of(graph.inputs(node), [&](NodeId input) { return input >= node; })) return false;
    }
    return true;
}

Prepared prepare(const std::shared_ptr<const Graph>& graph, const Settings& settings, BucketMode mode) {
    Prepared prepared;
    const bool merges = settings.pre_bucketing_fsdp_collectives;
    const bool fuses = settings.enable_fusion_regions;
    if (!merges && !fuses && is_sorted(*graph) && !has_asynchronous_device_put(*graph)) {
        prepared.graph = graph;
        prepared.times_ms = times_of(*graph);
        return prepared;
    }
    GraphEditor editor(graph);
    if (merges) {
        const FsdpPreBucketing pre_bucketing{mode, settings.pre_bucketing_fsdp_collectives_bucket_cap_mb};
        pre_bucket_fsdp_collectives(editor, pre_bucketing, prepared.buckets);
    }
    make_device_puts_blocking(editor);
    // Regions are runs of neighbours in the order before sorting.
    const std::vector<FusedCost> fused = fuses ? fusion_region_costs(editor, std::nullopt) : std::vector<FusedCost>();
    if (!stable_topological_sort_by_arguments(editor)) {
        throw InputError("", "the graph has a cycle, and PyTorch raises an AssertionError");
    }
    const std::vector<NodeId> order = editor.order();
    prepared.graph = editor.finish(prepared.origin);
    prepared.times_ms = times_of(*prepared.graph);
    std::vector<NodeId> places(editor.number_count(), no_node);
    for (NodeId place = 0; place < order.size(); ++place) places[order[place]] = place;
    for (const FusedCost& cost : fused) prepared.times_ms[places[cost.node]] = cost.milliseconds;
    return prepared;
}

/// Options with which the job takes its times from elsewhere than the graph.
void report_times(const Settings& settings, PassReport& report) {
    std::string chosen;
    const auto add = [&](std::string_view clause) { chosen.append(chosen.empty() ? "" : ", ").append(clause); };
    if (settings.compute_estimator == "benchmark") add("compute_estimator is \"benchmark\"");
    if (settings.collective_estimator == "benchmark") add("collective_estimator is \"benchmark\"");
    if (settings.pge_profile_path) add("pge_profile_path is given");
    if (chosen.empty()) return;
    Problem problem;
    problem.severity = Severity::caution;
    problem.kind = ProblemKind::times_of_the_graph;
    problem.title = "Times of the graph";
    problem.message = chosen +
                      ": the job measures times or reads them from a profile, and may schedule differently; "
                      "here times are the graph's, into which overlap estimate --profile puts a profile's";
    report.problems.push_back(std::move(problem));
}

class Run {
  public:
    Run(const std::shared_ptr<const Graph>& graph, const Settings& settings, std::stop_token stop)
        : settings_(settings),
          stop_(std::move(stop)),
          prepared_(prepare(graph, settings, bucket_mode())),
          graph_(prepared_.graph) {}

    PassResult operator()() {
        const bool multidtype = settings_.bucket_mode && settings_.bucket_mode->find("multidtype") != std::string::npos;
        const scheduling::SymbolicSizes sizes(*graph_);
        scheduling::CollectiveTable table =
            scheduling::identify_collectives(*graph_, multidtype, prepared_.times_ms, sizes);
        const scheduling::Schedule schedule =
            scheduling::schedule_overlap(*graph_, prepared_.times_ms, table, limits_of(settings_), sizes, stop_);
        if (schedule.order.empty()) return {};

        GraphEditor editor(graph_);
        editor.set_order(node_order(schedule.order));
        PassResult result;
        result.report.buckets = prepared_.buckets;
        report(table, result.report);
        report_times(settings_, result.report);
        if (settings_.collective_bucketing || settings_.insert_overlap_deps) {
            preserve_overlaps(editor, table, schedule.order, result.report);
        }
        result.graph = editor.finish(result.origin);
        if (!prepared_.origin.empty()) {
            for (NodeId& origin : result.origin) origin = origin == no_node ? no_node : prepared_.origin[origin];
        }
        return result;
    }

  private:
    /// Merges collectives and writes the overlaps into the graph, as far as the options request it.
    void preserve_overlaps(GraphEditor& editor, const scheduling::CollectiveTable& table,
                           const std::vector<NodeId>& order, PassReport& report) const {
        scheduling::StaticAncestors ancestors(*graph_, table, order);
        scheduling::AugmentedGraph augmented(*graph_, table, order, ancestors);
        std::vector<scheduling::GroupTimeline> timelines =
            scheduling::build_timelines(*graph_, table, order, augmented);
        if (settings_.collective_bucketing) {
            scheduling::BucketLimits limits;
            limits.collective_distance = at_most_all_nodes(settings_.max_coll_distance);
            limits.exposed_first = settings_.bucket_exposed_first;
            limits.only_internode = settings_.bucket_only_internode_comms;
            scheduling::BucketSearch search(*graph_, table, order, ancestors, timelines, augmented);
            const std::vector<scheduling::Bucket> buckets = search.find(limits);
            report_left_apart(table, buckets, search.left_apart(), report);
            for (const scheduling::Bucket& bucket : buckets) {
                scheduling::apply_bucket(editor, table, bucket, bucket_mode(), augmented,
                                         report.buckets.emplace_back());
            }
        }
        scheduling::sort_by_dependencies(editor, augmented);
        if (settings_.insert_overlap_deps) {
            insert_control_deps(editor, scheduling::dependencies_to_insert(editor, augmented));
        }
    }

    /// Unset means `default` here, unlike in manual bucketing.
    BucketMode bucket_mode() const {
        return settings_.bucket_mode ? bucket_mode_by_name(settings_.bucket_mode) : BucketMode::concatenate;
    }

    /// Inputs of the graph stay first, in their order, and the output stays last.
    std::vector<NodeId> node_order(const std::vector<NodeId>& scheduled) const {
        std::vector<NodeId> order;
        order.reserve(scheduled.size());
        for (NodeId node = 0; node < graph_->node_count(); ++node) {
            if (graph_->op(node) == NodeOp::placeholder) order.push_back(node);
        }
        NodeId output = no_node;
        for (const NodeId node : scheduled) {
            if (graph_->op(node) == NodeOp::output) {
                output = node;
            } else if (graph_->op(node) != NodeOp::placeholder) {
                order.push_back(node);
            }
        }
        if (output != no_node) order.push_back(output);
        return order;
    }

    void report(const scheduling::CollectiveTable& table, PassReport& report) const {
        for (const scheduling::Collective& collective : table.collectives) {
            CollectiveReport told;
            told.start = graph_->name(collective.start);
            told.estimated_ms = collective.estimated_ms;
            told.exposed_ms = collective.exposed_ms;
            told.size_bytes = collective.size_bytes;
            for (const NodeId node : collective.hiding) told.hiding.emplace_back(graph_->name(node));
            report.collectives.push_back(std::move(told));
        }
    }

    void report_left_apart(const scheduling::CollectiveTable& table, const std::vector<scheduling::Bucket>& buckets,
                           const std::vector<scheduling::LeftApart>& left_apart, PassReport& report) const {
        std::vector<bool> merged(table.collectives.size());
        for (const scheduling::Bucket& bucket : buckets) {
            for (const scheduling::Index member : bucket) merged[member] = true;
        }
        for (scheduling::Index index = 0; index < merged.size(); ++index) {
            if (merged[index]) continue;
            const scheduling::Index other = left_apart[index].other;
            const NodeId start = other == scheduling::no_index ? no_node : table.collectives[other].start;
            report.collectives[index].kept_apart =
                describe(left_apart[index], start == no_node ? std::string_view() : graph_->name(start));
        }
    }

    const Settings& settings_;
    std::stop_token stop_;
    Prepared prepared_;
    std::shared_ptr<const Graph> graph_;
};

}  // namespace

PassResult ScheduleOverlapBucketing::run(const std::shared_ptr<const Graph>& graph, const Options& options,
                                         std::stop_token stop) const {
    const Settings settings = schedule_overlap_table().read(options);
    if (!has_wait(*graph)) return unchanged(graph, name());
    return or_refused(name(), [&] {
        PassResult result = Run(graph, settings, std::move(stop))();
        result.report.pass = name();
        return result;
    });
}

}  // namespace overlap
