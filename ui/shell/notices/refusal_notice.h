#pragma once

#include <QObject>
#include <memory>
#include <string>
#include <vector>

#include "core/pipeline/evaluation.h"
#include "ui/frame/notices/notice_bar.h"

namespace overlap::ui {

class Document;
class EditEffect;
class RefusalRemedy;

/// An edit after which the plan is refused has a notice with what can be done: the problem's fix, where it has one,
/// else a single change that mends the plan, which is looked for in the background, and to take the edit back. Its
/// buttons can be clicked for as long as they do what they say, and it goes with what it is about.
class RefusalNotice : public QObject {
    Q_OBJECT

  public:
    /// All of them outlive this object.
    RefusalNotice(Document& document, const EditEffect& effect, NoticeBar& bar, QObject* parent = nullptr);

  signals:
    void noticed(const QString& sentence, const std::vector<overlap::ui::NoticeAction>& actions);

  private:
    void show(const QString& sentence);
    void dismissWhenOver();
    void offerRemedy();
    void updateButtons();
    bool isOfCurrent() const;
    /// Whether nothing was edited since, or what was has been taken back.
    bool canUndo() const;
    bool canFix() const;
    void undo();
    void fix();

    Document& document_;
    NoticeBar& bar_;
    QString shown_;                               ///< the sentence; empty where none is shown
    quint64 plan_ = 0;                            ///< key of the plan that it is about
    int edits_ = 0;                               ///< of that plan when it was shown
    std::weak_ptr<const Evaluation> evaluation_;  ///< that is refused
    std::string fix_;                             ///< that is offered; may be empty
    RefusalRemedy* remedy_;                       ///< where the problem has no fix
    QString remedy_label_;                        ///< of it, once it is offered
};

}  // namespace overlap::ui
