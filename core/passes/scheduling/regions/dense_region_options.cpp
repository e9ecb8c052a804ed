#include "core/passes/scheduling/regions/dense_region_options.h"

#include <string>
#include <variant>

#include "core/passes/option_table.h"

namespace overlap {

namespace {

/// Value of the option transformer_bucket_counts_by_layer.
constexpr const char* from_buckets = "from_buckets";

/// The pass's options, by the names that they have in the reference.
struct DenseRegionOptions {
    IntegerList moe_layer_ids;
    std::int64_t n_layers = 0;
    IntegerMapOrChoice transformer_bucket_counts_by_layer = std::string(from_buckets);
    bool strict = false;
};

constexpr std::int64_t most_layers = 100'000;

const OptionTable<DenseRegionOptions>& table() {
    static const auto table =
        OptionTable<DenseRegionOptions>()
            .add({.name = "moe_layer_ids",
                  .help = "Layers with experts: of these only the attention counts as dense.",
                  .required = true},
                 &DenseRegionOptions::moe_layer_ids)
            .add(
                {.name = "n_layers", .help = "Number of transformer blocks.", .required = true, .maximum = most_layers},
                &DenseRegionOptions::n_layers)
            .add({.name = "transformer_bucket_counts_by_layer",
                  .help = "Buckets that each block must have of each kind, by number of the block; from_buckets "
                          "expects one for each entry of the plan that was bucketed, as torchtitan's trainer does, "
                          "and null leaves them uncounted.",
                  .choices = {from_buckets}},
                 &DenseRegionOptions::transformer_bucket_counts_by_layer)
            .add({.name = "strict", .help = "Whether a launch or wait that cannot move is an error."},
                 &DenseRegionOptions::strict);
    return table;
}

}  // namespace

std::span<const PassOption> dense_region_options() {
    return table().options();
}

DenseRegionSettings dense_region_settings(const Options& given) {
    const DenseRegionOptions options = table().read(given);
    DenseRegionSettings settings;
    settings.layer_count = options.n_layers;
    settings.moe_layers.insert(options.moe_layer_ids.begin(), options.moe_layer_ids.end());
    settings.strict = options.strict;
    settings.counts_from_buckets = std::holds_alternative<std::string>(options.transformer_bucket_counts_by_layer);
    if (const auto* counts = std::get_if<NamedIntegers>(&options.transformer_bucket_counts_by_layer)) {
        settings.bucket_counts.emplace();
        for (const auto& [layer, count] : *counts) (*settings.bucket_counts)[std::stoll(layer)] = count;
    }
    return settings;
}

}  // namespace overlap
