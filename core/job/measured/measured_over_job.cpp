#include "core/job/measured/measured_over_job.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "core/job/measured/clocks.h"

namespace overlap::job {

namespace {

constexpr double ns_per_ms = 1e6;

using Kind = MeasuredSpan::Kind;

constexpr Action nowhere{-1, no_microbatch, ActionKind::forward};

/// When what a rank waits for ended, and who that was.
struct Awaited {
    std::int64_t end_ns = 0;
    std::string name;
    std::uint32_t rank = 0;  ///< index of MeasuredJob::ranks
    std::size_t action = 0;  ///< index of its actions
};

class Comparison {
  public:
    Comparison(const JobEvaluation& evaluation, std::shared_ptr<const MeasuredJob> measured) : evaluation_(evaluation) {
        over_.measured = std::move(measured);
        over_.step_ms = static_cast<double>(over_.measured->length_ns) / ns_per_ms;
        over_.predicted_ms = *evaluation.result.step_ms;
    }

    MeasuredOverJob run() {
        const std::vector<MeasuredRank>& ranks = over_.measured->ranks;
        for (std::uint32_t number = 0; number < ranks.size(); ++number) {
            const MeasuredRank& rank = ranks[number];
            MeasuredFigures& figures = over_.ranks.emplace_back();
            figures.left_out = reason_against(evaluation_, rank);
            if (!figures.left_out.empty()) continue;
            const RankResult& result = *std::ranges::find(evaluation_.result.ranks, rank.rank, &RankResult::rank);
            figures.figures = result.figures;
            const std::vector<RecordedAction>& actions = rank.recorded.actions;
            const std::vector<TimeRange>& times = times_[number] = with_exposed_ends(rank.recorded);
            for (std::size_t i = 0; i < actions.size(); ++i)
                for (const Action& action : actions[i].cell)
                    ended_.emplace(Key(result.replica, action.stage, action.microbatch, action.kind),
                                   Awaited{times[i].end_ns,
                                           action_text(action) + " of rank " + std::to_string(rank.rank), number, i});
        }
        over_.not_compared = reason_not_to_compare();
        find_nodes();
        find_predicted_span();
        for (std::uint32_t rank = 0; rank < ranks.size(); ++rank)
            if (over_.ranks[rank].left_out.empty()) add_rank(rank);
        for (MeasuredSpan& span : over_.spans) span.time = shifted(span.time, over_.begin_ns);
        for (const auto& [span, peer] : awaited_) over_.spans[span].on = first_span_[peer.rank] + peer.action;
        return std::move(over_);
    }

  private:
    using Key = std::tuple<std::int32_t, std::int32_t, std::int32_t, ActionKind>;  ///< replica, stage, microbatch

    /// Actions up to the end of the collectives launched in them, where nothing computes after them: as the job's step
    /// has them. Messages between stages are not of it, nor are gradients where the job has their reduction beside.
    std::vector<TimeRange> with_exposed_ends(const RecordedStep& step) const {
        std::map<std::string_view, std::vector<const RecordedCommunication*>> launched;
        for (const RecordedCommunication& of : step.communication)
            if (!of.action.empty()) launched[of.action].push_back(&of);
        std::vector<TimeRange> times;
        for (const RecordedAction& action : step.actions) {
            TimeRange& time = times.emplace_back(action.time);
            const auto next = std::ranges::upper_bound(step.computing.spans(), time.end_ns, {}, &TimeRange::end_ns);
            const std::int64_t next_ns = next == step.computing.spans().end() ? std::numeric_limits<std::int64_t>::max()
                                                                              : std::max(next->begin_ns, time.end_ns);
            for (const RecordedCommunication* of : launched[action.name])
                if (is_within_actions(of->kind, action.cell.front().stage))
                    time.end_ns = std::max(time.end_ns, std::min(of->time.end_ns, next_ns));
        }
        return times;
    }

