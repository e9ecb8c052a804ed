#pragma once

#include <array>
#include <vector>

#include "core/layout/box_tree.h"
#include "core/layout/node_places.h"

namespace overlap {

/// Makes the boxes of a BoxTree, without what flows between them.
class BoxTreeBuilder {
  public:
    BoxTreeBuilder(const Graph& graph, const ModuleTree& modules, const BoxPlaces& places);

    void build(BoxTree& tree);

  private:
    using DraftId = std::uint32_t;
    /// A box whose place among the others is not settled yet.
    struct Draft {
        Box box;
        DraftId parent = 0;
        std::vector<DraftId> children;
        NodeId earliest = no_node;  ///< of its nodes
    };
    /// The drafts of a module, by direction.
    using Pair = std::array<DraftId, 2>;

    DraftId add(BoxKind kind, Phase phase, DraftId parent);
    DraftId draft_of(ModuleTree::ModuleId module, Phase phase);
    DraftId group_of(NodeId node, Phase phase);
    void draft_all();
    void order_children();
    void hash_structure();
    std::uint64_t hash_operation(NodeId node);
    void make_runs();
    void gather_run(const std::vector<Pair>& members);
    void make_slices();
    void number(BoxTree& tree);
    void list_nodes(BoxTree& tree) const;

    const Graph& graph_;
    const ModuleTree& modules_;
    const BoxPlaces& places_;
    NodePlaces nodes_;
    std::vector<Draft> drafts_;
    std::vector<Pair> module_drafts_;
    std::array<DraftId, 2> unplaced_{};
    DraftId interface_ = 0;
    std::vector<std::uint64_t> target_hash_;
};

}  // namespace overlap
