#include "tests/bound/random_model.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/plan/automatic_plan.h"
#include "core/plan/block_buckets.h"
#include "core/plan/memory_choices.h"
#include "core/plan/memory_edits.h"
#include "core/plan/presets.h"
#include "tests/cost/graph_sketch.h"

namespace overlap::test {
namespace {

class ModelSketch {
  public:
    explicit ModelSketch(std::mt19937& random) : random_(random), layers_(2 + static_cast<int>(below(4))) {
        const double slower = static_cast<double>(1 + below(8));
        // Some have activations as large as what is gathered, so that memory has a say.
        if (once_in(2)) activation_ = {512, 64};
        // Of some no plan can compute anything again.
        is_marked_ = !once_in(3);
        sketch_.group("1", 4, 0.05, 2e9 / slower);
        sketch_.group("2", 4, 0.01, 1e9);
        sketch_.header().cost->contention = CostParameters::Contention{{}, 0, {{"0", "2"}, {"1"}}};
    }

    std::shared_ptr<const Graph> make() {
        NodeId x = sketch_.input("x", sketch_.tensor("bfloat16", activation_));
        for (int layer = 0; layer < layers_; ++layer) add_parameters(layer);
        for (int layer = 0; layer < layers_; ++layer) x = forward(layer, x);
        for (int layer = layers_; layer-- > 0;) x = backward(layer, x);
        returned_.push_back(Value::of_node(x));
        sketch_.builder().output(returned_);
        return std::make_shared<const Graph>(sketch_.builder().finish(sketch_.header()));
    }

  private:
    struct Parameter {
        NodeId shard = no_node;
        std::int64_t rows = 0;
        std::string name;
        const char* group = "0";
        bool cast = false;
        NodeId gathered = no_node;
        NodeId activation = no_node;  // what the forward pass multiplied with it
    };

    std::size_t below(std::size_t count) { return random_() % count; }
    bool once_in(std::size_t count) { return below(count) == 0; }
    double time_ms(std::size_t most) { return static_cast<double>(1 + below(most)) / 4; }

    NodeId call(const std::string& name, std::string_view target, std::vector<Value> arguments,
                std::vector<std::int64_t> sizes, std::optional<double> estimate_ms = {}) {
        NodeMetadata metadata;
        metadata.module_fqn = sketch_.builder().intern("layers." + std::to_string(layer_));
        if (backward_ && is_marked_) metadata.autograd_backward = true;
        metadata.estimate_ms = estimate_ms;
        const std::vector<TensorMeta> outputs{sketch_.tensor("bfloat16", std::move(sizes))};
        return sketch_.builder().call(name, target, arguments, outputs, metadata);
    }

    /// As long as the link says, or as any profile might.
    std::optional<double> communication_ms() { return once_in(3) ? std::nullopt : std::optional(time_ms(8)); }

    void add_parameters(int layer) {
        for (std::size_t index = below(3) + 1; index-- > 0;) {
            Parameter parameter;
            parameter.name = std::to_string(layer).append("_").append(std::to_string(index));
            parameter.rows = 1024 * static_cast<std::int64_t>(1 + below(12));
            parameter.group = once_in(4) ? "1" : "0";
            parameter.cast = once_in(2);
            parameter.shard = sketch_.input("p" + parameter.name,
                                            sketch_.tensor(parameter.cast ? "float32" : "bfloat16", {parameter.rows}));
            parameters_.emplace_back(layer, parameter);
        }
    }

    NodeId gather(const Parameter& parameter, const std::string& suffix) {
        NodeId source = parameter.shard;
        if (parameter.cast)
            source = call("cast" + suffix, "prims.convert_element_type.default", {Value::of_node(source)},
                          {parameter.rows}, time_ms(2));
        const std::vector<Value> arguments{Value::of_node(source), Value::of_integer(4), sketch_.text(parameter.group)};
        const NodeId start = call("gather" + suffix, "_c10d_functional.all_gather_into_tensor.default", arguments,
                                  {4 * parameter.rows}, communication_ms());
        return call("wait" + suffix, "_c10d_functional.wait_tensor.default", {Value::of_node(start)},
                    {4 * parameter.rows});
    }

    NodeId product(const std::string& name, NodeId left, NodeId right) {
        return call(name, "aten.mm.default", {Value::of_node(left), Value::of_node(right)}, activation_, time_ms(12));
    }

    NodeId of_activations(const std::string& name, NodeId x) {
        std::vector<Value> arguments{Value::of_node(x)};
        const bool reduces = once_in(2);
        if (reduces) arguments.push_back(sketch_.text("sum"));
        if (!reduces) arguments.insert(arguments.end(), {sketch_.list({}), sketch_.list({})});
        arguments.push_back(sketch_.text("2"));
        const char* const target =
            reduces ? "_c10d_functional.all_reduce.default" : "_c10d_functional.all_to_all_single.default";
        const NodeId start = call(name, target, arguments, activation_, time_ms(6));
        return call(name + "_wait", "_c10d_functional.wait_tensor.default", {Value::of_node(start)}, activation_);
    }

    NodeId forward(int layer, NodeId x) {
        layer_ = layer;
        for (auto& [of, parameter] : parameters_) {
            if (of != layer) continue;
            parameter.gathered = gather(parameter, parameter.name);
            parameter.activation = x;
            x = product("mm" + parameter.name, x, parameter.gathered);
            if (once_in(3))
                x = call("add" + parameter.name, "aten.relu.default", {Value::of_node(x)}, activation_, time_ms(3));
        }
        if (once_in(4)) x = of_activations("activations" + std::to_string(layer), x);
        return x;
    }