    bool is_within_actions(const std::string& kind, std::int32_t stage) const {
        if (kind == "all_gather" || kind == "all_to_all") return true;
        if ((kind != "reduce_scatter" && kind != "all_reduce") || !evaluation_.pipeline) return false;
        const PipelineStep& step = *evaluation_.pipeline;
        const auto syncs = step.pieces.begin() + step.row_begin.back();
        return std::none_of(syncs, step.pieces.end(),
                            [&](const Piece& of) { return of.cell == static_cast<std::uint32_t>(stage); });
    }

    std::string reason_not_to_compare() const {
        for (std::size_t i = 0; i < over_.ranks.size(); ++i)
            if (!over_.ranks[i].left_out.empty())
                return "rank " + std::to_string(over_.measured->ranks[i].rank) + " is left out";
        if (!over_.measured->of_one_clock) return "the clocks of its pipelines could not be brought together";
        if (!evaluation_.pipeline) return {};
        std::int32_t measured = 0;
        for (const MeasuredRank& rank : over_.measured->ranks)
            for (const RecordedAction& recorded : rank.recorded.actions)
                for (const Action& action : recorded.cell) measured = std::max(measured, action.microbatch + 1);
        const std::int32_t microbatches = evaluation_.job->schedule.microbatches;
        // Without names nothing tells how many there were.
        if (measured == 0 || measured == microbatches) return {};
        return std::to_string(measured) + (measured == 1 ? " microbatch was" : " microbatches were") +
               " measured, and the job has " + std::to_string(microbatches);
    }

    /// The nodes of actions, of the classes that were measured.
    void find_nodes() {
        if (!evaluation_.pipeline) return;
        const PipelineStep& step = *evaluation_.pipeline;
        for (const MeasuredFigures& of : over_.ranks) {
            if (!of.left_out.empty() || !nodes_.emplace(of.figures, Nodes()).second) continue;
            const auto ranks = static_cast<std::size_t>(step.ranks());
            const std::size_t rank = of.figures % ranks;
            const auto base = static_cast<NodeIndex>(of.figures / ranks * step.pieces.size());
            for (std::uint32_t piece = step.row_begin[rank]; piece < step.row_begin[rank + 1]; ++piece)
                if (step.pieces[piece].role == PieceRole::action)
                    nodes_[of.figures].emplace(evaluation_.names.op(base + piece), base + piece);
        }
    }

    /// From the first action to the last, or to the last gradients, of a class of ranks.
    std::pair<double, double> predicted_span(std::uint32_t figures) const {
        const PipelineStep& step = *evaluation_.pipeline;
        const auto ranks = static_cast<std::size_t>(step.ranks());
        const std::size_t rank = figures % ranks;
        const auto base = static_cast<NodeIndex>(figures / ranks * step.pieces.size());
        std::pair<double, double> span{std::numeric_limits<double>::infinity(), 0};
        for (std::uint32_t piece = 0; piece < step.pieces.size(); ++piece) {
            if (step.pieces[piece].rank != rank || step.pieces[piece].role == PieceRole::gradient_wait) continue;
            span.first = std::min(span.first, evaluation_.times.start[base + piece]);
            span.second = std::max(span.second, evaluation_.times.end[base + piece]);
        }
        return span;
    }

    /// Measured ranks are placed and compared as what they are a part of: the first to begin begins as predicted.
    void find_predicted_span() {
        if (!evaluation_.pipeline) return;
        double begin = std::numeric_limits<double>::infinity(), end = 0, begin_of_first = 0;
        std::int64_t first = std::numeric_limits<std::int64_t>::max();
        for (std::size_t i = 0; i < over_.ranks.size(); ++i) {
            if (!over_.ranks[i].left_out.empty()) continue;
            const auto [from, to] = predicted_span(over_.ranks[i].figures);
            begin = std::min(begin, from);
            end = std::max(end, to);
            if (const std::int64_t at = span_of_job(over_.measured->ranks[i].recorded).begin_ns; at < first) {
                first = at;
                begin_of_first = from;
            }
        }
        if (end <= begin) return;
        over_.predicted_ms = end - begin;
        predicted_begin_ms_ = begin;
        over_.begin_ns = std::max<std::int64_t>(0, std::llround(begin_of_first * ns_per_ms) - first);
    }

