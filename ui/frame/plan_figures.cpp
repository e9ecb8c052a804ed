#include "ui/frame/plan_figures.h"

#include <QRegularExpression>
#include <algorithm>
#include <cmath>

#include "core/cost/built_in_cost_models.h"
#include "core/cost/checked_runs.h"
#include "core/memory/device_memory.h"
#include "core/pipeline/beside_step.h"
#include "core/pipeline/step_with_links_shared.h"
#include "ui/document/document.h"
#include "ui/theme/harmless_text.h"
#include "ui/theme/links_shared.h"
#include "ui/theme/numbers.h"
#include "ui/theme/times_apart.h"

namespace overlap::ui {
namespace {

constexpr double smallest_shown_share = 0.0005;  ///< of a whole: what is not 0.0 % after rounding

/// A difference with as many digits as any has.
QString widestDifference(double now, Unit unit) {
    constexpr double share = -0.1111111;
    return formatDifference(unit == Unit::Percent ? share : unit == Unit::Count ? -now : share * now, unit);
}

/// @param difference as it is shown: what is no change after rounding is neither better nor worse.
Figure compared(const QString& label, const QString& value, double now, double before, const QString& difference,
                const QString& help, Unit unit) {
    Figure figure{label, value, {}, 0, help};
    figure.widest_difference = widestDifference(now, unit);
    if (now == before) return figure;
    figure.difference = difference;
    static const QRegularExpression digit(QStringLiteral("[1-9]"));
    if (difference.contains(digit)) figure.change = now < before ? 1 : -1;
    return figure;
}

/// A difference of exposed times is shown as a share; a difference from zero, or one too small for a share, as a time.
QString shareDifference(double now, double before) {
    return before > 0 && std::abs(now / before - 1) >= smallest_shown_share
               ? formatDifference(now / before - 1, Unit::Percent)
               : formatDifference(now - before, Unit::Time);
}

/// A refused plan has no figures; those in the evaluation are the baseline's.
std::vector<Figure> refusedFigures() {
    std::vector<Figure> figures;
    for (const QString& label :
         {Document::tr("step"), Document::tr("exposed"), Document::tr("peak"), Document::tr("collectives")})
        figures.push_back(
            {label, QStringLiteral("—"), {}, 0, Document::tr("The plan is refused and has no figures, see Problems")});
    figures.front().difference = Document::tr("refused");
    figures.front().change = -1;
    return figures;
}

/// What a peak is beyond stays beside it as long as there is room for it at all.
void nameLimit(Figure& peak, const QString& label) {
    peak.briefest_label = peak.label;
    peak.label = peak.short_label = label;
}

void tellOfDevice(Figure& figure, const Evaluation& evaluation, double peak) {
    const auto holds = static_cast<double>(device_memory_bytes(*evaluation.graph));
    if (holds <= 0) {
        figure.help += Document::tr("\nWhat the device holds is not known: the cost model does not say");
        return;
    }
    figure.beyond = peak > holds;
    figure.help += figure.beyond
                       ? Document::tr("\nThe device holds %1: the job would run out of memory").arg(formatBytes(holds))
                       : Document::tr("\nThe device holds %1").arg(formatBytes(holds));
    if (figure.beyond) nameLimit(figure, Document::tr("peak · device holds %1").arg(formatBytes(holds)));
}

/// @param limit that was typed; 0: none.
void tellOfLimit(Figure& figure, double limit, double peak) {
    if (limit <= 0) return;
    const bool is_beyond = peak > limit;
    figure.help += is_beyond ? Document::tr("\nThe limit that was typed is %1: the peak is %2 beyond it")
                                   .arg(formatBytes(limit), formatBytes(peak - limit))
                             : Document::tr("\nThe limit that was typed is %1").arg(formatBytes(limit));
    // That the job cannot run at all says more.
    if (is_beyond && !figure.beyond) nameLimit(figure, Document::tr("peak · limit %1").arg(formatBytes(limit)));
    figure.beyond |= is_beyond;
}

/// Neither the graph nor a cost model has times: what does not need them is shown.
std::vector<Figure> figuresWithoutTimes(const Evaluation& evaluation, qint64 memory_limit) {
    const QString help = Document::tr("The graph has no times; Plan ▸ Times ▸ Cost model… estimates them");
    std::vector<Figure> figures;
    for (const QString& label : {Document::tr("step"), Document::tr("exposed")})
        figures.push_back({label, Document::tr("no times"), {}, 0, help});
    const auto peak = static_cast<double>(evaluation.corrected_memory.peak_bytes);
    figures.push_back({Document::tr("peak"), formatBytes(peak), {}, 0, Document::tr("Peak memory of the step")});
    tellOfDevice(figures.back(), evaluation, peak);
    tellOfLimit(figures.back(), static_cast<double>(memory_limit), peak);
    figures.push_back({Document::tr("collectives"),
                       formatCount(static_cast<std::int64_t>(evaluation.simulation.collectives.size())),
                       {},
                       0,
                       Document::tr("Collectives in the step")});
    return figures;
}

bool outsideCheckedRuns(const Evaluation& evaluation) {
    return std::ranges::any_of(
        evaluation.problems, [](const Problem& problem) { return problem.kind == ProblemKind::outside_checked_runs; });
}

/// `step · h100-96gb-500w`: by which model times are estimated.
QString namedStep(const Evaluation& evaluation) {
    const std::optional<CostParameters>& cost = evaluation.graph->header().cost;
    if (!cost || cost->model_name.empty()) return Document::tr("step · graph's times");
    return Document::tr("step · %1").arg(shownName(QString::fromStdString(cost->model_name)));
}

/// `step · h100-96gb-500w, checked to 3.2 %`: also how far that was right.
QString stepLabel(const Evaluation& evaluation) {
    const QString label = namedStep(evaluation);
    const std::optional<CostParameters>& cost = evaluation.graph->header().cost;
    const std::optional<CheckedRuns> checked = cost ? checked_runs(*cost) : std::nullopt;
    if (!checked || checked->within <= 0) return label;
    return outsideCheckedRuns(evaluation)
               ? Document::tr("%1, outside checked runs").arg(label)
               : Document::tr("%1, checked to %2 %").arg(label, QString::number(checked->within * 100));
}

/// One figure: what a job holds. That of PyTorch's estimator is in the tool tip.
Figure peakOf(const Evaluation& evaluation, const Evaluation& baseline, qint64 memory_limit) {
    const auto now = static_cast<double>(evaluation.corrected_memory.peak_bytes);
    const auto before = static_cast<double>(baseline.corrected_memory.peak_bytes);
    Figure figure =
        compared(Document::tr("peak"), formatBytes(now), now, before, formatDifference(now - before, Unit::Bytes),
                 Document::tr("Peak memory of the step; baseline %1").arg(formatBytes(before)), Unit::Bytes);
    if (evaluation.corrected_memory.peak_bytes != evaluation.memory.peak_bytes)
        figure.help += Document::tr(
                           "\nPyTorch's estimator says %1: it releases what a collective reads as soon as that is "
                           "issued, counts what a wait returns beside what the collective does, and takes a tensor "
                           "that is computed again and its original for one")
                           .arg(formatBytes(static_cast<double>(evaluation.memory.peak_bytes)));
    tellOfDevice(figure, evaluation, now);
    tellOfLimit(figure, static_cast<double>(memory_limit), now);
    return figure;
}

/// What the step is made of is shown where the bound is told of.
void letOpen(Figure& figure, const StepGap::Gap& gap) {
    if (!gap.of) return;
    figure.opens = true;
    figure.help += Document::tr("\nA click shows what the step is made of");
}

/// A plan that is faster than the bound computes what its job cannot: with inputs that are not there yet.
Figure gapFigure(const StepGap::Gap& gap) {
    Figure figure{boundLabel(gap), boundValue(gap), {}, 0, {}};
    figure.help = boundHelp(gap);
    if (gap.any_order) figure.short_label = Document::tr("above any-order bound");
    if (!gap.none.isEmpty()) figure.label = Document::tr("bound · %1").arg(gap.none_briefly);
    figure.beyond = gap.isBelow();
    letOpen(figure, gap);
    return figure;
}

QString boundIsComing() {
    return Document::tr("How far the step is above the bound is being worked out");
}

QString unknownShare() {
    return QStringLiteral("…");
}

/// Keeps the place of the figure that comes, with the label of the last one: most edits leave that as it is.
Figure gapToCome(const std::optional<StepGap::Gap>& last) {
    Figure figure{boundLabel(last && last->none.isEmpty() ? *last : StepGap::Gap()), unknownShare(), {}, 0, {}};
    if (last && last->any_order) figure.short_label = Document::tr("above any-order bound");
    figure.help = boundIsComing();
    return figure;
}

/// `10.4 % above bound, order kept`
QString shareAboveBound(const StepGap::Gap& gap, const QString& share) {
    if (gap.any_order) return Document::tr("%1 above bound, any order").arg(share);
    return gap.every_order ? Document::tr("%1 above bound").arg(share)
                           : Document::tr("%1 above bound, order kept").arg(share);
}

/// Beside a step that is faster than links allow: the one that a job can reach.
Figure sharedLinksFigure(const SharedLinkStep& shared, const Evaluation& baseline, const StepGap& step_gap) {
    const std::optional<StepGap::Gap>& gap = step_gap.gap();
    Figure figure{linksSharedLabel(), formatTime(shared.step_ms), {}, 0, {}};
    figure.beyond = true;
    QStringList links;
    for (const std::vector<std::string>& link : shared.links) {
        QStringList groups;
        for (const std::string& group : link) groups.append(QString::fromStdString(group));
        links.append(groups.join(QStringLiteral(", ")));
    }
    figure.help = Document::tr(
                      "The step of a job, %1, whose process groups share a GPU's network card between hosts and its "
                      "link within one: %2. The timeline and the other views show this step. The one before it takes "
                      "each group to have a link of its own; Plan ▸ Times ▸ Share links makes it so, too. The "
                      "baseline's is %3 (%4)")
                      .arg(formatExactTime(shared.step_ms), links.join(QStringLiteral("; ")),
                           formatExactTime(step_with_links_shared(baseline)),
                           formatDifference(shared.step_ms - step_with_links_shared(baseline), Unit::Time));
    figure.widest_difference = Document::tr("%1 % above bound").arg(QStringLiteral("00.0"));
    figure.difference_stays = true;  // it is the bound
    if (!gap) {
        if (!step_gap.coming()) return figure;
        figure.difference = shareAboveBound(step_gap.last().value_or(StepGap::Gap()), unknownShare());
        figure.help += QStringLiteral("\n") + boundIsComing();
        return figure;
    }
    figure.difference = gap->none.isEmpty() ? shareAboveBound(*gap, shareAbove(gap->share))
                                            : Document::tr("no bound · %1").arg(gap->none_briefly);
    figure.help += QStringLiteral("\n") + boundHelp(*gap);
    letOpen(figure, *gap);
    return figure;
}

/// Of the step that stands beside it: the one with links shared, where there is such a one.
Figure exposedFigure(const Evaluation& evaluation, const Evaluation& baseline, const QString& times) {
    const bool shared = evaluation.on_shared_links.has_value();
    const double now = shared ? exposed_with_links_shared(evaluation) : evaluation.simulation.exposed_ms;
    const double before = shared ? exposed_with_links_shared(baseline) : baseline.simulation.exposed_ms;
    QString help = Document::tr("Time for which compute stands still for communication: %1; baseline %2")
                       .arg(formatExactTime(now), formatExactTime(before));
    if (shared)
        help = Document::tr(
                   "%1, as the step beside it with links shared. With a link of its own for each process group %2, "
                   "baseline %3")
                   .arg(help, formatTime(evaluation.simulation.exposed_ms), formatTime(baseline.simulation.exposed_ms));
    if (!evaluation.simulation.transfers.empty())
        help += Document::tr("\nFor copies between device and host it stands still for another %1")
                    .arg(formatTime(evaluation.simulation.transfer_exposed_ms));
    Figure figure = compared(shared ? Document::tr("exposed · %1").arg(linksSharedLabel()) : Document::tr("exposed"),
                             formatTime(now), now, before, shareDifference(now, before), help + times, Unit::Percent);
    // Without these words it would be taken for that of the first step.
    if (shared) figure.short_label = Document::tr("exposed, links shared");
    figure.stays = 1;
    return figure;
}

}  // namespace

std::vector<Figure> figuresOf(const Document& document, qint64 memory_limit) {
    const auto evaluation = document.evaluation();
    if (!evaluation) return {};
    if (evaluation->refused) return refusedFigures();
    if (!evaluation->times_known) return figuresWithoutTimes(*evaluation, memory_limit);
    const Evaluation& baseline = document.baseline();
    const Simulation& now = evaluation->simulation;
    const Simulation& before = baseline.simulation;
    const auto count = static_cast<std::int64_t>(now.collectives.size());
    const auto count_before = static_cast<std::int64_t>(before.collectives.size());
    const TimeSource* source = evaluation->time_source.get();
    const std::optional<CostParameters>& cost = evaluation->graph->header().cost;
    const QString model = cost ? shownName(QString::fromStdString(cost->model_name)) : QString();
    const QString device = cost ? shownName(QString::fromStdString(cost->device_name)) : QString();
    QString times = !model.isEmpty()   ? Document::tr("; estimated with the cost model %1").arg(model)
                    : device.isEmpty() ? Document::tr("; the graph's own times")
                                       : Document::tr("; the graph's own times, of %1").arg(device);
    if (const std::optional<CheckedRuns> checked = cost ? checked_runs(*cost) : std::nullopt) {
        times += Document::tr(", which was compared with %1").arg(shownName(QString::fromStdString(checked->with)));
    } else if (cost && built_in_cost_model(*cost)) {
        times += Document::tr(", which was compared with no run");
    }
    QString label = stepLabel(*evaluation);
    QString named = namedStep(*evaluation);
    if (source && source->compilation)
        times += Document::tr("; kernels are those of a job that compiles %1")
                     .arg(QString::fromStdString(std::string(compiled_scope_text(source->compilation->scope))));
    if (evaluation->contention) {
        times += Document::tr("; compute and communication slow one another down");
        label += Document::tr(" · contention");
    } else if (source && source->measured()) {
        times = Document::tr("; times of trace %1").arg(shownName(QString::fromStdString(source->name)));
        label = named = Document::tr("step · trace's times");
    }
    if (source && source->share_links) {
        times += Document::tr("; process groups share the links they go over");
        label += Document::tr(" · links shared");
    }
    const std::optional<OptimizerStep> beside = beside_step(*evaluation);
    const QString beside_text = beside
                                    ? Document::tr("; beside it %1 of clipping and AdamW, which are not in the graph")
                                          .arg(formatTime(beside->time_ms))
                                    : QString();
    std::vector<Figure> figures;
    figures.push_back(compared(label, formatTime(now.step_ms), now.step_ms, before.step_ms,
                               formatDifference(now.step_ms - before.step_ms, Unit::Time),
                               Document::tr("Simulated time of the step (streams model): %1; baseline %2")
                                       .arg(formatExactTime(now.step_ms), formatExactTime(before.step_ms)) +
                                   beside_text + times,
                               Unit::Time));
    figures.back().named_label = named;
    figures.back().difference_stays = true;
    figures.push_back(exposedFigure(*evaluation, baseline, times));
    figures.push_back(peakOf(*evaluation, baseline, memory_limit));
    figures.push_back(compared(
        Document::tr("collectives"), formatCount(count), static_cast<double>(count), static_cast<double>(count_before),
        formatDifference(static_cast<double>(count - count_before), Unit::Count),
        Document::tr("Collectives in the step; baseline %1").arg(formatCount(count_before)), Unit::Count));
    figures.back().stays = 0;
    return figures;
}

std::optional<Figure> besideStepFigure(const Document& document, const StepGap& gap) {
    const auto evaluation = document.evaluation();
    if (evaluation && !evaluation->refused && evaluation->on_shared_links)
        return sharedLinksFigure(*evaluation->on_shared_links, document.baseline(), gap);
    if (gap.gap()) return gapFigure(*gap.gap());
    return gap.coming() ? std::optional(gapToCome(gap.last())) : std::nullopt;
}

}  // namespace overlap::ui
