#pragma once

#include <QObject>
#include <QString>
#include <memory>

#include "core/pipeline/evaluation.h"

namespace overlap::ui {

class Document;

/// Keeps a collective selected while results come and go: names of merged collectives differ between plans, and one
/// name may stand for another collective. When another result is shown, what stands there for the same collectives of
/// the graph becomes the selection; where nothing does, it stays as it is.
class KeptSelection : public QObject {
    Q_OBJECT

  public:
    /// @param document owns the object, and tells it before views of a new evaluation.
    explicit KeptSelection(Document& document);

  private:
    void remember();
    void follow();

    Document& document_;
    std::shared_ptr<const Evaluation> of_;     ///< the result of which a node was selected; null for other selections
    QString node_;                             ///< its name there
    std::shared_ptr<const Evaluation> shown_;  ///< that for which the selection stands for it now
    bool following_ = false;
};

/// The node of another result that stands for a collective, or for the wait for one.
/// @param node of `from`'s result. @returns no_node where there is none, and for other nodes.
NodeId collective_counterpart(const Evaluation& from, const Evaluation& to, NodeId node);

}  // namespace overlap::ui