    void add_rank(std::uint32_t number) {
        const MeasuredRank& rank = over_.measured->ranks[number];
        const RecordedStep& step = rank.recorded;
        MeasuredFigures& figures = over_.ranks[number];
        first_span_[number] = over_.spans.size();
        for (std::size_t i = 0; i < step.actions.size(); ++i) {
            const RecordedAction& action = step.actions[i];
            const TimeRange time = times_[number][i];
            const std::int64_t exposed_ns = action.exposed_ns + time.end_ns - action.time.end_ns;
            MeasuredSpan span{Kind::action, number, time, exposed_ns, action.name, action.cell.front(), {}, {}};
            if (const auto nodes = nodes_.find(figures.figures); nodes != nodes_.end())
                if (const auto node = nodes->second.find(action.name); node != nodes->second.end())
                    span.predicted = node->second;
            over_.spans.push_back(std::move(span));
        }
        for (const TimeRange time : step.of_no_action.spans())
            add({Kind::compute, number, time, 0, "compute", nowhere, {}, {}});
        for (const RecordedCommunication& of : step.communication)
            add({Kind::communication, number, of.time, 0, of.kind, nowhere, {}, {}});
        const SpanSums computing(step.computing);
        // A rank that is done early may be at its optimizer while others still are at the step.
        figures.compute_ms = static_cast<double>(computing.within_ns(span_of_job(step))) / ns_per_ms;
        figures.standing_ms = over_.step_ms - figures.compute_ms;
        add_gaps(number);
        const RankFigures& predicted = evaluation_.result.classes[figures.figures];
        figures.predicted_compute_ms = predicted.busy_ms;
        figures.predicted_standing_ms = over_.predicted_ms - predicted.busy_ms;
        // Before the first of the measured ranks begins, nothing was measured.
        figures.predicted_waiting_ms = std::max(0.0, predicted.waiting_for_peers_ms - predicted_begin_ms_);
    }

    void add(MeasuredSpan span) {
        if (span.time.length_ns() > 0) over_.spans.push_back(std::move(span));
    }

    /// What the rank does between what its compute lane shows.
    void add_gaps(std::uint32_t number) {
        const RecordedStep& step = over_.measured->ranks[number].recorded;
        std::vector<std::pair<TimeRange, const RecordedAction*>> shown;
        for (std::size_t i = 0; i < step.actions.size(); ++i) shown.emplace_back(times_[number][i], &step.actions[i]);
        for (const TimeRange time : step.of_no_action.spans()) shown.emplace_back(time, nullptr);
        std::ranges::stable_sort(shown, {}, [](const auto& of) { return of.first.begin_ns; });
        std::int64_t before = 0, waited = 0;
        bool knows_peers = evaluation_.pipeline && !step.actions.empty();
        for (const auto& [time, action] : shown) {
            const std::optional<Awaited> peer = action ? awaited(number, *action) : std::nullopt;
            knows_peers &= !action || !misses_peer(number, *action);
            const std::int64_t until =
                peer ? std::clamp(peer->end_ns, before, std::max(before, time.begin_ns)) : before;
            if (until > before) {
                awaited_.emplace_back(over_.spans.size(), *peer);
                add({Kind::waiting, number, {before, until}, 0, peer->name, nowhere, {}, {}});
            }
            waited += until - before;
            // What was sent before the gap began may be there already: something else held the action up.
            add_rest(number, {until, time.begin_ns}, peer && peer->end_ns > before ? peer : std::nullopt);
            before = std::max(before, time.end_ns);
        }
        add_rest(number, {before, over_.measured->length_ns}, std::nullopt);
        if (knows_peers) over_.ranks[number].waiting_ms = static_cast<double>(waited) / ns_per_ms;
    }

