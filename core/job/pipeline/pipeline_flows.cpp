#include "core/job/pipeline/pipeline_flows.h"

#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "core/base/grouped_number.h"
#include "core/base/quote.h"

namespace overlap::job {

namespace {

/// Flows of all loads: some 100 MB.
constexpr std::size_t most_flows = 4'000'000;
/// Links of a topology, in one direction each.
constexpr std::int64_t most_links = 40'000'000;

}  // namespace

std::optional<std::int64_t> message_bytes(const TransferSpec& transfer, const PieceWait& wait) {
    switch (wait.message) {
        case PieceWait::Message::activation:
            return transfer.activation_bytes;
        case PieceWait::Message::gradient:
            return transfer.gradient_bytes;
        case PieceWait::Message::none:
            break;
    }
    return std::nullopt;
}

void check_algorithms(const JobDocument& job) {
    for (const auto& [kind, algorithm] : job.algorithms)
        if (!has_flows(kind))
            throw InputError("topology.algorithms", "there is no collective " + in_quotes(shortened(kind)) +
                                                        "; there are all_reduce, all_gather, reduce_scatter, "
                                                        "all_to_all, broadcast, reduce");
}

void check_links(const JobDocument& job, std::int64_t ranks) {
    std::int64_t left = most_links, unit_ranks = 1;
    for (std::size_t i = 0; i < job.topology.size(); ++i) {
        const TopologyLevel& level = job.topology[i];
        const std::int64_t units = (ranks + unit_ranks - 1) / unit_ranks;
        if (level.shared && level.links > left / (2 * units))
            throw InputError(
                "topology.levels[" + std::to_string(i) + "].links",
                "with those of other levels the job would have more than " + grouped_text(most_links) + " links");
        if (level.shared) left -= 2 * units * level.links;
        unit_ranks = level.ranks;
    }
}

std::uint32_t PipelineFlows::add_load(std::vector<FlowPhase> phases) {
    for (const FlowPhase& phase : phases) flow_count_ += phase.flows.size();
    if (flow_count_ > most_flows)
        throw InputError("stages", "collectives move their bytes in more than " + grouped_text(most_flows) + " flows");
    step_.flows.loads.push_back(std::move(phases));
    return static_cast<std::uint32_t>(step_.flows.loads.size() - 1);
}

void PipelineFlows::add_collective(std::uint32_t index, std::span<const std::uint32_t> replicas) {
    const Piece& piece = step_.pieces[index];
    const auto rank = static_cast<std::int32_t>(piece.rank);
    std::vector<std::pair<std::int64_t, double>> members;
    for (const std::uint32_t replica : replicas)
        members.emplace_back(step_.replicas->rank_of(replica, rank), step_.replicas->routed(replica));
    std::ranges::sort(members);
    const bool routed = step_.parts[piece.first_part].routed;
    const auto [known, is_new] = of_group_.try_emplace(
        {piece.group_kind, members.front().first, 2 * piece.collective + (routed ? 1 : 0), piece.bytes});
    if (is_new) {
        std::vector<std::int64_t> ranks;
        std::vector<double> share;
        for (const auto& [member, part] : members) {
            ranks.push_back(member);
            if (routed) share.push_back(part);
        }
        const std::string kind = step_.collective_of(piece);
        const auto given =
            std::ranges::find(job_.algorithms, kind, &std::pair<std::string, CollectiveAlgorithm>::first);
        const CollectiveAlgorithm algorithm =
            given == job_.algorithms.end() ? CollectiveAlgorithm::ring : given->second;
        known->second =
            add_load(collective_flows(kind, algorithm, ranks, static_cast<double>(piece.bytes), job_.topology, share));
    }
    const auto count = static_cast<std::uint32_t>(step_.pieces.size());
    step_.flows.collectives.push_back({replicas.front() * count + index, known->second});
}

void PipelineFlows::add_messages(std::span<const PieceWait> waits) {
    if (!job_.transfer) return;
    const auto count = static_cast<std::uint32_t>(step_.pieces.size());
    // Which of its piece's dependencies each wait is.
    std::vector<std::uint32_t> seen(count, 0), place;
    for (const PieceWait& wait : waits) place.push_back(seen[wait.piece]++);
    for (std::uint32_t replica = 0; replica < step_.replicas->class_count(); ++replica) {
        for (std::size_t i = 0; i < waits.size(); ++i) {
            const std::optional<std::int64_t> bytes = message_bytes(*job_.transfer, waits[i]);
            if (!bytes) continue;
            const auto rank = [&](std::uint32_t piece) {
                return step_.replicas->rank_of(replica, static_cast<std::int32_t>(step_.pieces[piece].rank));
            };
            const std::int64_t from = rank(waits[i].on), to = rank(waits[i].piece);
            const auto [known, is_new] = of_message_.try_emplace({from, to, *bytes});
            if (is_new) known->second = add_load({{{{from, to, static_cast<double>(*bytes)}}, 1}});
            step_.flows.messages.push_back(
                {step_.graph.first_dependency(replica * count + waits[i].piece) + place[i], known->second});
        }
    }
}

}  // namespace overlap::job
