#include "ui/files/graph_loader.h"

#include <QElapsedTimer>
#include <QFile>
#include <QVariant>

#include "core/base/error.h"
#include "core/io/graph_file.h"
#include "core/plan/group_passes.h"
#include "ui/files/steps_on_shared_links.h"
#include "ui/tasks/released_elsewhere.h"
#include "ui/tasks/task_failure.h"
#include "ui/tasks/without_thread.h"

namespace overlap::ui {
namespace {

/// Of the time that a large graph takes to open.
constexpr double share_of_reading = 0.6, share_of_modules = 0.1;

std::string fileName(const QString& path) {
    return QFile::encodeName(path).toStdString();
}

OpenedGraph readGraph(const GraphSource& source, const GraphReading& reading) {
    const std::stop_token& stop = reading.stop;
    const QString& path = source.file;
    if (path.startsWith(u":/")) {
        QFile file(path);
        if (!file.open(QIODevice::ReadOnly))
            throw InputError(path.toStdString(), "", "there is no such embedded sample");
        const QByteArray bytes = file.readAll();
        return {read_graph_text({bytes.constData(), static_cast<std::size_t>(bytes.size())}, path.toStdString(), stop),
                {}};
    }
    if (!is_importable_file(fileName(path))) return read_any_graph_file(fileName(path), reading);
    const ImportListing listing = list_importable_graphs({fileName(path)}, stop);
    if (stop.stop_requested()) return {};
    const std::string wanted = source.number == 0 ? std::string() : std::to_string(source.number);
    try {
        return open_imported(choose_graph(listing, wanted), source.options(), listing.notes, stop);
    } catch (const InputError& error) {
        throw error.file().empty() ? error.in_file(path.toStdString()) : error;
    }
}

}  // namespace

GraphSource GraphChoice::source(std::size_t index) const {
    const ImportableGraph& graph = listing.graphs[index];
    GraphSource source(QFile::decodeName(QByteArray::fromStdString(graph.file)));
    // Numbers are those within the file, so that it opens again without the files of other ranks.
    int number = 0;
    int count = 0;
    for (std::size_t other = 0; other < listing.graphs.size(); ++other) {
        if (listing.graphs[other].file != graph.file) continue;
        ++count;
        if (other == index) number = count;
    }
    source.number = count > 1 ? number : 0;
    return source;
}

GraphChoice listGraphs(const QStringList& files, std::stop_token stop) {
    std::vector<std::string> names;
    for (const QString& file : files) names.push_back(fileName(file));
    GraphChoice choice;
    choice.listing = list_importable_graphs(names, stop);
    choice.ranks = compare_ranks(choice.listing);
    return choice;
}

LoadedGraph loadGraph(const GraphSource& source, const GraphReading& reading) {
    QElapsedTimer timer;
    timer.start();
    LoadedGraph loaded;
    loaded.path = source.key();
    loaded.source = source;
    loaded.stamp = fileStamp(source.file);
    const std::stop_token& stop = reading.stop;
    bool told = false;
    const auto tell = [&](double share) {
        if (reading.progress) reading.progress(share);
        told = true;
    };
    auto [graph, notes, gaps] = readGraph(source, {stop, [&](double share) { tell(share * share_of_reading); }});
    if (!graph || stop.stop_requested()) return loaded;
    const bool large = graph->node_count() >= large_graph_nodes;
    if (large) graph = releasedElsewhere(std::move(graph));
    auto modules = std::make_shared<const ModuleTree>(*graph, preferred_module_source(*graph));
    auto eligibility = std::make_shared<const BucketingEligibility>(*graph);
    auto bucketable = std::make_shared<const std::vector<BucketableCollective>>(
        bucketable_collectives(*graph, *modules, *eligibility));
    if (told) tell(share_of_reading + share_of_modules);
    loaded.read_ms = static_cast<double>(timer.nsecsElapsed()) / 1e6;
    auto baseline = evaluate_baseline(graph, stop);
    if (!baseline || stop.stop_requested()) return loaded;
    loaded.module_figures =
        std::make_shared<const ModuleFiguresTable>(module_figures(*graph, *modules, baseline->times_ms));
    loaded.presets = std::make_shared<const std::vector<PipelinePreset>>(pipeline_presets(*graph, *modules));
    loaded.empty_plan = make_plan(*graph, "Plan A");
    loaded.isolate_obstacle = group_pass_obstacle(graph, isolate_expert_group_pass);
    if (stop.stop_requested()) return loaded;
    loaded.reassign_obstacle = group_pass_obstacle(graph, reassign_groups_pass);
    if (stop.stop_requested()) return loaded;
    loaded.notes = std::move(notes);
    loaded.gaps = std::move(gaps);
    loaded.graph = std::move(graph);
    loaded.modules = std::move(modules);
    loaded.eligibility = std::move(eligibility);
    loaded.bucketable = std::move(bucketable);
    // Of any size, since it owns what the steps of all plans for the graph made.
    loaded.baseline = releasedElsewhere(std::move(baseline));
    withLinksShared(loaded.baseline, stop);  // views on the window's thread are not to wait for it
    if (large) {
        loaded.modules = releasedElsewhere(std::move(loaded.modules));
        loaded.module_figures = releasedElsewhere(std::move(loaded.module_figures));
    }
    return loaded;
}

GraphLoader::GraphLoader(QObject* parent) : QObject(parent) {
    task_.setProperty(runs_without_thread_property, true);
}

void GraphLoader::start(const QString& path, Read read) {
    path_ = path;
    ++serial_;
    task_.start([this, path, read = std::move(read)](std::stop_token stop) -> LatestTask::Delivery {
        try {
            return read(stop);
        } catch (const std::exception& error) {
            return [this, path, reason = reasonOf(error)] { emit failed(path, reason); };
        }
    });
    emit started(path);
}

void GraphLoader::load(const GraphSource& source) {
    const Companion companion = begin_ ? begin_(source) : Companion();
    start(source.file, [this, source, companion, serial = serial_ + 1](std::stop_token stop) -> LatestTask::Delivery {
        if (source.number == 0 && is_importable_file(fileName(source.file))) {
            const GraphChoice choice = listGraphs({source.file}, stop);
            if (stop.stop_requested()) return {};
            if (choice.listing.graphs.size() > 1) return [this, choice] { emit listed(choice); };
        }
        const auto tell = [&](double share) {
            progress_.put([this, serial, share] {
                if (serial == serial_) emit progressed(share);
            });
        };
        const LoadedGraph graph = loadGraph(source, {stop, tell});
        if (!graph.graph) return {};
        if (companion) companion(stop);
        if (stop.stop_requested()) return {};
        return [this, graph] { emit loaded(graph); };
    });
}

void GraphLoader::list(const QStringList& files) {
    if (files.isEmpty()) return;
    start(files.front(), [this, files](std::stop_token stop) -> LatestTask::Delivery {
        const GraphChoice choice = listGraphs(files, stop);
        if (stop.stop_requested()) return {};
        return [this, choice] { emit listed(choice); };
    });
}

void GraphLoader::cancel() {
    if (!busy()) return;
    task_.cancel();
    ++serial_;
    emit cancelled(path_);
}

}  // namespace overlap::ui
