#include "core/job/chakra/chakra_traces.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <span>
#include <string_view>

#include "core/base/error.h"
#include "core/files/json_writer.h"
#include "core/job/chakra/chakra_writer.h"
#include "core/job/chakra/pipeline_messages.h"
#include "core/job/program_step.h"

namespace overlap::job {

namespace {

/// The ranks of each group by its number: groups are numbered from 1 in their order.
std::string groups_json(const std::vector<std::vector<std::int64_t>>& groups) {
    JsonWriter json;
    json.begin_object();
    for (std::size_t i = 0; i < groups.size(); ++i) {
        json.key(std::to_string(i + 1)).begin_array();
        for (const std::int64_t rank : groups[i]) json.value(rank);
        json.end_array();
    }
    json.end_object();
    return json.take();
}

/// `ranks 0, 2`: groups of a pipeline have no name of their own.
std::string ranks_text(std::span<const std::int64_t> ranks) {
    constexpr std::size_t most = 8;
    std::string text = "ranks ";
    for (std::size_t i = 0; i < ranks.size() && i < most; ++i)
        text.append(i ? ", " : "").append(std::to_string(ranks[i]));
    if (ranks.size() > most) text.append(" and ").append(std::to_string(ranks.size() - most)).append(" more");
    return text;
}

std::string file_name(const std::string& prefix, std::int64_t rank) {
    return std::string(prefix).append(".").append(std::to_string(rank)).append(".et");
}

/// Identifiers: a node's own, then those of the messages that it receives; sends are numbered apart.
class PipelineTraces {
  public:
    PipelineTraces(const JobDocument& job, const PipelineOptions& options, const std::string& prefix)
        : job_(job), step_(pipeline_step(job, options)), names_(pipeline_names(step_)), prefix_(prefix) {
        times_ = run_whole_step(step_.graph, order_of(step_.graph));
    }

    NamedFiles write() {
        const std::uint32_t count = static_cast<std::uint32_t>(step_.pieces.size());
        const std::size_t ranks = static_cast<std::size_t>(step_.ranks());
        std::vector<ChakraTrace> traces(step_.replicas->class_count() * ranks);
        const std::vector<PipelineMessage> messages = pipeline_messages(step_);
        std::vector<std::size_t> sent(messages.size());
        std::iota(sent.begin(), sent.end(), std::size_t{0});
        std::ranges::stable_sort(sent, {}, [&](std::size_t i) { return messages[i].from; });
        auto receive = messages.begin();
        auto send = sent.begin();
        std::vector<std::uint64_t> last_send(traces.size(), none);
        for (NodeIndex node = 0; node < step_.graph.node_count(); ++node) {
            const std::uint32_t rank = step_.graph.rank(node);
            std::vector<std::uint64_t> after;
            for (std::uint32_t i = step_.graph.first_dependency(node); i < step_.graph.first_dependency(node + 1);
                 ++i) {
                const NodeIndex on = step_.graph.on()[i];
                if (step_.graph.rank(on) == rank) after.push_back(own(on));
            }
            for (std::uint64_t id = own(node) + 1; receive != messages.end() && receive->to == node; ++receive, ++id) {
                add(traces[rank], *receive, id, ChakraNode::receive, {}, receive->delay_ms);
                after.push_back(id);
            }
            add(traces[rank], node, after);
            for (; send != sent.end() && messages[*send].from == node; ++send) {
                std::vector<std::uint64_t> before = {own(node)};
                if (last_send[rank] != none) before.push_back(last_send[rank]);
                last_send[rank] = first_send_ + sends_++;
                add(traces[rank], messages[*send], last_send[rank], ChakraNode::send, before, 0);
            }
        }
        NamedFiles files;
        for (std::size_t i = 0; i < traces.size(); ++i) {
            const NodeIndex base = static_cast<NodeIndex>(i / ranks * count);
            const std::int64_t rank = step_.replicas->rank_of(step_.replicas->representative(step_.class_of(base)),
                                                              static_cast<std::int32_t>(i % ranks));
            files.emplace_back(file_name(prefix_, rank), traces[i].bytes());
        }
        files.emplace_back(prefix_ + ".groups.json", groups_json(groups_));
        return files;
    }

  private:
    static constexpr std::uint64_t none = ~0ull;
    static constexpr std::uint64_t messages_a_node = 128;  ///< a cell has at most 64 parts
    static constexpr std::uint64_t first_send_ = 1ull << 48;

    static std::uint64_t own(NodeIndex node) { return node * messages_a_node; }

