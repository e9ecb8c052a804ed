#pragma once

#include <QObject>
#include <memory>
#include <vector>

#include "ui/document/stack_move.h"

namespace overlap {
struct Evaluation;
}

namespace overlap::ui {

class Document;
class EditHistory;

/// Shows the effect of an edit, by its name: step, exposed time and peak after it compared with those before it. Edits
/// that follow one another faster than they are evaluated are told together, and of a drag its whole effect so far.
class EditEffect : public QObject {
    Q_OBJECT

  public:
    EditEffect(Document& document, EditHistory& history, QObject* parent = nullptr);

  signals:
    void told(const QString& sentence);
    /// The plan is refused after an edit, which is not one that was taken back; told() says so, too.
    void refused(const QString& sentence);

  private:
    void remember(const StackMove& move);
    void replaceLast(const QString& what);
    /// Keeps the evaluation if it is of the plan as it is.
    void keep();
    void start();
    void tell();

    Document& document_;
    std::shared_ptr<const Evaluation> kept_;    ///< of the current plan when it was evaluated last; null for none
    std::shared_ptr<const Evaluation> before_;  ///< of the plan before `edits_`; null where it is not known
    std::vector<StackMove> edits_;              ///< of which the effect has not been told, or was told last
    bool waiting_ = false;                      ///< the effect has not been told
    bool undone_ = false;                       ///< the last of `edits_` takes one back, so that none can grow
};

}  // namespace overlap::ui
