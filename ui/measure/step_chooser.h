#pragma once

#include <QWidget>
#include <memory>

#include "core/measure/measured_step.h"
#include "ui/widgets/elided_box.h"

namespace overlap::ui {

struct Measurement;

/// Which rank, GPU and step of a measurement: a box for each of the three of which there are several. At first the
/// first rank, its first GPU and the last step that counts.
class StepChooser : public QWidget {
    Q_OBJECT

  public:
    explicit StepChooser(QWidget* parent = nullptr);

    /// Null for nothing to choose. What was chosen stays where the measurement stays.
    void setMeasurement(std::shared_ptr<const Measurement> measurement);

    std::size_t rank() const;
    StepSelection step() const;
    /// What is chosen where there is a choice, such as `Rank 1, ProfilerStep#3`.
    QString description() const;

    ElidedBox* ranks() { return ranks_; }
    ElidedBox* devices() { return devices_; }
    ElidedBox* steps() { return steps_; }

  signals:
    /// The user chose something else.
    void changed();

  private:
    void fillRanks();
    void fillDevices();
    void fillSteps();

    std::shared_ptr<const Measurement> measurement_;
    ElidedBox* ranks_;
    ElidedBox* devices_;
    ElidedBox* steps_;
};

}  // namespace overlap::ui
