#include <sstream>
#include <string>

#include "core/base/number_text.h"
#include "core/base/quote.h"
#include "core/run/executor.h"

namespace overlap {

namespace {

void write_compute(std::ostream& out, const ComputeWork& work) {
    out << "compute stream: " << compute_class_name(work.compute_class);
    if (work.is_fused()) out << " of " << work.kernel->members.size() << " nodes";
    if (work.compute_class == ComputeClass::matrix_multiply) {
        const ProductShape& product = work.product;
        out << ' ';
        if (product.batch > 1) out << product.batch << " times ";
        out << product.rows << "x" << product.inner << " by " << product.inner << "x" << product.columns << ' '
            << dtype_info(product.dtype).name;
    } else if (work.flops > 0) {
        out << ' ' << work.flops << " flops";
    }
    out << ", reads " << bytes_text(work.read_bytes) << ", writes " << bytes_text(work.written_bytes);
}

void write_collective(std::ostream& out, const Program& program, const CollectiveWork& work) {
    out << "stream of " << in_quotes(program.groups[work.group].name) << ": " << collective_kind_name(work.kind);
    if (!work.reduction.empty()) out << ' ' << work.reduction;
    out << ' ' << bytes_text(work.bytes);
    if (work.messages.size() > 1) out << " in " << work.messages.size() << " tensors";
}

void write_transfer(std::ostream& out, const TransferWork& work) {
    out << "stream of copies: " << bytes_text(work.bytes) << (work.to_host ? " to the host" : " from the host");
}

/// The node, or all that a kernel computes, the one with which it is launched last.
std::string nodes_of(const Graph& graph, const Program& program, const Command& command) {
    const ComputeWork* work = command.kind == Command::Kind::compute ? &program.compute[command.index] : nullptr;
    if (!work || !work->is_fused()) return std::string(graph.name(command.node));
    std::string names;
    for (const NodeId member : work->kernel->members) {
        if (member != command.node) names.append(graph.name(member)).append(" ");
    }
    return names.append(graph.name(command.node));
}

}  // namespace

std::string command_list(const Graph& graph, const Program& program) {
    std::ostringstream out;
    for (const Command& command : program.commands) {
        switch (command.kind) {
            case Command::Kind::compute:
                write_compute(out, program.compute[command.index]);
                break;
            case Command::Kind::collective:
                write_collective(out, program, program.collectives[command.index]);
                break;
            case Command::Kind::wait:
                out << "compute stream: wait for " << graph.name(program.collectives[command.index].node);
                break;
            case Command::Kind::transfer:
                write_transfer(out, program.transfers[command.index]);
                break;
            case Command::Kind::transfer_wait:
                out << "compute stream: wait for " << graph.name(program.transfers[command.index].node);
                break;
        }
        out << "  (" << nodes_of(graph, program, command) << ")\n";
    }
    return out.str();
}

}  // namespace overlap
