#pragma once

#include <QObject>
#include <QString>
#include <memory>

#include "core/graph/module_tree.h"
#include "core/passes/eligibility.h"
#include "core/plan/evaluation.h"
#include "core/plan/module_figures.h"
#include "ui/document/latest_task.h"

namespace overlap::ui {

/// A graph as the application holds it: read, with its module tree and its figures before any pass. Immutable.
struct LoadedGraph {
    QString path;  ///< file, or `:/…` for the embedded sample
    std::shared_ptr<const Graph> graph;
    std::shared_ptr<const ModuleTree> modules;
    std::shared_ptr<const BucketingEligibility> eligibility;  ///< which collectives can be bucketed
    std::shared_ptr<const Evaluation> baseline;
    std::shared_ptr<const ModuleFiguresTable> module_figures;
    double read_ms = 0;  ///< reading and building the tree
};

/// Reads a graph file or an embedded sample. @throws InputError. @returns null pointers when `stop` was requested.
LoadedGraph loadGraph(const QString& path, std::stop_token stop = {});

/// Reads graph files in the background; one at a time, the newest wins.
class GraphLoader : public QObject {
    Q_OBJECT

  public:
    explicit GraphLoader(QObject* parent = nullptr);

    void load(const QString& path);
    void cancel();
    bool busy() const { return task_.busy(); }
    const QString& path() const { return path_; }

  signals:
    void started(const QString& path);
    void loaded(const overlap::ui::LoadedGraph& graph);
    /// One sentence without full stop, with file and place.
    void failed(const QString& path, const QString& reason);
    void cancelled(const QString& path);

  private:
    QString path_;
    LatestTask task_;
};

}  // namespace overlap::ui
