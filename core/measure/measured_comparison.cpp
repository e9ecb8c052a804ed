#include "core/measure/measured_comparison.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "core/base/number_text.h"
#include "core/base/statistics.h"

namespace overlap {

namespace {

constexpr double smallest_difference_ms = 0.005;
constexpr double share_of_planned_time = 0.1;
constexpr double right_after_launch_ms = 0.05;
constexpr double mostly_beside_others = 0.5;
constexpr double hardly_beside_others = 0.1;

double milliseconds(std::int64_t time_ns) {
    return static_cast<double>(time_ns) / 1e6;
}

/// Share of its time for which something else ran; both kinds may run at once.
double share_beside_others(const StepCollective& collective) {
    if (collective.length_ns() <= 0) return 0;
    return static_cast<double>(std::max(collective.beside_compute_ns, collective.beside_others_ns)) /
           static_cast<double>(collective.length_ns());
}

class Comparer {
  public:
    Comparer(std::shared_ptr<const Evaluation> evaluation, MeasuredStepData step, const PeerRanks& peers)
        : simulation_(evaluation->simulation) {
        result_.matching = match_collectives(*evaluation->graph, simulation_, step);
        result_.origin_ns = step.span.begin_ns;
        result_.evaluation = std::move(evaluation);
        result_.step = std::move(step);
        find_waiting(peers);
    }

    MeasuredComparison run() {
        add_rows();
        learn_undisturbed();
        for (CollectiveComparison& row : result_.rows) {
            if (row.is_matched()) find_cause(row);
        }
        std::stable_sort(result_.rows.begin(), result_.rows.end(),
                         [](const auto& a, const auto& b) { return a.start_ms() < b.start_ms(); });
        return std::move(result_);
    }

  private:
    const StepCollective& measured(const CollectiveComparison& row) const {
        return result_.step.collectives[row.measured];
    }
    const CollectiveTiming& planned(const CollectiveComparison& row) const {
        return simulation_.collectives[row.planned];
    }

    /// How long each collective of the trace waited for the last rank to start it.
    void find_waiting(const PeerRanks& peers) {
        if (!peers.ranks) return;
        const MeasuredTrace& trace = *result_.step.trace;
        const std::int64_t offset_ns = peers.ranks->ranks[peers.own].clock_offset_ns;
        for (const CollectiveMatch& match : peers.ranks->matches) {
            for (const CollectiveMember& member : match.members) {
                if (member.rank != peers.own) continue;
                const TimeRange own = trace.range(trace.activities()[trace.collectives()[member.collective].activity]);
                const std::int64_t waiting_ns = match.last_start_ns - (own.begin_ns + offset_ns);
                waiting_ms_[member.collective] = milliseconds(std::clamp<std::int64_t>(waiting_ns, 0, own.length_ns()));
            }
        }
    }

    void add_rows() {
        for (std::uint32_t index = 0; index < simulation_.collectives.size(); ++index) {
            CollectiveComparison& row = result_.rows.emplace_back();
            fill_planned(row, index);
            const std::uint32_t partner = result_.matching.measured_of[index];
            if (partner != no_index) fill_measured(row, partner);
            result_.only_planned += partner == no_index ? 1 : 0;
        }
        for (std::uint32_t index = 0; index < result_.step.collectives.size(); ++index) {
            if (result_.matching.planned_of[index] != no_index) continue;
            fill_measured(result_.rows.emplace_back(), index);
            ++result_.only_measured;
        }
    }

    void fill_planned(CollectiveComparison& row, std::uint32_t index) const {
        const CollectiveTiming& collective = simulation_.collectives[index];
        row.planned = index;
        row.planned_start_ms = collective.start_ms;
        row.planned_ms = collective.end_ms - collective.start_ms;
        row.planned_exposed_ms = collective.exposed_ms;
    }

    void fill_measured(CollectiveComparison& row, std::uint32_t index) const {
        const StepCollective& collective = result_.step.collectives[index];
        row.measured = index;
        row.measured_start_ms = milliseconds(collective.range.begin_ns - result_.origin_ns);
        row.measured_ms = milliseconds(collective.length_ns());
        row.measured_exposed_ms = milliseconds(collective.exposed_ns);
        const auto waiting = waiting_ms_.find(collective.collective);
        if (waiting != waiting_ms_.end()) row.late_peer_ms = waiting->second;
    }

