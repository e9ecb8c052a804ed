#include "ui/shell/files/job_controller.h"

#include <QFileDialog>
#include <QFileInfo>

#include "ui/actions/timeline_export.h"
#include "ui/document/document.h"
#include "ui/frame/actions.h"
#include "ui/job/job_view.h"
#include "ui/job/open/job_source.h"
#include "ui/job/open/open_job.h"
#include "ui/job/stage_connection.h"
#include "ui/job/step/job_step_view.h"
#include "ui/session/recent_files.h"
#include "ui/shell/workspace/workspace.h"
#include "ui/timeline/timeline_view.h"
#include "ui/widgets/availability.h"

namespace overlap::ui {
namespace {

const QString compressed = QStringLiteral(".gz");

}  // namespace

JobController::JobController(Document& document, Workspace& workspace, RecentFiles& recent, QWidget& window)
    : document_(document),
      workspace_(workspace),
      job_(workspace.job()),
      recent_(recent),
      window_(window),
      export_(new TimelineExport(workspace.jobView().step().timeline(), this)) {
    JobView& view = workspace.jobView();
    connect(&view.step().timeline(), &TimelineView::exportWanted, this,
            [this](bool visibleOnly) { export_->ask(job_.name(), visibleOnly); });
    connect(export_, &TimelineExport::written, this,
            [this](const QString& path) { emit told(tr("Saved %1").arg(QFileInfo(path).fileName()), path); });
    connect(export_, &TimelineExport::failed, this, [this](const QString& reason) { emit warned(reason); });
    connect(&job_, &OpenJob::opened, this, &JobController::jobOpened);
    connect(&job_, &OpenJob::failed, this, [this](const QString& reason) { emit warned(reason); });
    connect(&job_, &OpenJob::filesChanged, this, &JobController::tellOfFiles);
    connect(&job_, &OpenJob::documentChanged, this, &JobController::tellOfDocument);
    connect(&job_, &OpenJob::filesSettled, this, &JobController::withdrawFiles);
    connect(&job_, &OpenJob::documentSettled, this, &JobController::withdrawDocument);
    connect(&job_, &OpenJob::filesRead, this, &JobController::withdrawFiles);
    connect(&job_, &OpenJob::opened, this, &JobController::withdrawFiles);
    connect(&job_, &OpenJob::opened, this, &JobController::withdrawDocument);
    connect(&job_, &OpenJob::saved, this, &JobController::withdrawDocument);
    // A stage may have been opened from a file that changed.
    connect(&document, &Document::graphChanged, this, &JobController::lookAtFiles);
    connect(&view, &JobView::openWanted, this, &JobController::askAndOpen);
    connect(&view, &JobView::sampleWanted, this, [this] { open(sampleJob()); });
}

void JobController::registerOpening(Actions& actions) {
    const QString file = tr("File");
    actions.add("file.openJob", file, tr("Open &job…"),
                tr("Open a training job: stages, microbatches and ranks, from an overlap-job document"), {},
                [this] { askAndOpen(); });
    actions.add("file.jobSample", file, tr("Open samp&le job"),
                tr("Open an embedded job: a llama3-8B in eight stages on 512 ranks"), {},
                [this] { open(sampleJob()); });
    actions.add(
        "file.openMeasured", file, tr("Open measure&d traces…"),
        tr("Open a profiler's traces, one file a rank: over the step of the open job, else beside the plans of the "
           "open graph"),
        {}, [this] { askForMeasured(); });
    actions.add("file.closeMeasured", file, tr("Close meas&ured traces"),
                tr("Take the measured traces away that lie over the job's step"), {}, [this] { job_.closeMeasured(); });
    actions.addViewKey(tr("Job"), tr("J"),
                       tr("From a bubble or an action to what it waited for; at first to the longest"));
    actions.addViewKey(tr("Job"), tr("O"), tr("Open the selected action's stage"));
}

void JobController::registerViews(Actions& actions) {
    const auto add = [&](const char* id, const QString& name, const QString& help, JobView::Page page) {
        actions.add(QString::fromLatin1(id), tr("View"), name, help, {}, [this, page] {
            workspace_.showMiddle(QStringLiteral("job"));
            workspace_.jobView().showPage(page);
        });
    };
    add("view.jobControls", tr("Go to schedule, microbatches and slow host of the job"),
        tr("Try another schedule, other microbatches, a slow host or rank, or other tokens of experts"),
        JobView::controls_page);
    add("view.jobWaiting", tr("Go to waiting of the job's ranks"), tr("When which ranks of the job stand still"),
        JobView::waiting_page);
    add("view.jobSchedules", tr("Go to the job with each schedule"),
        tr("The job with each of PyTorch's schedules, side by side"), JobView::schedules_page);
    add("view.jobWhatIf", tr("Go to what if of the job"), tr("The job's step without each thing that makes it longer"),
        JobView::what_if_page);
}

void JobController::registerSaving(Actions& actions) {
    actions_ = &actions;
    actions.add("file.saveJobAs", tr("File"), tr("Save jo&b as…"),
                tr("Save the job as it is now and its stages' plans in other files, and go on in these"), {},
                [this] { askAndSave(); });
    connect(actions.find(QStringLiteral("file.cancel")), &QAction::triggered, &job_, &OpenJob::cancel);
    connect(&job_, &OpenJob::opened, this, &JobController::updateActions);
    connect(&job_, &OpenJob::changed, this, &JobController::updateActions);
    connect(&document_, &Document::graphChanged, this, &JobController::updateActions);
    updateActions();
}

void JobController::updateActions() {
    const QString refusal = job_.isOpen() ? QString() : tr("No job is open");
    setAvailable(*actions_->find(QStringLiteral("file.saveJobAs")), refusal);
    setAvailable(*actions_->find(QStringLiteral("file.openMeasured")),
                 job_.isOpen() || document_.isOpen()
                     ? QString()
                     : tr("Measured traces are compared with a step: open a graph or a job first"));
    setAvailable(*actions_->find(QStringLiteral("file.closeMeasured")),
                 job_.measured().job ? QString() : tr("No measured traces lie over the job"));
    const QString of_stages =
        job_.isOpen() && !job_.hasStages() ? tr("The job is of programs, without a schedule") : refusal;
    for (const char* id : {"view.jobControls", "view.jobSchedules", "view.jobWhatIf"})
        if (QAction* action = actions_->find(QString::fromLatin1(id))) setAvailable(*action, of_stages);
    if (QAction* waiting = actions_->find(QStringLiteral("view.jobWaiting"))) setAvailable(*waiting, refusal);
}

void JobController::open(const QString& path) {
    asked_ = true;
    job_.open(path);
}

void JobController::lookAtFiles() {
    job_.lookAtFiles();
}

void JobController::tellOfFiles(const QStringList& files) {
    withdrawFiles();
    files_told_ =
        files.size() == 1
            ? tr("%1 was changed on disk since the job read it: the job's step is that of before").arg(files.front())
            : tr("%1 files of the job's stages were changed on disk since the job read them: the job's step is "
                 "that of before")
                  .arg(files.size());
    const auto read = [this, files] {
        job_.readFilesAgain();
        if (document_.isOpen() && files.contains(document_.loaded().path))
            document_.openGraph(document_.loaded().source);
    };
    emit warnedAlso(files_told_, files.size() == 1 ? QStringList() : files,
                    {{tr("Read again"), read, tr("Evaluate the job with what its stages' files have now")}});
}

void JobController::withdrawFiles() {
    if (!files_told_.isEmpty()) emit withdrawn(std::exchange(files_told_, {}));
}

void JobController::tellOfDocument(const QString& file) {
    withdrawDocument();
    document_told_ = tr("%1 was changed on disk since the job was read from it").arg(file);
    const auto read = [this] {
        // What was changed after the button was shown is not lost without a word.
        if (job_.modified())
            tellOfDocument(job_.file());
        else
            job_.openAgain();
    };
    const NoticeAction again =
        job_.modified() ? NoticeAction{tr("Read again, without my changes"), [this] { job_.openAgain(); },
                                       tr("Open the job as its file has it now; what was changed here is lost")}
                        : NoticeAction{tr("Read again"), read, tr("Open the job as its file has it now")};
    emit warnedAlso(document_told_, {}, {again});
}

void JobController::withdrawDocument() {
    if (!document_told_.isEmpty()) emit withdrawn(std::exchange(document_told_, {}));
}

void JobController::jobOpened() {
    const bool asked = std::exchange(asked_, false);
    if (!isEmbeddedFile(job_.file())) recent_.add({job_.file()});
    if (asked) {
        workspace_.showMiddle(QStringLiteral("job"));
        workspace_.jobView().step().setFocus();
        emit told(
            (job_.modified() ? tr("Opened %1 with the changes that are in no file") : tr("Opened %1")).arg(job_.name()),
            job_.file());
    }
    // The views of a graph have something to show as well. What a session brings back opens no graph of its own.
    if (!asked || document_.isOpen() || document_.loading()) return;
    for (int stage = 0; stage < job_.stageCount(); ++stage)
        if (!job_.graphOf(stage).isEmpty()) return workspace_.stages().openStage(stage);
}

void JobController::askAndOpen() {
    const QString folder =
        job_.isOpen() && !isEmbeddedFile(job_.file()) ? QFileInfo(job_.file()).absolutePath() : QString();
    const QStringList files =
        QFileDialog::getOpenFileNames(&window_, tr("Open job"), folder, tr("Jobs (*.json *.json.gz);;All files (*)"));
    if (!files.isEmpty()) emit openWanted(files);
}

void JobController::askForMeasured() {
    const QStringList files = QFileDialog::getOpenFileNames(&window_, tr("Open measured traces, one a rank"), QString(),
                                                            tr("Traces (*.json *.json.gz);;All files (*)"));
    if (!files.isEmpty()) openMeasured(files);
}

void JobController::openMeasured(const QStringList& files) {
    if (!job_.isOpen() && document_.isOpen()) return emit openWanted(files);  // beside the plans of the graph
    if (!job_.isOpen()) return emit warned(tr("No job is open that measured traces could lie over"));
    workspace_.showMiddle(QStringLiteral("job"));
    job_.openMeasured(files);
}

void JobController::askAndSave() {
    if (!job_.isOpen()) return;
    QString suggested = isEmbeddedFile(job_.file()) ? QFileInfo(job_.file()).fileName() : job_.file();
    if (suggested.endsWith(compressed)) suggested.chop(compressed.size());
    // The suffix is the dialog's, which asks before a file is replaced.
    auto* dialog = new QFileDialog(&window_, tr("Save job"), QString(), tr("Jobs (*.job.json);;All files (*)"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(QStringLiteral("job.json"));
    dialog->selectFile(suggested);
    connect(dialog, &QFileDialog::fileSelected, this, &JobController::saveAs);
    dialog->open();
}

bool JobController::saveAs(const QString& file) {
    if (file.endsWith(compressed)) {
        emit warned(
            tr("%1: a job is written as it is, not compressed; choose a name without %2").arg(file, compressed));
        return false;
    }
    if (const QString problem = job_.save(file); !problem.isEmpty()) {
        emit warned(problem);
        return false;
    }
    recent_.add({file});
    emit told(tr("Saved %1").arg(QFileInfo(file).fileName()), file);
    // Who reads it has another step than is shown.
    job_.lookAtFiles(true);
    return true;
}

}  // namespace overlap::ui
