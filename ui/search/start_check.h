#pragma once

#include <memory>
#include <optional>

#include "core/cost/shared_links.h"
#include "core/graph/graph.h"
#include "core/pipeline/time_source.h"
#include "core/plan/plan.h"
#include "ui/tasks/latest_task.h"

namespace overlap::ui {

/// Whether nothing but the order of its compute keeps a search from taking the plan: it is not refused, brings no
/// hazard and leaves out no work.
/// @param graph with the links that the search has.
/// @param source of times; null: the graph's own.
/// @param stop when requested, the answer says nothing.
bool searchCouldTake(const std::shared_ptr<const Graph>& graph, const Plan& plan,
                     const std::shared_ptr<const TimeSource>& source, const std::stop_token& stop = {});

/// The same of a plan that was edited since a search began at it, found out in the background.
class StartCheck : public QObject {
    Q_OBJECT

  public:
    using QObject::QObject;

    /// Nothing while it is not known; checked() follows.
    std::optional<bool> couldTake(const std::shared_ptr<const Graph>& graph, const Plan& plan,
                                  const std::shared_ptr<const TimeSource>& source, LinkSharing links);
    /// Other times make other answers.
    void forget();

  signals:
    /// couldTake() has the answer to what was asked last.
    void checked();

  private:
    struct Question {
        std::shared_ptr<const Graph> graph;
        Plan plan;
        std::shared_ptr<const TimeSource> source;
        LinkSharing links = LinkSharing::by_host;
        bool operator==(const Question&) const = default;
    };

    std::optional<Question> asked_;  ///< last
    std::optional<bool> answer_;
    LatestTask task_;
};

}  // namespace overlap::ui
