#include "ui/measure/measured_colours.h"

#include "core/base/error.h"
#include "core/measure/job_match.h"
#include "core/views/timeline_of.h"

namespace overlap::ui {
namespace {

/// Of one step, by references in the measurement's timeline. A step that cannot be laid over the plan has none.
void addColours(std::vector<ReferenceRole>& colours, const Measurement& measurement, std::size_t rank,
                const StepSelection& step, const std::shared_ptr<const Evaluation>& evaluation) {
    try {
        const MeasuredComparison comparison =
            compare_with_measurement(evaluation, measured_step(measurement.traces[rank], step));
        if (job_match(comparison).is_another_job()) return;
        for (const ReferenceRole& colour : measuredColours(comparison))
            colours.push_back({measurement.first_references[rank] + colour.reference, colour.role});
    } catch (const InputError&) {
        // Compare says why, and asks for this step alone.
    }
}

}  // namespace

std::vector<ReferenceRole> measuredColours(const MeasuredComparison& comparison) {
    const std::vector<EventRole> roles = collective_roles(*comparison.evaluation);
    const MeasuredTrace& trace = *comparison.step.trace;
    std::vector<ReferenceRole> colours;
    for (std::size_t measured = 0; measured < comparison.step.collectives.size(); ++measured) {
        const std::uint32_t planned = comparison.matching.planned_of[measured];
        if (planned == no_index || roles[planned] == EventRole::unbucketed) continue;
        const MeasuredCollective& collective = trace.collectives()[comparison.step.collectives[measured].collective];
        colours.push_back({trace.activities()[collective.activity].event, roles[planned]});
    }
    return colours;
}

std::shared_ptr<const Timeline> colouredTimeline(const Measurement& measurement,
                                                 const std::shared_ptr<const Evaluation>& evaluation,
                                                 const std::stop_token& stop) {
    std::vector<ReferenceRole> colours;
    for (std::size_t rank = 0; rank < measurement.traces.size(); ++rank) {
        for (const MeasuredDevice& device : measurement.devices[rank]) {
            const std::vector<std::string> whole{std::string()};  // a trace without steps counts as one
            for (const std::string& step : device.steps.empty() ? whole : device.steps) {
                if (stop.stop_requested()) return nullptr;
                addColours(colours, measurement, rank, {device.device, step}, evaluation);
            }
        }
    }
    return colours.empty() ? nullptr : TimelineBuilder::with_roles(*measurement.timeline, colours);
}

}  // namespace overlap::ui
