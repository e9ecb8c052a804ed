#include "ui/search/found_choices.h"

#include <QObject>
#include <algorithm>

#include "core/base/number_text.h"
#include "core/base/wording.h"
#include "core/plan/plan_difference.h"
#include "core/search/lower_bound.h"
#include "core/search/search_front.h"
#include "ui/theme/harmless_text.h"
#include "ui/theme/links_shared.h"
#include "ui/theme/numbers.h"

namespace overlap::ui {
namespace {

/// Without the settings in parentheses, which the plan has.
QString baselineTitle(const Candidate& baseline) {
    const QString origin = QString::fromStdString(baseline.origin);
    return origin.left(origin.indexOf(QStringLiteral(" (")));
}

std::optional<double> shownAt(const std::vector<double>& shown_ms, std::size_t index) {
    return index < shown_ms.size() ? std::optional(shown_ms[index]) : std::nullopt;
}

QString sentence(QString text) {
    if (!text.isEmpty()) text[0] = text[0].toUpper();
    return text;
}

/// To the plan that was shown, unless it was refused, and to the graph as it is.
QString differences(const FoundPlans& found, const SearchStart& start, double step_ms) {
    const auto to = [&](double other_ms, const QString& what) {
        return QObject::tr("%1 to %2").arg(formatDifference(step_ms - other_ms, Unit::Time), what);
    };
    QStringList parts;
    if (found.start_ms && start.plan) parts.append(to(*found.start_ms, shownName(start.title)));
    parts.append(to(found.result.baselines.front().step_ms, QObject::tr("the baseline")));
    return parts.join(QStringLiteral(", "));
}

}  // namespace

std::vector<FoundChoice> choicesOf(const FoundPlans& found) {
    const SearchResult& result = found.result;
    const double bound_ms = result.bound.step_ms;
    std::vector<FoundChoice> choices;
    const auto add = [&choices](FoundChoice choice) {
        const bool known = std::ranges::any_of(choices, [&](const FoundChoice& other) {
            return other.step_ms == choice.step_ms && other.peak_bytes == choice.peak_bytes;
        });
        if (!known) choices.push_back(std::move(choice));
    };
    add({QObject::tr("found"), result.best.plan, result.best.step_ms, bound_ms, result.best.corrected_peak_bytes,
         found.shown_ms});
    for (std::size_t index = 0; index < result.front.size(); ++index) {
        const FrontPoint& point = result.front[index];
        add({point.knee ? QObject::tr("knee") : QObject::tr("front"), point.plan, point.step_ms, point.bound_ms,
             point.peak_bytes, shownAt(found.front_shown_ms, index), point.knee ? 2 : 0});
    }
    for (std::size_t index = 0; index < result.baselines.size(); ++index) {
        const Candidate& baseline = result.baselines[index];
        // A plan without what is locked is compared with, and not to choose.
        if (baseline.usable() && result.locked_parts.kept_in(baseline.plan))
            add({baselineTitle(baseline), baseline.plan, baseline.step_ms, bound_ms, baseline.corrected_peak_bytes,
                 shownAt(found.baselines_shown_ms, index)});
    }
    return choices;
}

int bestWithin(const std::vector<FoundChoice>& choices, std::optional<std::int64_t> limit) {
    // The first is the plan in fewest words among those that are alike.
    int best = -1;
    for (std::size_t index = 0; index < choices.size(); ++index) {
        const FoundChoice& choice = choices[index];
        if (limit && choice.peak_bytes > *limit) continue;
        const double tolerated = best == 0 ? 1 - alike_share : 1;
        if (best < 0 || choice.step_ms < choices[static_cast<std::size_t>(best)].step_ms * tolerated)
            best = static_cast<int>(index);
    }
    return best;
}

QStringList sentencesOn(const FoundPlans& found, const SearchStart& start, const FoundChoice& choice, bool is_best) {
    const LowerBound& bound = found.result.bound;
    QStringList sentences;
    // Where the window's figures are without shared links, both steps stand beside each other.
    const bool two_steps = choice.shown_ms && *choice.shown_ms != choice.step_ms;
    QString step = QObject::tr("step %1").arg(formatTime(choice.step_ms));
    if (two_steps)
        step = QObject::tr("step %1 %2 and %3 without")
                   .arg(formatTime(choice.step_ms), linksSharedLabel(), formatTime(*choice.shown_ms));
    const QString to_others = differences(found, start, choice.step_ms);
    sentences.append(
        QObject::tr("%1: %2 (%3), peak %4 (%5).")
            .arg(sentence(shownName(choice.title)), step,
                 two_steps ? QStringLiteral("%1: %2").arg(linksSharedLabel(), to_others) : to_others,
                 formatBytes(static_cast<double>(choice.peak_bytes)),
                 formatDifference(static_cast<double>(choice.peak_bytes - start.peak_bytes), Unit::Bytes)));
    // What the bound is made of says nothing of a plan that is far from it.
    sentences.append(is_best ? QObject::tr("That is %1: %2.")
                                   .arg(aboveBound(choice.step_ms, choice.bound_ms),
                                        shownName(QString::fromStdString(bound_reason(bound.chain, choice.step_ms))))
                             : QObject::tr("That is %1 of %2.")
                                   .arg(aboveBound(choice.step_ms, choice.bound_ms), formatTime(choice.bound_ms)));
    if (const FrontPoint* leaner = is_best ? leaner_than_best(found.result) : nullptr)
        sentences.append(QObject::tr("Hardly slower with less memory: %1 at %2, on the front.")
                             .arg(formatTime(leaner->step_ms), formatBytes(static_cast<double>(leaner->peak_bytes))));
    if (start.plan) {
        const PlanDifference difference = plan_difference(*start.plan, choice.plan);
        sentences.append(difference.count() == 0
                             ? QObject::tr("It does what %1 does.").arg(shownName(start.title))
                             : QObject::tr("From %1 to it, what changes: %2.")
                                   .arg(shownName(start.title), QString::fromStdString(describe(difference))));
    }
    if (start.plan && !found.result.locked.empty())
        sentences.append(
            QObject::tr("Plans that were found keep of %1: %2.")
                .arg(shownName(start.title), shownName(QString::fromStdString(enumerated(found.result.locked)))));
    if (is_best && !found.result.groups_left_out.empty())
        sentences.append(QObject::tr("It is without the settings of process groups that it does not make: %1.")
                             .arg(shownName(QString::fromStdString(enumerated(found.result.groups_left_out)))));
    if (!choice.shown_ms && found.links_differ)
        sentences.append(QObject::tr("Here process groups share links; opened, the plan may show another step."));
    if (two_steps)
        sentences.append(
            QObject::tr("Plans are compared with links shared, which a job can reach; opened, the plan shows its step "
                        "without, since this graph's cost model does not say who shares what."));
    return sentences;
}

QString aboveBound(double step_ms, double bound_ms) {
    const double share = bound_ms > 0 ? step_ms / bound_ms - 1 : 0;
    return QObject::tr("%1 above the bound").arg(QString::fromStdString(percent_text(share * 100)));
}

}  // namespace overlap::ui
