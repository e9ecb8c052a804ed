#include "ui/search/found_plans_json.h"

#include <QJsonArray>
#include <QJsonDocument>

#include "core/io/plan/plan_file.h"
#include "ui/files/packed_bytes.h"

namespace overlap::ui {
namespace {

// Bytes are kept as texts: a number of JSON is a double.

QJsonValue optionalNumber(const std::optional<double>& value) {
    return value ? QJsonValue(*value) : QJsonValue();
}

std::optional<double> optionalNumber(const QJsonValue& json) {
    return json.isDouble() ? std::optional(json.toDouble()) : std::nullopt;
}

QString planText(const Plan& plan) {
    return QString::fromStdString(write_plan_text(plan));
}

/// @throws InputError where it is none.
Plan planOf(const QJsonValue& json) {
    return read_plan_text(json.toString().toStdString(), "a plan that was found");
}

QJsonValue toJson(const std::optional<std::vector<PlanElement>>& parts) {
    if (!parts) return {};
    QJsonArray list;
    for (const PlanElement& part : *parts)
        list.append(QJsonObject{{"part", QString::fromStdString(part.element)},
                                {"worth_ms", part.worth_ms},
                                {"worth_bytes", QString::number(part.worth_bytes)},
                                {"refusal", QString::fromStdString(part.refusal)}});
    return list;
}

std::optional<std::vector<PlanElement>> partsFromJson(const QJsonValue& json) {
    if (!json.isArray()) return std::nullopt;
    std::vector<PlanElement> parts;
    for (const QJsonValue value : json.toArray()) {
        const QJsonObject part = value.toObject();
        parts.push_back({part["part"].toString().toStdString(), part["worth_ms"].toDouble(),
                         part["worth_bytes"].toString().toLongLong(), part["refusal"].toString().toStdString()});
    }
    return parts;
}

QJsonObject toJson(const FoundChoice& choice) {
    return {{"title", choice.title},
            {"plan", planText(choice.plan)},
            {"step_ms", choice.step_ms},
            {"bound_ms", choice.bound_ms},
            {"peak_bytes", QString::number(choice.peak_bytes)},
            {"shown_ms", optionalNumber(choice.shown_ms)},
            {"name_rank", choice.name_rank},
            {"compared", choice.compared},
            {"all_parts", toJson(choice.parts)}};
}

FoundChoice choiceFromJson(const QJsonObject& json) {
    FoundChoice choice;
    choice.title = json["title"].toString();
    choice.plan = planOf(json["plan"]);
    choice.step_ms = json["step_ms"].toDouble();
    choice.bound_ms = json["bound_ms"].toDouble();
    choice.peak_bytes = json["peak_bytes"].toString().toLongLong();
    choice.shown_ms = optionalNumber(json["shown_ms"]);
    choice.name_rank = json["name_rank"].toInt();
    choice.compared = json["compared"].toBool();
    // Older versions kept `parts`, which lacked those that the effort had not reached: they are weighed again.
    choice.parts = partsFromJson(json["all_parts"]);
    return choice;
}

QJsonObject toJson(const SearchStart& start) {
    return {{"title", start.title},
            {"step_ms", start.step_ms},
            {"peak_bytes", QString::number(start.peak_bytes)},
            {"plan", start.plan ? QJsonValue(planText(*start.plan)) : QJsonValue()},
            {"refused", start.refused},
            {"counts", start.counts},
            {"left_out", start.left_out}};
}

SearchStart startFromJson(const QJsonObject& json) {
    SearchStart start;
    start.title = json["title"].toString();
    start.step_ms = json["step_ms"].toDouble();
    start.peak_bytes = json["peak_bytes"].toString().toLongLong();
    if (json["plan"].isString()) start.plan = planOf(json["plan"]);
    start.refused = json["refused"].toBool();
    start.counts = json["counts"].toBool();
    start.left_out = json["left_out"].toString();
    return start;
}

QJsonObject contentOf(const FoundPlans& found) {
    QJsonArray choices, bound, peaks;
    for (const FoundChoice& choice : found.choices) choices.append(toJson(choice));
    for (const StepPeakChart::Limit& limit : found.bound)
        bound.append(QJsonObject{{"bytes", QString::number(limit.bytes)}, {"step_ms", limit.step_ms}});
    for (const std::int64_t peak : found.front_peaks) peaks.append(QString::number(peak));
    QJsonObject json{{"start", toJson(found.start)},
                     {"separate_links", found.links == LinkSharing::by_group},
                     {"any_order", found.any_order},
                     {"choices", choices},
                     {"evaluations", static_cast<qint64>(found.evaluations)},
                     {"end", found.end},
                     {"stopped", found.stopped},
                     {"origin", found.origin},
                     {"shortest_ms", found.shortest_ms},
                     {"baseline_ms", found.baseline_ms},
                     {"bound_reason", found.bound_reason},
                     {"changes_order", found.changes_order},
                     {"bound", bound},
                     {"front_peaks", peaks},
                     {"locked", QJsonArray::fromStringList(found.locked)},
                     {"groups_left_out", QJsonArray::fromStringList(found.groups_left_out)},
                     {"links_differ", found.links_differ}};
    if (found.limit) json["limit"] = QString::number(*found.limit);
    return json;
}

QStringList texts(const QJsonValue& json) {
    QStringList found;
    for (const QJsonValue value : json.toArray()) found.append(value.toString());
    return found;
}

/// @throws InputError where a plan cannot be read.
FoundPlans foundFromContent(const QJsonObject& json) {
    FoundPlans found;
    found.start = startFromJson(json["start"].toObject());
    if (json.contains("limit")) found.limit = json["limit"].toString().toLongLong();
    found.links = json["separate_links"].toBool() ? LinkSharing::by_group : LinkSharing::by_host;
    found.any_order = json["any_order"].toBool();
    for (const QJsonValue choice : json["choices"].toArray())
        found.choices.push_back(choiceFromJson(choice.toObject()));
    found.evaluations = static_cast<std::size_t>(json["evaluations"].toInteger());
    found.end = json["end"].toString();
    found.stopped = json["stopped"].toBool();
    found.origin = json["origin"].toString();
    found.shortest_ms = json["shortest_ms"].toDouble();
    found.baseline_ms = json["baseline_ms"].toDouble();
    found.bound_reason = json["bound_reason"].toString();
    found.changes_order = json["changes_order"].toBool();
    for (const QJsonValue value : json["bound"].toArray()) {
        const QJsonObject limit = value.toObject();
        found.bound.push_back({limit["bytes"].toString().toLongLong(), limit["step_ms"].toDouble()});
    }
    for (const QJsonValue peak : json["front_peaks"].toArray())
        found.front_peaks.push_back(peak.toString().toLongLong());
    found.locked = texts(json["locked"]);
    found.groups_left_out = texts(json["groups_left_out"]);
    found.links_differ = json["links_differ"].toBool();
    return found;
}

}  // namespace

QJsonObject toJson(const FoundPlans& found, int chosen) {
    const QByteArray content = QJsonDocument(contentOf(found)).toJson(QJsonDocument::Compact);
    return {{"packed", QString::fromLatin1(qCompress(content).toBase64())}, {"chosen", chosen}};
}

std::optional<KeptFoundPlans> foundPlansFromJson(const QJsonObject& json) {
    const QByteArray packed = QByteArray::fromBase64(json["packed"].toString().toLatin1());
    const std::optional<QByteArray> text = unpacked(packed);
    if (!text) return std::nullopt;  // nothing was kept, or it is damaged
    const QJsonObject content = QJsonDocument::fromJson(*text).object();
    try {
        KeptFoundPlans kept{foundFromContent(content), json["chosen"].toInt()};
        if (kept.found.choices.empty()) return std::nullopt;
        return kept;
    } catch (const std::exception&) {  // another version wrote it, and it can be found again
        return std::nullopt;
    }
}

}  // namespace overlap::ui
