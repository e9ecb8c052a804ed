#pragma once

#include <QWidget>
#include <cstdint>
#include <optional>

#include "ui/job/open/open_job.h"

class QComboBox;

namespace overlap::ui {

class NumberField;

/// What can be tried with the open job: its schedule, the number of microbatches, a host or rank that is slow, and how
/// tokens are spread over experts. Each is a change that can be undone.
class JobControls : public QWidget {
    Q_OBJECT

  public:
    explicit JobControls(OpenJob& job, QWidget* parent = nullptr);

    /// Ranks of a host: of the topology's innermost level, else eight.
    std::int64_t hostSize() const;
    /// Chooses a schedule by its name; empty: the document's own.
    void chooseSchedule(const QString& name);

    QComboBox& schedule() { return *schedule_; }
    NumberField& microbatches() { return *microbatches_; }
    QComboBox& slow() { return *slow_; }
    NumberField& slowNumber() { return *slow_number_; }
    NumberField& slowPercent() { return *slow_percent_; }
    QComboBox& routing() { return *routing_; }

  signals:
    /// Why a number that was typed is not taken; one sentence without full stop.
    void refused(const QString& reason);

  private:
    enum class Slow { own, nobody, host, rank };  ///< own: whom the document says

    void fillSchedules();
    void fillSlow();
    Slow chosenSlow() const;
    void chooseSlow(Slow kind);
    bool documentHasSlow() const;
    void show();
    void changeSlow();
    void changeRouting();

    OpenJob& job_;
    QComboBox* schedule_;
    NumberField* microbatches_;
    QComboBox* slow_;
    NumberField *slow_number_, *slow_percent_;
    QComboBox* routing_;
    std::optional<std::int64_t> ranks_;  ///< of the job, as it was evaluated last
    bool showing_ = false;
};

}  // namespace overlap::ui
