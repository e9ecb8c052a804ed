#pragma once

#include <QString>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "core/base/error.h"
#include "core/measure/prediction_error.h"
#include "core/measure/variant_comparison.h"
#include "core/plan/plan.h"
#include "ui/document/measured_times.h"
#include "ui/measure/shown_timeline.h"

namespace overlap::ui {

/// A trace that is not of the job that the plan is for, with the reason.
class AnotherJob : public InputError {
  public:
    using InputError::InputError;
};

/// One side of a comparison: a plan, or a measurement.
struct ComparedSide {
    QString title;
    std::shared_ptr<const Graph> graph;
    Plan plan;
    std::shared_ptr<const Evaluation> evaluation;    ///< of the plan; null where it is still to be evaluated
    std::shared_ptr<const Measurement> measurement;  ///< null for a plan
    std::size_t rank = 0;                            ///< of the measurement
    StepSelection step;                              ///< of that rank
    QString part;                                    ///< both in words; empty where the measurement has but one step
    std::shared_ptr<const MeasuredTimes> times;      ///< that the plan's figures are of; null: the graph's own
};

/// Two steps and what differs between them. Immutable, shared.
struct ComparedSteps {
    QString before, after;  ///< titles
    Comparison comparison;
    std::optional<MeasuredComparison> measured;  ///< where the second side is a measurement
    QString doubt;         ///< why it may be of another job, or that it was simulated; empty where there is no reason
    std::size_t rank = 0;  ///< of the measurement
    std::optional<PredictionError> error;  ///< of the graph's times of collectives, against the measurement
    QString times;                         ///< name of the trace whose times the plan's figures are of; may be empty
    std::optional<PredictionError> times_error;  ///< the same error with these
    /// The same with the times that torch reads from the measurement; nothing where it reads none, or where `times` are
    /// those.
    std::optional<ProfileError> profile_error;
    std::shared_ptr<const ShownTimeline> shown;  ///< both steps, the second below the first
    /// What each plan's process groups are called, by their names; those of a measurement are the plan's.
    std::map<std::string, std::string> groups_before, groups_after;

    /// What the process group of a row is called: where both sides have the collective, that of the second.
    QString groupOf(const ComparisonRow& row) const;
    /// What a row's collective has as reference in `shown`; no_reference where that side lacks it.
    std::uint32_t referenceBefore(const ComparisonRow& row) const;
    std::uint32_t referenceAfter(const ComparisonRow& row) const;
    /// The same in the timeline of the measurement alone; no_reference where `other` is none of the second side, or
    /// that side lacks the collective.
    std::uint32_t referenceIn(const ShownTimeline& other, const ComparisonRow& row) const;
    /// The row whose collective a reference of `other` is, which is `shown` or the measurement alone.
    std::optional<std::size_t> rowOf(const ShownTimeline& other, std::uint32_t reference) const;
    /// The row of a plan's collective, by its node's name.
    std::optional<std::size_t> rowOfNode(std::string_view node) const;
};

/// Compares a plan with another one or with a step of a measurement.
/// @returns nothing when stopped. @throws InputError, also for a plan that is refused and has no figures.
std::shared_ptr<const ComparedSteps> compareSteps(const ComparedSide& before, const ComparedSide& after,
                                                  std::stop_token stop);

}  // namespace overlap::ui
