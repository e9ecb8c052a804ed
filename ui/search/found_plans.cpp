#include "ui/search/found_plans.h"

#include <QObject>
#include <algorithm>

#include "core/plan/preset_titles.h"
#include "ui/theme/standard_strings.h"

namespace overlap::ui {
namespace {

/// What sums in another order leave.
constexpr double rounding_share = 1e-9;

/// Without the settings in parentheses, which the plan has.
QString baselineTitle(const Candidate& baseline) {
    const QString origin = QString::fromStdString(with_preset_titles(baseline.origin));
    // Beside the name of a plan nobody knows what is as it is.
    if (origin == QStringLiteral("as it is")) return QObject::tr("graph as it is");
    return origin.left(origin.indexOf(QStringLiteral(" (")));
}

std::optional<double> shownAt(const std::vector<double>& shown_ms, std::size_t index) {
    return index < shown_ms.size() ? std::optional(shown_ms[index]) : std::nullopt;
}

std::vector<FoundChoice> choicesOf(const SearchResult& result, const ShownSteps& shown) {
    const double bound_ms = result.bound.step_ms;
    std::vector<FoundChoice> choices;
    const auto add = [&choices](FoundChoice choice) {
        const bool known = std::ranges::any_of(choices, [&](const FoundChoice& other) {
            return other.step_ms == choice.step_ms && other.peak_bytes == choice.peak_bytes;
        });
        if (!known) choices.push_back(std::move(choice));
    };
    add({QObject::tr("found"), result.best.plan, result.best.step_ms, bound_ms, result.best.corrected_peak_bytes,
         shown.best_ms});
    // Where the search was stopped, nobody waited for it.
    if (!result.stopped) choices.front().parts = result.elements;
    for (std::size_t index = 0; index < result.front.size(); ++index) {
        const FrontPoint& point = result.front[index];
        if (point.knee && point.step_ms == result.best.step_ms &&
            point.peak_bytes == result.best.corrected_peak_bytes) {
            choices.front().title = QObject::tr("found, knee");
            choices.front().name_rank = 2;
        }
        add({point.knee ? QObject::tr("knee") : QObject::tr("front"), point.plan, point.step_ms, point.bound_ms,
             point.peak_bytes, shownAt(shown.front_ms, index), point.knee ? 2 : 0});
    }
    for (std::size_t index = 0; index < result.baselines.size(); ++index) {
        const Candidate& baseline = result.baselines[index];
        // A plan without what is locked is compared with, and not to choose.
        if (baseline.usable() && result.locked_parts.kept_in(baseline.plan))
            add({baselineTitle(baseline), baseline.plan, baseline.step_ms, bound_ms, baseline.corrected_peak_bytes,
                 shownAt(shown.baselines_ms, index), 1, true});
    }
    return choices;
}

}  // namespace

bool FoundPlans::nothingBetter() const {
    const bool allowed = start.counts && (!limit || start.peak_bytes <= *limit);
    const double saved_share = 1 - best().step_ms / start.step_ms;
    return allowed &&
           (saved_share <= rounding_share || (saved_share <= alike_share && best().peak_bytes >= start.peak_bytes));
}

bool FoundPlans::isLike(const FoundPlans& other) const {
    return links == other.links && any_order == other.any_order && locked == other.locked;
}

bool FoundPlans::hasAllOf(const FoundPlans& other) const {
    if (!isLike(other)) return false;
    const auto has = [this](const FoundChoice& wanted) {
        return std::ranges::any_of(choices, [&](const FoundChoice& choice) {
            return choice.step_ms <= wanted.step_ms && choice.peak_bytes <= wanted.peak_bytes;
        });
    };
    return std::ranges::all_of(other.choices, has);
}

FoundPlans foundPlansOf(const SearchResult& result, const SearchRequest& request, const ShownSteps& shown) {
    FoundPlans found;
    found.start = request.start;
    found.limit = request.options.memory_limit;
    found.links = request.links;
    found.any_order = request.options.any_order;
    found.choices = choicesOf(result, shown);
    found.evaluations = result.evaluations;
    found.end = QString::fromStdString(end_text(result, request.options.effort));
    found.stopped = result.stopped;
    found.origin = QString::fromStdString(with_preset_titles(result.best.origin));
    found.shortest_ms = result.shortest_ms;
    found.baseline_ms = result.baselines.front().step_ms;
    found.bound_reason = QString::fromStdString(
        bound_reason(result.bound.chain, {result.best.step_ms, result.bound.compute_ms, result.best.compute_ms},
                     request.options.any_order));
    found.changes_order = result.best.changes_order;
    for (const FrontPoint& point : result.front) {
        found.front_peaks.push_back(point.peak_bytes);
        if (point.bound_ms > 0) found.bound.push_back({point.limit_bytes, point.bound_ms});
    }
    if (found.bound.empty()) found.bound.push_back({result.best.corrected_peak_bytes, result.bound.step_ms});
    found.locked = textsOf(result.locked);
    found.groups_left_out = textsOf(result.groups_left_out);
    return found;
}

}  // namespace overlap::ui
