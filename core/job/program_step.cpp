#include "core/job/program_step.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "core/base/error.h"
#include "core/base/quote.h"

namespace overlap::job {

namespace {

/// The k-th operations of each member of a group, or of the two sides of a pair.
struct GroupUse {
    std::unordered_map<std::int32_t, std::int32_t> place_of_rank;
    std::vector<std::vector<NodeIndex>> nodes;  ///< of each member, in its list's order
};
struct PairUse {
    std::vector<NodeIndex> sends, receives;
    std::vector<NodeIndex> issues;  ///< of buffered sends
};

class Builder {
  public:
    explicit Builder(const JobDocument& job) {
        step_.job = &job;
        for (std::size_t group = 0; group < job.groups.size(); ++group) {
            group_of_name_.emplace(job.groups[group].first, static_cast<std::int32_t>(group));
            GroupUse& use = groups_.emplace_back();
            const std::vector<std::int32_t>& ranks = job.groups[group].second;
            for (std::size_t i = 0; i < ranks.size(); ++i)
                use.place_of_rank.emplace(ranks[i], static_cast<std::int32_t>(i));
            use.nodes.resize(ranks.size());
        }
    }

    ProgramStep build() {
        for (program_ = 0; program_ < step_.job->programs.size(); ++program_) add_program();
        for (std::size_t group = 0; group < groups_.size(); ++group) meet(static_cast<std::int32_t>(group));
        for (const auto& [ranks, use] : pairs_) meet(ranks.first, ranks.second, use);
        step_.graph.finish();
        return std::move(step_);
    }

  private:
    const ProgramSpec& program() const { return step_.job->programs[program_]; }

    std::string place(const OpSpec& op) const {
        return "programs[" + std::to_string(program_) + "], operation " + in_quotes(shortened(op.id));
    }

    NodeIndex add(const OpSpec& op, ProgramNode kind, double ms) {
        step_.op_of_node.push_back(&op);
        step_.kind_of_node.push_back(kind);
        return step_.graph.add_node(static_cast<std::uint32_t>(program_), ms);
    }

    void add_program() {
        std::unordered_map<std::string_view, NodeIndex> end_of_id, last_of_stream;
        std::vector<std::pair<const OpSpec*, NodeIndex>> begun;
        const auto name = [&](const OpSpec& op, NodeIndex end) {
            if (!end_of_id.emplace(op.id, end).second)
                throw InputError(place(op), "the rank has an operation of this id already");
        };
        for (const OpSpec& op : program().ops) {
            const NodeIndex next = step_.graph.node_count();
            const auto [last, first_of_stream] = last_of_stream.emplace(op.stream, next);
            Added added{};
            if (op.kind == OpSpec::Kind::batch) {
                added.first = add(op, ProgramNode::issue, 0);
                std::vector<NodeIndex> parts;
                for (const OpSpec& part : op.ops) {
                    const Added one = add_one(part, added.first);
                    begun.emplace_back(&part, one.first);
                    name(part, one.last);
                    parts.push_back(one.last);
                }
                added.last = add(op, ProgramNode::joined, 0);
                step_.graph.add_dependency(added.last, added.first);
                for (const NodeIndex part : parts) step_.graph.add_dependency(added.last, part);
            } else {
                added = add_one(op, no_node_before);
            }
            begun.emplace_back(&op, added.first);
            name(op, added.last);
            if (!first_of_stream) step_.graph.add_dependency(added.first, last->second);
            last->second = added.last;
        }
        for (const auto& [op, node] : begun) {
            for (const std::string& id : op->after) {
                const auto end = end_of_id.find(id);
                if (end == end_of_id.end())
                    throw InputError(place(*op),
                                     "waits for " + in_quotes(shortened(id)) + ", which the rank does not have");
                step_.graph.add_dependency(node, end->second);
            }
        }
    }

    static constexpr NodeIndex no_node_before = 0xffffffffu;

    struct Added {
        NodeIndex first, last;  ///< where an operation is issued and where it ends
    };
    Added add_one(const OpSpec& op, NodeIndex before) {
        const bool buffered = step_.job->buffered && op.kind == OpSpec::Kind::send;
        NodeIndex issue = before;
        if (buffered) {
            issue = add(op, ProgramNode::issue, 0);
            if (before != no_node_before) step_.graph.add_dependency(issue, before);
        }
        const bool computes = op.kind == OpSpec::Kind::compute;
        const NodeIndex node = add(op, computes ? ProgramNode::compute : ProgramNode::communication, op.ms);
        if (issue != no_node_before) step_.graph.add_dependency(node, issue);
        if (op.kind == OpSpec::Kind::collective) use_group(op, node);
        if (op.kind == OpSpec::Kind::send) {
            PairUse& use = pairs_[{program().rank, op.peer}];
            use.sends.push_back(node);
            if (buffered) use.issues.push_back(issue);
        }
        if (op.kind == OpSpec::Kind::recv) pairs_[{op.peer, program().rank}].receives.push_back(node);
        return {buffered ? issue : node, node};
    }

