#include "core/passes/memory/recompute_tags.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "core/base/quote.h"
#include "core/files/json_members.h"
#include "core/passes/pass_support.h"

namespace overlap::memory {

namespace {

constexpr std::string_view trainer_fields = "titan_meta", tag_field = "recompute";
constexpr std::string_view enumeration = "CheckpointPolicy.";

/// In the order of the enumeration.
constexpr std::array<std::string_view, 7> names = {
    "", "MUST_SAVE", "PREFER_SAVE", "MUST_RECOMPUTE", "PREFER_RECOMPUTE", "MUST_CPU_OFFLOAD", "PREFER_CPU_OFFLOAD"};

/// The tag that a text of JSON names, with or without the enumeration in front.
std::optional<RecomputeTag> tag_of(std::string_view json) {
    if (json.size() < 2 || json.front() != '"') return {};
    std::string_view name = json.substr(1, json.size() - 2);
    name.remove_prefix(std::min(name.rfind('.') + 1, name.size()));
    const auto* const known = std::find(names.begin() + 1, names.end(), name);
    if (known == names.end()) return {};
    return static_cast<RecomputeTag>(known - names.begin());
}

/// What the tag of a node says, as JSON; empty where it has none.
std::string_view tag_json(const Graph& graph, NodeId node) {
    const std::string_view text = graph.text(graph.metadata(node).extra_json);
    // Fields may be long, and most nodes of other graphs have no such one.
    if (text.find(tag_field) == text.npos) return {};
    return json_member(json_member(text, trainer_fields), tag_field);
}

RecomputeTag tag_in(const Graph& graph, NodeId node, std::string_view pass) {
    const std::string_view json = tag_json(graph, node);
    const std::optional<RecomputeTag> tag = tag_of(json);
    if (!json.empty() && !tag) {
        refuse_node(pass, graph.name(node),
                    "its tag is " + std::string(json) + ", and torch has no such checkpoint policy");
    }
    return tag.value_or(RecomputeTag::none);
}

}  // namespace

std::string_view recompute_tag_name(RecomputeTag tag) {
    return names[static_cast<std::size_t>(tag)];
}

RecomputeTag recompute_tag(const Graph& graph, NodeId node) {
    return tag_of(tag_json(graph, node)).value_or(RecomputeTag::none);
}

std::vector<RecomputeTag> recompute_tags(const Graph& graph, std::string_view pass) {
    std::vector<RecomputeTag> tags(graph.node_count(), RecomputeTag::none);
    if (!graph.extra_json_mentions(tag_field)) return tags;
    // Most nodes have one of few sets of fields: those that only a tag is in.
    constexpr auto not_read = static_cast<RecomputeTag>(0xff);
    std::vector<RecomputeTag> known(graph.strings()->size(), not_read);
    const std::span<const StringId> fields = graph.extra_json();
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        RecomputeTag& tag = known[fields[node]];
        if (tag == not_read) tag = tag_in(graph, node, pass);
        tags[node] = tag;
    }
    return tags;
}

bool may_have_tag(const Graph& graph, RecomputeTag tag) {
    return graph.extra_json_mentions(recompute_tag_name(tag));
}

std::string with_recompute_tag(std::string_view extra_json, RecomputeTag tag) {
    const std::string_view before = json_member(extra_json, trainer_fields);
    if (tag == RecomputeTag::none) {
        const std::string left = without_json_member(before, tag_field);
        if (before.empty() || left == before) return std::string(extra_json);
        return left.empty() ? without_json_member(extra_json, trainer_fields)
                            : with_json_member(extra_json, trainer_fields, left);
    }
    const std::string value = in_quotes(std::string(enumeration) + std::string(recompute_tag_name(tag)));
    return with_json_member(extra_json, trainer_fields, with_json_member(before, tag_field, value));
}

}  // namespace overlap::memory
