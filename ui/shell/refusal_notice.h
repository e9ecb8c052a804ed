#pragma once

#include <QObject>
#include <string>
#include <vector>

#include "ui/frame/notice_bar.h"

namespace overlap::ui {

class Document;
class EditEffect;

/// An edit after which the plan is refused has a notice with what can be done: the problem's fix, where it has one, and
/// to take the edit back. The notice goes with what it is about.
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
    void fix(quint64 plan, const std::string& offered);

    Document& document_;
    NoticeBar& bar_;
    QString shown_;     ///< the sentence; empty where none is shown
    quint64 plan_ = 0;  ///< key of the plan that it is about
};

}  // namespace overlap::ui