    using SizeKey = std::tuple<std::uint32_t, CollectiveKind, std::int64_t>;
    using KindKey = std::pair<std::uint32_t, CollectiveKind>;

    void learn_undisturbed() {
        std::map<SizeKey, std::vector<double>> times_ms;
        std::map<KindKey, std::vector<double>> ratios;
        for (const CollectiveComparison& row : result_.rows) {
            if (!row.is_matched() || share_beside_others(measured(row)) >= hardly_beside_others) continue;
            const CollectiveTiming& of = planned(row);
            const double own_ms = row.measured_ms - row.late_peer_ms;
            times_ms[{of.group, of.kind, of.bytes}].push_back(own_ms);
            if (row.planned_ms > 0) ratios[{of.group, of.kind}].push_back(own_ms / row.planned_ms);
        }
        for (auto& [key, values] : times_ms) undisturbed_ms_[key] = median(std::move(values));
        for (auto& [key, values] : ratios) undisturbed_ratio_[key] = median(std::move(values));
    }

    double undisturbed_ms(const CollectiveComparison& row) const {
        const CollectiveTiming& of = planned(row);
        if (const auto same = undisturbed_ms_.find({of.group, of.kind, of.bytes}); same != undisturbed_ms_.end()) {
            return same->second;
        }
        const auto ratio = undisturbed_ratio_.find({of.group, of.kind});
        return row.planned_ms * (ratio == undisturbed_ratio_.end() ? 1.0 : ratio->second);
    }

    void find_cause(CollectiveComparison& row) const {
        const StepCollective& collective = measured(row);
        const double own_ms = row.measured_ms - row.late_peer_ms;
        row.kernel_ms = own_ms - row.planned_ms;
        if (share_beside_others(collective) >= mostly_beside_others) {
            row.contention_ms = std::max(0.0, own_ms - std::max(row.planned_ms, undisturbed_ms(row)));
            row.kernel_ms -= row.contention_ms;
        }
        if (collective.launch_ns &&
            milliseconds(collective.range.begin_ns - *collective.launch_ns) <= right_after_launch_ms) {
            row.launch_gap_ms = milliseconds(collective.idle_before_ns);
        }
        const std::pair<double, DifferenceCause> shares[] = {
            {row.late_peer_ms, DifferenceCause::late_peer},    {row.contention_ms, DifferenceCause::contention},
            {row.kernel_ms, DifferenceCause::longer_kernel},   {row.launch_gap_ms, DifferenceCause::launch_gap},
            {-row.kernel_ms, DifferenceCause::shorter_kernel},
        };
        const auto* largest = std::max_element(std::begin(shares), std::end(shares),
                                               [](const auto& a, const auto& b) { return a.first < b.first; });
        if (largest->first >= row.threshold_ms()) row.cause = largest->second;
    }

