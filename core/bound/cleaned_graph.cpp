#include "core/bound/cleaned_graph.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/passes/registry/registry.h"
#include "core/plan/memory_section.h"
#include "core/plan/presets.h"

namespace overlap {
namespace {

/// Passes that are run before plans are looked at.
class Cleaning {
  public:
    explicit Cleaning(const std::stop_token& stop) : stop_(stop) {}

    std::shared_ptr<const Graph> after(std::shared_ptr<const Graph> graph, std::string_view pass,
                                       const Options& options = {}) const {
        if (stop_.stop_requested()) return graph;
        try {
            const std::shared_ptr<const Graph> result = require_pass(pass).run(graph, options, stop_).graph;
            return result ? result : graph;
        } catch (const InputError&) {
            return graph;  // a pass that refuses the graph refuses it in every plan
        }
    }

    /// Whether some plan can compute again or move to the host what is kept: if it can at all, then where a section
    /// asks for as much of that as there is. What a plan gathers again or not, bounds leave out anyway.
    bool memory_can_change(const std::shared_ptr<const Graph>& graph) const {
        if (!memory_section_refusal(*graph).empty()) return false;
        MemorySection recompute, offload;
        recompute.policy = "full";
        offload.rules = {{MemoryAction::offload, {}, {}}};
        return is_changed_by(recompute, graph) || is_changed_by(offload, graph);
    }

  private:
    /// Whether a memory section changes what the graph runs: tags alone change nothing, and the other passes return
    /// the graph that they were given where there is nothing to do.
    bool is_changed_by(const MemorySection& section, const std::shared_ptr<const Graph>& graph) const {
        const auto run = [&](const std::shared_ptr<const Graph>& before, std::string_view pass) {
            return after(before, pass, memory_options(section, pass));
        };
        const std::shared_ptr<const Graph> tagged = run(graph, memory_tag_pass);
        return run(run(tagged, memory_offload_pass), memory_remat_pass) != tagged;
    }

    const std::stop_token& stop_;
};

}  // namespace

CleanedGraph cleaned_up(std::shared_ptr<const Graph> graph, const std::stop_token& stop) {
    const Cleaning cleaning(stop);
    const std::vector<PassStep> steps = pipeline_presets(*graph).front().steps;
    const auto runs = [&](std::string_view pass) {
        return std::ranges::find(steps, pass, &PassStep::pass) != steps.end();
    };
    graph = cleaning.after(cleaning.after(graph, "eliminate_dead_code_pass"), "canonicalize_graph_pass");
    // Where the backward pass gathers again, torchtitan does not undo it.
    constexpr std::string_view deduplicate = "deduplicate_fsdp_unshard_chains_pass";
    if (runs(deduplicate)) graph = cleaning.after(cleaning.after(graph, deduplicate), "eliminate_dead_code_pass");
    return {graph, !cleaning.memory_can_change(graph)};
}

}  // namespace overlap
