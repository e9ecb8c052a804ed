#include "core/simulate/exposure.h"

#include <algorithm>
#include <limits>
#include <queue>

#include "core/base/number_text.h"
#include "core/base/quote.h"
#include "core/graph/collective_words.h"
#include "core/simulate/issue_order.h"

namespace overlap {

namespace {

constexpr double nanosecond_in_ms = 1e-6;
constexpr double hardly_any = 0.1;  ///< share of a collective's time below which compute to hide behind does not count

/// Finds how early a collective could have started, and explains from that.
class CauseFinder {
  public:
    CauseFinder(const Graph& graph, std::span<const double> times_ms, const std::vector<bool>& is_wait,
                Simulation& simulation)
        : graph_(graph), times_ms_(times_ms), is_wait_(is_wait), simulation_(simulation), mark_(graph.node_count()) {
        for (NodeId node = 0; node < graph.node_count(); ++node) {
            if (times_ms[node] > 0 && !is_wait[node] && simulation.collective_of_node[node] < 0) {
                compute_.push_back(node);
                busy_ms_.push_back(busy_ms_.back() + times_ms[node]);
            }
        }
    }

    void explain(CollectiveTiming& collective, std::int32_t previous) {
        const double possible_ms = std::max(collective.issue_ms, collective.ready_ms);
        const double held_ms = collective.start_ms - possible_ms;
        const double duration_ms = collective.end_ms - collective.start_ms;
        const double wait_ms = simulation_.nodes[collective.wait].start_ms;
        collective.window_ms = wait_ms - possible_ms;
        find_producer(collective, possible_ms);
        if (previous >= 0 && held_ms >= nanosecond_in_ms && held_ms >= collective.exposed_ms / 2) {
            collective.cause = ExposureCause::group_busy;
            collective.blocker = simulation_.collectives[static_cast<std::size_t>(previous)].start;
            return;
        }
        if (collective.window_ms >= hardly_any * duration_ms) {
            collective.cause = ExposureCause::window_too_short;
        } else if (busy_until(collective.start) - busy_ms_[first_from(collective.earliest_ms)] >=
                   hardly_any * duration_ms) {
            collective.cause = ExposureCause::order_of_issue;
        } else {
            collective.cause = ExposureCause::producer_late;
            collective.blocker = collective.producer;
            return;
        }
        find_better_place(collective, duration_ms);
        collective.blocker = collective.start_before;
    }

  private:
    /// Walks back from the input over what would move along with the collective: nodes that take no time, and casts,
    /// copies and other preparation that nothing else uses. What they need in turn decides how early it could start.
    void find_producer(CollectiveTiming& collective, double possible_ms) {
        constexpr int most_nodes = 256;  // a bucket's preparation is far smaller; bounds the work on odd graphs
        ++walk_;
        mark_[collective.start] = walk_;
        std::priority_queue<NodeId> pending;  // users come before what they use
        const auto push_inputs = [&](NodeId node) {
            for (const NodeId input : graph_.inputs(node)) pending.push(input);
        };
        push_inputs(collective.start);
        preparation_ms_ = 0;
        double needed_ms = 0;
        NodeId last = collective.start;
        for (int visited = 0; !pending.empty();) {
            const NodeId node = pending.top();
            pending.pop();
            if (node == last) continue;
            last = node;
            const NodeOp op = graph_.op(node);
            if (op == NodeOp::placeholder || op == NodeOp::get_attr) continue;
            if (visited < most_nodes && moves_along(node)) {
                ++visited;
                mark_[node] = walk_;
                preparation_ms_ += times_ms_[node];
                push_inputs(node);
            } else if (simulation_.nodes[node].end_ms > needed_ms) {
                needed_ms = simulation_.nodes[node].end_ms;
                collective.producer = node;
            }
        }
        needed_ms_ = needed_ms;
        collective.earliest_ms = std::min(needed_ms + preparation_ms_, possible_ms);
    }

    bool moves_along(NodeId node) const {
        if (is_wait_[node] || simulation_.collective_of_node[node] >= 0) return false;
        if (times_ms_[node] == 0) return true;
        if (graph_.target_info(node).traits.compute) return false;
        const std::span<const NodeId> users = graph_.users(node);
        return std::all_of(users.begin(), users.end(), [&](NodeId user) { return mark_[user] == walk_; });
    }

