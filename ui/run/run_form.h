#pragma once

#include <QWidget>

#include "ui/run/run_environment.h"
#include "ui/run/run_settings.h"

class QCheckBox;
class QComboBox;
class QLineEdit;
class QSpinBox;

namespace overlap::ui {

/// Where and how to run, as fields.
class RunForm : public QWidget {
    Q_OBJECT

  public:
    explicit RunForm(QWidget* parent = nullptr);

    RunSettings settings() const;
    void setSettings(const RunSettings& settings);
    /// Offers what there is.
    void setEnvironment(const RunEnvironment& environment);

    QComboBox& where() { return *where_; }
    QSpinBox& ranks() { return *ranks_; }
    QLineEdit& hosts() { return *hosts_; }

  signals:
    /// The user, or setSettings(), has changed something.
    void changed();

  private:
    void update();

    QComboBox* where_;
    QSpinBox *ranks_, *warm_up_, *iterations_, *recorded_steps_;
    QLineEdit *hosts_, *folder_;
    QCheckBox *cuda_graph_, *as_compiled_;
};

}  // namespace overlap::ui
