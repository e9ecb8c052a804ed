#include "ui/search/found_choices.h"

#include <QObject>
#include <algorithm>

#include "core/base/number_text.h"

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
        if (baseline.usable())
            add({baselineTitle(baseline), baseline.plan, baseline.step_ms, bound_ms, baseline.corrected_peak_bytes,
                 shownAt(found.baselines_shown_ms, index)});
    }
    return choices;
}

QString aboveBound(double step_ms, double bound_ms) {
    const double share = bound_ms > 0 ? step_ms / bound_ms - 1 : 0;
    return QObject::tr("%1 above the bound").arg(QString::fromStdString(percent_text(share * 100)));
}

}  // namespace overlap::ui
