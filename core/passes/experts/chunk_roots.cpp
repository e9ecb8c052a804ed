// Which modules a pattern means.

#include <algorithm>
#include <set>

#include "core/base/error.h"
#include "core/base/quote.h"
#include "core/files/json_members.h"
#include "core/passes/experts/planned_regions.h"

namespace overlap::experts {

namespace {

std::vector<std::string_view> components(std::string_view path) {
    std::vector<std::string_view> parts;
    while (true) {
        const std::size_t dot = path.find('.');
        parts.push_back(path.substr(0, dot));
        if (dot == path.npos) return parts;
        path.remove_prefix(dot + 1);
    }
}

/// The first components of a module's path, if they match those of the pattern; else nothing.
std::string_view matched_root(const std::vector<std::string_view>& pattern, std::string_view module) {
    const std::vector<std::string_view> parts = components(module);
    if (parts.size() < pattern.size()) return {};
    for (std::size_t index = 0; index < pattern.size(); ++index) {
        if (pattern[index] != "*" && pattern[index] != parts[index]) return {};
    }
    const std::string_view last = parts[pattern.size() - 1];
    return module.substr(0, static_cast<std::size_t>(last.data() + last.size() - module.data()));
}

[[noreturn]] void refuse_pattern(const std::string& reason) {
    throw PassRefusal(std::string(chunk_pass), "option module_pattern", reason);
}

}  // namespace

std::vector<ChunkRoot> chunk_roots(const Graph& graph, std::string_view pattern, bool require_all_to_all) {
    const std::vector<std::string_view> parts = components(pattern);
    std::set<std::string, std::less<>> exchanging, labelled;
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        const NodeMetadata& metadata = graph.metadata(node);
        if (metadata.module_fqn == empty_string) continue;
        const bool exchanges = graph.op(node) == NodeOp::call_function &&
                               graph.target(node) == "_c10d_functional.all_to_all_single.default";
        const std::string_view custom = graph.text(metadata.custom_json);
        const bool has_label =
            !require_all_to_all && custom.find("\"EP") != custom.npos &&
            (!json_member(custom, "EP").empty() || !json_member(custom, "EP_token_exchange").empty());
        if (!exchanges && !has_label) continue;
        const std::string_view root = matched_root(parts, graph.text(metadata.module_fqn));
        if (root.empty()) continue;
        if (exchanges) exchanging.emplace(root);
        if (has_label) labelled.emplace(root);
    }
    if (exchanging.empty() && require_all_to_all) {
        refuse_pattern("no all-to-all of experts is in a module that matches " + in_quotes(pattern) +
                       "; torchtitan raises a ValueError");
    }
    const auto& found = exchanging.empty() ? labelled : exchanging;
    if (found.empty()) {
        refuse_pattern("nothing that is labelled as work of experts is in a module that matches " + in_quotes(pattern) +
                       "; torchtitan raises a ValueError");
    }
    std::vector<ChunkRoot> roots;
    for (const std::string& module : found) {
        const std::size_t dot = module.rfind('.');
        roots.push_back({module, dot == module.npos ? std::string() : module.substr(0, dot)});
    }
    return roots;
}

RootFinder::RootFinder(const ChunkGraph& graph, const std::vector<ChunkRoot>& roots)
    : graph_(graph), roots_(roots), root_of_module_(graph.editor().source().strings()->size(), -2) {}

std::size_t RootFinder::root_of(NodeId node) const {
    const StringId module = graph_.module_id(node);
    if (module == empty_string) return none;
    const auto look = [&] {
        const std::string_view path = graph_.editor().text(module);
        for (std::size_t root = 0; root < roots_.size(); ++root) {
            const std::string& prefix = roots_[root].module;
            if (path.starts_with(prefix) && (path.size() == prefix.size() || path[prefix.size()] == '.')) return root;
        }
        return none;
    };
    if (module >= root_of_module_.size()) return look();
    std::int32_t& known = root_of_module_[module];
    if (known == -2) {
        const std::size_t root = look();
        known = root == none ? -1 : static_cast<std::int32_t>(root);
    }
    return known < 0 ? none : static_cast<std::size_t>(known);
}

}  // namespace overlap::experts
