#pragma once

#include <QWidget>

#include "ui/run/run_environment.h"
#include "ui/run/run_report.h"
#include "ui/run/run_settings.h"
#include "ui/run/runner.h"

class QAction;
class QLabel;
class QPlainTextEdit;
class QProgressBar;
class QTabWidget;
class QTextBrowser;

namespace overlap::ui {

class Document;
class ProgramQuestion;
class RunForm;
class RunNodesView;

/// Running the current plan: what is found to run it on, where and how, a dry check, the run, its progress, its end,
/// its output and its result. Never waits, and asks nothing.
class RunPanel : public QWidget {
    Q_OBJECT

  public:
    /// @param runner path of overlap-runner, which is asked what it finds as soon as the panel is seen.
    RunPanel(Document& document, const QString& runner, QWidget* parent = nullptr);

    RunForm& form() { return *form_; }
    Runner& runner() { return *runner_; }
    const RunEnvironment& environment() const { return environment_; }
    /// Enabled where they can be done; the tool tip says why not.
    QAction* dryAction() { return dry_; }
    QAction* runAction() { return run_; }
    QAction* cancelAction() { return cancel_; }
    QAction* calibrateAction() { return calibrate_; }

    /// What is found, or what was refused, or how far the run is.
    QString statusText() const;
    QString resultText() const;
    QString logText() const;
    /// Nodes of the last run on devices, with their differences.
    RunNodesView& nodes() { return *nodes_; }
    /// True while overlap-runner is asked, or runs.
    bool busy() const;

    QJsonObject state() const { return toJson(form_settings()); }
    void restore(const QJsonObject& state);

  signals:
    /// Settings have changed.
    void stateChanged();
    /// Sentences for the log and the status bar.
    void told(const QString& sentence);
    void failed(const QString& sentence);
    /// A run on devices has left a trace of each rank and its result.
    /// @param plan key of the variant that was run; it may be closed by now.
    void measured(quint64 plan, const QStringList& trace_files, const QString& result_file);
    void calibrateWanted();

  protected:
    void showEvent(QShowEvent* event) override;

  private:
    RunSettings form_settings() const;
    QWidget* makeBar();
    QAction* makeAction(const QString& text, const QString& help);
    void ask();
    void start(RunMode mode);
    void forgetRun();
    void showNothing();
    void showOutcome(const RunOutcome& outcome);
    void update();
    /// The page of nodes, where a run on devices has measured them.
    void offerNodes();
    /// Why the shown plan cannot be run now; empty where it can.
    QString documentRefusal() const;
    void showReport();

    Document& document_;
    RunEnvironment environment_;
    ProgramQuestion* question_ = nullptr;
    RunForm* form_;
    Runner* runner_;
    quint64 plan_ = 0;  ///< key of the variant that is run
    QAction *dry_, *run_, *cancel_, *calibrate_;
    QLabel* status_;
    QProgressBar* progress_;
    QTabWidget* pages_;
    QTextBrowser* report_;
    RunNodesView* nodes_;
    QPlainTextEdit* log_;
    QString ran_;   ///< the plan that was run last, and its graph
    QString last_;  ///< of the last run: its failure, or what it was
    std::optional<RunResult> result_;
    ShownStep shown_;                                      ///< of the plan that was run last
    std::shared_ptr<const MeasuredNodes> measured_nodes_;  ///< of the last run, where it was on devices
};

}  // namespace overlap::ui
