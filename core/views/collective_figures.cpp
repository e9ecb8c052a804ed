#include "core/views/collective_figures.h"

#include <algorithm>
#include <unordered_set>

#include "core/graph/short_names.h"
#include "core/modules/home_module.h"
#include "core/pipeline/why_exposed.h"
#include "core/simulate/hiding_compute.h"
#include "core/views/batch_halves.h"
#include "core/views/members_of_result.h"

namespace overlap {

namespace {

constexpr std::size_t most_paths = 2;

/// The first `depth` components of a path; all of a shorter one.
std::string_view beginning(std::string_view path, std::size_t depth) {
    std::size_t end = 0;
    for (std::size_t component = 0; component < depth; ++component) {
        const std::size_t dot = path.find('.', end);
        if (dot == std::string_view::npos) return path;
        end = dot + 1;
    }
    return path.substr(0, end == 0 ? 0 : end - 1);
}

/// The different beginnings of that depth in short. Their order is that of the collectives: in backward it falls.
std::vector<std::string> beginnings(const std::vector<std::string>& paths, std::size_t depth) {
    std::vector<std::string> found;
    std::unordered_set<std::string_view> known;
    for (const std::string& path : paths)
        if (const std::string_view begins = beginning(path, depth); known.insert(begins).second)
            found.emplace_back(begins);
    std::vector<std::string> rising = module_ranges(found);
    std::ranges::reverse(found);
    std::vector<std::string> falling = module_ranges(found);
    return falling.size() < rising.size() ? falling : rising;
}

/// Titles of the entries that the plan was run with.
std::string title_of(const Evaluation& evaluation, std::int32_t entry) {
    if (entry < 0 || !evaluation.resolved) return {};
    const std::vector<BucketEntry>& buckets = evaluation.resolved->plan.buckets;
    if (static_cast<std::size_t>(entry) >= buckets.size()) return {};
    const BucketEntry& bucket = buckets[static_cast<std::size_t>(entry)];
    return bucket.title.empty() ? display_name(bucket) : bucket.title;
}

}  // namespace

std::string short_modules(const std::vector<std::string>& paths) {
    std::vector<std::string> shown;
    for (std::size_t depth = 1;; ++depth) {
        std::vector<std::string> deeper = beginnings(paths, depth);
        if (deeper.size() > most_paths || deeper == shown) break;
        shown = std::move(deeper);
    }
    std::string text;
    for (const std::string& path : shown) text.append(text.empty() ? "" : ", ").append(path);
    return text;
}

std::vector<CollectiveFigures> collective_figures(const Evaluation& evaluation, const ModuleTree& tree) {
    const Simulation& simulation = evaluation.simulation;
    const std::vector<ModuleTree::ModuleId> homes = home_modules(tree, evaluation.input->node_count());
    const MembersOfResult members_of(evaluation);
    const BatchHalves halves(*evaluation.graph);
    const HidingCompute compute(*evaluation.graph, evaluation.times_ms, simulation);
    std::vector<CollectiveFigures> figures(simulation.collectives.size());
    for (std::size_t index = 0; index < figures.size(); ++index) {
        const CollectiveTiming& timing = simulation.collectives[index];
        CollectiveFigures& made = figures[index];
        made.timing = static_cast<std::uint32_t>(index);
        made.members = members_of.sources_of(timing.start);
        for (const NodeId member : made.members) {
            if (homes[member] == ModuleTree::no_module) continue;
            std::string path = tree.path(homes[member]);
            if (!path.empty() && std::ranges::find(made.modules, path) == made.modules.end())
                made.modules.push_back(std::move(path));
        }
        // What a pass made anew, such as the second half of a batch, says itself where it belongs.
        const std::string_view own = evaluation.graph->text(evaluation.graph->metadata(timing.start).module_fqn);
        if (made.modules.empty() && tree.find(own) != ModuleTree::no_module) made.modules.emplace_back(own);
        made.module = short_modules(made.modules);
        made.entry = evaluation.bucket_of_node[timing.start];
        made.bucket = title_of(evaluation, made.entry);
        made.of_half = halves.half_of(timing.start) >= 0;
        if (!evaluation.times_known) continue;
        made.could_hide_ms = could_hide_ms(evaluation, index);
        const std::vector<HidingNode> hiding = compute.of(timing);
        if (!hiding.empty()) made.hidden_by = hiding.front().node;
        made.hiding_nodes = static_cast<std::uint32_t>(hiding.size());
        for (const HidingNode& beside : hiding) {
            made.hidden_ms += beside.common_ms;
            if (halves.are_opposite(timing.start, beside.node)) made.by_other_half_ms += beside.common_ms;
        }
    }
    return figures;
}

void CollectiveSums::add(const CollectiveTiming& collective, const CollectiveFigures& figures) {
    ++collectives;
    time_ms += collective.end_ms - collective.start_ms;
    exposed_ms += collective.exposed_ms;
    could_hide_ms += figures.could_hide_ms;
    bytes += collective.bytes;
    if (!figures.of_half || collective.kind != CollectiveKind::all_to_all) return;
    ++exchanges_of_halves;
    exchanges_ms += collective.end_ms - collective.start_ms;
    hidden_by_other_half_ms += figures.by_other_half_ms;
}

}  // namespace overlap
