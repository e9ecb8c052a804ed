#include "ui/session/graph_finder.h"

#include <QFile>
#include <QFileInfo>
#include <algorithm>
#include <optional>

#include "core/io/plan/plan_file.h"
#include "ui/files/file_looks.h"
#include "ui/session/session_state.h"

namespace overlap::ui {
namespace {

const QString sample_plan_path = QStringLiteral(":/samples/llama3_8b_fsdp128.plan.json");

/// The graph that a plan names; nothing where it names none or is no plan.
std::optional<GraphFingerprint> graphOfPlan(const QByteArray& plan) {
    try {
        return read_plan_text(plan.toStdString(), {}).graph;
    } catch (const std::exception&) {
        return {};
    }
}

bool sameGraph(const std::optional<GraphFingerprint>& found, const GraphFingerprint& wanted) {
    return found && found->digest == wanted.digest && found->nodes == wanted.nodes;
}

}  // namespace

QString sampleGraph() {
    return QStringLiteral(":/samples/llama3_8b_fsdp128.prebucket.graph.json.gz");
}

QString memorySampleGraph() {
    return QStringLiteral(":/samples/llama3_8b_fsdp64.graph.json.gz");
}

QString expertsSampleGraph() {
    return QStringLiteral(":/samples/deepseek_v3_16b_fsdp32_ep32.graph.json.gz");
}

Plan samplePlan() {
    QFile file(sample_plan_path);
    if (!file.open(QIODevice::ReadOnly)) return {};
    return read_plan_text(file.readAll().toStdString(), {});
}

bool isThere(const QString& graph, FileLooks& looks) {
    return looks.read(graph, [graph] { return graph.startsWith(u":/") || QFile::exists(fileOfGraph(graph)); })
        .value_or(false);
}

QString findGraph(const GraphFingerprint& wanted, const QString& plan_path, const SessionState& state,
                  FileLooks& looks) {
    auto fits = [&](const SessionVariant& kept) { return sameGraph(graphOfPlan(kept.plan), wanted); };
    for (const SessionDocument& kept : state.documents)
        if (isThere(kept.graph, looks) && (std::any_of(kept.variants.begin(), kept.variants.end(), fits) ||
                                           std::any_of(kept.closed.begin(), kept.closed.end(), fits)))
            return kept.graph;
    QFile sample_plan(sample_plan_path);
    if (sample_plan.open(QIODevice::ReadOnly) && sameGraph(graphOfPlan(sample_plan.readAll()), wanted))
        return sampleGraph();
    // By name, then; whether it fits is known when it has been read.
    const QString name = QString::fromStdString(wanted.name) + QStringLiteral(".graph.json");
    QStringList files = state.recent_files;
    for (const QString& beside : {name, name + QStringLiteral(".gz")})
        files.append(QFileInfo(plan_path).absolutePath() + u'/' + beside);
    for (const QString& file : files)
        if (const QString found = QFileInfo(file).fileName();
            (found == name || found == name + QStringLiteral(".gz")) && isThere(file, looks))
            return file;
    return {};
}

}  // namespace overlap::ui