    void use_group(const OpSpec& op, NodeIndex node) {
        const auto group = group_of_name_.find(op.group);
        if (group == group_of_name_.end())
            throw InputError(place(op), "its group " + in_quotes(shortened(op.group)) + " is not among groups");
        GroupUse& use = groups_[static_cast<std::size_t>(group->second)];
        const auto member = use.place_of_rank.find(program().rank);
        if (member == use.place_of_rank.end())
            throw InputError(place(op), "rank " + std::to_string(program().rank) + " is no member of its group " +
                                            in_quotes(shortened(op.group)));
        for (const auto* list : {&op.split, &op.receive}) {
            if (*list && (*list)->size() != use.nodes.size())
                throw InputError(place(op), "split and receive need a number for each of the group's " +
                                                std::to_string(use.nodes.size()) + " members");
        }
        use.nodes[static_cast<std::size_t>(member->second)].push_back(node);
    }

    void meet(std::int32_t group) {
        const GroupUse& use = groups_[static_cast<std::size_t>(group)];
        std::vector<std::int32_t> here;
        for (std::size_t i = 0; i < use.nodes.size(); ++i) here.push_back(static_cast<std::int32_t>(i));
        for (std::size_t index = 0;; ++index) {
            std::erase_if(here, [&](std::int32_t i) { return use.nodes[static_cast<std::size_t>(i)].size() <= index; });
            if (here.empty()) return;
            Meeting& meeting = step_.meetings.emplace_back();
            meeting.group = group;
            meeting.index = static_cast<std::int64_t>(index);
            meeting.places = here;
            std::vector<NodeIndex> members;
            for (const std::int32_t i : here) {
                members.push_back(use.nodes[static_cast<std::size_t>(i)][index]);
                meeting.ops.push_back(step_.op_of_node[members.back()]);
            }
            step_.graph.add_rendezvous(members, here.size() == use.nodes.size());
        }
    }

    void meet(std::int32_t from, std::int32_t to, const PairUse& use) {
        const bool buffered = step_.job->buffered;
        const std::size_t count = buffered ? use.receives.size() : std::max(use.sends.size(), use.receives.size());
        for (std::size_t index = 0; index < count; ++index) {
            Meeting& meeting = step_.meetings.emplace_back();
            meeting.from = from;
            meeting.to = to;
            meeting.index = static_cast<std::int64_t>(index);
            std::vector<NodeIndex> members;
            if (index < use.sends.size()) {
                meeting.ops.push_back(step_.op_of_node[use.sends[index]]);
                if (!buffered) members.push_back(use.sends[index]);
            }
            if (index < use.receives.size()) {
                meeting.ops.push_back(step_.op_of_node[use.receives[index]]);
                members.push_back(use.receives[index]);
                if (buffered && index < use.issues.size())
                    step_.graph.add_dependency(use.receives[index], use.issues[index]);
            }
            if (index >= use.sends.size()) meeting.absent.push_back(from);
            if (index >= use.receives.size()) meeting.absent.push_back(to);
            step_.graph.add_rendezvous(members, meeting.absent.empty());
        }
    }

    ProgramStep step_;
    std::size_t program_ = 0;
    std::unordered_map<std::string_view, std::int32_t> group_of_name_;
    std::vector<GroupUse> groups_;
    std::map<std::pair<std::int32_t, std::int32_t>, PairUse> pairs_;
};

}  // namespace

ProgramStep program_step(const JobDocument& job) {
    return Builder(job).build();
}

NodeNames program_names(const ProgramStep& step) {
    NodeNames names;
    names.rank = [&step](NodeIndex node) -> std::int64_t { return step.job->programs[step.graph.rank(node)].rank; };
    names.op = [&step](NodeIndex node) { return step.op_of_node[node]->id; };
    names.message = [&step](NodeIndex on, NodeIndex, std::size_t) { return step.op_of_node[on]->id; };
    return names;
}

std::vector<std::int64_t> absent_ranks(const ProgramStep& step, const Meeting& meeting) {
    if (meeting.group < 0) return meeting.absent;
    const std::vector<std::int32_t>& ranks = step.job->groups[static_cast<std::size_t>(meeting.group)].second;
    std::vector<std::int64_t> absent;
    std::size_t here = 0;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        if (here < meeting.places.size() && meeting.places[here] == static_cast<std::int32_t>(i))
            ++here;
        else
            absent.push_back(ranks[i]);
    }
    return absent;
}

}  // namespace overlap::job
