// What the pass is called and which options it has; run() is in schedule_overlap_bucketing.cpp.

#include <array>

#include "core/passes/scheduling/schedule_overlap_bucketing.h"

namespace overlap {

std::string_view ScheduleOverlapBucketing::name() const {
    return "schedule_overlap_bucketing";
}

std::string_view ScheduleOverlapBucketing::summary() const {
    return "Orders the graph so that compute hides collectives, and merges collectives as far as they stay hidden";
}

std::span<const PassOption> ScheduleOverlapBucketing::options() const {
    using Type = PassOption::Type;
    static const std::array declared = {
        PassOption{.name = "collective_bucketing",
                   .type = Type::boolean,
                   .default_value = false,
                   .help = "Merges collectives after scheduling, as far as what is hidden stays hidden.",
                   .choices = {}},
        PassOption{.name = "insert_overlap_deps",
                   .type = Type::boolean,
                   .default_value = false,
                   .help = "Adds the overlaps to the graph as explicit dependencies, so that later passes keep them.",
                   .choices = {}},
        PassOption{.name = "max_in_flight_gb",
                   .type = Type::number,
                   .default_value = 5,
                   .help = "Most gigabytes of collectives that have started and are not waited for yet; the oldest is "
                           "waited for when they are reached. Also the most that is prefetched over one compute node.",
                   .choices = {},
                   .minimum = 0,
                   .usual_maximum = 20},
        PassOption{.name = "max_compute_pre_fetch",
                   .type = Type::integer,
                   .default_value = 200,
                   .help = "How many compute nodes ahead of its own a collective may start.",
                   .choices = {},
                   .minimum = 0,
                   .usual_maximum = 2000},
        PassOption{.name = "compute_overlap_multipler",
                   .type = Type::number,
                   .default_value = 1.0,
                   .help = "Scales the time that a node can hide; below 1 leaves a margin (the reference spells it "
                           "so).",
                   .choices = {},
                   .minimum = 0,
                   .usual_maximum = 2},
        PassOption{.name = "max_coll_distance",
                   .type = Type::integer,
                   .default_value = 200,
                   .help = "Most collectives that are looked at for one node to hide, and for one bucket to take in.",
                   .choices = {},
                   .minimum = 0,
                   .usual_maximum = 2000},
        PassOption{.name = "max_memory_increase_gb",
                   .type = Type::number,
                   .default_value = 1.0,
                   .help = "How many gigabytes above the original peak the schedule may take; the larger of this and "
                           "the ratio counts. Without both, memory is not limited.",
                   .choices = {},
                   .nullable = true,
                   .minimum = 0,
                   .usual_maximum = 20},
        PassOption{.name = "max_memory_increase_ratio",
                   .type = Type::number,
                   .default_value = 0.05,
                   .help = "How far above the original peak the schedule may go, as a share of it.",
                   .choices = {},
                   .nullable = true,
                   .minimum = 0,
                   .usual_maximum = 1},
        PassOption{.name = "bucket_mode",
                   .type = Type::text,
                   .default_value = nullptr,
                   .help = "How merged tensors are packed and unpacked; unset means default.",
                   .choices = {"default", "custom_ops", "custom_ops_multidtype", "coalesced"},
                   .empty_is_unset = true},
        PassOption{.name = "bucket_exposed_first",
                   .type = Type::boolean,
                   .default_value = nullptr,
                   .help =
                       "Buckets grow from the least hidden collectives first; unset: on groups that look as if they "
                       "span nodes.",
                   .choices = {},
                   .nullable = true},
        PassOption{.name = "bucket_only_internode_comms",
                   .type = Type::boolean,
                   .default_value = false,
                   .help = "Merges collectives only on groups that look as if they span nodes (their first all-gather "
                           "gathers a parameter).",
                   .choices = {}},
        PassOption{.name = "prioritize_bucketing_during_scheduling",
                   .type = Type::boolean,
                   .default_value = true,
                   .help = "Starts collectives that could share a bucket one after the other.",
                   .choices = {}},
        PassOption{.name = "max_off_bucket_gb",
                   .type = Type::number,
                   .default_value = 0.5,
                   .help = "Collectives that block no compute are held back until this many gigabytes of one kind are "
                           "ready, and start together; unset starts them one by one.",
                   .choices = {},
                   .nullable = true,
                   .minimum = 0,
                   .usual_maximum = 5},
        PassOption{.name = "enable_fusion_regions",
                   .type = Type::boolean,
                   .default_value = false,
                   .help = "Counts only what crosses the border of a group of operators that Inductor would fuse.",
                   .choices = {}},
        PassOption{.name = "pre_bucketing_fsdp_collectives",
                   .type = Type::boolean,
                   .default_value = true,
                   .help = "Merges the collectives of sharded parameters before scheduling.",
                   .choices = {}},
        PassOption{.name = "pre_bucketing_fsdp_collectives_bucket_cap_mb",
                   .type = Type::number,
                   .default_value = nullptr,
                   .help = "Most megabytes of a bucket merged before scheduling; unset computes it from the links.",
                   .choices = {},
                   .nullable = true,
                   .minimum = 0,
                   .usual_maximum = 2000},
        PassOption{.name = "compute_estimator",
                   .type = Type::text,
                   .default_value = "analytical",
                   .help = "Where times of compute come from. Here they are the graph's; what a job measures while it "
                           "compiles (benchmark) is not known.",
                   .choices = {"analytical", "benchmark"}},
        PassOption{.name = "collective_estimator",
                   .type = Type::text,
                   .default_value = "analytical",
                   .help = "Where times of collectives come from. Here they are the graph's; what a job measures while "
                           "it compiles (benchmark) is not known.",
                   .choices = {"analytical", "benchmark"}},
        PassOption{.name = "pge_profile_path",
                   .type = Type::text,
                   .default_value = nullptr,
                   .help = "A profile that the job reads times from. Not followed here: put its times into the graph.",
                   .choices = {},
                   .empty_is_unset = true},
        PassOption{.name = "log_final_collectives_estimations",
                   .type = Type::boolean,
                   .default_value = false,
                   .help = "Only makes the job log its estimates.",
                   .choices = {}},
    };
    return declared;
}

}  // namespace overlap
