#include "core/simulate/exposure.h"

#include <algorithm>
#include <limits>
#include <queue>

#include "core/base/number_text.h"
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
        if (previous >= 0 && held_ms > 0 && held_ms >= collective.exposed_ms / 2) {
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
        collective.avoidable_ms = collective.exposed_ms - left_ms;
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

std::string words(CollectiveKind kind) {
    std::string text(collective_kind_name(kind));
    std::replace(text.begin(), text.end(), '_', '-');
    return text;
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
               " after its wait needs it";
    }
    return "; waited for" + std::string(later.moves_dependents ? ", with what needs it," : "") + " only after " +
           std::string(graph.name(later.after)) + ", it would have " +
           compute_to_hide_behind(collective.exposed_ms, later.hidden_ms);
}

}  // namespace

std::string Simulation::explain(const Graph& graph, std::size_t index) const {
    return explain_exposure(*this, graph, index, {});
}

std::string explain_exposure(const Simulation& simulation, const Graph& graph, std::size_t index,
                             const IssueOrder& order) {
    const std::vector<CollectiveTiming>& collectives = simulation.collectives;
    const CollectiveTiming& collective = collectives[index];
    if (collective.cause == ExposureCause::none) return {};
    const auto name = [&](NodeId node) { return std::string(graph.name(node)); };
    const std::string kind = words(collective.kind);
    const std::string duration = milliseconds(collective.end_ms - collective.start_ms);
    const std::string wait = name(collective.wait);
    const double possible_ms = std::max(collective.issue_ms, collective.ready_ms);
    std::string text = "waits " + milliseconds(collective.exposed_ms) + ": ";
    std::string advice;
    if (collective.start_before != no_node) {
        advice = "; starting before " + name(collective.start_before) + ", it would have " +
                 compute_to_hide_behind(collective.exposed_ms, collective.avoidable_ms);
        const std::string refusal = issue_refusal(graph, simulation, index, collective.start_before, order);
        if (!refusal.empty()) advice += ", but " + refusal;
    } else if (possible_ms - collective.earliest_ms >= nanosecond_in_ms) {
        advice = "; starting earlier would hide no more of it, since only its own preparation is computed meanwhile";
    } else if (collective.producer != no_node) {
        advice = "; it cannot start earlier, since " + name(collective.producer) + " ends at " +
                 milliseconds(simulation.nodes[collective.producer].end_ms);
    }
    switch (collective.cause) {
        case ExposureCause::none:
            break;
        case ExposureCause::group_busy: {
            // The one ahead may itself have waited for others.
            const double busy_ms = collective.start_ms - possible_ms;
            const auto blocker = std::ranges::find(collectives, collective.blocker, &CollectiveTiming::start);
            const bool is_alone =
                blocker != collectives.end() && busy_ms < blocker->end_ms - blocker->start_ms + nanosecond_in_ms;
            text += "process group " + simulation.groups[collective.group].process_group + " was busy" +
                    (is_alone ? " with " + name(collective.blocker) : std::string()) + " for " + milliseconds(busy_ms) +
                    (is_alone ? std::string() : ", with " + name(collective.blocker) + " last,") +
                    " when it could have started";
            const std::string refusal = issue_refusal(graph, simulation, index, collective.blocker, order);
            text += refusal.empty() ? "; issuing it before " + name(collective.blocker) +
                                          " would let it start earlier, and that one later"
                                    : "; it cannot go ahead of that one, since " + refusal;
            break;
        }
        case ExposureCause::window_too_short:
            // Where others were ahead, its start is not when it could have started.
            if (const double busy_ms = collective.start_ms - possible_ms; busy_ms >= nanosecond_in_ms) {
                text += "it could have started " + before(collective.window_ms, wait, "") + ", and the " + kind +
                        " takes " + duration + "; process group " + simulation.groups[collective.group].process_group +
                        " was busy for " + milliseconds(busy_ms) + " then" + advice;
                break;
            }
            text += "the time between its start and its wait (" + milliseconds(collective.window_ms) +
                    ") is shorter than the " + kind + " (" + duration + ")" + advice;
            break;
        case ExposureCause::order_of_issue:
            text +=
                "it is issued " + before(collective.window_ms, wait, "only ") + ", though its input " +
                (collective.producer == no_node ? std::string("is an input of the graph")
                                                : "was ready " + milliseconds(possible_ms - collective.earliest_ms) +
                                                      " earlier, after " + name(collective.producer)) +
                "; the " + kind + " takes " + duration + advice;
            break;
        case ExposureCause::producer_late:
            text += collective.producer == no_node
                        ? "it starts the graph, " + before(collective.window_ms, wait, "")
                        : "its input, which needs " + name(collective.producer) + ", is ready " +
                              before(possible_ms - collective.earliest_ms + collective.window_ms, wait, "only ");
            text += "; the " + kind + " takes " + duration;
            text += later_wait_text(simulation, graph, index, order);
            break;
    }
    return text;
}

}  // namespace overlap