    void add(ChakraTrace& trace, const PipelineMessage& message, std::uint64_t id, ChakraNode type,
             std::span<const std::uint64_t> after, double duration_ms) const {
        ChakraTrace::Communication communication;
        communication.from = names_.rank(message.from);
        communication.to = names_.rank(message.to);
        communication.tag = message.tag;
        if (job_.transfer) {
            const bool activation = message.what == PieceWait::Message::activation;
            const auto& bytes = activation ? job_.transfer->activation_bytes : job_.transfer->gradient_bytes;
            communication.bytes = static_cast<std::uint64_t>(bytes.value_or(0));
        }
        trace.add(id, names_.message(message.from, message.to, message.which), type, after, times_.end[message.from],
                  duration_ms, &communication);
    }

    void add(ChakraTrace& trace, NodeIndex node, std::span<const std::uint64_t> after) {
        const Piece& piece = step_.piece(node);
        const double start = times_.start[node], duration = times_.end[node] - start;
        if (piece.group_kind < 0)
            return trace.add(own(node), names_.op(node), ChakraNode::compute, after, start, duration, nullptr);
        ChakraTrace::Communication collective;
        const std::vector<std::int64_t> ranks = step_.replicas->ranks_of_group(
            static_cast<std::size_t>(piece.group_kind), step_.replicas->representative(step_.class_of(node)),
            static_cast<std::int32_t>(piece.rank));
        const auto [known, is_new] = group_numbers_.try_emplace({piece.group_kind, ranks.front()}, groups_.size() + 1);
        if (is_new) groups_.push_back(ranks);
        collective.group = known->second;
        collective.group_name = ranks_text(ranks);
        collective.collective = chakra_collective(step_.collective_of(piece));
        if (piece.bytes >= 0) collective.bytes = static_cast<std::uint64_t>(piece.bytes);
        trace.add(own(node), names_.op(node), ChakraNode::collective, after, start, duration, &collective);
    }

    const JobDocument& job_;
    PipelineStep step_;
    NodeNames names_;
    StepTimes times_;
    std::string prefix_;
    std::uint64_t sends_ = 0;
    std::vector<std::vector<std::int64_t>> groups_;
    std::map<std::pair<std::int32_t, std::int64_t>, std::size_t> group_numbers_;  ///< by kind and first rank
};

NamedFiles traces_of_programs(const JobDocument& job, const std::string& prefix) {
    const ProgramStep step = program_step(job);
    const StepTimes times = run_whole_step(step.graph, order_of_programs(step));
    std::vector<ChakraTrace> traces(job.programs.size());
    std::map<std::string_view, std::size_t> group_numbers;
    std::vector<std::vector<std::int64_t>> groups;
    for (const auto& [name, ranks] : job.groups) {
        groups.emplace_back(ranks.begin(), ranks.end());
        group_numbers.emplace(name, groups.size());
    }
    std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> sent, received;
    for (NodeIndex node = 0; node < step.graph.node_count(); ++node) {
        const OpSpec& op = *step.op_of_node[node];
        const std::uint32_t program = step.graph.rank(node);
        const std::int64_t rank = job.programs[program].rank;
        std::vector<std::uint64_t> after;
        for (std::uint32_t i = step.graph.first_dependency(node); i < step.graph.first_dependency(node + 1); ++i)
            if (step.graph.rank(step.graph.on()[i]) == program) after.push_back(step.graph.on()[i]);
        const double start = times.start[node], duration = times.end[node] - start;
        if (step.kind_of_node[node] != ProgramNode::communication) {
            traces[program].add(node, op.id, ChakraNode::compute, after, start, duration, nullptr);
            continue;
        }
        ChakraTrace::Communication communication;
        communication.bytes = static_cast<std::uint64_t>(op.bytes.value_or(0));
        if (op.kind == OpSpec::Kind::collective) {
            communication.group = group_numbers.at(op.group);
            communication.group_name = op.group;
            communication.collective = chakra_collective(op.op);
        }
        const bool sends = op.kind == OpSpec::Kind::send;
        communication.from = sends ? rank : op.peer;
        communication.to = sends ? op.peer : rank;
        const ChakraNode type = op.kind == OpSpec::Kind::collective ? ChakraNode::collective
                                : sends                             ? ChakraNode::send
                                                                    : ChakraNode::receive;
        if (type != ChakraNode::collective)
            communication.tag = (sends ? sent : received)[{communication.from, communication.to}]++;
        traces[program].add(node, op.id, type, after, start, duration, &communication);
    }
    NamedFiles files;
    for (std::size_t i = 0; i < traces.size(); ++i)
        files.emplace_back(file_name(prefix, job.programs[i].rank), traces[i].bytes());
    files.emplace_back(prefix + ".groups.json", groups_json(groups));
    return files;
}

}  // namespace

NamedFiles chakra_traces(const JobDocument& job, const PipelineOptions& options, const std::string& prefix) {
    return job.has_programs ? traces_of_programs(job, prefix) : PipelineTraces(job, options, prefix).write();
}

}  // namespace overlap::job
