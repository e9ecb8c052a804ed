#pragma once

#include <QObject>
#include <QTimer>
#include <memory>

#include "ui/tasks/latest_task.h"

namespace overlap::ui {

class Document;
class Measurements;
struct Measurement;

/// Whether the measurement that is shown, else the one opened last, is of the job that the current plan is for: found
/// in the background whenever either changes.
class MeasuredJob : public QObject {
    Q_OBJECT

  public:
    /// What is said of a measurement; both are sentences without full stop, empty where there is no reason.
    struct Verdict {
        std::shared_ptr<const Measurement> measurement;
        QString another;  ///< why it is of another job or another plan
        QString doubt;    ///< why it may be one all the same
    };

    MeasuredJob(Document& document, Measurements& measurements, QObject* parent = nullptr);

    const Verdict& verdict() const { return verdict_; }
    bool busy() const { return waiting_.isActive() || task_.busy(); }

  signals:
    void changed();

  private:
    void look();
    void set(Verdict verdict);

    Document& document_;
    Measurements& measurements_;
    Verdict verdict_;
    QTimer waiting_;
    LatestTask task_;
};

}  // namespace overlap::ui
