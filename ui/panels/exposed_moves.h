#pragma once

#include <QObject>
#include <QString>
#include <QTimer>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/passes/pass.h"
#include "core/pipeline/evaluation.h"
#include "ui/tasks/latest_task.h"

namespace overlap::ui {

class Document;

/// What the moves do that could help the exposed collectives among the problems of the current plan: each is evaluated
/// in the background, once edits pause, and only while somebody looks.
class ExposedMoves : public QObject {
    Q_OBJECT

  public:
    /// @param document outlives it.
    explicit ExposedMoves(Document& document, QObject* parent = nullptr);

    /// Whether anybody looks.
    void setWanted(bool wanted);
    /// What the moves for a problem of the current evaluation do, see evaluated_moves(): sentences with full stops.
    /// Empty where there are none, and while they are not known.
    QString told(const Problem& problem) const;
    bool busy() const { return delay_.isActive() || task_.busy(); }

  signals:
    /// What is told of problems is known now.
    void changed();

  private:
    void begin();
    void find();

    Document& document_;
    bool wanted_ = false;
    std::shared_ptr<const Evaluation> of_;                  ///< that `told_` is about; null: nothing is known
    std::map<std::string, std::vector<std::string>> told_;  ///< by the collective's name
    QTimer delay_;
    LatestTask task_;  ///< last: what it delivers uses the members above
};

}  // namespace overlap::ui