    const Simulation& simulation_;
    MeasuredComparison result_;
    std::map<std::uint32_t, double> waiting_ms_;  ///< by index into MeasuredTrace::collectives()
    std::map<SizeKey, double> undisturbed_ms_;
    std::map<KindKey, double> undisturbed_ratio_;
};

/// What makes a different duration no statement about the kernel; sizes of all-to-alls are known only at run time.
std::string size_text(std::int64_t planned_bytes, std::int64_t measured_bytes) {
    if (measured_bytes == 0) return ", unless it is another collective: the trace does not say its size";
    if (planned_bytes == 0 || planned_bytes == measured_bytes) return {};
    return ", or it is the size: " + bytes_text(measured_bytes) + " instead of " + bytes_text(planned_bytes);
}

bool reads_as_planned(const CollectiveComparison& row) {
    return time_text(row.measured_ms) == time_text(row.planned_ms);
}

/// What two equal figures would not say is said in words.
std::string took_text(const CollectiveComparison& row) {
    if (reads_as_planned(row)) return "it took as long as planned";
    return "it took " + time_text(row.measured_ms) + " instead of " + time_text(row.planned_ms);
}

/// Whether a faster kernel makes up for a late peer: one of the two alone would contradict what the collective took.
bool makes_up_for_waiting(const CollectiveComparison& row) {
    if (row.cause != DifferenceCause::late_peer && row.cause != DifferenceCause::shorter_kernel) return false;
    return reads_as_planned(row) || std::min(row.late_peer_ms, -row.kernel_ms) >= row.threshold_ms();
}

std::string start_text(const CollectiveComparison& row) {
    const double later_ms = row.measured_start_ms - row.planned_start_ms;
    if (std::abs(later_ms) < row.threshold_ms()) return "it starts when planned";
    return "it starts " + time_text(std::abs(later_ms)) + (later_ms > 0 ? " later" : " earlier") + " than planned";
}

}  // namespace

double CollectiveComparison::threshold_ms() const {
    return std::max(smallest_difference_ms, share_of_planned_time * planned_ms);
}

std::string_view difference_cause_name(DifferenceCause cause) {
    switch (cause) {
        case DifferenceCause::none:
            break;
        case DifferenceCause::late_peer:
            return "late_peer";
        case DifferenceCause::contention:
            return "contention";
        case DifferenceCause::longer_kernel:
            return "longer_kernel";
        case DifferenceCause::launch_gap:
            return "launch_gap";
        case DifferenceCause::shorter_kernel:
            return "shorter_kernel";
    }
    return "none";
}

MeasuredComparison compare_with_measurement(std::shared_ptr<const Evaluation> evaluation, MeasuredStepData step,
                                            const PeerRanks& peers) {
    return Comparer(std::move(evaluation), std::move(step), peers).run();
}

std::string MeasuredComparison::explain(const CollectiveComparison& row) const {
    // A trace may be of a simulated step, of which nothing was measured.
    if (row.measured == no_index) return "planned, but the trace has no collective like it on its group at its place";
    if (row.planned == no_index)
        return "in the trace, but the plan has no collective like it on its group at its place";
    const std::string took = took_text(row);
    const std::string size =
        size_text(evaluation->simulation.collectives[row.planned].bytes, step.collectives[row.measured].bytes);
    if (makes_up_for_waiting(row))
        return took + ": for " + time_text(row.late_peer_ms) +
               " it waited until the last rank started it, and its kernel is faster by " + time_text(-row.kernel_ms) +
               " than the plan's cost model says" + size;
    switch (row.cause) {
        case DifferenceCause::none:
            break;
        case DifferenceCause::late_peer:
            return took + ": for " + time_text(row.late_peer_ms) + " it waited until the last rank started it";
        case DifferenceCause::contention: {
            const StepCollective& collective = step.collectives[row.measured];
            const bool compute = collective.beside_compute_ns >= collective.beside_others_ns;
            return took + ": for " +
                   time_text(milliseconds(compute ? collective.beside_compute_ns : collective.beside_others_ns)) +
                   (compute ? " compute ran beside it" : " collectives of other streams ran beside it") +
                   ", which cost it " + time_text(row.contention_ms);
        }
        case DifferenceCause::longer_kernel:
            return took + ", and neither peers nor other work explain " + time_text(row.kernel_ms) +
                   ": its kernel is slower than the plan's cost model says" + size;
        case DifferenceCause::launch_gap:
            return "the host launched it late: the GPU stood still for " + time_text(row.launch_gap_ms) + " before it";
        case DifferenceCause::shorter_kernel:
            return took + ": its kernel is faster than the plan's cost model says" + size;
    }
    return took + "; " + start_text(row);
}

std::string MeasuredComparison::name(const CollectiveComparison& row) const {
    if (row.planned != no_index) {
        return std::string(evaluation->graph->name(evaluation->simulation.collectives[row.planned].start));
    }
    const MeasuredTrace& trace = *step.trace;
    const std::uint32_t collective = step.collectives[row.measured].collective;
    const std::string_view kernel = trace.name(trace.activities()[trace.collectives()[collective].activity].event);
    return std::string(kernel.substr(0, kernel.find('(')));  // without its arguments' types
}

std::string MeasuredComparison::group_name(const CollectiveComparison& row) const {
    if (row.planned != no_index) {
        const Simulation& simulation = evaluation->simulation;
        return simulation.groups[simulation.collectives[row.planned].group].process_group;
    }
    const std::uint32_t group = step.collectives[row.measured].group;
    return group == no_index ? "" : step.trace->groups()[group].name;
}

}  // namespace overlap
