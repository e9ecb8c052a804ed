#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/measure/collective_match.h"
#include "core/measure/measured_step.h"
#include "core/pipeline/evaluation.h"
#include "core/trace/collective_alignment.h"

namespace overlap {

/// Why a measured collective differs from the planned one. Each cause has a share in milliseconds, and the one with the
/// largest is the cause, if that share is at least `max(5 µs, a tenth of the planned time)`:
///
/// * `late_peer`: from its start until the last rank started the same collective (needs traces of several ranks);
/// * `contention` and `longer_kernel`: what remains beyond the planned time without that waiting. It is contention as
///   far as the kernel took longer than undisturbed ones when at least half of it ran beside compute or beside
///   collectives of other streams. Undisturbed are those of its group, kind and bytes with less than a tenth beside
///   others (their median); where there are none, the median ratio of measured to planned time of undisturbed ones of
///   its group and kind is taken for it; where there are none of these either, the planned time;
/// * `launch_gap`: it started within 50 µs after its launch began, and before that neither compute nor copies nor its
///   own stream had run: the host was late. The share is that idle time, up to the launch's latency;
/// * `shorter_kernel`: it took less than planned by as much as the others need.
///
/// `none` with a different start means that what ran before it took longer or shorter.
enum class DifferenceCause : std::uint8_t { none, late_peer, contention, longer_kernel, launch_gap, shorter_kernel };

/// Stable short name, such as `late_peer`.
std::string_view difference_cause_name(DifferenceCause cause);

/// A collective as planned and as measured; one of the two may be missing. Times in milliseconds on one axis.
struct CollectiveComparison {
    std::uint32_t planned = no_index;   ///< index into Simulation::collectives
    std::uint32_t measured = no_index;  ///< index into MeasuredStepData::collectives
    double planned_start_ms = 0, planned_ms = 0, planned_exposed_ms = 0;
    double measured_start_ms = 0, measured_ms = 0, measured_exposed_ms = 0;

    // Shares of the causes; only where both are there.
    double late_peer_ms = 0;
    double contention_ms = 0;
    double kernel_ms = 0;  ///< longer, or with a minus sign shorter
    double launch_gap_ms = 0;
    DifferenceCause cause = DifferenceCause::none;

    bool is_matched() const { return planned != no_index && measured != no_index; }
    /// From where on a difference counts: 5 µs or a tenth of the planned time, whichever is more.
    double threshold_ms() const;
    double start_ms() const { return measured != no_index ? measured_start_ms : planned_start_ms; }
};

/// A simulated step and a measured one on one axis. Zero of the axis is the beginning of both: of the simulation, and
/// the first GPU event of the measured step. So a difference of starts tells how far the measured step had fallen
/// behind by then. Nothing is scaled.
struct MeasuredComparison {
    std::shared_ptr<const Evaluation> evaluation;
    MeasuredStepData step;
    CollectiveMatching matching;
    std::int64_t origin_ns = 0;  ///< measured time at zero of the axis
    /// Every collective of either side once, by its measured start, else its planned one.
    std::vector<CollectiveComparison> rows;
    std::uint32_t only_planned = 0, only_measured = 0;

    /// One sentence without full stop on what is different and why.
    std::string explain(const CollectiveComparison& row) const;
    /// The planned collective's node, or what the measured one is called in the trace.
    std::string name(const CollectiveComparison& row) const;
    std::string group_name(const CollectiveComparison& row) const;
};

/// Several ranks of the job that the step belongs to: what late peers are known by.
struct PeerRanks {
    const AlignedRanks* ranks = nullptr;
    std::uint32_t own = 0;  ///< index of the step's trace among them
};

/// @throws InputError as match_collectives() does.
MeasuredComparison compare_with_measurement(std::shared_ptr<const Evaluation> evaluation, MeasuredStepData step,
                                            const PeerRanks& peers = {});

}  // namespace overlap
