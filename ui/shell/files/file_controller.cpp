#include "ui/shell/files/file_controller.h"

#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QScopedValueRollback>
#include <optional>
#include <utility>

#include "core/imports/import_source.h"
#include "ui/document/document.h"
#include "ui/document/graph_reading.h"
#include "ui/files/file_digest.h"
#include "ui/files/file_looks.h"
#include "ui/frame/actions.h"
#include "ui/measure/measurements.h"
#include "ui/mesh/mesh_connection.h"
#include "ui/panels/graph_chooser.h"
#include "ui/session/graph_file_watch.h"
#include "ui/session/graph_finder.h"
#include "ui/session/recent_files.h"
#include "ui/session/session_state.h"
#include "ui/tasks/task_failure.h"
#include "ui/theme/counted_text.h"
#include "ui/theme/numbers.h"
#include "ui/widgets/availability.h"

namespace overlap::ui {
namespace {

bool isEmbedded(const QString& path) {
    return path.startsWith(u":/");
}

/// Whether an import lacks something that can be told, or was told what its file lacks.
bool leavesOut(const LoadedGraph& graph) {
    GraphSource untold(graph.source.file);
    untold.number = graph.source.number;
    return !graph.gaps.empty() || graph.source != untold;
}

}  // namespace

FileController::FileController(const Parts& parts)
    : document_(parts.document),
      measurements_(parts.measurements),
      mesh_(parts.mesh),
      state_(parts.state),
      recent_(parts.recent),
      looks_(parts.looks),
      window_(parts.window),
      watch_(new GraphFileWatch(parts.document, this)) {
    connect(watch_, &GraphFileWatch::changed, this, &FileController::tellOfChange);
    connect(watch_, &GraphFileWatch::settled, this, [this] { emit withdrawn(std::exchange(change_told_, {})); });
    const GraphLoader& loader = document_.loader();
    connect(&loader, &GraphLoader::failed, this, [this](const QString& path, const QString& reason) {
        pending_.clear();
        const auto read_again = [this, path, logs = logs_.value(0) == path ? logs_ : QStringList()] {
            logs.size() > 1 ? document_.loader().list(logs) : document_.openGraph(path);
        };
        emit warned(reason, {{tr("Read again"), read_again, tr("Read the file as it is now")}});
    });
    connect(&loader, &GraphLoader::listed, this, &FileController::chooseGraph);
    connect(&loader, &GraphLoader::cancelled, this, [this](const QString& path) {
        pending_.clear();
        emit told(tr("Reading %1 was cancelled").arg(QFileInfo(path).fileName()), path);
    });
    connect(this, &NoticeSource::warned, this, [this](const QString& sentence) { warnings_.append(sentence); });
    connect(&loader, &GraphLoader::started, this, [this] {
        if (!is_opening_) earlier_warnings_ = warnings_.size();
    });
    connect(&recent_, &RecentFiles::openWanted, this, [this](const QString& file) { open({file}); });
}

void FileController::lookAtGraph() {
    watch_->look();
}

void FileController::tellOfChange(const QString& file) {
    if (!change_told_.isEmpty()) emit withdrawn(change_told_);
    change_told_ = tr("%1 was changed on disk since it was read; the graph is shown as it was").arg(file);
    const auto read_again = [this] { document_.openGraph(document_.loaded().source); };
    emit warnedAlso(change_told_, {},
                    {{tr("Read again"), read_again, tr("Read the graph as it is now; plans that fit it stay open")}});
}

void FileController::registerActions(Actions& actions) {
    const QString file = tr("File");
    actions
        .add("file.open", file, tr("&Open…"), tr("Open a graph, plans for it, a job, or traces of one"),
             {QKeySequence::Open}, [this] { askForFiles(); })
        ->setIconText(tr("Open"));
    tell_ = actions.add("file.tell", file, tr("&What the file leaves out…"),
                        tr("Ranks of process groups, rank and world size, symbols and tensors that the text or log of "
                           "the open graph does not have"),
                        {}, [this] { tellWhatIsMissing(); });
    allowTelling();
    whenReadingChanges(document_, this, [this] { allowTelling(); });
    actions.add("file.sample", file, tr("Open sam&ple"), tr("Open the embedded graph of a llama3-8B training step"), {},
                [this] { document_.openGraph(sampleGraph()); });
    actions.add("file.memorySample", file, tr("Open sample for &memory"),
                tr("Open an embedded llama3-8B step as it is before the trainer's memory passes, for plans of what is "
                   "kept, computed again and offloaded"),
                {}, [this] { document_.openGraph(memorySampleGraph()); });
    actions.add(
        "file.expertsSample", file, tr("Open sample for &experts"),
        tr("Open an embedded DeepSeek V3 16B step whose experts are spread over 32 GPUs, traced so that one half "
           "of the batch can hide the all-to-alls of the other"),
        {}, [this] { document_.openGraph(expertsSampleGraph()); });
}

void FileController::allowTelling() {
    if (!tell_) return;
    setAvailable(*tell_, !document_.isOpen()             ? noGraphOpen(document_)
                         : leavesOut(document_.loaded()) ? QString()
                                                         : tr("The graph's file leaves nothing out"));
}

void FileController::tellWhatIsMissing() {
    if (document_.isOpen() && leavesOut(document_.loaded())) document_.loader().list({document_.loaded().source.file});
}

void FileController::registerCancel(Actions& actions) {
    actions.add("file.cancel", tr("File"), tr("&Cancel reading"), tr("Stop reading; what is open stays"), {}, [this] {
        document_.loader().cancel();
        measurements_.cancel();
    });
}

void FileController::open(const QStringList& files, bool over_job) {
    if (document_.isOpen()) emit opening();  // messages of the start are not read before there is a graph
    earlier_warnings_ = warnings_.size();
    const QScopedValueRollback opening_now(is_opening_, true);
    const Sorted sorted = sort(files);
    if (!over_job)
        measurements_.open(sorted.traces);
    else if (!sorted.traces.isEmpty())
        emit jobTracesFound(sorted.traces);
    logs_ = sorted.logs;
    if (sorted.logs.size() > 1) {
        document_.loader().list(sorted.logs);
    } else if (!sorted.graph.isEmpty()) {
        document_.openGraph(sorted.graph);
    } else if (document_.isOpen() && !document_.loader().busy()) {
        openPlans();
    } else if (!document_.loader().busy() && !pending_.empty()) {
        openGraphOfPlans();
    }
}

FileController::Sorted FileController::sort(const QStringList& files) {
    Sorted sorted;
    for (const QString& file : files) {
        const QString path = isEmbedded(file) ? file : QFileInfo(file).absoluteFilePath();
        const std::optional<Kind> kind = looks_.read(path, [path] { return kindOf(path); });
        if (kind) {
            sortIn(path, *kind, sorted);
        } else {
            emit warned(FileLooks::silence(path));
        }
    }
    return sorted;
}

FileController::Kind FileController::kindOf(const QString& path) {
    Kind kind;
    kind.kind = fileKind(path, &kind.reason);
    kind.is_log = kind.kind == FileKind::graph && is_importable_file(QFile::encodeName(path).toStdString());
    return kind;
}

void FileController::sortIn(const QString& path, const Kind& kind, Sorted& sorted) {
    switch (kind.kind) {
        case FileKind::graph:
            if (kind.is_log) sorted.logs.append(path);
            if (!sorted.graph.isEmpty() && sorted.logs.size() < 2)
                emit told(tr("One graph is open at a time: %1 stands for %2").arg(path, sorted.graph));
            sorted.graph = path;
            break;
        case FileKind::plan:
            pending_.add(path);
            break;
        case FileKind::trace:
            sorted.traces.append(path);
            break;
        case FileKind::job:
            emit jobFound(path);
            break;
        case FileKind::placements:
            mesh_.openPlacements(path);
            break;
        case FileKind::unknown:
            emit warned(kind.reason);
            break;
    }
}

/// Asks which graph of logs or texts is meant.
void FileController::chooseGraph(const GraphChoice& choice) {
    if (choice.listing.graphs.empty()) {
        emit warned(choice.listing.notes.empty() ? tr("there is no graph in it")
                                                 : QString::fromStdString(choice.listing.notes.front()));
        return;
    }
    auto* dialog = new GraphChooser(choice, &window_);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    if (document_.isOpen()) dialog->startFrom(document_.loaded());
    connect(dialog, &GraphChooser::chosen, this, [this](const GraphSource& source) { document_.openGraph(source); });
    // The settings given with the graph may not fit it: the dialog stays until the graph is open.
    connect(&document_.loader(), &GraphLoader::loaded, dialog, [dialog] { dialog->done(QDialog::Accepted); });
    connect(&document_.loader(), &GraphLoader::failed, dialog,
            [dialog](const QString&, const QString& reason) { dialog->showProblem(reason); });
    dialog->open();
}

void FileController::takeBackEarlierWarnings() {
    const QStringList earlier = warnings_.first(std::exchange(earlier_warnings_, 0));
    warnings_ = warnings_.sliced(earlier.size());
    for (const QString& sentence : earlier)
        if (!warnings_.contains(sentence)) emit outlived(sentence);  // they are taken away by their text
}

void FileController::graphOpened() {
    allowTelling();
    takeBackEarlierWarnings();
    const LoadedGraph& loaded = document_.loaded();
    isEmbedded(loaded.source.file) ? recent_.refresh() : recent_.add({loaded.source.file});
    emit told(tr("Read %1: %2 in %3")
                  .arg(document_.name(), countedText(loaded.graph->node_count(), tr("%1 node"), tr("%1 nodes")),
                       formatTime(loaded.read_ms)));
    // After all objects have been notified of the graph: opening a plan is a separate event.
    QMetaObject::invokeMethod(
        this,
        [this] {
            // A trace that was opened together with the graph and was read before it stays in view.
            const int measured = measurements_.currentIndex();
            openPlans();
            if (measured >= 0) measurements_.setCurrentIndex(measured);
        },
        Qt::QueuedConnection);
}

void FileController::openPlans() {
    for (const QString& path : pending_.take()) {
        try {
            if (openPlan(path)) takeBackEarlierWarnings();
        } catch (const std::exception& error) {
            emit warned(reasonOf(error));
        }
    }
}

/// @returns whether it is open now.
bool FileController::openPlan(const QString& path) {
    std::optional<ReadPlan> read = looks_.read(path, [path] { return readPlan(path); });
    if (!read) {
        emit warned(FileLooks::silence(path));
        return false;
    }
    if (!showOpenPlan(*read)) document_.openPlan(std::move(*read));
    // The empty plan that a graph opens with is no longer needed.
    if (document_.variant(1).plan().buckets.empty() && document_.variant(1).filePath().isEmpty() &&
        !document_.variant(1).modified() && document_.variantCount() == 3)
        document_.closeVariant(1);
    recent_.add({path});
    emit told(tr("Opened %1").arg(QFileInfo(path).fileName()), path);
    return true;
}

/// Shows the plan where it is open already, as its file has it. @returns whether it is.
bool FileController::showOpenPlan(const ReadPlan& read) {
    bool edited = false;
    for (int i = 1; i < document_.variantCount(); ++i) {
        const Variant& variant = document_.variant(i);
        if (variant.filePath() != read.path) continue;
        if (variant.modified()) {
            edited = true;
            continue;
        }
        if (variant.fileDigest() != read.digest) document_.reloadPlan(i, read);
        document_.setCurrentIndex(i);
        return true;
    }
    if (edited)
        emit warned(tr("%1 is open with unsaved edits; what the file has is in a tab of its own").arg(read.path));
    return false;
}

void FileController::askForFiles() {
    const bool is_elsewhere = isEmbedded(state_.open) || !looks_.answers(state_.open);
    const QString folder = is_elsewhere ? QString() : QFileInfo(state_.open).absolutePath();
    const QStringList files = QFileDialog::getOpenFileNames(
        &window_, tr("Open"), folder,
        tr("Graphs, logs, plans, jobs and traces (*.json *.json.gz *.log *.log.gz *.py *.txt);;All files (*)"));
    if (!files.isEmpty()) open(files);
}

void FileController::openSessionOrSample() {
    // What is said here is not of an earlier opening, and stays when this one succeeds.
    if (!is_opening_) earlier_warnings_ = warnings_.size();
    const QScopedValueRollback opening_now(is_opening_, true);
    const QString& last = state_.open;
    if (!last.isEmpty() && isThere(last, looks_)) return document_.openGraph(state_.source(last));
    if (!last.isEmpty())
        emit warned(looks_.answers(last)
                        ? tr("%1 is gone; its plans are kept and come back with it").arg(last)
                        : tr("%1; its plans are kept and come back with it").arg(FileLooks::silence(last)));
    document_.openGraph(sampleGraph());
}

void FileController::openGraphOfPlans() {
    try {
        const QString path = pending_.first();
        const std::optional<ReadPlan> read = looks_.read(path, [path] { return readPlan(path); });
        if (!read) {
            pending_.clear();
            return emit warned(FileLooks::silence(path));
        }
        const Plan& plan = read->plan;
        if (!plan.graph) return openSessionOrSample();
        if (const QString graph = findGraph(*plan.graph, path, state_, looks_); !graph.isEmpty())
            return document_.openGraph(state_.source(graph));
        emit warned(tr("%1 is for the graph %2 of %3 (digest %4); open that graph, and the plan opens with it")
                        .arg(path, QString::fromStdString(plan.graph->name),
                             countedText(plan.graph->nodes, tr("%1 node"), tr("%1 nodes")),
                             QString::fromStdString(plan.graph->digest)));
    } catch (const std::exception& error) {
        pending_.clear();
        emit warned(reasonOf(error));
    }
}

}  // namespace overlap::ui
