#include "core/passes/experts/ep_overlap_chunk.h"

#include <charconv>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/quote.h"
#include "core/base/wording.h"
#include "core/files/json_members.h"
#include "core/passes/experts/chunk_graph.h"
#include "core/passes/experts/chunk_lowering.h"
#include "core/passes/experts/chunk_options.h"
#include "core/passes/experts/joined_gradient.h"
#include "core/passes/experts/planned_regions.h"
#include "core/passes/option_table.h"
#include "core/passes/pass_support.h"

namespace overlap {

namespace {

using namespace experts;

struct Settings {
    std::string mode = "batch";
    std::string module_pattern;
    std::optional<std::int64_t> num_static_inputs;
    bool optimize_grad_live_out = true;
    bool require_all_to_all = true;
};

const OptionTable<Settings>& table() {
    static const auto table =
        OptionTable<Settings>()
            .add(mode_option(), &Settings::mode)
            .add({.name = "module_pattern",
                  .help = "Modules to halve, such as layers.*.moe or layers.*; * stands for any one component.",
                  .required = true},
                 &Settings::module_pattern)
            .add({.name = "num_static_inputs",
                  .help = "How many of the first inputs are parameters and buffers, which are never halved; without "
                          "it the number that the graph's file has.",
                  .minimum = 0},
                 &Settings::num_static_inputs)
            .add({.name = std::string(JoinedGradientRefusal::option),
                  .help = "Whether gradients are joined before views and reductions that only pass them on."},
                 &Settings::optimize_grad_live_out)
            .add({.name = "require_all_to_all",
                  .help = "Whether modules without an all-to-all of experts are left alone; otherwise labels suffice."},
                 &Settings::require_all_to_all);
    return table;
}

std::int64_t static_inputs(const Graph& graph, const Settings& settings) {
    if (settings.num_static_inputs) return *settings.num_static_inputs;
    const std::string_view text = json_member(graph.header().extra_json, "num_static_inputs");
    std::int64_t number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

/// Halves one direction of all roots. @returns how many regions there were; nothing when `stop` was requested.
std::optional<std::size_t> halve(ChunkGraph& graph, const Settings& settings, const std::vector<ChunkRoot>& roots,
                                 const RootFinder& finder, bool backward, const std::stop_token& stop) {
    const NodeSet boundaries = grad_escape_boundaries(graph);
    const std::vector<ChunkRegion> regions = plan_regions(graph, finder, roots.size(), boundaries);
    std::vector<const ChunkRegion*> owners(graph.editor().number_count(), nullptr);
    for (const ChunkRegion& region : regions) {
        for (const NodeId node : region.nodes) owners[node] = &region;
    }
    RegionSets sets(graph.editor().number_count());
    const LoweringContext context = {
        graph, finder, roots, boundaries, owners, sets, settings.mode == "seq", settings.optimize_grad_live_out};
    std::size_t lowered = 0;
    for (const ChunkRegion& region : regions) {
        if (region.is_backward != backward) continue;
        if (stop.stop_requested()) return {};
        lower_region(context, region);
        ++lowered;
    }
    return lowered;
}

/// Notes that concretize_ep_chunk_symbolic_shapes_pass will find nothing to do, as in a job without
/// populate_chunk_dim_metadata_pass.
void note_missing_hints(const Graph& source, ChunkGraph& graph) {
    for (NodeId node = 0; node < source.node_count(); ++node) {
        const NodeFields& fields = graph.source_fields(node);
        if (!fields.hints.empty() || fields.chunk.producer == ChunkProducer::graph) return;
    }
    GraphHeader header = source.header();
    header.extra_json = with_json_member(header.extra_json, without_hints_field, "true");
    graph.editor().set_header(std::move(header));
}

Problem halved(const std::vector<ChunkRoot>& roots, std::size_t forward, std::size_t backward) {
    Problem problem;
    problem.kind = ProblemKind::chunked_modules;
    problem.title = "Halved";
    problem.message = counted(static_cast<std::int64_t>(roots.size()), "module") + ": " + std::to_string(forward) +
                      " in the forward pass and " + std::to_string(backward) + " in the backward pass";
    return problem;
}

}  // namespace

std::string_view EpOverlapChunk::summary() const {
    return "Computes modules with experts for each half of the batch, so that one half hides the other's all-to-alls";
}

std::span<const PassOption> EpOverlapChunk::options() const {
    return table().options();
}

PassResult EpOverlapChunk::run(const std::shared_ptr<const Graph>& source, const Options& options,
                               std::stop_token stop) const {
    return or_refused(name(), [&] {
        const Settings settings = table().read(options);
        const std::vector<ChunkRoot> roots = chunk_roots(*source, settings.module_pattern, settings.require_all_to_all);
        ChunkGraph graph(source, static_inputs(*source, settings));
        if (graph.symbols().empty()) refuse_not_traced_for_chunks(name());
        const RootFinder finder(graph, roots);
        const std::optional<std::size_t> forward = halve(graph, settings, roots, finder, false, stop);
        if (!forward) return PassResult();
        const std::optional<std::size_t> backward = halve(graph, settings, roots, finder, true, stop);
        if (!backward) return PassResult();
        if (*forward + *backward == 0) {
            throw PassRefusal(std::string(name()), "option module_pattern",
                              "nothing in the modules that match " + in_quotes(settings.module_pattern) +
                                  " follows the halved size; torchtitan raises a ValueError");
        }
        require_order(graph.editor(), name());
        note_missing_hints(*source, graph);
        PassResult result = finished(graph.editor(), name());
        result.report.problems.push_back(halved(roots, *forward, *backward));
        return result;
    });
}

}  // namespace overlap
