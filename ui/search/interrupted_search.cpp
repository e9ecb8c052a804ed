#include "ui/search/interrupted_search.h"

#include <QObject>

#include "core/io/plan/plan_file.h"
#include "core/plan/found_note.h"
#include "ui/theme/numbers.h"

namespace overlap::ui {

InterruptedSearch InterruptedSearch::of(const SearchProgress& progress) {
    InterruptedSearch search{progress.evaluations, progress.effort, progress.best_ms};
    if (progress.best) search.best = *progress.best;
    search.best_peak_bytes = progress.best_peak_bytes;
    return search;
}

QJsonObject InterruptedSearch::toJson() const {
    QJsonObject json{{"evaluations", static_cast<qint64>(evaluations)},
                     {"effort", static_cast<qint64>(effort)},
                     {"best_ms", best_ms},
                     {"baseline_ms", baseline_ms},
                     {"best_peak_bytes", QString::number(best_peak_bytes)}};
    if (best) json["best"] = QString::fromStdString(write_plan_text(*best));
    return json;
}

std::optional<InterruptedSearch> InterruptedSearch::fromJson(const QJsonObject& json) {
    if (json.isEmpty()) return std::nullopt;
    InterruptedSearch search{static_cast<std::size_t>(json["evaluations"].toInteger()),
                             static_cast<std::size_t>(json["effort"].toInteger()), json["best_ms"].toDouble()};
    search.best_peak_bytes = json["best_peak_bytes"].toString().toLongLong();
    search.baseline_ms = json["baseline_ms"].toDouble();
    if (!json.contains("best")) return search;
    try {
        search.best = read_plan_text(json["best"].toString().toStdString(), "the best plan of a search");
    } catch (const std::exception&) {  // another version wrote it, and a search finds it again
    }
    return search;
}

QString InterruptedSearch::reached() const {
    QStringList clauses{QObject::tr("after %1 of %2 plans").arg(evaluations).arg(effort)};
    if (best_ms > 0) clauses.append(QObject::tr("the best with a step of %1").arg(formatTime(best_ms)));
    if (!reason.isEmpty()) clauses.append(reason);
    return clauses.join(QStringLiteral(", "));
}

QString InterruptedSearch::planName(bool other_times) const {
    return QString::fromStdString(other_times ? std::string(found_so_far_words)
                                              : found_so_far_name(best_ms, best_peak_bytes));
}

}  // namespace overlap::ui