    /// Index in `compute_` of the first node that starts at `time_ms` or later.
    std::size_t first_from(double time_ms) const {
        const auto starts_before = [&](NodeId node, double time) { return simulation_.nodes[node].start_ms < time; };
        return static_cast<std::size_t>(
            std::lower_bound(compute_.begin(), compute_.end(), time_ms - nanosecond_in_ms, starts_before) -
            compute_.begin());
    }

    /// Compute that is issued before `node`.
    double busy_until(NodeId node) const {
        const auto next = std::lower_bound(compute_.begin(), compute_.end(), node);
        return busy_ms_[static_cast<std::size_t>(next - compute_.begin())];
    }

    /// Only compute hides: where the stream stands still for other collectives, one more would stand in their way. Its
    /// own preparation moves along, and so is no place for it, and hides nothing of it.
    void find_better_place(CollectiveTiming& collective, double duration_ms) const {
        const double available_ms = busy_until(collective.wait) - preparation_ms_;
        const auto hides_from =
            std::upper_bound(busy_ms_.begin(), busy_ms_.end(), available_ms - duration_ms + nanosecond_in_ms);
        const std::size_t earliest = first_from(collective.earliest_ms);
        std::size_t place = earliest;
        if (hides_from != busy_ms_.begin()) {
            place = std::max(place, static_cast<std::size_t>(hides_from - busy_ms_.begin()) - 1);
        }
        for (const std::size_t first = first_from(needed_ms_);
             place > first && place < compute_.size() && moves_with_it(place);)
            --place;
        if (place >= compute_.size() || compute_[place] >= collective.start || moves_with_it(place)) return;
        const double left_ms = std::max(0.0, duration_ms - (available_ms - busy_ms_[place]));
        if (left_ms >= collective.exposed_ms) return;
        collective.start_before = compute_[place];
        collective.hidden_if_earlier_ms = collective.exposed_ms - left_ms;
    }

    /// Whether compute is preparation of the collective whose producer was found last.
    bool moves_with_it(std::size_t place) const { return mark_[compute_[place]] == walk_; }

