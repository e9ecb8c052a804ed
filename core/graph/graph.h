#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/graph/compilation.h"
#include "core/graph/naming.h"
#include "core/graph/operator_traits.h"
#include "core/graph/shared_array.h"
#include "core/graph/string_pool.h"
#include "core/graph/tensor.h"
#include "core/graph/text_mentions.h"
#include "core/graph/value.h"

namespace overlap {

/// torch.fx's `op` of a node.
enum class NodeOp : std::uint8_t { placeholder, get_attr, call_function, call_module, call_method, output };

std::string_view node_op_name(NodeOp op);
std::optional<NodeOp> node_op_by_name(std::string_view name);

/// One entry of a module stack: raw path and class, as the file has them.
struct ModuleStackEntry {
    StringId path;
    StringId class_name;
};

/// A module stack of a graph: 0 means none. Equal stacks have equal numbers.
using ModuleStackId = std::uint32_t;

/// Optional fields of a node, which are written back only where the file had them.
struct NodeMetadata {
    ModuleStackId module_stack = 0;       ///< `nn_module_stack`, outermost first
    ModuleStackId fwd_module_stack = 0;   ///< `fwd_nn_module_stack`
    StringId custom_json = empty_string;  ///< `meta["custom"]` as JSON text
    StringId module_fqn = empty_string;   ///< `custom.module_fqn`
    StringId partitioner_tag = empty_string;
    StringId extra_json = empty_string;           ///< unknown fields of the file, one JSON object
    std::optional<std::int64_t> sequence_number;  ///< `seq_nr`
    std::optional<double> estimate_ms;
    std::optional<bool> autograd_backward;

    bool operator==(const NodeMetadata&) const = default;
};

/// The hot part of a node. Argument values refer to the graph's arena.
struct NodeRecord {
    StringId name = empty_string;
    std::uint32_t target = 0;  ///< index of the graph's targets
    NodeOp op = NodeOp::call_function;
    bool multi = false;        ///< the value is a tuple or list
    bool has_outputs = false;  ///< the file has a list `outputs`, maybe of length 0
    Value args;                ///< a list
    Value kwargs;              ///< a dictionary
    std::uint32_t first_output = 0;
    std::uint32_t output_count = 0;
};

/// A process group of the job, as this rank sees it. Its name is the string that the collectives carry.
struct ProcessGroup {
    std::string name;
    std::vector<int> ranks;
    int rank = 0;            ///< index of this process in `ranks`
    std::string extra_json;  ///< further fields of the file, such as a description; a JSON object or empty
    /// The text of `description` or `desc`, for display; empty when there is none.
    std::string description;
};

/// Numbers of the file's `cost_model`; see docs/formats.md.
struct CostParameters {
    std::string device_name;
    std::map<std::string, double> flops_per_s;  ///< by dtype name
    double flops_efficiency = 1;
    double memory_bytes_per_s = 0;
    double memory_efficiency = 1;
    std::int64_t memory_bytes = 0;  ///< what the device holds; 0 where it is not known
    /// What copies between device and host reach in one direction; 0 where it is not known.
    double host_link_bytes_per_s = 0;
    /// One way in which a collective may run: `latency_ms + bytes / bytes_per_s`, with bytes the larger of its input
    /// and its output.
    struct LinkRate {
        double latency_ms = 0;
        double bytes_per_s = 0;
    };
    struct Link {
        std::string process_group;
        double latency_ms = 0;
        double bytes_per_s = 0;
        /// Kinds whose time differs from the two figures above: ways of which the library takes the fastest, as NCCL
        /// chooses an algorithm and a protocol by size.
        std::map<CollectiveKind, std::vector<LinkRate>> kinds{};
    };
    std::vector<Link> links;

