#include "ui/cost/graph_cost_model.h"

#include <QFile>

#include "core/cost/cost_differences.h"
#include "core/cost/with_cost_model.h"
#include "core/io/cost_model/cost_model_file.h"
#include "ui/document/document.h"
#include "ui/files/steps_on_shared_links.h"
#include "ui/tasks/released_elsewhere.h"
#include "ui/tasks/task_failure.h"

namespace overlap::ui {

LoadedGraph withCostModel(const LoadedGraph& loaded, const QString& name_or_file, std::stop_token stop,
                          QStringList& notes) {
    LoadedGraph modelled = loaded;
    const std::shared_ptr<const Graph> as_read = loaded.as_read ? loaded.as_read : loaded.graph;
    if (name_or_file.isEmpty()) {
        modelled.graph = as_read;
        modelled.as_read = nullptr;
    } else {
        ModelledGraph made = with_cost_model(as_read, find_cost_model(QFile::encodeName(name_or_file).toStdString()));
        for (const std::string& note : made.notes) notes.append(QString::fromStdString(note));
        modelled.graph = std::move(made.graph);
        modelled.as_read = as_read;
    }
    modelled.cost_model = name_or_file;
    modelled.empty_plan = make_plan(*modelled.graph, modelled.empty_plan.name);
    auto baseline = evaluate_baseline(modelled.graph, stop);
    if (!baseline) return {};
    modelled.baseline = releasedElsewhere(std::move(baseline));
    withLinksShared(modelled.baseline, stop);  // views on the window's thread are not to wait for it
    modelled.module_figures = std::make_shared<const ModuleFiguresTable>(
        module_figures(*modelled.graph, *modelled.modules, modelled.baseline->times_ms));
    return modelled;
}

GraphCostModel::GraphCostModel(Document& document, QObject* parent) : QObject(parent), document_(document) {
    connect(&document, &Document::graphChanged, this, [this] {
        task_.cancel();
        reading_.reset();
        emit changed();
    });
}

QString GraphCostModel::used() const {
    return reading_ ? *reading_ : document_.loaded().cost_model;
}

void GraphCostModel::use(const QString& name_or_file) {
    if (!document_.isOpen() || name_or_file == used()) return;
    reading_ = name_or_file;
    task_.start([this, name_or_file, loaded = document_.loaded()](std::stop_token stop) -> LatestTask::Delivery {
        try {
            QStringList notes;
            const LoadedGraph modelled = withCostModel(loaded, name_or_file, stop, notes);
            if (!modelled.graph) return {};
            return [this, modelled, notes] {
                reading_.reset();
                const auto before = document_.times();
                document_.setCostModel(modelled);
                emit changed();
                emit applied(before);
                const QString name = costModelName(*modelled.graph);
                const QString used = name.isEmpty() ? tr("Times of the graph as it was read")
                                                    : tr("Times estimated with the cost model %1").arg(name);
                const QString why = differenceToOwn(modelled);
                emit told((QStringList{used} + (why.isEmpty() ? notes : QStringList{why} + notes))
                              .join(QStringLiteral("; ")));
            };
        } catch (const std::exception& error) {
            return [this, reason = reasonOf(error)] {
                reading_.reset();
                emit changed();
                emit failed(reason);
            };
        }
    });
    emit changed();
}

QString differenceToOwn(const LoadedGraph& loaded) {
    if (!loaded.as_read || !loaded.as_read->header().cost || !loaded.graph->header().cost) return {};
    const CostParameters& own = *loaded.as_read->header().cost;
    QStringList clauses;
    for (const std::string& clause : cost_differences(own, *loaded.graph->header().cost))
        clauses.append(QString::fromStdString(clause));
    if (clauses.isEmpty()) return {};
    const QString name = QString::fromStdString(own.model_name.empty() ? own.device_name : own.model_name);
    return GraphCostModel::tr("unlike by the graph's own cost model%1, %2")
        .arg(name.isEmpty() ? QString() : QStringLiteral(" (%1)").arg(name), clauses.join(QStringLiteral(", ")));
}

QString costModelName(const Graph& graph) {
    const std::optional<CostParameters>& cost = graph.header().cost;
    return cost ? QString::fromStdString(cost->model_name) : QString();
}

}  // namespace overlap::ui
