#include "ui/run/run_settings.h"

#include <algorithm>

namespace overlap::ui {
namespace {

int number(const QJsonObject& kept, const QString& name, int fallback, int least, int most) {
    const int value = kept[name].toInt(fallback);
    return value < least || value > most ? fallback : value;
}

QString nameOf(RunSettings::Where where) {
    switch (where) {
        case RunSettings::Where::hosts:
            return QStringLiteral("hosts");
        case RunSettings::Where::slurm:
            return QStringLiteral("slurm");
        case RunSettings::Where::this_machine:
            break;
    }
    return QStringLiteral("this_machine");
}

RunSettings::Where whereOf(const QString& name) {
    for (const auto where : {RunSettings::Where::hosts, RunSettings::Where::slurm})
        if (name == nameOf(where)) return where;
    return RunSettings::Where::this_machine;
}

}  // namespace

QJsonObject toJson(const RunSettings& settings) {
    return {{"where", nameOf(settings.where)},
            {"ranks", settings.ranks},
            {"hosts", settings.hosts},
            {"folder", settings.folder},
            {"warm_up", settings.warm_up},
            {"iterations", settings.iterations},
            {"cuda_graph", settings.cuda_graph},
            {"recorded_steps", settings.recorded_steps},
            {"as_compiled", settings.as_compiled}};
}

RunSettings runSettings(const QJsonObject& kept) {
    const RunSettings first;
    RunSettings settings;
    settings.where = whereOf(kept["where"].toString());
    settings.ranks = number(kept, QStringLiteral("ranks"), first.ranks, 1, RunSettings::most_ranks);
    settings.hosts = kept["hosts"].toString();
    settings.folder = kept["folder"].toString();
    settings.warm_up = number(kept, QStringLiteral("warm_up"), first.warm_up, 0, RunSettings::most_steps);
    settings.iterations = number(kept, QStringLiteral("iterations"), first.iterations, 1, RunSettings::most_steps);
    settings.cuda_graph = kept["cuda_graph"].toBool(first.cuda_graph);
    settings.as_compiled = kept["as_compiled"].toBool(first.as_compiled);
    settings.recorded_steps =
        number(kept, QStringLiteral("recorded_steps"), first.recorded_steps, 0, RunSettings::most_recorded_steps);
    return settings;
}

}  // namespace overlap::ui
