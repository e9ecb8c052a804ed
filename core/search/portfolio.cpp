#include "core/search/portfolio.h"

#include <algorithm>
#include <array>
#include <string>

#include "core/plan/automatic_plan.h"
#include "core/plan/group_passes.h"
#include "core/plan/memory_edits.h"
#include "core/plan/presets.h"

namespace overlap {
namespace {

/// Without passes for process groups and for memory.
Plan cleaned(const PipelinePreset& preset, const Graph& graph) {
    Plan plan = edits::without_memory_passes(plan_of(preset, graph, "Automatic"));
    std::erase_if(plan.pipeline, [](const PassStep& step) {
        return is_group_pass(step.pass, isolate_expert_group_pass) || is_group_pass(step.pass, reassign_groups_pass);
    });
    return plan;
}

/// What the automatic pass may hold beyond the original's peak.
struct MemoryIncrease {
    const char* name;
    OptionValue gigabytes, ratio;
};

std::vector<MemoryIncrease> memory_increases() {
    return {{"default memory", 1.0, 0.05},
            {"no more memory", 0.0, 0.0},
            {"half more memory", 0.0, 0.5},
            {"any memory", std::monostate(), std::monostate()}};
}

}  // namespace

std::vector<Proposal> preset_proposals(const Graph& graph) {
    std::vector<Proposal> proposals;
    for (const PipelinePreset& preset : pipeline_presets(graph))
        proposals.push_back({plan_of(preset, graph, preset.title), preset.name});
    return proposals;
}

std::vector<Proposal> grid_proposals(const Graph& graph) {
    const Plan start = cleaned(pipeline_presets(graph).front(), graph);
    std::vector<Proposal> proposals;
    for (const bool merges : {false, true}) {
        Plan plan = automatic_plan(Plan(), *start.graph);
        plan.pipeline.back().options["collective_bucketing"] = merges;
        proposals.push_back({std::move(plan), merges ? "automatic, alone" : "automatic, alone, not merged"});
    }
    const auto add = [&](const std::string& name, Options options) {
        Plan plan = automatic_plan(start, *start.graph);
        plan.pipeline.back().options.update(options);
        proposals.push_back({std::move(plan), "automatic, " + name});
    };
    for (const MemoryIncrease& memory : memory_increases()) {
        for (const bool merges : {false, true}) {
            for (const double in_flight_gb : {5.0, 1000.0}) {
                for (const std::int64_t ahead : {std::int64_t{200}, std::int64_t{100'000}}) {
                    for (const bool variant : {false, true}) {
                        Options options{{"collective_bucketing", merges},
                                        {"max_memory_increase_gb", memory.gigabytes},
                                        {"max_memory_increase_ratio", memory.ratio},
                                        {"max_in_flight_gb", in_flight_gb},
                                        {"max_compute_pre_fetch", ahead}};
                        // Where nothing is merged, how buckets are made says nothing.
                        if (variant && merges) options["bucket_mode"] = std::string("custom_ops");
                        if (variant && !merges) options["pre_bucketing_fsdp_collectives"] = false;
                        std::string name = std::string(memory.name) + (merges ? ", merged" : ", not merged") +
                                           (in_flight_gb > 5 ? ", any in flight" : "") +
                                           (ahead > 200 ? ", any distance" : "");
                        if (variant) name += merges ? ", custom operators" : ", nothing before";
                        add(name, std::move(options));
                    }
                }
            }
        }
    }
    return proposals;
}

std::vector<Proposal> group_proposals(const std::shared_ptr<const Graph>& graph, const Plan& plan) {
    std::vector<Proposal> proposals;
    constexpr std::array<std::string_view, 2> passes = {isolate_expert_group_pass, reassign_groups_pass};
    std::vector<std::string_view> useful;
    for (const std::string_view pass : passes) {
        if (group_pass_obstacle(graph, pass).empty()) useful.push_back(pass);
    }
    for (std::size_t chosen = 0; chosen < std::size_t{1} << useful.size(); ++chosen) {
        Plan changed = plan;
        std::string name;
        for (std::size_t index = 0; index < useful.size(); ++index) {
            const bool wanted = chosen >> index & 1;
            std::erase_if(changed.pipeline,
                          [&](const PassStep& step) { return is_group_pass(step.pass, useful[index]); });
            if (!wanted) continue;
            put_group_pass(changed.pipeline, useful[index]);
            name += (name.empty() ? "" : ", ") + std::string(useful[index]);
        }
        if (changed.pipeline != plan.pipeline)
            proposals.push_back({std::move(changed), name.empty() ? "no extra groups" : name});
    }
    return proposals;
}

}  // namespace overlap
