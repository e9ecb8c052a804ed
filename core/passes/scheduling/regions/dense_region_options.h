#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>

#include "core/passes/option.h"

namespace overlap {

/// What the options of schedule_fsdp_comms_to_dense_regions_pass come to.
struct DenseRegionSettings {
    std::set<std::int64_t> moe_layers;
    std::int64_t layer_count = 0;
    std::optional<std::map<std::int64_t, std::int64_t>> bucket_counts;  ///< by layer; none: they are not checked
    bool counts_from_buckets = false;  ///< as many as the plan that was bucketed has entries for the block
    bool strict = false;               ///< whether what cannot move is an error
};

/// The declared options.
std::span<const PassOption> dense_region_options();

/// @param options that were checked against the declared ones.
DenseRegionSettings dense_region_settings(const Options& options);

}  // namespace overlap