    NodeId backward(int layer, NodeId x) {
        layer_ = layer;
        backward_ = true;
        const bool again = once_in(2), saves = once_in(2);
        for (auto& [of, parameter] : parameters_) {
            if (of != layer) continue;
            const NodeId weight = again ? gather(parameter, parameter.name + "_again") : parameter.gathered;
            x = product("mm_back" + parameter.name, x, weight);
            const NodeId gradient = call("grad" + parameter.name, "aten.mm.default",
                                         {Value::of_node(x), Value::of_node(saves ? parameter.activation : weight)},
                                         {4 * parameter.rows}, time_ms(12));
            const std::vector<Value> arguments{Value::of_node(gradient), sketch_.text("sum"), Value::of_integer(4),
                                               sketch_.text(parameter.group)};
            const NodeId start = call("reduce" + parameter.name, "_c10d_functional.reduce_scatter_tensor.default",
                                      arguments, {parameter.rows}, communication_ms());
            returned_.push_back(Value::of_node(call("reduced" + parameter.name, "_c10d_functional.wait_tensor.default",
                                                    {Value::of_node(start)}, {parameter.rows})));
        }
        return x;
    }

    std::mt19937& random_;
    int layers_;
    std::vector<std::int64_t> activation_{16, 64};
    int layer_ = 0;
    bool backward_ = false, is_marked_ = true;
    GraphSketch sketch_;
    std::vector<std::pair<int, Parameter>> parameters_;
    std::vector<Value> returned_;
};

std::vector<BucketEntry> random_buckets(const ModuleTree& tree, std::mt19937& random) {
    std::vector<std::size_t> sizes;
    for (std::size_t bucket = 0; bucket < 4; ++bucket) sizes.push_back(1 + random() % 3);
    std::vector<BucketEntry> buckets = buckets_of_blocks(tree, sizes);
    if (random() % 3 == 0 && !buckets.empty())
        buckets.erase(buckets.begin() + static_cast<std::ptrdiff_t>(random() % buckets.size()));
    return buckets;
}

void randomize(Options& options, std::mt19937& random) {
    const char* const modes[] = {"default", "custom_ops", "custom_ops_multidtype"};
    options["collective_bucketing"] = random() % 2 == 0;
    options["bucket_mode"] = std::string(modes[random() % 3]);
    options["max_in_flight_gb"] = random() % 2 == 0 ? 5.0 : 1e-4 * static_cast<double>(1 + random() % 20);
    options["max_compute_pre_fetch"] = static_cast<std::int64_t>(1 + random() % 200);
    options["prioritize_bucketing_during_scheduling"] = random() % 2 == 0;
    options["pre_bucketing_fsdp_collectives"] = random() % 2 == 0;
    if (random() % 2 == 0) options["max_memory_increase_gb"] = options["max_memory_increase_ratio"] = std::monostate();
}

/// Collectives that start or are waited for at any node; what cannot be has no effect.
void add_overlaps(Plan& plan, const Graph& graph, std::mt19937& random) {
    std::vector<NodeId> starts, compute;
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        const bool communicates = graph.target(node).starts_with("_c10d_functional.");
        if (communicates && !graph.target_info(node).is_wait) starts.push_back(node);
        if (graph.target_info(node).traits.compute) compute.push_back(node);
    }
    for (std::size_t count = random() % 4; count > 0; --count) {
        OverlapDirective directive;
        directive.collective = graph.name(starts[random() % starts.size()]);
        if (random() % 3 != 0) directive.start_before = graph.name(compute[random() % compute.size()]);
        if (random() % 2 == 0 || directive.start_before.empty())
            directive.wait_after = graph.name(compute[random() % compute.size()]);
        plan.overlaps.list.push_back(std::move(directive));
    }
}

/// A policy of torchtitan, at times with exceptions; where the graph has no forward pass it changes nothing.
Plan with_random_memory(const Plan& plan, const ModuleTree& tree, std::mt19937& random) {
    const std::vector<MemoryChoice> choices = memory_choices(tree);
    MemorySection section = choices[random() % choices.size()].section;
    const std::vector<std::string> layers = numbered_layers(tree);
    const MemoryAction actions[] = {MemoryAction::save, MemoryAction::recompute, MemoryAction::offload,
                                    MemoryAction::keep, MemoryAction::reshard};
    for (std::size_t count = random() % 3; count > 0; --count) {
        const std::vector<std::string> operators =
            random() % 3 == 0 ? std::vector<std::string>{"aten.relu.default"} : std::vector<std::string>{};
        section.rules.push_back(
            {actions[random() % std::size(actions)], {layers[random() % layers.size()]}, operators});
    }
    section.prefetch_lookahead = static_cast<std::int64_t>(random() % 3);
    return edits::with_memory(plan, std::move(section));
}

}  // namespace

std::shared_ptr<const Graph> random_model(std::mt19937& random) {
    return ModelSketch(random).make();
}

Plan random_plan(const Graph& graph, std::mt19937& random) {
    const ModuleTree tree(graph, preferred_module_source(graph));
    const std::vector<PipelinePreset> presets = pipeline_presets(graph, tree);
    Plan plan = plan_of(presets[random() % presets.size()], graph, "random");
    switch (random() % 4) {
        case 0:
            plan.pipeline.clear();
            break;
        case 1:
            plan.pipeline = {suggested_step(graph, "manual_overlap_bucketing")};
            break;
        case 2:
            plan = automatic_plan(random() % 2 == 0 ? plan : Plan(), *plan.graph);
            randomize(plan.pipeline.back().options, random);
            break;
        default:
            break;
    }
    if (!plan.pipeline.empty() && !plan.buckets.empty()) plan.buckets = random_buckets(tree, random);
    if (random() % 3 == 0) plan = with_random_memory(plan, tree, random);
    if (random() % 2 == 0) add_overlaps(plan, graph, random);
    return plan;
}

}  // namespace overlap::test
