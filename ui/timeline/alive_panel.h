#pragma once

#include <QString>
#include <vector>

#include "ui/widgets/list_panel.h"

namespace overlap::ui {

/// One tensor's memory in a list of what is alive.
struct AliveTensor {
    quint32 reference = 0xffffffffu;  ///< of what allocates it, as in the timeline
    QString name;
    QString module;  ///< dotted path; empty where it has none
    qint64 bytes = 0;
    QString until;  ///< who uses it last; empty for what stays
};

/// What is alive at one moment.
struct AliveTensors {
    qint64 bytes = 0;  ///< of all of it
    qint64 count = 0;
    QString rule;                      ///< whose estimate that is
    std::vector<AliveTensor> largest;  ///< the largest first
};

/// A list of what is alive at a moment, beside the memory curve. Enter or a double click chooses a tensor.
class AlivePanel : public ListPanel {
    Q_OBJECT

  public:
    explicit AlivePanel(QWidget* parent = nullptr);

    /// @param moment the time as text.
    void showTensors(const AliveTensors& tensors, const QString& moment);
    QString text() const override;

  signals:
    void chosen(quint32 reference);

  private:
    AliveTensors tensors_;
};

}  // namespace overlap::ui
