#include "core/exports/wrapped_operators.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/quote.h"
#include "core/exports/left_out.h"
#include "core/files/ordered_json.h"
#include "core/io/graph_file.h"
#include "core/passes/bucketing/safe_unpacking.h"
#include "core/passes/pass_support.h"
#include "core/passes/registry/registry.h"

namespace overlap {

namespace {

constexpr std::string_view wrapper_target = "higher_order.control_deps";
constexpr std::string_view wrapping_option = "insert_overlap_deps";
/// Arguments of a wrapper ahead of the wrapped operator's inputs: what it waits for, and the module.
constexpr std::size_t leading_arguments = 2;

/// Replaces nodes by their places among `inputs`.
void number_inputs(Json& value, const std::vector<std::string>& inputs) {
    if (value.is_object() && value.size() == 1 && value.contains("node")) {
        const auto found = std::ranges::find(inputs, value["node"].get<std::string>());
        if (found == inputs.end()) throw InputError("", "no input of its wrapper");
        value = Json{{"input", found - inputs.begin()}};
        return;
    }
    if (value.is_structured())
        for (Json& item : value) number_inputs(item, inputs);
}

/// What the wrappers of `wrapped` wrap, as it stands in `plain`, the same graph without them.
void collect(const Graph& wrapped, const Graph& plain, std::map<std::string, Json>& operators) {
    for (NodeId node = 0; node < wrapped.node_count(); ++node) {
        if (wrapped.target(node) != wrapper_target) continue;
        const std::string name(wrapped.name(node));
        if (orders_read_after_fill(wrapped, node)) {
            Json args = Json::array();
            args.push_back(Json{{"input", 0}});
            operators[name] = {{"target", "aten.alias.default"}, {"args", std::move(args)}, {"kwargs", Json::object()}};
            continue;
        }
        const NodeId inner = plain.find(name);
        if (inner != no_node && plain.target(inner) == wrapper_target) continue;
        try {
            if (inner == no_node) throw InputError("", "no longer there");
            std::vector<std::string> inputs;
            const Json arguments = Json::parse(write_node_text(wrapped, node))["args"];
            for (std::size_t index = leading_arguments; index < arguments.size(); ++index)
                inputs.push_back(arguments[index]["node"]);
            const Json document = Json::parse(write_node_text(plain, inner));
            Json args = document.value("args", Json::array()), kwargs = document.value("kwargs", Json::object());
            number_inputs(args, inputs);
            number_inputs(kwargs, inputs);
            operators[name] = {
                {"target", document["target"]}, {"args", std::move(args)}, {"kwargs", std::move(kwargs)}};
        } catch (const InputError& error) {
            throw InputError("", "the operator that node " + in_quotes(name) + " wraps is not known (" +
                                     error.problem() + "): switch insert_overlap_deps off");
        }
    }
}

bool wraps(const PassStep& step) {
    const auto options = require_pass(step.pass).options();
    const auto option = std::ranges::find(options, wrapping_option, &PassOption::name);
    return option != options.end() && option_value(step, *option) == OptionValue(true);
}

}  // namespace

std::map<std::string, Json> wrapped_operators(const Plan& plan, const Execution& execution) {
    std::map<std::string, Json> operators;
    const std::vector<ResolvedStep>& steps = execution.resolved->steps;
    for (std::size_t index = 0; index < steps.size(); ++index) {
        const PassStep& step = steps[index].step;
        const Pass& pass = require_pass(step.pass);
        const bool is_last = index + 1 == steps.size();
        const std::shared_ptr<const Graph> result =
            is_last ? execution.undirected : execution.steps[steps[index + 1].index].given;
        std::shared_ptr<const Graph> plain = result;
        if (wraps(step)) {
            Options options = step.options;
            options[wrapping_option] = false;
            plain = pass.run(execution.steps[steps[index].index].given, options, {}).graph;
        }
        collect(*result, *plain, operators);
    }
    if (plan.overlaps.insert_overlap_deps) collect(*execution.graph, *execution.undirected, operators);
    return operators;
}

}  // namespace overlap
