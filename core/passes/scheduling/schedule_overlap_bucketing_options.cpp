// The pass's name and options; run() is in schedule_overlap_bucketing.cpp.

#include "core/passes/scheduling/schedule_overlap_bucketing_options.h"

#include "core/passes/scheduling/schedule_overlap_bucketing.h"

namespace overlap {

std::string_view ScheduleOverlapBucketing::name() const {
    return "schedule_overlap_bucketing";
}

std::string_view ScheduleOverlapBucketing::summary() const {
    return "Orders the graph so that compute hides collectives, and merges collectives as far as they stay hidden";
}

std::span<const PassOption> ScheduleOverlapBucketing::options() const {
    return schedule_overlap_table().options();
}

const OptionTable<ScheduleOverlapOptions>& schedule_overlap_table() {
    using Settings = ScheduleOverlapOptions;
    static const auto table =
        OptionTable<Settings>()
            .add({.name = "collective_bucketing",
                  .help = "Merges collectives after scheduling, as far as what is hidden stays hidden."},
                 &Settings::collective_bucketing)
            .add({.name = "insert_overlap_deps",
                  .help = "Adds the overlaps to the graph as explicit dependencies, so that later passes keep them."},
                 &Settings::insert_overlap_deps)
            .add({.name = "max_in_flight_gb",
                  .help = "Most gigabytes of collectives that have started and are not waited for yet; the oldest is "
                          "waited for when they are reached. Also the most that is prefetched over one compute node.",
                  .minimum = 0,
                  .usual_maximum = 20},
                 &Settings::max_in_flight_gb)
            .add({.name = "max_compute_pre_fetch",
                  .help = "How many compute nodes ahead of its own a collective may start.",
                  .minimum = 0,
                  .usual_maximum = 2000},
                 &Settings::max_compute_pre_fetch)
            .add({.name = "compute_overlap_multipler",
                  .help = "Scales the time that a node can hide; below 1 leaves a margin (the reference spells it "
                          "so).",
                  .minimum = 0,
                  .usual_maximum = 2},
                 &Settings::compute_overlap_multipler)
            .add({.name = "max_coll_distance",
                  .help = "Most collectives that are looked at for one node to hide, and for one bucket to take in.",
                  .minimum = 0,
                  .usual_maximum = 2000},
                 &Settings::max_coll_distance)
            .add({.name = "max_memory_increase_gb",
                  .help = "How many gigabytes above the original peak the schedule may take; the larger of this and "
                          "the ratio counts. Without both, memory is not limited.",
                  .minimum = 0,
                  .usual_maximum = 20},
                 &Settings::max_memory_increase_gb)
            .add({.name = "max_memory_increase_ratio",
                  .help = "How far above the original peak the schedule may go, as a share of it.",
                  .minimum = 0,
                  .usual_maximum = 1},
                 &Settings::max_memory_increase_ratio)
            .add({.name = "bucket_mode",
                  .help = "How merged tensors are packed and unpacked; unset means default.",
                  .choices = {"default", "custom_ops", "custom_ops_multidtype", "coalesced"},
                  .empty_is_unset = true},
                 &Settings::bucket_mode)
            .add({.name = "bucket_exposed_first",
                  .help = "Buckets grow from the least hidden collectives first; unset: on groups that look as if they "
                          "span nodes."},
                 &Settings::bucket_exposed_first)
            .add({.name = "bucket_only_internode_comms",
                  .help = "Merges collectives only on groups that look as if they span nodes (their first all-gather "
                          "gathers a parameter)."},
                 &Settings::bucket_only_internode_comms)
            .add({.name = "prioritize_bucketing_during_scheduling",
                  .help = "Starts collectives that could share a bucket one after the other."},
                 &Settings::prioritize_bucketing_during_scheduling)
            .add({.name = "max_off_bucket_gb",
                  .help = "Collectives that block no compute are held back until this many gigabytes of one kind are "
                          "ready, and start together; unset starts them one by one.",
                  .minimum = 0,
                  .usual_maximum = 5},
                 &Settings::max_off_bucket_gb)
            .add({.name = "enable_fusion_regions",
                  .help = "Counts only what crosses the border of a group of operators that Inductor would fuse."},
                 &Settings::enable_fusion_regions)
            .add({.name = "pre_bucketing_fsdp_collectives",
                  .help = "Merges the collectives of sharded parameters before scheduling."},
                 &Settings::pre_bucketing_fsdp_collectives)
            .add({.name = "pre_bucketing_fsdp_collectives_bucket_cap_mb",
                  .help = "Most megabytes of a bucket merged before scheduling; unset computes it from the links.",
                  .minimum = 0,
                  .usual_maximum = 2000},
                 &Settings::pre_bucketing_fsdp_collectives_bucket_cap_mb)
            .add({.name = "compute_estimator",
                  .help = "Where times of compute come from. Here they are the graph's; what a job measures while it "
                          "compiles (benchmark) is not known.",
                  .choices = {"analytical", "benchmark"}},
                 &Settings::compute_estimator)
            .add({.name = "collective_estimator",
                  .help = "Where times of collectives come from. Here they are the graph's; what a job measures while "
                          "it compiles (benchmark) is not known.",
                  .choices = {"analytical", "benchmark"}},
                 &Settings::collective_estimator)
            .add({.name = "pge_profile_path",
                  .help = "A profile that the job reads times from. Not followed here: put its times into the graph.",
                  .empty_is_unset = true},
                 &Settings::pge_profile_path)
            .add({.name = "log_final_collectives_estimations", .help = "Only makes the job log its estimates."},
                 &Settings::log_final_collectives_estimations);
    return table;
}

}  // namespace overlap
