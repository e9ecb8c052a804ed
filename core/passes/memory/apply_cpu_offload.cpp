#include "core/passes/memory/apply_cpu_offload.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/number_text.h"
#include "core/base/quote.h"
#include "core/graph/editing/graph_editor.h"
#include "core/graph/strides.h"
#include "core/passes/default_names.h"
#include "core/passes/memory/layers.h"
#include "core/passes/memory/memory_operators.h"
#include "core/passes/memory/offload_order.h"
#include "core/passes/memory/offload_sites.h"
#include "core/passes/memory/recompute_tags.h"
#include "core/passes/memory/symbolic_tensors.h"
#include "core/passes/option_table.h"
#include "core/passes/pass_support.h"

namespace overlap {

namespace {

using namespace memory;

constexpr std::string_view pass_name = "apply_cpu_offload_pass";

struct Settings {
    std::int64_t prefetch_lookahead = 1;
    std::int64_t defer_n_layers = 1;
};

const OptionTable<Settings>& table() {
    static const auto table =
        OptionTable<Settings>()
            .add(
                {.name = "prefetch_lookahead",
                 .help = "How many layers before its use in the backward pass a tensor starts to come back; 0 directly "
                         "before it.",
                 .usual_maximum = 4},
                &Settings::prefetch_lookahead)
            .add({.name = "defer_n_layers",
                  .help = "How many layers after a tensor the forward pass waits for its copy and frees its memory; 0 "
                          "at once, which torchtitan cannot do with tensors that are used again.",
                  .usual_maximum = 4},
                 &Settings::defer_n_layers);
    return table;
}

class Offloading {
  public:
    Offloading(const std::shared_ptr<const Graph>& source, const MemoryOperators& operators, const Settings& settings)
        : source_(*source),
          operators_(operators),
          settings_(settings),
          symbolic_(source_),
          editor_(source),
          offload_(editor_.target_index(offload_operator)),
          reload_(editor_.target_index(reload_operator)),
          transfer_wait_(editor_.target_index(transfer_wait_operator)) {}

    void offload(const OffloadSite& site) {
        const TensorMeta& tensor = *only_tensor(source_, site.node);
        bytes_ += source_.tensor_bytes(tensor);
        NodeMetadata metadata = untagged(site.node);
        metadata.estimate_ms.reset();
        const NodeId wait = emit_offload(site, tensor, metadata);
        metadata.autograd_backward = true;
        const NodeId reloaded = emit_reload(site, tensor, metadata, wait);
        for (const NodeId user : site.backward_users) editor_.replace_input(user, site.node, reloaded);
        if (!site.views.empty()) replay_views(site, reloaded);
    }

    PassResult finish() {
        if (settings_.defer_n_layers > 0) defer_offload_waits(editor_, waits_, settings_.defer_n_layers);
        if (settings_.prefetch_lookahead > 0) prefetch_reloads(editor_, operators_, settings_.prefetch_lookahead);
        explain_early_waits();
        require_order(editor_, pass_name);
        Problem problem;
        problem.kind = ProblemKind::memory_tags;
        problem.title = "Offloaded";
        problem.message = std::to_string(waits_.size()) + (waits_.size() == 1 ? " tensor" : " tensors") + " with " +
                          bytes_text(bytes_) + " go to the host and come back";
        for (const OffloadWait& wait : waits_) problem.nodes.emplace_back(editor_.name(wait.node));
        PassResult result = finished(editor_, pass_name);
        result.report.problems.push_back(std::move(problem));
        return result;
    }

  private:
    /// A node's metadata without its tag, for what is made of it.
    NodeMetadata untagged(NodeId node) {
        NodeMetadata metadata = source_.metadata(node);
        metadata.extra_json = editor_.intern(with_recompute_tag(source_.text(metadata.extra_json), RecomputeTag::none));
        return metadata;
    }

