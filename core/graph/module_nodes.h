#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "core/graph/module_tree.h"

namespace overlap {

/// Nodes of some modules of a graph, as its ModuleTree has them, without making all of the tree.
class ModuleNodes {
  public:
    /// @param paths of modules; each may be there several times.
    ModuleNodes(const Graph& graph, ModuleSource source, std::span<const std::string_view> paths);

    /// False when no node has a module.
    bool exist() const { return exist_; }
    /// Of the module at `paths[index]`, in graph order; empty where there is none.
    std::span<const NodeId> of(std::size_t index) const { return nodes_[place_of_path_[index]]; }

  private:
    bool exist_ = false;
    std::vector<std::uint32_t> place_of_path_;
    std::vector<std::vector<NodeId>> nodes_;  ///< of each different path
};

}  // namespace overlap
