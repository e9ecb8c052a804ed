#include "ui/measure/measured_job.h"

#include "core/base/error.h"
#include "core/measure/job_match.h"
#include "core/measure/measured_comparison.h"
#include "ui/document/document.h"
#include "ui/measure/measurements.h"

namespace overlap::ui {
namespace {

constexpr int settle_ms = 150;  ///< a plan that is still being edited is not compared

/// Nothing is said of a trace that cannot be laid over the plan, such as one without GPU events.
MeasuredJob::Verdict verdictOn(const std::shared_ptr<const Measurement>& measurement,
                               const std::shared_ptr<const Evaluation>& evaluation) {
    MeasuredJob::Verdict verdict{measurement, {}, {}};
    try {
        JobMatch match = job_match(compare_with_measurement(evaluation, measured_step(measurement->traces.front()),
                                                            {.ranks = &measurement->aligned, .own = 0}));
        match.is_simulated = false;  // which the measurement's own problems say
        verdict.doubt = QString::fromStdString(match.doubt());
        try {
            require_same_job(match);
        } catch (const InputError& error) {
            verdict.another = QString::fromStdString(error.problem());
        }
    } catch (const InputError&) {
    }
    return verdict;
}

}  // namespace

MeasuredJob::MeasuredJob(Document& document, Measurements& measurements, QObject* parent)
    : QObject(parent), document_(document), measurements_(measurements) {
    waiting_.setSingleShot(true);
    waiting_.setInterval(settle_ms);
    connect(&waiting_, &QTimer::timeout, this, &MeasuredJob::look);
    const auto wait = [this] { waiting_.start(); };
    connect(&document, &Document::evaluationChanged, this, wait);
    connect(&document, &Document::currentChanged, this, wait);
    connect(&measurements, &Measurements::changed, this, wait);
    connect(&measurements, &Measurements::currentChanged, this, wait);
}

void MeasuredJob::look() {
    const auto measurement = measurements_.current() ? measurements_.current() : measurements_.last();
    const auto evaluation = document_.isOpen() ? document_.evaluation() : nullptr;
    if (!measurement || !evaluation || evaluation->refused) {
        task_.cancel();
        return set({});
    }
    task_.start([this, measurement, evaluation](std::stop_token) -> LatestTask::Delivery {
        return [this, verdict = verdictOn(measurement, evaluation)] { set(verdict); };
    });
}

void MeasuredJob::set(Verdict verdict) {
    const bool is_new = verdict.measurement != verdict_.measurement || verdict.another != verdict_.another ||
                        verdict.doubt != verdict_.doubt;
    verdict_ = std::move(verdict);
    if (is_new) emit changed();
}

}  // namespace overlap::ui