    /// @param sent by whom, what the rank needs.
    void add_rest(std::uint32_t number, TimeRange gap, const std::optional<Awaited>& sent) {
        if (gap.length_ns() <= 0) return;
        if (sent) {
            awaited_.emplace_back(over_.spans.size(), *sent);
            return add(
                {Kind::transfer, number, gap, 0, "what " + sent->name + " sends is on its way", nowhere, {}, {}});
        }
        const RecordedStep& step = over_.measured->ranks[number].recorded;
        std::int64_t before = gap.begin_ns;
        for (const TimeRange time : spans_in(step.communicating, gap)) {
            const TimeRange within{std::max(time.begin_ns, gap.begin_ns), std::min(time.end_ns, gap.end_ns)};
            add({Kind::idle, number, {before, within.begin_ns}, 0, "nothing runs", nowhere, {}, {}});
            add({Kind::transfer, number, within, 0, "communication", nowhere, {}, {}});
            before = within.end_ns;
        }
        add({Kind::idle, number, {before, gap.end_ns}, 0, "nothing runs", nowhere, {}, {}});
    }

    /// The last of the actions that a cell needs messages of, where it was measured on another rank.
    std::optional<Awaited> awaited(std::uint32_t number, const RecordedAction& recorded) const {
        if (!evaluation_.pipeline) return std::nullopt;
        const std::int64_t rank = over_.measured->ranks[number].rank;
        const std::int32_t replica = std::ranges::find(evaluation_.result.ranks, rank, &RankResult::rank)->replica;
        std::optional<Awaited> last;
        for (const Action& action : recorded.cell) {
            for (const Action& on : awaited_actions(action, evaluation_.pipeline->schedule.stages)) {
                const auto found = ended_.find(Key(replica, on.stage, on.microbatch, on.kind));
                if (found == ended_.end() || found->second.rank == number) continue;
                if (!last || last->end_ns < found->second.end_ns) last = found->second;
            }
        }
        return last;
    }

    /// Whether a cell waits for messages of other ranks of which one was not measured.
    bool misses_peer(std::uint32_t number, const RecordedAction& recorded) const {
        if (!evaluation_.pipeline) return false;
        const CheckedSchedule& schedule = evaluation_.pipeline->schedule;
        const std::int64_t rank = over_.measured->ranks[number].rank;
        const RankResult& own = *std::ranges::find(evaluation_.result.ranks, rank, &RankResult::rank);
        return std::ranges::any_of(recorded.cell, [&](const Action& action) {
            const std::vector<Action> needed = awaited_actions(action, schedule.stages);
            if (needed.empty()) return false;
            // They are of one stage: a backward, whole or of the input alone.
            if (schedule.rank_of_stage[static_cast<std::size_t>(needed.front().stage)] == own.stage) return false;
            return std::ranges::none_of(needed, [&](const Action& on) {
                return ended_.contains(Key(own.replica, on.stage, on.microbatch, on.kind));
            });
        });
    }

    using Nodes = std::unordered_map<std::string, NodeIndex>;
    const JobEvaluation& evaluation_;
    double predicted_begin_ms_ = 0;  ///< of the first of the measured ranks
    std::map<Key, Awaited> ended_;
    std::map<std::uint32_t, std::vector<TimeRange>> times_;  ///< of each rank's actions, with their exposed ends
    std::map<std::uint32_t, std::size_t> first_span_;        ///< of each rank; its actions come first
    std::vector<std::pair<std::size_t, Awaited>> awaited_;   ///< by spans that wait for it
    std::map<std::uint32_t, Nodes> nodes_;                   ///< of each class and pipeline rank
    MeasuredOverJob over_;
};

}  // namespace

std::string MeasuredOverJob::rank_name(std::uint32_t rank) const {
    return "rank " + std::to_string(measured->ranks[rank].rank);
}

std::optional<double> MeasuredOverJob::difference_ms(const JobEvaluation& evaluation, const MeasuredSpan& span) const {
    if (!span.predicted) return std::nullopt;
    return static_cast<double>(span.time.length_ns()) / ns_per_ms -
           (evaluation.times.end[*span.predicted] - evaluation.times.start[*span.predicted]);
}

MeasuredOverJob measured_over_job(const JobEvaluation& evaluation, std::shared_ptr<const MeasuredJob> measured) {
    return Comparison(evaluation, std::move(measured)).run();
}

}  // namespace overlap::job
