#include "core/passes/bucketing/fsdp_pre_bucketing.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "core/base/byte_units.h"
#include "core/passes/bucketing/bucket_keys.h"
#include "core/passes/bucketing/bucketing_support.h"
#include "core/passes/bucketing/fsdp_collectives.h"
#include "core/passes/bucketing/greedy_bucketing.h"
#include "core/passes/option_table.h"
#include "core/passes/pass_support.h"

namespace overlap {

namespace {

/// The groups whose all-gathers are FSDP's, and the size of the first: plain forms come before those with a given
/// buffer.
struct FsdpGroups {
    std::vector<std::string_view> names;
    std::int64_t size = 0;

    bool has(std::string_view name) const { return std::ranges::find(names, name) != names.end(); }
};

FsdpGroups find_fsdp_groups(const GraphEditor& graph, PlaceholderAncestry& ancestry) {
    FsdpGroups groups;
    for (const std::string_view target :
         {"_c10d_functional.all_gather_into_tensor.default", "_c10d_functional.all_gather_into_tensor_out.default"}) {
        for (NodeId node = graph.first(); node != no_node; node = graph.next(node)) {
            if (bucketable_kind(graph, node) != CollectiveKind::all_gather || graph.target(node) != target) continue;
            if (!ancestry.is_single(node)) continue;
            if (groups.names.empty()) {
                const Value* size = graph.argument(node, 1);
                if (!size || !size->is(ValueKind::integer)) {
                    refuse_member(graph, node, "its group size is not a number among its positional arguments");
                }
                groups.size = size->integer;
            }
            if (const std::string_view name = group_of(graph, node); !groups.has(name)) groups.names.push_back(name);
        }
    }
    return groups;
}

/// What the reference assumes of a network.
struct Interconnect {
    double bandwidth_gb_per_s;
    double hop_us;   ///< latency of each step of a ring
    double base_us;  ///< latency of the launch
    double least_bytes;
};
constexpr Interconnect nvlink_a100 = {22.0, 45.0, 10.0, 0.0};
constexpr Interconnect infiniband_hdr = {11.0, 14.0, 30.0, 75.0 * bytes_per_mib};
constexpr std::int64_t ranks_of_a_host = 8;

}  // namespace

double saturating_bucket_cap_mb(std::int64_t group_size) {
    double bytes = 0;
    if (group_size > 1) {
        const Interconnect& network = group_size <= ranks_of_a_host ? nvlink_a100 : infiniband_hdr;
        const double latency_s = (network.base_us + static_cast<double>(group_size - 1) * network.hop_us) * 1e-6;
        // In the reference's order of operations: the quotient is not exactly 9.
        const double efficiency_ratio = 0.9 / (1.0 - 0.9);
        bytes = std::trunc(efficiency_ratio * latency_s * (network.bandwidth_gb_per_s * 1e9));
        bytes = std::max(bytes, network.least_bytes);
    }
    return std::clamp(bytes / bytes_per_mib, 10.0, 500.0);
}

void pre_bucket_fsdp_collectives(GraphEditor& graph, const FsdpPreBucketing& settings,
                                 std::vector<BucketReport>& reports) {
    PlaceholderAncestry ancestry(graph);
    const FsdpGroups groups = find_fsdp_groups(graph, ancestry);
    if (groups.names.empty()) return;
    GreedyBucketing rule;
    rule.bucket_cap_mb = settings.bucket_cap_mb.value_or(saturating_bucket_cap_mb(groups.size));

    // Keys of all-gathers hold their dtype whatever the mode: the reference looks at its configuration here.
    rule.kind = CollectiveKind::all_gather;
    rule.takes_wait = [&](NodeId wait) { return ancestry.is_single(graph.node_argument(wait, 0)); };
    bucket_greedily(graph, rule, settings.mode, reports);

    rule.kind = CollectiveKind::reduce_scatter;
    rule.takes_wait = [&](NodeId wait) { return graph.user_count(wait) > 0 && reaches_output_alone(graph, wait); };
    bucket_greedily(graph, rule, settings.mode, reports);

    rule.kind = CollectiveKind::all_reduce;
    rule.takes_wait = [&](NodeId wait) { return groups.has(group_of(graph, graph.node_argument(wait, 0))); };
    bucket_greedily(graph, rule, BucketMode::concatenate, reports);
}

namespace {

struct PreBucketingOptions {
    std::optional<std::string> mode;  ///< unset: default
    std::optional<double> bucket_cap_mb;
};

const OptionTable<PreBucketingOptions>& table() {
    static const auto table =
        OptionTable<PreBucketingOptions>()
            .add(bucket_mode_option("mode", "How merged tensors are packed and unpacked; unset means default."),
                 &PreBucketingOptions::mode)
            .add({.name = "bucket_cap_mb",
                  .help = "Most that goes into one bucket, in MiB; null means what reaches 90 % of the bandwidth "
                          "among the ranks of the FSDP group, as PyTorch computes it on a machine without a GPU.",
                  .minimum = 0,
                  .usual_maximum = 2000},
                 &PreBucketingOptions::bucket_cap_mb);
    return table;
}

}  // namespace

std::string_view PreBucketFsdpCollectives::summary() const {
    return "Merges neighbouring FSDP collectives into buckets that are just large enough for the network's bandwidth, "
           "as the overlap scheduler does before it begins";
}

std::span<const PassOption> PreBucketFsdpCollectives::options() const {
    return table().options();
}

PassResult PreBucketFsdpCollectives::run(const std::shared_ptr<const Graph>& graph, const Options& options,
                                         std::stop_token stop) const {
    const PreBucketingOptions given = table().read(options);
    const FsdpPreBucketing settings{bucket_mode_by_name(given.mode.value_or("default")), given.bucket_cap_mb};
    return or_refused(name(), [&]() -> PassResult {
        GraphEditor editor(graph);
        PassReport report;
        pre_bucket_fsdp_collectives(editor, settings, report.buckets);
        if (stop.stop_requested()) return {};
        return bucketed(graph, editor, name(), std::move(report));
    });
}

}  // namespace overlap
