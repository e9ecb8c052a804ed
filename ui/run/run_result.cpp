#include "ui/run/run_result.h"

#include <QCoreApplication>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>

namespace overlap::ui {
namespace {

QString text(const char* english) {
    return QCoreApplication::translate("RunResult", english);
}

qint64 count(const QJsonObject& object, const QString& name) {
    return object[name].toInteger();
}

void readGroups(const QJsonArray& groups, RunResult& result) {
    for (const QJsonValue& value : groups) {
        const QJsonObject group = value.toObject();
        result.groups.push_back({group["process_group"].toString(), group["size"].toInt(),
                                 group["runs"].toString() == u"nccl", group["because"].toString(),
                                 count(group, "collectives"), count(group, "bytes")});
    }
}

void readMeasured(const QJsonObject& run, RunResult& result) {
    const QJsonObject step = run["step_ms"].toObject();
    result.device = run["device"].toString();
    result.step_ms = step["median"].toDouble();
    result.fastest_ms = step["minimum"].toDouble();
    result.slowest_ms = step["maximum"].toDouble();
    if (const QJsonValue recorded = run["recorded"]["exposed_ms"]; recorded.isDouble())
        result.exposed_ms = recorded.toDouble();
    result.peak_memory_bytes = count(run, "peak_memory_bytes");
}

}  // namespace

std::optional<RunResult> readRunResult(const QByteArray& text) {
    const QJsonObject run = QJsonDocument::fromJson(text).object();
    if (run["format"].toString() != u"overlap-run") return std::nullopt;
    RunResult result;
    result.dry = run["mode"].toString() != u"gpu";
    result.graph_digest = run["graph"]["digest"].toString();
    for (const QJsonValue& rank : run["ranks"].toArray()) result.machines.append(rank["machine"].toString());
    readGroups(run["groups"].toArray(), result);
    result.commands = count(run["commands"].toObject(), "all");
    const QJsonObject memory = run["memory"].toObject();
    result.pool_bytes = count(memory, "pool_bytes");
    result.live_peak_bytes = count(memory, "live_peak_bytes");
    result.largest_bytes = count(memory, "largest_bytes");
    result.live_peak_node = memory["live_peak_node"].toString();
    result.order_digest = run["order_digest"].toString();
    if (const auto scope = compiled_scope_by_name(run["compiled"].toString().toStdString())) result.compiled = *scope;
    result.predicted_step_ms = run["predicted"]["step_ms"].toDouble();
    result.predicted_exposed_ms = run["predicted"]["exposed_ms"].toDouble();
    result.iterations = run["iterations"].toInt();
    if (!result.dry) readMeasured(run, result);
    return result;
}

QString failureOf(const QStringList& lines, int status) {
    const QString ours = QStringLiteral("overlap-runner: ");
    for (const QString& line : lines)
        if (line.startsWith(ours)) return line.mid(ours.size());
    static const QRegularExpression killed(QStringLiteral("process rank (\\d+) .*exited on signal (\\d+)"));
    for (const QString& line : lines)
        if (const QRegularExpressionMatch match = killed.match(line); match.hasMatch())
            return text("rank %1 was ended by signal %2").arg(match.captured(1), match.captured(2));
    const QString how = status < 0 ? text("the run was killed") : text("the run ended with status %1").arg(status);
    // What starters say stands between lines of hyphens.
    for (const QString& line : lines)
        if (line.contains(QRegularExpression(QStringLiteral("\\w")))) return how + QStringLiteral(": ") + line;
    return how;
}

}  // namespace overlap::ui
