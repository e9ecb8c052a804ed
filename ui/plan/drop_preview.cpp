#include "ui/plan/drop_preview.h"

#include <array>
#include <cmath>

#include "core/pipeline/step_with_links_shared.h"
#include "core/views/bucket_sums.h"
#include "ui/document/applied_buckets.h"
#include "ui/document/document.h"
#include "ui/document/removed_collectives.h"
#include "ui/edits/bucket_commands.h"
#include "ui/plan/bucket_model.h"
#include "ui/theme/known_time.h"
#include "ui/theme/links_shared.h"
#include "ui/theme/times_apart.h"

namespace overlap::ui {
namespace {

/// Without a place where a line may end.
QString unbroken(QString text) {
    return text.replace(u' ', QChar(QChar::Nbsp));
}

/// `11.0 → 21.9 ms`: the unit once where both have the same one.
QString fromTo(const QString& from, const QString& to) {
    const auto unit = [](const QString& value) { return value.section(thinSpace, -1); };
    const QString before = unit(from) == unit(to) ? from.section(thinSpace, 0, -2) : from;
    return unbroken(before + QStringLiteral(" → ") + to);
}

/// Times that differ are shown with as many digits as tell them apart.
QString fromTo(double from_ms, double to_ms) {
    const std::array<double, 2> times{from_ms, to_ms};
    const QStringList texts = formatTimesApart(times);
    return fromTo(texts[0], texts[1]);
}

/// How much longer the collectives of a kind that a pass made of an entry take than those of the graph: it may gather
/// again in backward. The entry's card shows what was made.
double madeBeyond(Document& document, int entry, const BucketPart& weighed) {
    if (document.current()->stale()) return 0;  // what was made is of an older plan
    const auto now = document.evaluation();
    if (!now->times_known || !weighed.time_ms) return 0;
    const std::vector<BucketSums> sums = bucket_sums(*now, *document.loaded().eligibility);
    const BucketSums::OfKind* made = sums.at(static_cast<std::size_t>(entry)).of(weighed.kind);
    return made && made->bytes > weighed.bytes ? made->time_ms - *weighed.time_ms : 0;
}

}  // namespace

DropPreview::DropPreview(Document& document, QObject* parent) : QObject(parent), document_(document) {
    connect(&evaluator_, &BackgroundEvaluator::ready, this,
            [this](quint64 key, const std::shared_ptr<const Evaluation>& evaluation) {
                if (active_ && key == request_) showOutcome(*evaluation);
            });
    connect(&document, &Document::planChanged, this, &DropPreview::clear);
}

void DropPreview::show(const QStringList& modules, int target, int at) {
    if (active_ && modules == modules_ && target == target_ && at == at_) return;
    active_ = true;
    modules_ = modules;
    target_ = target;
    at_ = at;
    weight_.clear();
    outcome_.clear();
    improvement_ = 0;
    const ModulesPut put = BucketCommands(document_).whatIsPut(modules, target);
    refusal_ = put.refusal;
    put_remark_ = put.remark();
    evaluator_.cancel();
    if (refusal_.isEmpty()) weigh(put.taken, target);
    emit changed();
}

QString DropPreview::withRemark(const QString& figures) const {
    return put_remark_.isEmpty() ? figures : figures + u'\n' + put_remark_;
}

QString DropPreview::text() const {
    return withRemark(figures());
}

QString DropPreview::figures() const {
    return tr("drop: %1").arg(weight_) + u'\n' + (outcome_.isEmpty() ? tr("evaluating…") : outcome_);
}

QString DropPreview::roomText() const {
    const auto now = document_.evaluation();
    if (!outcome_.isEmpty() || !now || now->refused) return text();
    return withRemark(tr("drop: %1").arg(weight_) + u'\n' + outcomeOf(*now, *now));
}

void DropPreview::clear() {
    if (!active_) return;
    active_ = false;
    evaluator_.cancel();
    emit changed();
}

void DropPreview::weigh(const std::vector<std::string>& names, int target) {
    const Buckets& buckets = document_.buckets();
    Plan plan = document_.current()->plan();
    BucketSummary before;
    BucketEntry entry;
    auto summaryOf = [this, removed = removedCollectives(document_)](const BucketEntry& of) {
        return summarise(
            bucket_figures(*document_.graph(), document_.modules(), *document_.loaded().eligibility, of, removed));
    };
    if (target >= 0) {
        entry = buckets[static_cast<std::size_t>(target)];
        before = summaryOf(entry);
        plan.buckets = edits::move_modules(buckets, names, static_cast<std::size_t>(target));
    } else {
        plan.buckets =
            edits::move_modules_to_new(buckets, names, at_ < 0 ? buckets.size() : static_cast<std::size_t>(at_));
    }
    for (const std::string& name : names)
        if (std::find(entry.modules.begin(), entry.modules.end(), name) == entry.modules.end())
            entry.modules.push_back(name);
    const BucketSummary after = summaryOf(entry);
    QStringList kinds;
    for (const BucketPart& part : after.parts) {
        const BucketPart* was = before.part(part.kind);
        QString weight = shortKindName(part.kind) + u' ' +
                         formatDifference(static_cast<double>(part.bytes - (was ? was->bytes : 0)), Unit::Bytes);
        if (part.time_ms && was && was->time_ms) {
            const double beyond_ms = madeBeyond(document_, target, *was);
            weight += u' ' + fromTo(*was->time_ms + beyond_ms, *part.time_ms + beyond_ms);
        } else if (part.time_ms) {
            weight += u' ' + formatTime(*part.time_ms);
        }
        kinds.append(unbroken(weight));
    }
    weight_ = !bucketsAreApplied(document_) ? tr("not applied")
              : kinds.isEmpty()             ? formatDifference(0, Unit::Bytes)
                                            : kinds.join(QStringLiteral(", "));
    evaluator_.request(document_.graph(), std::move(plan), ++request_,
                       document_.times() ? document_.times()->source : nullptr, document_.passResults());
}

void DropPreview::showOutcome(const Evaluation& evaluation) {
    const auto now = document_.evaluation();
    if (!now) return;
    if (evaluation.refused) {
        outcome_ = tr("the pass would refuse this plan");
        improvement_ = -1;
        for (const Problem& problem : evaluation.problems)
            if (problem.severity == Severity::error) outcome_ = QString::fromStdString(problem.message);
    } else {
        if (now->refused) {
            improvement_ = 1;
            outcome_ = tr("no longer refused: step %1   peak %2")
                           .arg(formatKnownTime(evaluation.simulation.step_ms, evaluation.times_known),
                                formatBytes(static_cast<double>(evaluation.corrected_memory.peak_bytes)));
            emit changed();
            return;
        }
        const double gain = step_with_links_shared(*now) - step_with_links_shared(evaluation);
        improvement_ = std::abs(gain) < 1e-6 ? 0 : gain > 0 ? 1 : -1;
        outcome_ = outcomeOf(*now, evaluation);
    }
    emit changed();
}

QString DropPreview::outcomeOf(const Evaluation& now, const Evaluation& after) const {
    const QString step =
        after.times_known ? fromTo(now.simulation.step_ms, after.simulation.step_ms) : formatKnownTime(0, false);
    const QString peak = fromTo(formatBytes(static_cast<double>(now.corrected_memory.peak_bytes)),
                                formatBytes(static_cast<double>(after.corrected_memory.peak_bytes)));
    // Where there is little width, the peak stands in a line of its own.
    QString outcome = unbroken(tr("step %1").arg(step)) + QStringLiteral("   ") + unbroken(tr("peak %1").arg(peak));
    if (now.on_shared_links || after.on_shared_links)
        outcome += QStringLiteral("\n%1 %2").arg(linksSharedLabel(),
                                                 fromTo(step_with_links_shared(now), step_with_links_shared(after)));
    return outcome;
}

}  // namespace overlap::ui