    // Of a named cost model that was put into the graph (core/cost/with_cost_model.h); empty in others.
    std::string model_name;
    /// A node takes `overhead_ms + work / efficiency`, its work being the longer of flops and bytes at the device's
    /// full rates.
    struct ClassCost {
        double efficiency = 1;
        double overhead_ms = 0;
    };
    /// By name of a class of compute (core/cost/compute_class.h). These replace both efficiencies above.
    std::map<std::string, ClassCost> classes;
    /// How activities slow each other; the formulas are in core/simulate/README.md.
    struct Contention {
        std::map<std::string, double> compute_slowdown;  ///< by name of a class
        double communication_slowdown = 0;
        std::vector<std::vector<std::string>> shared_links;  ///< names of process groups over one link
    };
    std::optional<Contention> contention;
    /// How the job compiles the graph; none: times of nodes are as traced, each operator a kernel.
    std::optional<Compilation> compilation;

    std::string json;  ///< the file's object, whole

    const Link* link(std::string_view process_group) const;
};

/// What a graph document says of itself beside its nodes.
struct GraphHeader {
    std::string name;
    std::string producer_json;  ///< a JSON object, or empty
    std::optional<std::int64_t> rank;
    std::optional<std::int64_t> world_size;
    std::vector<ProcessGroup> process_groups;
    bool has_process_groups = true;  ///< the file has the list, maybe of length 0
    std::optional<CostParameters> cost;
    std::string extra_json;  ///< unknown fields of the document, one JSON object, or empty

    const ProcessGroup* process_group(std::string_view group_name) const;
};

/// One rank's FX graph in execution order. Immutable: passes make new ones. Nodes are their positions.
///
/// Layout: records are a dense array, arguments, output tensors, dimensions and metadata are in arenas; inputs and
/// users are index ranges. Every array is shared: a graph that a pass makes has its own ones of what the pass changed,
/// and those of its source for the rest. Copies of a graph are cheap.
class Graph {
  public:
    const GraphHeader& header() const { return *header_; }
    std::shared_ptr<const GraphHeader> shared_header() const { return header_; }

    std::uint32_t node_count() const { return static_cast<std::uint32_t>(records_.size()); }
    const NodeRecord& record(NodeId node) const { return records_[node]; }
    NodeMetadata metadata(NodeId node) const {
        NodeMetadata metadata = metadata_[metadata_of_[node]];
        metadata.custom_json = custom_json_[node];
        metadata.extra_json = extra_json_[node];
        return metadata;
    }
    /// `metadata(node).custom_json` of all nodes.
    std::span<const StringId> custom_json() const { return custom_json_; }
    /// `metadata(node).extra_json` of all nodes.
    std::span<const StringId> extra_json() const { return extra_json_; }
    /// Whether the unknown fields of a node may have that word in them: true for some graphs that no longer have such
    /// nodes. Linear once, then a look-up, also for what passes make that leave these fields alone.
    bool extra_json_mentions(std::string_view word) const { return extra_mentions_->has(word); }
    /// The same of `custom`.
    bool custom_json_mentions(std::string_view word) const { return custom_mentions_->has(word); }
    NodeOp op(NodeId node) const { return records_[node].op; }
    std::string_view name(NodeId node) const { return text(records_[node].name); }
    std::string_view target(NodeId node) const { return text(target_names_[records_[node].target]); }
    const TargetInfo& target_info(NodeId node) const { return target_infos_[records_[node].target]; }
    /// Different targets of the graph; NodeRecord::target is below this.
    std::uint32_t target_count() const { return static_cast<std::uint32_t>(target_names_.size()); }
    std::string_view target_text(std::uint32_t target) const { return text(target_names_[target]); }
    /// The target of that text, or no_target.
    std::uint32_t find_target(std::string_view text) const;
    static constexpr std::uint32_t no_target = 0xffffffffu;
    const TargetInfo& info_of_target(std::uint32_t target) const { return target_infos_[target]; }

    /// The node called `name`, or no_node. Linear once, then a look-up.
    NodeId find(std::string_view name) const;

