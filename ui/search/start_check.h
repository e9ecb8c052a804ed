#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <utility>

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
    using Function = std::function<decltype(searchCouldTake)>;
    /// @param could_take runs on a worker thread.
    explicit StartCheck(Function could_take = searchCouldTake) : could_take_(std::move(could_take)) {}

    /// Nothing while it is not known; checked() follows. Where it could not be found out, it is tried again when it is
    /// asked next.
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

    const Function could_take_;
    std::optional<Question> asked_;  ///< last
    std::optional<bool> answer_;
    LatestTask task_;
};

}  // namespace overlap::ui
