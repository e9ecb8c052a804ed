#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/cost/compute_class.h"
#include "core/graph/compilation.h"
#include "core/graph/graph.h"
#include "core/predict/fused_kernels.h"
#include "core/run/attention.h"

namespace overlap {

/// How the 8-bit floats of a product are scaled by 32-bit ones: each factor as a whole, or the left one by rows and the
/// right one by columns.
struct ProductScaling {
    bool by_rows = false;
    bool fast_accumulation = false;  ///< sums are not kept in 32 bits throughout
    Dtype right{}, result{};

    auto operator<=>(const ProductScaling&) const = default;
};

/// A matrix product `batch` times: [rows x inner] by [inner x columns]. A factor that is transposed lies in memory by
/// columns, as a weight does that torch's linear layer multiplies with. To a product that `adds` another matrix of the
/// result's shape is added.
struct ProductShape {
    std::int64_t batch = 1, rows = 0, columns = 0, inner = 0;
    Dtype dtype{};  ///< of all three matrices, or of the left one where there is a scaling
    bool left_transposed = false, right_transposed = false;
    bool adds = false;
    /// Of products of 8-bit floats that a library has as they are (see scaling_of()).
    std::optional<ProductScaling> scaling;

    auto operator<=>(const ProductShape&) const = default;
};

/// What a kernel that computes several nodes, or reads what others would have been computed from, takes in place of
/// one node's arguments and result.
struct KernelTensors {
    std::vector<NodeId> members;  ///< in graph order; one of them is the node in whose place it is launched
    std::vector<BufferRead> reads;
    std::vector<BufferWrite> writes;
};

/// What a node asks of the compute stream.
struct ComputeWork {
    NodeId node = no_node;
    ComputeClass compute_class = ComputeClass::memory;
    ProductShape product;  ///< of matrix multiplies, and of products of experts as if each had as many rows
    bool of_experts = false;
    double flops = 0;  ///< as torch's flop counter counts them, and those of products of experts, which it does not
    std::int64_t read_bytes = 0, written_bytes = 0;
    /// Index of Program::attentions; nothing for other work, and for attentions that no library has as one kernel.
    std::optional<std::uint32_t> attention;
    /// Of kernels of a compiled job; nothing where the node is a kernel of its own, as traced.
    std::optional<KernelTensors> kernel;

    /// Whether it computes several nodes.
    bool is_fused() const { return kernel && kernel->members.size() > 1; }
};

/// One tensor that a collective takes, and what it becomes. A coalesced collective has several.
struct Message {
    std::int64_t input_elements = 0, output_elements = 0;
    Dtype dtype{};
};

/// What a node asks of its process group's stream.
struct CollectiveWork {
    NodeId node = no_node;
    CollectiveKind kind = CollectiveKind::none;
    std::uint32_t group = 0;  ///< index of Program::groups
    std::string reduction;    ///< `sum`, `avg`, ..., of all_reduce and reduce_scatter; `sum` where the file lost it
    std::vector<Message> messages;
    std::int64_t bytes = 0;  ///< the larger of all inputs and all outputs
    /// Index of the command that awaits it first; the number of commands where nothing does.
    std::uint32_t awaited_at = 0;
};

/// A copy of a tensor to memory of the host, or from there back to the device (`ao.offload`, `ao.reload`).
struct TransferWork {
    NodeId node = no_node;
    bool to_host = false;
    std::int64_t bytes = 0;
    /// Index of Program::transfers: what took the tensor to the host; of that itself.
    std::uint32_t source = 0;
    /// Index of the command that awaits it first; the number of commands where nothing does.
    std::uint32_t awaited_at = 0;
};

/// One thing that the host does, in order.
struct Command {
    enum class Kind : std::uint8_t {
        compute,        ///< launches `Program::compute[index]` on the compute stream
        collective,     ///< launches `Program::collectives[index]` on its group's stream, behind compute issued before
        wait,           ///< the compute stream waits for `Program::collectives[index]`
        transfer,       ///< starts `Program::transfers[index]` on the stream of copies, behind compute issued before
        transfer_wait,  ///< the compute stream waits for `Program::transfers[index]`
    };
    Kind kind = Kind::compute;
    std::uint32_t index = 0;
    NodeId node = no_node;
};

/// What a runner issues for one step of a graph: the stream model of docs/formats.md as commands, without times.
/// Nodes that take no time of a device (views, getitem, what runs on the host) are no commands.
struct Program {
    std::vector<Command> commands;
    std::vector<ComputeWork> compute;
    std::vector<AttentionWork> attentions;
    std::vector<CollectiveWork> collectives;
    std::vector<TransferWork> transfers;
    std::vector<ProcessGroup> groups;  ///< those that are used, in order of first use
    /// Of each node whether nothing writes its result into memory: kernels compute it where they read it. Empty: of
    /// none.
    std::vector<bool> unwritten;
    CompiledScope scope = CompiledScope::eager;  ///< what of the graph is compiled
};

/// What one process group has to do in a step.
struct GroupTotals {
    std::int64_t collectives = 0, bytes = 0;
};

/// Of each of Program::groups.
std::vector<GroupTotals> totals_of(const Program& program);

/// What a collective takes: a tensor, or a list of them where it is coalesced; nullptr where the file has lost it.
/// @param first_argument see StreamStep.
const Value* collective_input(const Graph& graph, NodeId node, std::size_t first_argument);

/// @param scope what of it the job compiles: what shares a kernel then is one launch, in the place of one of its nodes.
/// @throws InputError where a node cannot be executed: a collective whose process group the file does not describe, or
/// whose kind is not known to the communication library; a process group with ranks that the job does not have; a
/// matrix product whose shapes do not fit; a copy from the host of something that the graph has not copied there.
Program make_program(const Graph& graph, CompiledScope scope = CompiledScope::eager);

}  // namespace overlap
