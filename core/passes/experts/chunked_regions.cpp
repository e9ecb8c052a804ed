#include "core/passes/experts/chunked_regions.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "core/base/quote.h"
#include "core/passes/experts/chunk_metadata.h"
#include "core/passes/pass_support.h"
#include "core/passes/shell_pattern.h"

namespace overlap::experts {

namespace {

constexpr std::uint32_t no_region = 0xffffffffu, not_looked_up = 0xfffffffeu;

/// Puts the nodes of halves into their regions.
class Collector {
  public:
    Collector(const Graph& graph, std::string_view pattern, std::string_view pass)
        : graph_(graph),
          pattern_(pattern),
          pass_(pass),
          place_of_fields_(graph.strings()->size()),
          region_of_(graph.node_count(), no_region) {}

    std::vector<ChunkedRegion> run() {
        for (NodeId node = 0; node < graph_.node_count(); ++node) add(node);
        place_.resize(graph_.node_count());
        met_for_.resize(graph_.node_count(), no_region);
        for (std::uint32_t region = 0; region < regions_.size(); ++region) find_dependencies(region);
        return std::move(regions_);
    }

  private:
    /// Where fields put a node.
    struct KnownPlace {
        ChunkPlace place;
        std::array<std::uint32_t, 2> region;  ///< its number in the forward and in the backward pass
    };

    void add(NodeId node) {
        const StringId fields = half_part(*graph_.strings(), graph_.extra_json()[node]);
        if (fields == empty_string) return;
        // Most nodes of one half say the same of it.
        std::uint32_t& known = place_of_fields_[fields];
        if (known == 0) {
            places_.push_back({chunk_place(graph_, node, pass_), {not_looked_up, not_looked_up}});
            known = static_cast<std::uint32_t>(places_.size());
        }
        KnownPlace& known_place = places_[known - 1];
        const ChunkPlace& place = known_place.place;
        if (place.role != ChunkRole::body) return;
        if (!place.chunk || place.region.empty()) {
            refuse_node(pass_, graph_.name(node),
                        "it belongs to a half of a module, and its titan_meta does not say to which half of which "
                        "module: torchtitan raises a ValueError (incomplete chunk metadata)");
        }
        const bool is_backward = place.is_backward.value_or(graph_.metadata(node).autograd_backward.value_or(false));
        std::uint32_t& number = known_place.region[is_backward ? 1 : 0];
        if (number == not_looked_up) number = number_of(std::string(place.region), is_backward);
        if (number == no_region) return;
        region_of_[node] = number;
        ChunkedRegion& region = regions_[number];
        region.nodes.push_back(node);
        region.chunk.push_back(static_cast<std::uint8_t>(*place.chunk));
        ++region.node_count[static_cast<std::size_t>(*place.chunk)];
    }

    std::uint32_t number_of(const std::string& root, bool is_backward) {
        const auto [entry, is_new] = numbers_.try_emplace({root, is_backward}, no_region);
        if (is_new && matches_shell_pattern(root, pattern_)) {
            entry->second = static_cast<std::uint32_t>(regions_.size());
            regions_.emplace_back();
            regions_.back().root = root;
            regions_.back().is_backward = is_backward;
            regions_.back().node_count = {};
        }
        return entry->second;
    }

    /// One walk over the region's nodes, and over those of no region that lie between some of them.
    void find_dependencies(std::uint32_t number) {
        ChunkedRegion& region = regions_[number];
        const auto count = static_cast<std::uint32_t>(region.nodes.size());
        for (std::uint32_t place = 0; place < count; ++place) place_[region.nodes[place]] = place;
        region.first_dependency.reserve(count + 1);
        find_between(region, number);
        std::size_t next = 0;
        for (const NodeId node : region.nodes) {
            for (; next < between_.size() && between_[next] < node; ++next) {
                behind_[next].clear();
                add_inputs(between_[next], number, behind_[next]);
                unite(behind_[next], 0);
            }
            std::vector<std::uint32_t>& list = region.dependency_list;
            const auto begin = static_cast<std::uint32_t>(list.size());
            region.first_dependency.push_back(begin);
            add_inputs(node, number, list);
            unite(list, begin);
        }
        region.first_dependency.push_back(static_cast<std::uint32_t>(region.dependency_list.size()));
    }

    /// Nodes of no region that depend on the region's, in front of its last: what stands behind it is no input of it.
    void find_between(const ChunkedRegion& region, std::uint32_t number) {
        const NodeId last = region.nodes.back();
        between_.clear();
        const auto look = [&](NodeId node) {
            for (const NodeId user : graph_.users(node)) {
                if (user > last || region_of_[user] != no_region || met_for_[user] == number) continue;
                met_for_[user] = number;
                between_.push_back(user);
            }
        };
        for (const NodeId node : region.nodes) look(node);
        for (std::size_t at = 0; at < between_.size(); ++at) look(between_[at]);
        std::ranges::sort(between_);
        for (std::uint32_t place = 0; place < between_.size(); ++place) place_[between_[place]] = place;
        if (behind_.size() < between_.size()) behind_.resize(between_.size());
    }

    void add_inputs(NodeId node, std::uint32_t number, std::vector<std::uint32_t>& found) const {
        for (const NodeId input : graph_.inputs(node)) {
            if (region_of_[input] == number) {
                found.push_back(place_[input]);
            } else if (met_for_[input] == number) {
                const std::vector<std::uint32_t>& behind = behind_[place_[input]];
                found.insert(found.end(), behind.begin(), behind.end());
            }
        }
    }

    /// Sorts what a list has from `begin` on, each once.
    static void unite(std::vector<std::uint32_t>& list, std::size_t begin) {
        if (list.size() < begin + 2) return;
        const auto from = list.begin() + static_cast<std::ptrdiff_t>(begin);
        std::sort(from, list.end());
        list.erase(std::unique(from, list.end()), list.end());
    }

    const Graph& graph_;
    const std::string_view pattern_, pass_;
    std::vector<std::uint32_t> place_of_fields_;  ///< from 1 on; 0: not looked at
    std::vector<KnownPlace> places_;
    std::map<std::pair<std::string, bool>, std::uint32_t> numbers_;
    std::vector<ChunkedRegion> regions_;
    std::vector<std::uint32_t> region_of_;
    std::vector<std::uint32_t> place_;    ///< by node: in its region, or among those between
    std::vector<std::uint32_t> met_for_;  ///< by node of no region: the region for which it was met last
    std::vector<NodeId> between_;         ///< of one region
    /// By place among those between: what of the region they depend on.
    std::vector<std::vector<std::uint32_t>> behind_;
};

}  // namespace

std::string ChunkedRegion::text() const {
    return in_quotes(root) + (is_backward ? " (backward)" : " (forward)");
}

std::vector<ChunkedRegion> chunked_regions(const Graph& graph, std::string_view module_pattern, std::string_view pass) {
    return Collector(graph, module_pattern, pass).run();
}

}  // namespace overlap::experts
