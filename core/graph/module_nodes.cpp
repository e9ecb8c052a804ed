#include "core/graph/module_nodes.h"

#include <algorithm>
#include <unordered_map>

namespace overlap {

namespace {

/// Which of the wanted paths a module path is or lies within, component by component.
class WantedPaths {
  public:
    explicit WantedPaths(std::span<const std::string_view> paths) {
        for (const std::string_view path : paths) {
            places_.push_back(numbers_.try_emplace(path, static_cast<std::uint32_t>(numbers_.size())).first->second);
        }
    }

    const std::vector<std::uint32_t>& places() const { return places_; }
    std::size_t different_count() const { return numbers_.size(); }

    /// Adds those that are not in `found` yet.
    void add(std::string_view path, std::vector<std::uint32_t>& found) const {
        if (path.empty()) return;  // the root, which no path names
        for (std::size_t end = 0; end != path.npos;) {
            end = path.find('.', end);
            const auto known = numbers_.find(path.substr(0, end));
            if (known != numbers_.end() && std::ranges::find(found, known->second) == found.end())
                found.push_back(known->second);
            if (end != path.npos) ++end;
        }
    }

  private:
    std::unordered_map<std::string_view, std::uint32_t> numbers_;
    std::vector<std::uint32_t> places_;
};

}  // namespace

ModuleNodes::ModuleNodes(const Graph& graph, ModuleSource source, std::span<const std::string_view> paths) {
    const WantedPaths wanted(paths);
    place_of_path_ = wanted.places();
    nodes_.resize(wanted.different_count());
    // Graphs have thousands of nodes but hundreds of module stacks or paths.
    constexpr std::uint32_t unknown = 0xffffffffu;
    const bool by_path = source == ModuleSource::module_fqn;
    std::vector<std::uint32_t> place_of_key(by_path ? graph.strings()->size() : graph.module_stack_count(), unknown);
    std::vector<std::vector<std::uint32_t>> places;  // of each different key: the wanted paths
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        const NodeMetadata metadata = graph.metadata(node);
        const std::uint32_t stack = metadata.module_stack != 0 ? metadata.module_stack : metadata.fwd_module_stack;
        const std::uint32_t key = by_path ? metadata.module_fqn : stack;
        if (key == 0) continue;
        std::uint32_t& place = place_of_key[key];
        if (place == unknown) {
            place = static_cast<std::uint32_t>(places.size());
            std::vector<std::uint32_t>& found = places.emplace_back();
            if (by_path) {
                exist_ = true;
                wanted.add(graph.text(key), found);
            } else {
                for (const ModuleStackEntry& entry : graph.module_stack(key)) {
                    exist_ = true;
                    wanted.add(clean_module_path(graph.text(entry.path)), found);
                }
            }
        }
        for (const std::uint32_t path : places[place]) nodes_[path].push_back(node);
    }
}

}  // namespace overlap
