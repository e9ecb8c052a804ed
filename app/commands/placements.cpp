#include "app/commands/placements.h"

#include <algorithm>
#include <ostream>

#include "app/commands/formatting.h"
#include "core/base/number_text.h"
#include "core/base/wording.h"
#include "core/mesh/sharding_text.h"

namespace overlap::commands {

namespace {

using nlohmann::ordered_json;

constexpr double microseconds_per_millisecond = 1000;

struct Redistributed {
    const ShardedNode* node;
    const ShardedInput* input;
};

/// Inputs that change their placement later, the most expensive first.
std::vector<Redistributed> redistributed(const ShardingDocument& document) {
    std::vector<Redistributed> found;
    for (const ShardedNode& node : document.nodes) {
        for (const ShardedInput& input : node.inputs) {
            if (input.is_redistributed()) found.push_back({&node, &input});
        }
    }
    std::ranges::stable_sort(found, std::ranges::greater{},
                             [](const Redistributed& each) { return each.input->redistribution_us; });
    return found;
}

std::string sizes_text(const std::vector<std::int64_t>& sizes, const char* between) {
    std::string text;
    for (const std::int64_t size : sizes) {
        if (!text.empty()) text += between;
        text += std::to_string(size);
    }
    return text;
}

std::string mesh_text(const ShardingDocument& document) {
    std::string text = "mesh " + sizes_text(document.mesh_shape, " x ");
    for (std::size_t index = 0; index < document.mesh_names.size(); ++index) {
        text += index == 0 ? " (" : ", ";
        text += document.mesh_names[index];
    }
    return document.mesh_names.empty() ? text : text + ')';
}

}  // namespace

void write_placements(std::ostream& out, const Graph& graph, const ShardingDocument& document) {
    const std::vector<std::string> unknown = document.unknown_nodes(graph);
    const std::vector<Redistributed> changed = redistributed(document);
    out << name_text(mesh_text(document), longest_sentence) << "; placements of "
        << counted(document.nodes.size(), "node");
    if (!unknown.empty()) {
        out << ", of which the graph lacks " << unknown.size() << ", the first one is " << name_text(unknown.front());
    }
    out << "\nautoparallel expects " << milliseconds_text(document.compute_us() / microseconds_per_millisecond)
        << " of compute and " << milliseconds_text(document.redistribution_us() / microseconds_per_millisecond)
        << " in " << counted(changed.size(), "redistribution") << '\n';
    TextTable inputs({"input", "placement", "sizes"});
    for (const ShardedNode& node : document.nodes) {
        if (node.op != "placeholder" && node.op != "get_attr") continue;
        inputs.add({name_text(node.name), name_text(node.placement), node.shape ? sizes_text(*node.shape, ", ") : ""});
    }
    inputs.write(out);
    if (changed.empty()) return;
    TextTable table({"node", "its input", "from", "to", "time"});
    for (const auto& [node, input] : changed) {
        table.add({name_text(node->name), name_text(input->name), to_text(*input->made), to_text(*input->taken),
                   milliseconds_text(input->redistribution_us / microseconds_per_millisecond)});
    }
    table.write(out);
}

ordered_json placements_json(const Graph& graph, const ShardingDocument& document) {
    ordered_json json = {{"mesh", {{"shape", document.mesh_shape}, {"dim_names", document.mesh_names}}},
                         {"compute_us", document.compute_us()},
                         {"redistribution_us", document.redistribution_us()},
                         {"unknown_nodes", document.unknown_nodes(graph)},
                         {"nodes", ordered_json::array()},
                         {"redistributions", ordered_json::array()}};
    for (const ShardedNode& node : document.nodes) {
        ordered_json each = {{"name", node.name}, {"op", node.op}, {"placement", node.placement}};
        if (node.shape) each["shape"] = *node.shape;
        json["nodes"].push_back(std::move(each));
    }
    for (const auto& [node, input] : redistributed(document)) {
        json["redistributions"].push_back({{"node", node->name},
                                           {"input", input->name},
                                           {"from", to_text(*input->made)},
                                           {"to", to_text(*input->taken)},
                                           {"us", input->redistribution_us}});
    }
    return json;
}

}  // namespace overlap::commands
