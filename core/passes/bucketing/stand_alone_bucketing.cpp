#include "core/passes/bucketing/stand_alone_bucketing.h"

#include <optional>
#include <string>

#include "core/passes/bucketing/bucketing_support.h"
#include "core/passes/bucketing/greedy_bucketing.h"
#include "core/passes/option_table.h"
#include "core/passes/pass_support.h"

namespace overlap {

namespace {

struct StandAloneOptions {
    std::optional<double> bucket_cap_mb = GreedyBucketing().bucket_cap_mb;
    std::optional<std::string> mode;  ///< unset: default
};

const OptionTable<StandAloneOptions>& table() {
    static const auto table =
        OptionTable<StandAloneOptions>()
            .add({.name = "bucket_cap_mb",
                  .help = "Most that goes into one bucket, in MiB of the larger of what members take and return; null "
                          "means the default.",
                  .minimum = 0,
                  .usual_maximum = 4000},
                 &StandAloneOptions::bucket_cap_mb)
            .add(bucket_mode_option("mode",
                                    "How merged tensors are packed and unpacked; unset means default. All-reduces have "
                                    "one way alone."),
                 &StandAloneOptions::mode);
    return table;
}

}  // namespace

std::string_view StandAloneBucketing::name() const {
    switch (kind_) {
        case CollectiveKind::all_gather:
            return "bucket_all_gather";
        case CollectiveKind::reduce_scatter:
            return "bucket_reduce_scatter";
        default:
            return "bucket_all_reduce";
    }
}

std::string_view StandAloneBucketing::summary() const {
    switch (kind_) {
        case CollectiveKind::all_gather:
            return "Merges neighbouring all-gathers of one group into buckets up to a size, wherever they come from";
        case CollectiveKind::reduce_scatter:
            return "Merges neighbouring reduce-scatters of one group, reduction and dtype into buckets up to a size";
        default:
            return "Merges neighbouring all-reduces of one group, reduction and dtype into buckets up to a size";
    }
}

std::span<const PassOption> StandAloneBucketing::options() const {
    return table().options();
}

PassResult StandAloneBucketing::run(const std::shared_ptr<const Graph>& graph, const Options& options,
                                    std::stop_token stop) const {
    const StandAloneOptions settings = table().read(options);
    const std::string mode = settings.mode.value_or("default");
    GreedyBucketing rule;
    rule.kind = kind_;
    rule.several_dtypes = mode.find("multidtype") != std::string::npos;
    if (settings.bucket_cap_mb) rule.bucket_cap_mb = *settings.bucket_cap_mb;
    return or_refused(name(), [&]() -> PassResult {
        if (kind_ == CollectiveKind::reduce_scatter && rule.several_dtypes) {
            throw InputError("option \"mode\"",
                             "reduce-scatters of several dtypes do not share a bucket, and PyTorch raises an "
                             "AssertionError (reduce scatter bucketing does not support multidtype); take custom_ops");
        }
        GraphEditor editor(graph);
        PassReport report;
        bucket_greedily(editor, rule, bucket_mode_by_name(mode), report.buckets);
        if (stop.stop_requested()) return {};
        return bucketed(graph, editor, name(), std::move(report));
    });
}

}  // namespace overlap
