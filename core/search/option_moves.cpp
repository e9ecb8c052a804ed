#include <string>
#include <utility>

#include "core/plan/automatic_plan.h"
#include "core/search/moves.h"

namespace overlap {

std::vector<Proposal> option_moves(const Plan& plan, std::mt19937& random, std::size_t most) {
    const std::size_t step = automatic_step(plan);
    if (step == plan.pipeline.size()) return {};
    static const std::vector<std::pair<std::string, std::vector<OptionValue>>> values = {
        {"collective_bucketing", {true, false}},
        {"max_in_flight_gb", {0.5, 1.0, 2.0, 5.0, 10.0, 1000.0}},
        {"max_compute_pre_fetch", {std::int64_t{10}, std::int64_t{50}, std::int64_t{200}, std::int64_t{100'000}}},
        {"compute_overlap_multipler", {0.5, 0.8, 1.0, 1.2, 1.5, 2.0, 4.0}},
        {"max_coll_distance", {std::int64_t{10}, std::int64_t{50}, std::int64_t{200}, std::int64_t{2000}}},
        {"max_memory_increase_gb", {std::monostate(), 0.0, 0.5, 1.0, 4.0}},
        {"max_memory_increase_ratio", {std::monostate(), 0.0, 0.05, 0.2, 0.5}},
        {"bucket_mode", {std::string("default"), std::string("custom_ops"), std::string("custom_ops_multidtype")}},
        {"bucket_exposed_first", {true, false}},
        {"bucket_only_internode_comms", {true, false}},
        {"prioritize_bucketing_during_scheduling", {true, false}},
        {"max_off_bucket_gb", {std::monostate(), 0.1, 0.5, 2.0}},
        {"enable_fusion_regions", {true, false}},
        {"pre_bucketing_fsdp_collectives", {true, false}},
        {"pre_bucketing_fsdp_collectives_bucket_cap_mb", {std::monostate(), 50.0, 200.0, 1000.0}},
    };
    std::vector<Proposal> proposals;
    for (std::size_t count = 0; count < most; ++count) {
        const auto& [option, choices] = values[random() % values.size()];
        const OptionValue& value = choices[random() % choices.size()];
        Plan changed = plan;
        OptionValue& now = changed.pipeline[step].options[option];
        if (now == value) continue;
        now = value;
        proposals.push_back({std::move(changed), option + " set to " + describe(value)});
    }
    return proposals;
}

std::vector<Proposal> in_flight_moves(const Plan& plan) {
    const std::size_t step = automatic_step(plan);
    if (step == plan.pipeline.size()) return {};
    const Options& options = plan.pipeline[step].options;
    const OptionValue* const now = options.find("max_in_flight_gb");
    const double* const allowed_gb = now ? std::get_if<double>(now) : nullptr;
    std::vector<Proposal> proposals;
    for (const double less_gb : {5.0, 3.0, 2.0, 1.0, 0.5}) {
        if (allowed_gb && *allowed_gb <= less_gb) continue;
        Plan changed = plan;
        changed.pipeline[step].options["max_in_flight_gb"] = less_gb;
        proposals.push_back({std::move(changed), "at most " + describe(OptionValue(less_gb)) + " GB in flight"});
    }
    return proposals;
}

}  // namespace overlap