    const Graph& graph_;
    std::span<const double> times_ms_;
    const std::vector<bool>& is_wait_;
    Simulation& simulation_;
    std::vector<NodeId> compute_;     ///< nodes that take time on the compute stream, in order
    std::vector<double> busy_ms_{0};  ///< time of the first so many of them
    std::vector<std::uint32_t> mark_;
    std::uint32_t walk_ = 0;
    // Of the collective whose producer was found last:
    double preparation_ms_ = 0;
    double needed_ms_ = 0;  ///< when the preparation could begin
};

std::string milliseconds(double value) {
    return time_text(value < nanosecond_in_ms ? 0 : value);
}

/// `only 1.67 ms before wait_tensor`; of no time at all, `right before wait_tensor`.
std::string before(double time_ms, const std::string& wait, const char* only) {
    if (time_ms < nanosecond_in_ms) return "right before " + wait;
    return only + milliseconds(time_ms) + " before " + wait;
}

}  // namespace

void find_causes(const Graph& graph, std::span<const double> times_ms, std::span<const std::int32_t> previous_on_stream,
                 const std::vector<bool>& is_wait, Simulation& simulation) {
    CauseFinder finder(graph, times_ms, is_wait, simulation);
    for (std::size_t index = 0; index < simulation.collectives.size(); ++index) {
        CollectiveTiming& collective = simulation.collectives[index];
        if (collective.exposed_ms >= nanosecond_in_ms) finder.explain(collective, previous_on_stream[index]);
    }
}

namespace {

bool computes_after(const Simulation& simulation, const Graph& graph, NodeId wait) {
    for (NodeId node = wait + 1; node < graph.node_count(); ++node) {
        const double time_ms = simulation.nodes[node].end_ms - simulation.nodes[node].start_ms;
        if (time_ms > 0 && simulation.on_compute(node) && !graph.target_info(node).is_wait) return true;
    }
    return false;
}

/// What there is to hide behind, by the schedule as it is: what moving one thing does to the step is known only when
/// the plan that does it is evaluated.
std::string compute_to_hide_behind(double exposed_ms, double hidden_ms) {
    const bool enough = exposed_ms - hidden_ms < nanosecond_in_ms;
    return (enough ? std::string("enough") : milliseconds(hidden_ms) + " more") + " compute to hide behind";
}

/// Where it could be waited for later, or that it cannot be.
std::string later_wait_text(const Simulation& simulation, const Graph& graph, std::size_t index,
                            const IssueOrder& order) {
    const CollectiveTiming& collective = simulation.collectives[index];
    if (collective.wait == no_node) return {};
    const LaterWait later = later_wait(graph, simulation, index, order);
    if (later.after == no_node) {
        const std::string cannot = ", and it cannot be waited for later, since ";
        if (!computes_after(simulation, graph, collective.wait)) return cannot + "no compute comes after its wait";
        return cannot + "all compute of the " + (waits_in_backward(graph, collective.wait) ? "backward" : "forward") +
               " after its wait needs it" + (later.packing_is_left ? " or packs a bucket" : "");
    }
    return "; waited for" + std::string(later.moves_dependents ? ", with what needs it," : "") + " only after " +
           std::string(graph.name(later.after)) + ", it would have " +
           compute_to_hide_behind(collective.exposed_ms, later.hidden_ms);
}

/// When a collective could have started at its place, had its process group been free.
double possible_ms(const CollectiveTiming& collective) {
    return std::max(collective.issue_ms, collective.ready_ms);
}

/// What a collective's stream ran right before it, where that kept it from starting; null where nothing did.
const CollectiveTiming* held_by(const Simulation& simulation, const CollectiveTiming& held) {
    if (held.start_ms - possible_ms(held) < nanosecond_in_ms) return nullptr;
    const CollectiveTiming* last = nullptr;
    for (const CollectiveTiming& other : simulation.collectives) {
        if (&other == &held) break;
        if (other.group == held.group) last = &other;
    }
    return last;
}

/// What its process group was doing when a collective could have started; empty where nothing held it.
std::string busy_text(const Simulation& simulation, const Graph& graph, const CollectiveTiming& held) {
    const CollectiveTiming* const last = held_by(simulation, held);
    if (!last) return {};
    const double busy_ms = held.start_ms - possible_ms(held);
    const std::string group = "process group " + in_quotes(simulation.groups[held.group].process_group) + " was busy";
    const std::string name(graph.name(last->start));
    // The one ahead may itself have waited for others.
    const bool is_alone = busy_ms < last->end_ms - last->start_ms + nanosecond_in_ms;
    return is_alone ? group + " with " + name + " for " + milliseconds(busy_ms)
                    : group + " for " + milliseconds(busy_ms) + ", with " + name + " last,";
}

/// How long compute waits for a collective that has not started, since others of its process group are ahead of it.
double waited_in_queue_ms(const Simulation& simulation, const CollectiveTiming& collective) {
    const double from_ms = std::max(possible_ms(collective), simulation.nodes[collective.wait].start_ms);
    return std::clamp(collective.start_ms - from_ms, 0.0, collective.exposed_ms);
}

/// Where it could start instead, or why that would not help; empty where there is nothing to say.
std::string earlier_start_text(const Simulation& simulation, const Graph& graph, std::size_t index,
                               const IssueOrder& order) {
    const CollectiveTiming& collective = simulation.collectives[index];
    const auto name = [&](NodeId node) { return std::string(graph.name(node)); };
    if (collective.start_before != no_node) {
        const std::string refusal = issue_refusal(graph, simulation, index, collective.start_before, order);
        return "; issued before " + name(collective.start_before) + ", it would have " +
               compute_to_hide_behind(collective.exposed_ms, collective.hidden_if_earlier_ms) +
               (refusal.empty() ? std::string() : ", but " + refusal);
    }
    if (possible_ms(collective) - collective.earliest_ms >= nanosecond_in_ms)
        return "; starting earlier would hide no more of it, since only its own preparation is computed meanwhile";
    if (collective.producer == no_node) return {};
    return "; it cannot start earlier, since " + name(collective.producer) + " ends at " +
           milliseconds(simulation.nodes[collective.producer].end_ms);
}

/// What would help against the cause, as a continuation of exposure_cause_text().
std::string help_text(const Simulation& simulation, const Graph& graph, std::size_t index, const IssueOrder& order) {
    const CollectiveTiming& collective = simulation.collectives[index];
    switch (collective.cause) {
        case ExposureCause::none:
            break;
        case ExposureCause::group_busy: {
            const std::string refusal = issue_refusal(graph, simulation, index, collective.blocker, order);
            return refusal.empty() ? "; issuing it before " + std::string(graph.name(collective.blocker)) +
                                         " would let it start earlier, and that one later"
                                   : "; it cannot go ahead of that one, since " + refusal;
        }
        case ExposureCause::window_too_short:
        case ExposureCause::order_of_issue:
            return earlier_start_text(simulation, graph, index, order);
        case ExposureCause::producer_late:
            return later_wait_text(simulation, graph, index, order);
    }
    return {};
}

/// How long what prepares the collective's input alone takes, such as casts: it is computed where the graph has it, and
/// would move along.
double preparation_ms(const Simulation& simulation, const CollectiveTiming& collective) {
    const double needed_ms = collective.producer == no_node ? 0 : simulation.nodes[collective.producer].end_ms;
    return collective.earliest_ms - needed_ms;
}

bool is_prepared(const Simulation& simulation, const CollectiveTiming& collective) {
    return preparation_ms(simulation, collective) >= nanosecond_in_ms;
}

/// When the input of a collective was there, or could have been, `earlier_ms` before it could start.
std::string earlier_input_text(const Simulation& simulation, const Graph& graph, const CollectiveTiming& collective,
                               double earlier_ms) {
    const bool prepared = is_prepared(simulation, collective);
    if (collective.producer == no_node)
        return prepared ? "its input needs inputs of the graph alone" : "its input is an input of the graph";
    const std::string producer(graph.name(collective.producer));
    return "its input " + std::string(prepared ? "could have been" : "was") + " ready " + milliseconds(earlier_ms) +
           " earlier, " + (prepared ? milliseconds(preparation_ms(simulation, collective)) + " after " : "after ") +
           producer;
}

}  // namespace

std::string exposure_cause_text(const Simulation& simulation, const Graph& graph, std::size_t index) {
    const CollectiveTiming& collective = simulation.collectives[index];
    if (collective.cause == ExposureCause::none) return {};
    const auto name = [&](NodeId node) { return std::string(graph.name(node)); };
    const std::string duration =
        "the " + collective_words(collective.kind) + " takes " + milliseconds(collective.end_ms - collective.start_ms);
    const std::string wait = name(collective.wait);
    const double earlier_ms = possible_ms(collective) - collective.earliest_ms;
    std::string text = "waits " + milliseconds(collective.exposed_ms);
    if (const double queued_ms = waited_in_queue_ms(simulation, collective); queued_ms >= nanosecond_in_ms)
        text += ", " + milliseconds(queued_ms) + " of it in the queue";
    text += ": ";
    // Where others were ahead, its start is not when it could have started.
    const std::string busy = busy_text(simulation, graph, collective);
    const std::string held = busy.empty() ? "; " : "; " + busy + " then; ";
    const bool needs_input_alone = collective.producer == no_node;
    switch (collective.cause) {
        case ExposureCause::none:
            break;
        case ExposureCause::group_busy:
            return text + busy + " when it could have started";
        case ExposureCause::window_too_short:
            if (busy.empty())
                return text + "the time between its start and its wait (" + milliseconds(collective.window_ms) +
                       ") is shorter than the " + collective_words(collective.kind) + " (" +
                       milliseconds(collective.end_ms - collective.start_ms) + ")";
            return text + "it could have started " + before(collective.window_ms, wait, "") + ", and " + duration +
                   "; " + busy + " then";
        case ExposureCause::order_of_issue:
            return text + "it is issued " + before(collective.window_ms, wait, "only ") + ", though " +
                   earlier_input_text(simulation, graph, collective, earlier_ms) + held + duration;
        case ExposureCause::producer_late:
            if (!needs_input_alone)
                text += "its input, which needs " + name(collective.producer) +
                        (earlier_ms >= nanosecond_in_ms && is_prepared(simulation, collective) ? ", could be ready "
                                                                                               : ", is ready ") +
                        before(earlier_ms + collective.window_ms, wait, "only ");
            else if (index == 0)
                text += "it starts the graph, " + before(collective.window_ms, wait, "");
            else
                text += earlier_input_text(simulation, graph, collective, earlier_ms) +
                        ", but hardly any compute comes before the collective, which is issued " +
                        before(collective.window_ms, wait, "only ");
            return text + held + duration;
    }
    return text;
}

std::string Simulation::explain(const Graph& graph, std::size_t index) const {
    return explain_exposure(*this, graph, index, {});
}

std::string explain_exposure(const Simulation& simulation, const Graph& graph, std::size_t index,
                             const IssueOrder& order) {
    return exposure_cause_text(simulation, graph, index) + help_text(simulation, graph, index, order);
}

}  // namespace overlap
