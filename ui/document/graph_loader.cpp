#include "ui/document/graph_loader.h"

#include <QElapsedTimer>
#include <QFile>

#include "core/graph/error.h"
#include "core/imports/any_graph_file.h"
#include "core/io/graph_file.h"

namespace overlap::ui {
namespace {

std::shared_ptr<const Graph> readGraph(const QString& path, std::stop_token stop) {
    if (!path.startsWith(u":/")) return read_any_graph_file(QFile::encodeName(path).toStdString(), stop).graph;
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) throw InputError(path.toStdString(), "", "there is no such embedded sample");
    const QByteArray bytes = file.readAll();
    return read_graph_text({bytes.constData(), static_cast<std::size_t>(bytes.size())}, path.toStdString(), stop);
}

}  // namespace

LoadedGraph loadGraph(const QString& path, std::stop_token stop) {
    QElapsedTimer timer;
    timer.start();
    LoadedGraph loaded;
    loaded.path = path;
    auto graph = readGraph(path, stop);
    if (!graph || stop.stop_requested()) return loaded;
    auto modules = std::make_shared<const ModuleTree>(*graph, preferred_module_source(*graph));
    auto eligibility = std::make_shared<const BucketingEligibility>(*graph);
    loaded.read_ms = static_cast<double>(timer.nsecsElapsed()) / 1e6;
    auto baseline = evaluate_baseline(graph, stop);
    if (!baseline || stop.stop_requested()) return loaded;
    loaded.module_figures =
        std::make_shared<const ModuleFiguresTable>(module_figures(*graph, *modules, baseline->times_ms));
    loaded.graph = std::move(graph);
    loaded.modules = std::move(modules);
    loaded.eligibility = std::move(eligibility);
    loaded.baseline = std::move(baseline);
    return loaded;
}

GraphLoader::GraphLoader(QObject* parent) : QObject(parent) {}

void GraphLoader::load(const QString& path) {
    path_ = path;
    task_.start([this, path](std::stop_token stop) -> LatestTask::Delivery {
        try {
            const LoadedGraph graph = loadGraph(path, stop);
            if (!graph.graph) return {};
            return [this, graph] { emit loaded(graph); };
        } catch (const std::exception& error) {
            return [this, path, reason = QString::fromUtf8(error.what())] { emit failed(path, reason); };
        }
    });
    emit started(path);
}

void GraphLoader::cancel() {
    if (!busy()) return;
    task_.cancel();
    emit cancelled(path_);
}

}  // namespace overlap::ui
