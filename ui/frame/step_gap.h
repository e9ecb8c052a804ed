#pragma once

#include <QObject>
#include <QPointer>
#include <memory>
#include <optional>

#include "ui/document/bound_gap.h"
#include "ui/tasks/latest_task.h"

namespace overlap::ui {

class Document;

/// How far the step of the current variant is above the best there can be, found in the background: 2.7 % above what
/// these links allow; or why no bound is known. Nothing for plans that are refused, without times or with measured
/// ones.
class StepGap : public QObject {
    Q_OBJECT

  public:
    using Gap = BoundGap;

    /// @param document may be gone earlier: nothing is found then.
    explicit StepGap(Document& document, QObject* parent = nullptr);

    /// Of the newest evaluation; nothing while it is not known.
    const std::optional<Gap>& gap() const { return gap_; }
    /// Whether it is being found.
    bool coming() const { return coming_; }
    /// Of an older evaluation of the graph; nothing before the first one.
    const std::optional<Gap>& last() const { return last_; }

  signals:
    void changed();

  private:
    void find();

    QPointer<Document> document_;
    std::shared_ptr<GraphBounds> bounds_;  ///< of the open graph: found once for all its plans
    std::shared_ptr<const Graph> graph_;   ///< whose they are
    std::optional<Gap> gap_, last_;
    bool coming_ = false;
    LatestTask task_;
};

}  // namespace overlap::ui
