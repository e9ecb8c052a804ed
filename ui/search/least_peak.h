#pragma once

#include <QString>
#include <cstdint>
#include <memory>
#include <optional>

#include "core/graph/graph.h"
#include "core/pipeline/time_source.h"
#include "ui/tasks/latest_task.h"

namespace overlap::ui {

/// What must be alive at once in every plan for a graph: no plan has a lower peak.
struct LeastPeak {
    std::int64_t bytes = 0;  ///< 0 where nothing is known of it
    QString node;            ///< that runs meanwhile; empty where it is none in particular
};

/// Finds that out in the background, which takes a fraction of a second, when it is asked for.
class LeastPeakFinder : public QObject {
    Q_OBJECT

  public:
    using QObject::QObject;

    /// Nothing while it is not known; found() follows.
    /// @param source of times; null: the graph's own.
    /// @param any_order whether plans may change the order of heavy compute.
    std::optional<LeastPeak> of(const std::shared_ptr<const Graph>& graph,
                                const std::shared_ptr<const TimeSource>& source, bool any_order);
    /// Keeps no graph and no times alive that are not used any more.
    void forget();

  signals:
    /// of() has the answer to what was asked last.
    void found();

  private:
    struct Question {
        std::shared_ptr<const Graph> graph;
        std::shared_ptr<const TimeSource> source;
        bool any_order = false;
        bool operator==(const Question&) const = default;
    };

    std::optional<Question> asked_;  ///< last
    std::optional<LeastPeak> answer_;
    LatestTask task_;
};

}  // namespace overlap::ui
