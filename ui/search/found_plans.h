#pragma once

#include <QString>
#include <QStringList>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/cost/shared_links.h"
#include "core/search/plan_search.h"
#include "ui/widgets/charts/step_peak_chart.h"

namespace overlap::ui {

/// A plan that a search leaves to choose: found, or one that it was compared with.
struct FoundChoice {
    QString title;
    Plan plan;
    double step_ms = 0, bound_ms = 0;
    std::int64_t peak_bytes = 0;
    std::optional<double> shown_ms{};  ///< the step that the window shows of it, opened; nothing: not known
    int name_rank = 1;                 ///< in the chart: see StepPeakChart::Point
    bool compared = false;             ///< the search did not find it: what was found is compared with it
    /// What its parts are worth, most worth first; nothing before that was found out.
    std::optional<std::vector<PlanElement>> parts{};
};

/// The plan that was shown when a search began, as it was then.
struct SearchStart {
    quint64 key = 0;  ///< of its variant
    QString title;
    double step_ms = 0;  ///< with links as those of all that is found
    std::int64_t peak_bytes = 0;
    std::optional<Plan> plan{};  ///< nothing: it was the baseline
    bool refused = false;        ///< it has no figures
    bool counts = true;          ///< a job could run it: it is not refused, brings no hazard and leaves out no work
    QString left_out{};          ///< which work that the bound counts on, a clause: no bound holds for it
    /// It has changed since the search began: this is the plan as it is now, or while that is not known the one
    /// from before; see startNow().
    bool edited = false, before_edits = false;
};

/// What a search is asked for, beside the graph and its times.
struct SearchRequest {
    SearchOptions options;  ///< without `stop` and `progress`
    LinkSharing links = LinkSharing::by_host;
    SearchStart start;
};

/// What a search has found, and what it was asked for: all that the panel shows of it.
struct FoundPlans {
    SearchStart start;
    std::optional<std::int64_t> limit;  ///< of the peak, in the search
    LinkSharing links = LinkSharing::by_host;
    bool any_order = false;
    /// The best first, then the front, then what it was compared with and has what is locked; one for each step and
    /// peak. At least one.
    std::vector<FoundChoice> choices;
    std::size_t evaluations = 0;
    QString end;                              ///< why the search ended, a clause
    bool stopped = false;                     ///< by the user
    QString origin;                           ///< of the best
    double shortest_ms = 0;                   ///< see SearchResult::shortest_ms
    double baseline_ms = 0;                   ///< the step of the graph as it is
    QString bound_reason;                     ///< for the best
    bool changes_order = false;               ///< the best does, of heavy compute
    std::vector<StepPeakChart::Limit> bound;  ///< in ascending order of limits
    std::vector<std::int64_t> front_peaks;
    QStringList locked;           ///< what of the plan to start from was kept, in words
    QStringList groups_left_out;  ///< see SearchResult::groups_left_out
    bool links_differ = false;    ///< the window shows steps with other links than the search had

    const FoundChoice& best() const { return choices.front(); }
    /// Plans of both may be compared: they have the same links, the same freedom of order and the same parts kept.
    bool isLike(const FoundPlans& other) const;
    /// Each of the other's choices is here, or one that is no worse in step and peak, and both searches are alike.
    bool hasAllOf(const FoundPlans& other) const;
    /// The plan that was shown is within the limit, and no plan was found with a shorter step, or but a hardly shorter
    /// one (`alike_share`) that takes more memory.
    bool nothingBetter() const;
};

/// Steps as the window shows opened plans, as far as they are known. Where the search was stopped they are not: nobody
/// is to wait for them.
struct ShownSteps {
    std::optional<double> best_ms;
    std::vector<double> front_ms, baselines_ms;
};
FoundPlans foundPlansOf(const SearchResult& result, const SearchRequest& request, const ShownSteps& shown);

}  // namespace overlap::ui
