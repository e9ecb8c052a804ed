#include "ui/job/open/kept_job.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/io/plan/plan_file.h"
#include "ui/files/read_plan.h"
#include "ui/job/open/job_source.h"

namespace overlap::ui {

QJsonObject jobChangesToJson(const job::JobChanges& changes) {
    QJsonObject json;
    if (!changes.schedule.empty()) json["schedule"] = QString::fromStdString(changes.schedule);
    if (changes.microbatches) json["microbatches"] = *changes.microbatches;
    if (changes.slow)
        json["slow"] = QJsonObject{{"first", static_cast<qint64>(changes.slow->first)},
                                   {"count", static_cast<qint64>(changes.slow->count)},
                                   {"factor", changes.slow->factor}};
    if (changes.nobody_slow) json["nobody_slow"] = true;
    if (changes.routing != job::TriedRouting::own) json["routing"] = static_cast<int>(changes.routing);
    return json;
}

job::JobChanges jobChangesFromJson(const QJsonObject& json) {
    job::JobChanges changes;
    changes.schedule = json["schedule"].toString().toStdString();
    if (json.contains("microbatches")) changes.microbatches = std::max(1, json["microbatches"].toInt(1));
    if (const QJsonObject slow = json["slow"].toObject(); !slow.isEmpty())
        changes.slow =
            job::SlowRanks{slow["first"].toInteger(), slow["count"].toInteger(1), slow["factor"].toDouble(1)};
    changes.nobody_slow = json["nobody_slow"].toBool();
    const int routing = json["routing"].toInt();
    if (routing > 0 && routing <= static_cast<int>(job::TriedRouting::one_doubled))
        changes.routing = static_cast<job::TriedRouting>(routing);
    return changes;
}

QJsonArray plansToJson(const StagePlans& plans) {
    QJsonArray json;
    for (const std::shared_ptr<const Plan>& plan : plans)
        json.append(plan ? QJsonValue(QString::fromStdString(write_plan_text(*plan))) : QJsonValue());
    return json;
}

StagePlans plansFromJson(const QJsonArray& json) {
    StagePlans plans;
    for (const QJsonValue plan : json)
        plans.push_back(plan.isString()
                            ? std::make_shared<const Plan>(read_plan_text(plan.toString().toStdString(), "the session"))
                            : nullptr);
    return plans;
}

StagePlans plansOfFiles(const job::JobDocument& document, const QString& file) {
    StagePlans plans;
    for (const job::StageSpec& stage : document.stages) {
        plans.emplace_back();
        if (stage.plan.empty()) continue;
        try {
            plans.back() = std::make_shared<const Plan>(readPlan(fileOfJob(file, stage.plan)).plan);
        } catch (const InputError&) {
            continue;
        }
    }
    return plans;
}

}  // namespace overlap::ui