    NodeId emit(std::uint32_t target, std::string_view name, std::span<const Value> args, const TensorMeta& output,
                const NodeMetadata& metadata, NodeId before) {
        GraphEditor::NewNode node;
        node.base_name = name;
        node.target = target;
        node.args = editor_.list(args);
        node.outputs = std::span(&output, 1);
        node.metadata = &metadata;
        return editor_.create(node, before);
    }

    /// The copy to the host directly behind the tensor, and the wait for it. Returns the wait.
    NodeId emit_offload(const OffloadSite& site, const TensorMeta& tensor, const NodeMetadata& metadata) {
        const NodeId behind = editor_.next(site.node);
        const TensorMeta on_host = host_copy(tensor);
        const std::array offloaded = {Value::of_node(site.node)};
        const NodeId offload = emit(offload_, "offload_default", offloaded, on_host, metadata, behind);
        const NodeId last_use = last_tensor_use(site.last_forward_user);
        const std::array awaited = {Value::of_node(offload), Value::of_node(site.node),
                                    last_use == no_node ? Value::of_none() : Value::of_node(last_use)};
        const NodeId wait = emit(transfer_wait_, "wait_tensor_default", awaited, on_host, metadata, behind);
        waits_.push_back({site.node, wait, last_use});
        return wait;
    }

    /// The copy back before the first use in the backward pass, and the wait for it. Returns the wait.
    NodeId emit_reload(const OffloadSite& site, const TensorMeta& tensor, const NodeMetadata& metadata, NodeId wait) {
        const std::array source = {Value::of_node(wait), device_argument(tensor),
                                   symbolic_.size_argument(editor_, site.node, tensor),
                                   symbolic_.stride_argument(editor_, site.node, tensor, pass_name)};
        const NodeId reload = emit(reload_, "reload_default", source, tensor, metadata, site.first_backward_user);
        const std::array awaited = {Value::of_node(reload), Value::of_node(wait)};
        return emit(transfer_wait_, "wait_tensor_default", awaited, tensor, metadata, site.first_backward_user);
    }

    /// torch's `tensor.to("cpu")`, which keeps the order of the dimensions in memory, but no holes.
    TensorMeta host_copy(const TensorMeta& tensor) {
        TensorMeta copy = tensor;
        if (source_.text(tensor.device) == "cpu") return copy;
        const auto shape = source_.shape(tensor), stride = source_.stride(tensor);
        if (const std::vector<std::int64_t> preserved = preserved_strides(shape, stride);
            !std::ranges::equal(preserved, stride)) {
            copy.first_dimension = editor_.dimensions(shape, preserved);
        }
        copy.device = editor_.intern("cpu");
        copy.storage = editor_.new_storage();
        copy.storage_offset = 0;
        copy.storage_bytes = source_.tensor_bytes(tensor);
        return copy;
    }

    /// Documents have `cuda` for the device of the rank; as an argument torch has its number, which is 0 in the
    /// reference's graphs.
    Value device_argument(const TensorMeta& tensor) {
        const std::string_view device = source_.text(tensor.device);
        return Value::of_string(device == "cuda" ? editor_.intern("cuda:0") : tensor.device, ValueKind::device);
    }

    /// The schema of the wait wants a tensor: of a node that returns several values or a scalar, the first user that
    /// returns one, whatever its direction.
    NodeId last_tensor_use(NodeId last) const {
        if (only_tensor(source_, last)) return last;
        for (const NodeId user : editor_.users(last)) {
            if (editor_.op(user) == NodeOp::call_function && only_tensor(editor_, user)) return user;
        }
        return no_node;
    }

