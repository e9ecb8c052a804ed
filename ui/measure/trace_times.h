#pragma once

#include <QObject>
#include <QStringList>
#include <memory>
#include <optional>

#include "core/graph/compilation.h"
#include "core/graph/graph.h"
#include "ui/measure/compared_steps.h"
#include "ui/tasks/latest_task.h"

namespace overlap::ui {

class Document;
struct LoadedGraph;

/// How far a plan's predictions are off with the graph's times and with those of a trace.
struct ErrorsOfTimes {
    PredictionError before, after;
};

/// How a job is modelled, where times are not measured.
struct JobModel {
    bool contention = false;                ///< by the factors of the graph's cost model
    bool share_links = false;               ///< also of process groups of which the cost model does not say so
    std::optional<CompiledScope> compiled;  ///< what the job compiles; none: times as traced
    /// Of a compiled job, see Compilation.
    double attention_density = Compilation().attention_density;

    bool operator==(const JobModel&) const = default;
};

/// The model of a graph's job where nobody asks for another: see own_time_source().
JobModel declaredModel(const Graph& graph);
/// What a source models; of measured times what prices the nodes that they do not know.
JobModel modelOf(const TimeSource& source);
/// `eager`, `compiled in blocks`, `compiled whole`.
QString compiledText(CompiledScope scope);
/// What is modelled, a few words each: `compiled in blocks`, `with contention`, `links shared`.
QStringList modelTexts(const JobModel& model);

/// Reads times of operators and collectives from traces as PyTorch's profile-guided estimator does, and evaluates the
/// graph without any pass with them.
/// @returns null when stopped. @throws InputError, also where the traces know no node of this graph.
std::shared_ptr<const MeasuredTimes> readTimes(const QStringList& files, const LoadedGraph& loaded,
                                               std::stop_token stop);

/// Puts times of traces in place of the graph's own, and takes them away again. Reads in the background.
class TraceTimes : public QObject {
    Q_OBJECT

  public:
    explicit TraceTimes(Document& document, QObject* parent = nullptr);

    /// The figures of all variants are of the measurement's times; null: of the graph's own again.
    void use(const std::shared_ptr<const Measurement>& measurement);
    /// The same by its files, whether or not a measurement of them is open; for the session.
    void restore(const QStringList& files);
    void useGraphs();
    /// What the graph's cost model says of such a job.
    /// @param tell false where whoever calls tells what is used now.
    void useModel(const JobModel& asked, bool tell = true);
    /// What is used, or will be when it has been evaluated.
    JobModel model() const;
    /// Whether figures are with links shared, see JobModel::share_links: what was asked for last, of whichever graph.
    /// Graphs that are opened later have it, too; measured times are as they are.
    bool sharesLinks() const { return share_links_; }
    /// The same for the session, before a graph is open.
    void setSharesLinks(bool share) { share_links_ = share; }
    /// Files whose times are used, or will be when they have been read; empty: the graph's own.
    QStringList files() const;
    bool busy() const { return task_.busy(); }

  signals:
    /// files() is another.
    void changed();
    /// One sentence without full stop on what is used now.
    void told(const QString& sentence);
    /// One sentence without full stop; the times stay as they were.
    void failed(const QString& reason);

  private:
    /// The model of the open graph where nobody asks for another.
    JobModel ownModel() const;
    void read(const QStringList& files, const std::shared_ptr<const Measurement>& measurement);

    Document& document_;
    QStringList reading_;
    std::optional<JobModel> evaluating_;  ///< what useModel() has been asked for last
    bool share_links_ = false;
    LatestTask task_;
};

}  // namespace overlap::ui
