#pragma once

#include <QString>
#include <QTimer>
#include <memory>

#include "core/pipeline/evaluation.h"
#include "ui/tasks/latest_task.h"

namespace overlap::ui {

class Document;

/// What the current plan gains by its passes for process groups, as a sentence: found by evaluating the plan once more
/// without them, in the background and once no edit follows another.
class GroupEffect : public QObject {
    Q_OBJECT

  public:
    explicit GroupEffect(Document& document, QObject* parent);

    /// Without full stop; empty where the plan has none of these passes, or its figures are not there yet.
    QString text() const { return text_; }
    bool busy() const { return delay_.isActive() || task_.busy(); }

  signals:
    void changed();

  private:
    void update();
    void evaluateWithout();
    void show(const QString& text);

    Document& document_;
    std::shared_ptr<const Evaluation> with_;  ///< that the sentence is about
    QString text_;
    QTimer delay_;
    LatestTask task_;
};

}  // namespace overlap::ui