    /// Views of the tensor are made again of what has come back.
    void replay_views(const OffloadSite& site, NodeId reloaded) {
        Copies copies = {{site.node, reloaded}};
        for (const NodeId view : site.views) {
            NodeMetadata metadata = untagged(view);
            metadata.autograd_backward = true;
            const NodeRecord record = editor_.record(view);
            const std::vector<TensorMeta> outputs(source_.outputs(view).begin(), source_.outputs(view).end());
            GraphEditor::NewNode copy;
            const std::string default_name = default_name_of_call(source_.target(view));
            const NameParts name = split_name(default_name);
            copy.base_name = name.base;
            copy.number = name.number;
            copy.target = record.target;
            copy.args = with_copies(record.args, copies);
            copy.kwargs = with_copies(record.kwargs, copies);
            copy.outputs = outputs;
            copy.multi = record.multi;
            copy.metadata = &metadata;
            copies[view] = editor_.create(copy, site.first_backward_user);
        }
        for (const auto& [view, user] : site.view_users) editor_.replace_input(user, view, copies.at(view));
    }

    /// What stands for a tensor and its views in the backward pass, by node of the source.
    using Copies = std::unordered_map<NodeId, NodeId>;

    /// The reference replaces arguments that are nodes, and leaves lists of nodes as they are.
    Value with_copies(const Value& arguments, const Copies& copies) {
        std::vector<Value> items(editor_.children(arguments).begin(), editor_.children(arguments).end());
        for (Value& item : items) {
            if (!item.is(ValueKind::node)) continue;
            const NodeId node = editor_.current(item.node);
            if (const auto copy = copies.find(node); copy != copies.end()) item = Value::of_node(copy->second);
        }
        Value made = editor_.list(items);
        made.kind = arguments.kind;
        return made;
    }

    /// The reference's two known defects in words; other disorder is left to require_order().
    void explain_early_waits() const {
        for (const OffloadWait& wait : waits_) {
            if (wait.last_use == no_node || editor_.is_before(wait.last_use, wait.wait)) continue;
            const std::string use = in_quotes(editor_.name(wait.last_use));
            const std::string reason =
                is_backward(editor_.metadata(wait.last_use))
                    ? "the wait for its copy to the host would come before " + use +
                          ", which torchtitan takes for its last use in the forward pass although it is in the "
                          "backward pass; torch.fx raises a RuntimeError"
                    : "with defer_n_layers " + std::to_string(settings_.defer_n_layers) +
                          " the wait for its copy to the host would come before " + use +
                          ", which uses it; torch.fx raises a RuntimeError" +
                          (settings_.defer_n_layers > 0 ? "" : ": defer by 1 or more");
            refuse_node(pass_name, editor_.name(wait.node), reason);
        }
    }

    const Graph& source_;
    const MemoryOperators& operators_;
    const Settings& settings_;
    SymbolicTensors symbolic_;
    GraphEditor editor_;
    std::uint32_t offload_, reload_, transfer_wait_;
    std::vector<OffloadWait> waits_;
    std::int64_t bytes_ = 0;
};

}  // namespace

std::string_view ApplyCpuOffload::summary() const {
    return "Copies tensors that are tagged for it to the host in the forward pass, and back for the backward pass";
}

std::span<const PassOption> ApplyCpuOffload::options() const {
    return table().options();
}

PassResult ApplyCpuOffload::run(const std::shared_ptr<const Graph>& graph, const Options& options,
                                std::stop_token) const {
    return or_refused(name(), [&] {
        const Settings settings = table().read(options);
        if (!may_have_tag(*graph, RecomputeTag::must_cpu_offload)) return unchanged(graph, name());
        const std::vector<RecomputeTag> tags = recompute_tags(*graph, name());
        if (std::ranges::find(tags, RecomputeTag::must_cpu_offload) == tags.end()) return unchanged(graph, name());
        const MemoryOperators operators(*graph);
        const std::vector<OffloadSite> sites = offload_sites(*graph, operators, tags, name());
        if (sites.empty()) return unchanged(graph, name());
        Offloading offloading(graph, operators, settings);
        for (const OffloadSite& site : sites) offloading.offload(site);
        return offloading.finish();
    });
}

}  // namespace overlap
