#pragma once

#include <QObject>

namespace overlap::ui {

class FiguresBar;
class InspectorPanel;

/// Shows in the Inspector what the step is made of when its figure in the toolbar is clicked, until something is
/// selected or the plan has another step.
class StepConnection : public QObject {
    Q_OBJECT

  public:
    /// @param figures outlives it, as does the inspector.
    StepConnection(FiguresBar& figures, InspectorPanel& inspector, QObject* parent);

  private:
    void show();
    void close();

    FiguresBar& figures_;
    InspectorPanel& inspector_;
};

}  // namespace overlap::ui
