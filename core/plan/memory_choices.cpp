#include "core/plan/memory_choices.h"

#include <algorithm>
#include <charconv>

namespace overlap {

std::vector<std::string> numbered_layers(const ModuleTree& tree) {
    std::vector<std::int64_t> numbers;
    const ModuleTree::ModuleId layers = tree.exists() ? tree.find("layers") : ModuleTree::no_module;
    if (layers == ModuleTree::no_module) return {};
    for (const ModuleTree::ModuleId layer : tree.module(layers).children) {
        const std::string& name = tree.module(layer).name;
        std::int64_t number = 0;
        const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
        if (error == std::errc{} && end == name.data() + name.size()) numbers.push_back(number);
    }
    std::ranges::sort(numbers);
    std::vector<std::string> paths;
    for (const std::int64_t number : numbers) paths.push_back("layers." + std::to_string(number));
    return paths;
}

namespace {

MemorySection section_of(std::string policy, std::vector<MemoryRule> rules = {}) {
    MemorySection section;
    section.policy = std::move(policy);
    section.rules = std::move(rules);
    return section;
}

}  // namespace

std::vector<MemoryChoice> memory_choices(const ModuleTree& tree) {
    const MemoryRule keep_all{MemoryAction::keep, {}, {}};
    const std::vector<std::string> layers = numbered_layers(tree);
    const std::vector<std::string> last(layers.end() - static_cast<std::ptrdiff_t>(layers.size() / 4), layers.end());
    std::vector<MemoryChoice> choices = {
        {"default", "default", section_of("default")},
        {"save_all", "default, all but gathers saved", section_of("default", {{MemoryAction::save, {}, {}}})},
        {"eager", "eager", section_of("eager")},
        {"full", "full", section_of("full")},
        {"sac_and_offload", "sac_and_offload", section_of("sac_and_offload")},
        {"default_keep_all", "default, gathers kept", section_of("default", {keep_all})},
        {"full_keep_all", "full, gathers kept", section_of("full", {keep_all})},
    };
    if (!last.empty()) {
        const std::string where = "last " + std::to_string(last.size()) + (last.size() == 1 ? " layer" : " layers");
        const MemoryRule keep_last{MemoryAction::keep, last, {}};
        choices.insert(choices.end() - 2,
                       {"default_keep_last", "default, gathers kept in " + where, section_of("default", {keep_last})});
        choices.insert(choices.end() - 1,
                       {"full_keep_last", "full, gathers kept in " + where, section_of("full", {keep_last})});
    }
    return choices;
}

}  // namespace overlap
