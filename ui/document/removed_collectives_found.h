#pragma once

#include <QObject>
#include <map>
#include <memory>
#include <vector>

#include "core/pipeline/evaluation.h"

namespace overlap::ui {

/// What removedCollectives() has found, of each evaluation as long as somebody has it; a child of the document.
class RemovedCollectivesFound : public QObject {
    Q_OBJECT

  public:
    using QObject::QObject;

    /// The collectives that do not run in an evaluation, found at the first question.
    const std::vector<NodeId>& of(const std::shared_ptr<const Evaluation>& evaluation);
    /// Of how many evaluations they are kept.
    std::size_t known() const { return found_.size(); }

  private:
    std::map<std::weak_ptr<const Evaluation>, std::vector<NodeId>, std::owner_less<>> found_;
};

}  // namespace overlap::ui
