// Running the plan that is shown.

#include <QDockWidget>

#include "ui/frame/notice_bar.h"
#include "ui/measure/measurements.h"
#include "ui/run/run_panel.h"
#include "ui/shell/main_window.h"

namespace overlap::ui {

void MainWindow::connectRun() {
    connect(run_, &RunPanel::told, this, [this](const QString& sentence) { tell(sentence); });
    connect(run_, &RunPanel::failed, this, [this](const QString& sentence) { warn(sentence); });
    connect(run_, &RunPanel::stateChanged, this, [this] { scheduleSession(); });
    // What a run has measured is a measurement as any other: opened from its file. It lies over the plan that was run.
    connect(run_, &RunPanel::measured, this,
            [this](quint64 plan, const QString& trace_file, const QString& result_file) {
                if (const int index = document_.indexOf(plan); index >= 0) document_.setCurrentIndex(index);
                measurements_->open({trace_file});
                tell(tr("The run's result stays in a file"), result_file);
            });
    connect(run_, &RunPanel::calibrateWanted, this,
            [this] { actions_->find(QStringLiteral("plan.calibrate"))->trigger(); });
}

void MainWindow::registerRunActions() {
    const QString run = tr("Run");
    actions_
        ->add("run.show", run, tr("R&un…"), tr("Show where the plan can be run, and run it"),
              {QKeySequence(Qt::Key_F5)},
              [this] {
                  run_dock_->show();
                  run_dock_->raise();
                  run_->setFocus();
              })
        ->setIconText(tr("Run…"));
    for (const auto& [id, action] : {std::pair{"run.dry", run_->dryAction()},
                                     {"run.start", run_->runAction()},
                                     {"run.cancel", run_->cancelAction()}})
        actions_->adopt(QString::fromLatin1(id), run, action, action->whatsThis());
}

}  // namespace overlap::ui
