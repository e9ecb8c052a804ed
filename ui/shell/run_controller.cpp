#include "ui/shell/run_controller.h"

#include "ui/document/document.h"
#include "ui/frame/actions.h"
#include "ui/measure/measurements.h"
#include "ui/run/run_panel.h"

namespace overlap::ui {

RunController::RunController(Document& document, Measurements& measurements, RunPanel& panel)
    : document_(document), measurements_(measurements), panel_(panel) {
    connect(&panel, &RunPanel::told, this, [this](const QString& sentence) { emit told(sentence); });
    connect(&panel, &RunPanel::failed, this, [this](const QString& sentence) { emit warned(sentence); });
    // The result of a run is a measurement like any other, of all ranks, opened from its files and overlaid on the plan
    // that ran.
    connect(&panel, &RunPanel::measured, this,
            [this](quint64 plan, const QStringList& trace_files, const QString& result_file) {
                if (const int index = document_.indexOf(plan); index >= 0) document_.setCurrentIndex(index);
                measurements_.open(trace_files);
                emit told(tr("The run's result stays in a file"), result_file);
            });
    connect(&panel, &RunPanel::calibrateWanted, this, &RunController::calibrateWanted);
}

void RunController::registerActions(Actions& actions) {
    const QString run = tr("Run");
    actions
        .add("run.show", run, tr("R&un…"), tr("Show where the plan can be run, and run it"), {QKeySequence(Qt::Key_F5)},
             [this] {
                 QWidget* dock = panel_.parentWidget();
                 dock->show();
                 dock->raise();
                 panel_.setFocus();
             })
        ->setIconText(tr("Run…"));
    for (const auto& [id, action] : {std::pair{"run.dry", panel_.dryAction()},
                                     {"run.start", panel_.runAction()},
                                     {"run.cancel", panel_.cancelAction()}})
        actions.adopt(QString::fromLatin1(id), run, action, action->statusTip());
}

}  // namespace overlap::ui