    /// Distinct nodes that `node` consumes, in order of first appearance in args, then kwargs (fx `all_input_nodes`).
    std::span<const NodeId> inputs(NodeId node) const {
        return {inputs_.data() + input_offsets_[node], inputs_.data() + input_offsets_[node + 1]};
    }
    /// Nodes that consume `node`, in the order in which they registered (fx `users`), which is not always graph order.
    std::span<const NodeId> users(NodeId node) const {
        return {users_.data() + user_offsets_[node], users_.data() + user_offsets_[node + 1]};
    }
    /// Tensors that the node returns; empty when it has none.
    std::span<const TensorMeta> outputs(NodeId node) const {
        return tensors_.slice(records_[node].first_output, records_[node].output_count);
    }
    std::span<const std::int64_t> shape(const TensorMeta& tensor) const {
        return dimensions_.slice(tensor.first_dimension, tensor.rank);
    }
    std::span<const std::int64_t> stride(const TensorMeta& tensor) const {
        return dimensions_.slice(std::size_t{tensor.first_dimension} + tensor.rank, tensor.rank);
    }
    /// Product of the sizes.
    std::int64_t element_count(const TensorMeta& tensor) const;
    /// Elements times element size, whatever the strides.
    std::int64_t tensor_bytes(const TensorMeta& tensor) const;
    /// Sum over the outputs of `node`.
    std::int64_t output_bytes(NodeId node) const;

    /// Children of a list, dictionary, slice or symbol.
    std::span<const Value> children(const Value& value) const {
        return value.has_children() ? values_.slice(value.first, value.count) : std::span<const Value>();
    }
    /// Positional argument `index`, or nullptr.
    const Value* argument(NodeId node, std::size_t index) const;
    /// Keyword argument `key`, or nullptr.
    const Value* keyword(NodeId node, std::string_view key) const;
    const SharedArena<Value>& values() const { return values_; }

    std::string_view text(StringId id) const { return strings_->text(id); }
    const std::shared_ptr<const StringPool>& strings() const { return strings_; }

    std::span<const ModuleStackEntry> module_stack(ModuleStackId stack) const;
    /// Different module stacks of the graph, the empty one included; NodeMetadata::module_stack is below this.
    std::size_t module_stack_count() const { return module_stacks_->offsets.size() - 1; }

    /// What torch.fx remembers of the names that the graph has given; new nodes are called by it.
    const NamingState& naming() const { return *naming_; }

    /// Name of the process group of a node that starts communication; empty for others and where it is a node.
    std::string_view group_name(NodeId node) const;
    /// The node whose completion a `wait_tensor` awaits, through at most one getitem; no_node if there is none
    /// that starts communication.
    NodeId awaited_start(NodeId wait) const;

  private:
    friend class GraphBuilder;
    friend class GraphEditor;

    std::shared_ptr<const GraphHeader> header_;
    std::shared_ptr<const StringPool> strings_;
    SharedArray<StringId> target_names_;
    SharedArray<TargetInfo> target_infos_;
    SharedArray<std::uint32_t> target_by_name_;  ///< by string, no_target where the string names none
    SharedArray<NodeRecord> records_;
    /// What nodes say, without the two fields that stand below; nodes may share it.
    SharedArena<NodeMetadata> metadata_;
    SharedArray<std::uint32_t> metadata_of_;          ///< by node: its place among metadata_
    SharedArray<StringId> custom_json_, extra_json_;  ///< by node: fields that passes read and write by themselves
    std::shared_ptr<const TextMentions> custom_mentions_, extra_mentions_;
    SharedArena<Value> values_;
    SharedArena<TensorMeta> tensors_;
    SharedArena<std::int64_t> dimensions_;
    std::uint32_t next_storage_ = 0;  ///< above the storages of all tensors
    std::int64_t most_bytes_ = 0;     ///< the tensors of all nodes count no more towards total_bytes_limit
    SharedArray<std::uint32_t> input_offsets_, user_offsets_;
    SharedArray<NodeId> inputs_, users_;
    struct ModuleStacks {
        std::vector<std::uint32_t> offsets{0, 0};  ///< stack s is [offsets[s], offsets[s+1]); stack 0 is empty
        std::vector<ModuleStackEntry> entries;
    };
    std::shared_ptr<const ModuleStacks> module_stacks_;
    std::shared_ptr<const NamingState> naming_;
    SharedArray<NodeId> by_name_;  ///< node of a string, no_node where the string names none
};

}  // namespace overlap
