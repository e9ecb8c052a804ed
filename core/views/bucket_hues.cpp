#include "core/views/bucket_hues.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string_view>

#include "core/timeline/lane.h"

namespace overlap {
namespace {

using ModuleId = ModuleTree::ModuleId;

/// The number that a block of a stack is called by.
std::optional<std::uint32_t> number_of(std::string_view name) {
    std::uint32_t number = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (error != std::errc() || end != name.data() + name.size()) return std::nullopt;
    return number;
}

std::uint32_t hash(std::string_view path) {
    std::uint32_t value = 2166136261u;  // FNV-1a: the same on every machine
    for (const char letter : path) value = (value ^ static_cast<unsigned char>(letter)) * 16777619u;
    return value;
}

/// Numbers of a model's parts in their order: its blocks, and the modules beside them.
class Places {
  public:
    explicit Places(const ModuleTree& tree) : tree_(tree) {
        if (!tree.exists()) return;
        count_parts();
        number_parts();
    }

    std::uint32_t hue(const std::string& path) const {
        ModuleId module = tree_.exists() ? tree_.find(path) : ModuleTree::no_module;
        if (module == ModuleTree::no_module) return hash(path) % bucket_hue_count;
        // Parts of a block lie apart from those of the next one.
        std::uint32_t inside = 0;
        for (; !place_[module]; module = tree_.module(module).parent) {
            const std::vector<ModuleId>& siblings = tree_.module(tree_.module(module).parent).children;
            inside += 3 + 2 * static_cast<std::uint32_t>(std::ranges::find(siblings, module) - siblings.begin());
        }
        // Blocks that are eight apart differ, too: every eighth may begin an entry.
        const std::uint32_t place = *place_[module];
        return (place + place / bucket_hue_count + inside) % bucket_hue_count;
    }

  private:
    bool is_stack(ModuleId module) const {
        const std::vector<ModuleId>& children = tree_.module(module).children;
        return !children.empty() && std::ranges::all_of(children, [&](ModuleId child) {
            return number_of(tree_.module(child).name).has_value();
        });
    }

    void count_parts() {
        parts_.assign(tree_.module_count(), 0);
        for (ModuleId module = static_cast<ModuleId>(parts_.size()); module-- > 0;) {  // parents were made first
            const std::vector<ModuleId>& children = tree_.module(module).children;
            const bool stack = is_stack(module);
            if (!stack && std::ranges::all_of(children, [&](ModuleId child) { return parts_[child] == 0; })) continue;
            for (const ModuleId child : children)
                parts_[module] = stack ? std::max(parts_[module], *number_of(tree_.module(child).name) + 1)
                                       : parts_[module] + std::max(1u, parts_[child]);
        }
    }

    void number_parts() {
        place_.assign(parts_.size(), std::nullopt);
        place_[ModuleTree::root] = 0;
        std::vector<ModuleId> open = {ModuleTree::root};
        while (!open.empty()) {
            const ModuleId module = open.back();
            open.pop_back();
            std::uint32_t next = *place_[module];
            for (const ModuleId child : tree_.module(module).children) {
                if (is_stack(module)) {  // blocks, whatever stacks they hold
                    place_[child] = *place_[module] + *number_of(tree_.module(child).name);
                    continue;
                }
                place_[child] = next;
                next += std::max(1u, parts_[child]);
                if (parts_[child] > 0) open.push_back(child);
            }
        }
    }

    const ModuleTree& tree_;
    std::vector<std::uint32_t> parts_;                 ///< by module: how many numbers it takes; 0 without a stack
    std::vector<std::optional<std::uint32_t>> place_;  ///< by module; nothing for parts of what has one
};

}  // namespace

std::vector<std::uint32_t> bucket_hues(const ModuleTree& tree, const std::vector<BucketEntry>& entries) {
    if (entries.empty()) return {};
    const Places places(tree);
    std::vector<std::uint32_t> own, hues;
    for (const BucketEntry& entry : entries)
        own.push_back(entry.modules.empty() ? 0 : places.hue(entry.modules.front()));
    for (std::size_t entry = 0; entry < own.size(); ++entry) {
        hues.push_back(own[entry]);
        if (entry == 0 || own[entry] != own[entry - 1]) continue;
        // Neither that of the entry before nor what the next one would have: that one keeps its own.
        constexpr std::array<std::uint32_t, 3> steps = {4, 2, 6};
        for (const std::uint32_t step : steps) {
            const std::uint32_t hue = (own[entry] + step) % bucket_hue_count;
            if (hue == hues[entry - 1] || (entry + 1 < own.size() && hue == own[entry + 1])) continue;
            hues[entry] = hue;
            break;
        }
    }
    return hues;
}

}  // namespace overlap
