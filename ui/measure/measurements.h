#pragma once

#include <QJsonArray>
#include <QObject>
#include <deque>
#include <memory>
#include <vector>

#include "ui/measure/measurement.h"
#include "ui/tasks/call_queue.h"
#include "ui/tasks/latest_task.h"

namespace overlap::ui {

/// The measurements that are open beside the plans, and which of them is shown instead of the current plan. Opening
/// another graph keeps them, and they remember beside which graph they were opened. Reads in the background, one
/// request after the other.
class Measurements : public QObject {
    Q_OBJECT

  public:
    explicit Measurements(QObject* parent = nullptr);

    int count() const { return static_cast<int>(measurements_.size()); }
    const std::shared_ptr<const Measurement>& at(int index) const {
        return measurements_[static_cast<std::size_t>(index)];
    }
    /// Shown instead of the current plan; -1: the plan is shown.
    int currentIndex() const { return current_; }
    /// The graph that a measurement was opened beside, by the key of its source; empty while that is not known.
    const QString& graphOf(int index) const { return graphs_[static_cast<std::size_t>(index)]; }
    /// Those whose graph is not known were opened beside `graph`.
    void belongTo(const QString& graph);
    std::shared_ptr<const Measurement> current() const { return current_ < 0 ? nullptr : at(current_); }
    void setCurrentIndex(int index);
    /// The one opened last; null where there is none.
    std::shared_ptr<const Measurement> last() const { return count() > 0 ? at(count() - 1) : nullptr; }

    /// Reads traces and shows them; those that are open already are shown at once.
    /// @param show whether the new measurement becomes the current one.
    void open(const QStringList& files, bool show = true);
    /// Stops reading, and forgets what waits to be read.
    void cancel();
    void close(int index);
    bool busy() const { return task_.busy(); }

    /// Files of all measurements, `[[file]]`, for the session.
    QJsonArray state() const;
    /// Their graphs, `[key]` in the same order.
    QJsonArray graphs() const;
    /// Opens what state() gave, without showing it. failed() reports files that are gone.
    void restore(const QJsonArray& state, const QJsonArray& graphs = {});

  signals:
    /// Measurements were opened or closed.
    void changed();
    void currentChanged();
    void started(const QString& file);
    void progressed(double share);
    /// Reading has ended, in whatever way.
    void finished();
    /// @param is_shown whether it becomes the current one.
    void opened(std::shared_ptr<const overlap::ui::Measurement> measurement, bool is_shown);
    /// One sentence without full stop; nothing else has changed.
    void failed(const QString& reason);
    void cancelled(const QString& file);

  private:
    struct Request {
        QStringList files;
        bool show = true;
        QString graph{};
    };

    void request(Request request);
    void start(Request request);
    void startNext();
    void add(const std::vector<std::shared_ptr<Measurement>>& measurements);
    QString freeTitle(const Measurement& of) const;

    std::vector<std::shared_ptr<const Measurement>> measurements_;
    std::vector<QString> graphs_;  ///< of each, see graphOf()
    int current_ = -1;
    Request reading_;
    std::deque<Request> waiting_;
    CallQueue progress_;
    LatestTask task_;  // last: its thread uses the queue
};

}  // namespace overlap::ui
