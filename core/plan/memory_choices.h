#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "core/graph/module_tree.h"
#include "core/plan/memory_section.h"

namespace overlap {

/// A memory section to choose: a point of the chart of step against peak, a row of the table in docs/memory.md.
struct MemoryChoice {
    std::string name;   ///< stable, such as `full_keep_all`
    std::string title;  ///< for display
    MemorySection section;
};

/// The names of all of them, in the order of memory_choices().
inline constexpr std::array<std::string_view, 9> memory_choice_names = {
    "default",           "save_all",         "eager",          "full",         "sac_and_offload",
    "default_keep_last", "default_keep_all", "full_keep_last", "full_keep_all"};

/// Paths of the model's numbered layers, `layers.0`, `layers.1`, …, in order of their numbers.
std::vector<std::string> numbered_layers(const ModuleTree& tree);

/// torchtitan's policies, and what keeping gathered parameters adds to them: in the last quarter of the layers, and
/// everywhere. Choices that need layers are left out where the model has no `layers.0`, `layers.1`, ...
std::vector<MemoryChoice> memory_choices(const ModuleTree& tree);

}  // namespace overlap
