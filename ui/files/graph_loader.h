#pragma once

#include <QObject>
#include <QString>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/graph/module_tree.h"
#include "core/imports/any_graph_file.h"
#include "core/imports/import_source.h"
#include "core/io/graph_file.h"
#include "core/passes/bucketing/eligibility.h"
#include "core/pipeline/evaluation.h"
#include "core/plan/plan.h"
#include "core/plan/presets.h"
#include "core/views/bucket_figures.h"
#include "core/views/module_figures.h"
#include "ui/files/file_digest.h"
#include "ui/files/graph_source.h"
#include "ui/tasks/call_queue.h"
#include "ui/tasks/latest_task.h"

namespace overlap::ui {

/// A graph as the application holds it: read, with its module tree and its figures before any pass. Immutable.
struct LoadedGraph {
    QString path;  ///< key of its source
    GraphSource source;
    std::vector<ImportNote> notes;  ///< what an import could not take over
    ImportGaps gaps;                ///< what can be told of it yet
    std::shared_ptr<const Graph> graph;
    std::shared_ptr<const ModuleTree> modules;
    std::shared_ptr<const BucketingEligibility> eligibility;              ///< which collectives can be bucketed
    std::shared_ptr<const std::vector<BucketableCollective>> bucketable;  ///< these collectives
    std::shared_ptr<const Evaluation> baseline;
    std::shared_ptr<const ModuleFiguresTable> module_figures;
    std::shared_ptr<const std::vector<PipelinePreset>> presets;
    Plan empty_plan;  ///< what a plan for the graph begins with; always has its fingerprint
    /// group_pass_obstacle() of the passes that move collectives to groups of their own. They are found by running the
    /// passes, which takes too long for the window's thread.
    std::string isolate_obstacle, reassign_obstacle;
    double read_ms = 0;  ///< reading and building the tree
    FileStamp stamp;     ///< of the file, before it was read
    /// Where a cost model was chosen for the graph: the graph as it was read, and what was chosen, a built-in model's
    /// name or a file. `graph` and what is made of it have the model then; nodes and modules are the same.
    std::shared_ptr<const Graph> as_read;
    QString cost_model;
};

/// Graphs of logs and texts among which the user has to choose.
struct GraphChoice {
    ImportListing listing;
    std::vector<std::string> ranks;  ///< how the ranks compare, see compare_ranks()

    /// The graph of the listing, as a source without additions of the user.
    GraphSource source(std::size_t index) const;
};

/// Reads a graph file or an embedded sample. @throws InputError. @returns null pointers when a stop was requested.
/// @param reading its progress is that of all that is done here.
LoadedGraph loadGraph(const GraphSource& source, const GraphReading& reading = {});
/// The graphs of logs and texts. @throws InputError.
GraphChoice listGraphs(const QStringList& files, std::stop_token stop = {});

/// Reads graph files in the background; one at a time, the newest wins.
class GraphLoader : public QObject {
    Q_OBJECT

  public:
    /// What has to be done before a graph is told of, such as reading what opens with it.
    using Companion = std::function<void(const std::stop_token& stop)>;

    explicit GraphLoader(QObject* parent = nullptr);

    /// @param begin asked on this thread for the companion of each graph that is about to be read. It may return
    /// none; what it returns is called on the reader's thread when the graph has been read, and loaded() follows.
    void setCompanions(std::function<Companion(const GraphSource& source)> begin) { begin_ = std::move(begin); }
    /// Reads a graph; of a file that has several and no number in `source`, lists them.
    void load(const GraphSource& source);
    /// Lists the graphs of logs and texts, of one or of several ranks.
    void list(const QStringList& files);
    void cancel();
    bool busy() const { return task_.busy(); }
    const QString& path() const { return path_; }

  signals:
    void started(const QString& path);
    /// @param share of the work that is done, from 0 to 1; not reported for logs, texts and embedded samples.
    void progressed(double share);
    void loaded(const overlap::ui::LoadedGraph& graph);
    /// The user has to choose.
    void listed(const overlap::ui::GraphChoice& choice);
    /// One sentence without full stop, with file and place.
    void failed(const QString& path, const QString& reason);
    void cancelled(const QString& path);

  private:
    using Read = std::function<LatestTask::Delivery(std::stop_token)>;
    /// Runs `read` in the background and reports what it throws.
    void start(const QString& path, Read read);

    std::function<Companion(const GraphSource&)> begin_;
    QString path_;
    quint64 serial_ = 0;  ///< of the newest file
    CallQueue progress_;
    LatestTask task_;  // last: its thread uses the queue
};

}  // namespace overlap::ui
