#include <string>
#include <unordered_map>
#include <unordered_set>

#include "core/base/error.h"
#include "core/base/quote.h"
#include "core/passes/overlaps/overlap_order.h"

namespace overlap {

namespace {

/// Names of the attributes that hold wrapped operations.
class SubgraphAttributes {
  public:
    explicit SubgraphAttributes(const GraphEditor& graph) {
        for (NodeId node = graph.first(); node != no_node; node = graph.next(node)) {
            if (graph.op(node) == NodeOp::get_attr) taken_.emplace(graph.target(node));
        }
    }

    /// `subgraph_<name>`, numbered where the module has it already.
    std::string add(std::string_view wrapped) {
        const std::string plain = "subgraph_" + std::string(wrapped);
        std::string name = plain;
        for (int number = 0; !taken_.insert(name).second; ++number) name = plain + "_" + std::to_string(number);
        return name;
    }

  private:
    std::unordered_set<std::string> taken_;
};

}  // namespace

void insert_control_deps(GraphEditor& graph, const OverlapDependencies& dependencies) {
    SubgraphAttributes attributes(graph);
    std::unordered_map<NodeId, NodeId> wrapper_of;
    for (const auto& [target, sources] : dependencies) {
        if (graph.op(target) != NodeOp::call_function) {
            throw InputError("node " + in_quotes(graph.name(target)),
                             "it would have to wait for a collective but is no call_function, and PyTorch raises an "
                             "AssertionError");
        }
        const std::string attribute = attributes.add(graph.name(target));
        GraphEditor::NewNode subgraph;
        subgraph.base_name = attribute;
        subgraph.target = graph.target_index(attribute);
        subgraph.op = NodeOp::get_attr;
        const NameParts parts = split_name(attribute);
        subgraph.base_name = parts.base;
        subgraph.number = parts.number;
        const NodeId get_subgraph = graph.create(subgraph, target);

        std::vector<Value> waited_for;
        for (const NodeId source : sources) {
            const auto wrapped = wrapper_of.find(source);
            waited_for.push_back(Value::of_node(wrapped == wrapper_of.end() ? source : wrapped->second));
        }
        std::vector<Value> args = {graph.list(waited_for), Value::of_node(get_subgraph)};
        for (const NodeId input : graph.inputs(target)) args.push_back(Value::of_node(input));
        const std::vector<TensorMeta> outputs(graph.outputs(target).begin(), graph.outputs(target).end());
        const NodeMetadata metadata = graph.metadata(target);
        const std::string temporary = "__temp_" + std::string(graph.name(target));
        const NameParts temporary_parts = split_name(temporary);
        GraphEditor::NewNode wrapper;
        wrapper.base_name = temporary_parts.base;
        wrapper.number = temporary_parts.number;
        wrapper.target = graph.target_index("higher_order.control_deps");
        wrapper.args = graph.list(args);
        wrapper.outputs = outputs;
        wrapper.multi = graph.record(target).multi;
        wrapper.metadata = &metadata;
        const NodeId made = graph.create(wrapper, target);
        graph.replace_all_uses(target, made);
        graph.erase(target);
        graph.take_name(made, target);
        wrapper_of[target] = made;
    }
}

}  // namespace overlap
