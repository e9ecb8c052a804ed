#pragma once

#include <QObject>
#include <memory>
#include <vector>

#include "core/pipeline/evaluation.h"

namespace overlap::ui {

/// What removedCollectives() found last; a child of the document that it is of.
class RemovedCollectivesFound : public QObject {
    Q_OBJECT

  public:
    using QObject::QObject;

    /// The collectives that do not run in an evaluation, found anew where it is not the one of the last question.
    const std::vector<NodeId>& of(const std::shared_ptr<const Evaluation>& evaluation);

  private:
    std::weak_ptr<const Evaluation> of_;
    std::vector<NodeId> removed_;
};

}  // namespace overlap::ui
