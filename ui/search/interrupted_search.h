#pragma once

#include <QJsonObject>
#include <QString>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/plan/plan.h"
#include "core/search/plan_search.h"

namespace overlap::ui {

/// How far a search was that did not end: what a session keeps of one that runs.
struct InterruptedSearch {
    std::size_t evaluations = 0, effort = 0;  ///< plans, see SearchProgress
    double best_ms = 0;                       ///< 0: nothing was found yet
    std::optional<Plan> best{};               ///< the best so far
    std::int64_t best_peak_bytes = 0;         ///< its corrected peak; 0: not known
    double baseline_ms = 0;  ///< of the graph as it is, with the times that it began with; 0: not known
    QString reason{};  ///< why it was cut off, a clause, not kept; empty where it ended with the window or its graph

    /// With the best so far, where there is one.
    static InterruptedSearch of(const SearchProgress& progress);
    /// What fromJson() reads, for the session.
    QJsonObject toJson() const;
    /// Nothing where `json` is none.
    static std::optional<InterruptedSearch> fromJson(const QJsonObject& json);
    /// Such as `after 320 of 1500 plans, the best with a step of 12.3 ms`, and the reason.
    QString reached() const;
    /// What the best so far is called as a plan of its own, such as `Found so far 12.3 ms at 29.6 GiB`.
    /// @param other_times other times are used now: its figures are other ones.
    QString planName(bool other_times) const;
};

}  // namespace overlap::ui
