#include "core/plan/memory_obstacles.h"

#include <algorithm>
#include <array>
#include <utility>

namespace overlap {

namespace {

constexpr std::array carrying_passes = {memory_tag_pass, memory_offload_pass, memory_remat_pass};

/// Of a pass that does not run.
std::string fix_of(const std::vector<PassStep>& pipeline, std::string_view pass) {
    const bool is_there = std::ranges::find(pipeline, pass, &PassStep::pass) != pipeline.end();
    return is_there ? "switch " + std::string(pass) + " on" : "add " + std::string(pass);
}

}  // namespace

std::vector<MemoryObstacle> memory_obstacles(const MemorySection& section, const std::vector<PassStep>& pipeline) {
    std::vector<MemoryObstacle> obstacles;
    for (const std::string_view pass : carrying_passes) {
        const auto runs = [&](const PassStep& step) { return step.enabled && step.pass == pass; };
        const auto step = std::ranges::find_if(pipeline, runs);
        if (step == pipeline.end()) {
            obstacles.push_back({"the pipeline does not run " + std::string(pass) +
                                     ", which carries out a part of the plan's memory section",
                                 fix_of(pipeline, pass)});
            continue;
        }
        for (const auto& [name, value] : memory_options(section, pass)) {
            const OptionValue* own = step->options.find(name);
            if (!own || same_value(*own, value)) continue;
            obstacles.push_back({"the step " + std::string(pass) + " gives its option " + name +
                                     " itself, and that of the plan's memory section is not used",
                                 {}});
        }
    }
    return obstacles;
}

std::optional<std::vector<PassStep>> with_memory_fix(std::vector<PassStep> pipeline, std::string_view fix) {
    for (const std::string_view pass : carrying_passes) {
        if (fix_of(pipeline, pass) != fix) continue;
        if (std::ranges::find(pipeline, pass, &PassStep::pass) == pipeline.end())
            pipeline = with_memory_steps(std::move(pipeline));
        std::ranges::find(pipeline, pass, &PassStep::pass)->enabled = true;
        return pipeline;
    }
    return std::nullopt;
}

}  // namespace overlap
