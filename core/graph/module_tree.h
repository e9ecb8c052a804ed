#pragma once

#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/graph/graph.h"

namespace overlap {

/// Where a node's modules are read from.
enum class ModuleSource {
    module_stack,  ///< `module_stack`, else `fwd_module_stack` (torch's default)
    module_fqn,    ///< `custom.module_fqn`, one module a node (torchtitan)
};

/// The source that fits a graph: module stacks where any node has one, else module_fqn.
ModuleSource preferred_module_source(const Graph& graph);

/// A path of a module stack as torch's graph view reads it: `L['self']` is removed, quoted parts are joined by dots
/// (torch/_inductor/fx_passes/graph_view.py, `_clean_stack_name`).
std::string clean_module_path(std::string_view raw);

/// Whether a module is `outer` or inside of it, by their paths.
bool is_within(std::string_view path, std::string_view outer);

/// The tree of modules of a graph, built as torch 2.15's `make_graph_view` builds it. Immutable.
class ModuleTree {
  public:
    using ModuleId = std::uint32_t;
    static constexpr ModuleId root = 0;
    static constexpr ModuleId no_module = 0xffffffffu;

    struct Module {
        std::string name;        ///< last component
        std::string class_name;  ///< of whichever entry made it first, as in torch
        /// Of the first entry whose path ends here; empty for modules that only lie on the path to others; their
        /// `class_name` is another module's class (`layers` has that of a block).
        std::string own_class;
        ModuleId parent = no_module;
        std::vector<ModuleId> children;  ///< in first-seen order
        std::vector<NodeId> nodes;       ///< in graph order, each once; a node is in every module along its paths
    };

    ModuleTree(const Graph& graph, ModuleSource source);

    ModuleSource source() const { return source_; }
    /// False when no node has a module: torch then has no tree, and plans select nothing.
    bool exists() const { return !modules_.empty(); }
    std::size_t module_count() const { return modules_.size(); }
    const Module& module(ModuleId id) const { return modules_[id]; }
    /// Dotted path from the root; empty for the root.
    std::string path(ModuleId id) const;
    /// The module at a dotted path, walked component by component from the root's children as torch's
    /// `get_subgraph_by_path` does; no_module where a component is missing. The empty path finds nothing.
    ModuleId find(std::string_view path) const;
    /// The child of `parent` called `name`, or no_module.
    ModuleId child(ModuleId parent, std::string_view name) const;
    /// Nodes of the module at `path`; empty where there is none.
    std::span<const NodeId> nodes(std::string_view path) const;
    /// The deepest module that holds `node` (the last one of its last path); no_module for a node without one.
    ModuleId innermost(NodeId node) const { return innermost_[node]; }
    /// Nodes that are in no module, in graph order.
    const std::vector<NodeId>& nodes_without_module() const { return nodes_without_module_; }
    /// Number of levels below the root.
    std::size_t depth() const;

  private:
    /// Where the nodes with one module stack, or one path, belong.
    struct Place {
        std::vector<ModuleId> modules;  ///< each once
        ModuleId innermost = no_module;
        std::uint32_t node_count = 0;
    };

    Place place_of(const Graph& graph, std::uint32_t key);
    void add_nodes(std::span<const std::uint32_t> place_of_node, std::span<const Place> places);
    ModuleId child_or_new(ModuleId parent, std::string_view name, std::string_view class_name);
    /// The modules that a dotted path leads through, made where they are missing; the root alone for the empty path.
    std::vector<ModuleId> modules_along(std::string_view path, std::string_view class_name);

    ModuleSource source_;
    std::deque<Module> modules_;  ///< grows in pieces: modules are large beside the letters that make them
    std::vector<ModuleId> innermost_;
    std::vector<NodeId> nodes_without_module_;
    std::vector<std::unordered_map<std::string, ModuleId>> children_by_name_;
    std::unordered_map<StringId, std::vector<ModuleId>>
        chains_;  ///< what a raw path leads through; while the tree is made
};

}  // namespace overlap
