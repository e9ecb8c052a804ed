#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/passes/option_table.h"

namespace overlap {

/// The options of the overlap scheduler, by the names and with the defaults that they have in the reference
/// (torch/_inductor/fx_passes/overlap_scheduling.py, `schedule_overlap_bucketing`).
struct ScheduleOverlapOptions {
    bool collective_bucketing = false;
    bool insert_overlap_deps = false;
    double max_in_flight_gb = 5;
    std::int64_t max_compute_pre_fetch = 200;
    double compute_overlap_multipler = 1.0;
    std::int64_t max_coll_distance = 200;
    std::optional<double> max_memory_increase_gb = 1.0;
    std::optional<double> max_memory_increase_ratio = 0.05;
    std::optional<std::string> bucket_mode;
    std::optional<bool> bucket_exposed_first;
    bool bucket_only_internode_comms = false;
    bool prioritize_bucketing_during_scheduling = true;
    std::optional<double> max_off_bucket_gb = 0.5;
    bool enable_fusion_regions = false;
    bool pre_bucketing_fsdp_collectives = true;
    std::optional<double> pre_bucketing_fsdp_collectives_bucket_cap_mb;
    std::string compute_estimator = "analytical";
    std::string collective_estimator = "analytical";
    std::optional<std::string> pge_profile_path;
    bool log_final_collectives_estimations = false;
};

const OptionTable<ScheduleOverlapOptions>& schedule_overlap_table();

}  // namespace overlap
