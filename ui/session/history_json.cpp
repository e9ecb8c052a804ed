#include "ui/session/history_json.h"

#include <QJsonDocument>
#include <utility>

#include "core/base/error.h"
#include "core/io/plan/plan_file.h"
#include "ui/files/packed_bytes.h"

namespace overlap::ui {
namespace {

/// One side of a change is a plan: the entries that differ, with the rest where that differs.
QString sideText(const PlanChange::Side& side) {
    Plan plan = side.rest ? *side.rest : Plan();
    plan.buckets = side.entries;
    return QString::fromStdString(write_plan_text(plan));
}

}  // namespace

QJsonObject editJson(const PlanHistory::Edit& edit) {
    QJsonObject json{{"text", edit.text},
                     {"entries", static_cast<qint64>(edit.change.count())},
                     {"first", static_cast<qint64>(edit.change.first())},
                     {"before", sideText(edit.change.before())},
                     {"after", sideText(edit.change.after())}};
    if (!edit.merge_key.isEmpty()) json["merge"] = edit.merge_key;
    if (edit.change.after().rest) json["rest"] = true;
    return json;
}

PlanChange::Side EditReader::side(const QJsonValue& text, bool has_rest) {
    const QByteArray bytes = text.toString().toUtf8();
    if (bytes != newest_text_) {
        Plan plan = read_plan_text(bytes.toStdString(), {});
        newest_.entries = std::exchange(plan.buckets, {});
        newest_.rest = std::make_shared<const Plan>(std::move(plan));
        newest_text_ = bytes;
    }
    return {newest_.entries, has_rest ? newest_.rest : nullptr};
}

std::shared_ptr<const PlanHistory::Edit> EditReader::read(const QJsonObject& json, const QString& file, int place) {
    const bool has_rest = json["rest"].toBool();
    PlanChange::Side before = side(json["before"], has_rest), after = side(json["after"], has_rest);
    const auto number = [&](const char* name) {
        return static_cast<std::size_t>(json[QLatin1String(name)].toInteger());
    };
    return std::make_shared<const PlanHistory::Edit>(PlanHistory::Edit{
        json["text"].toString(), PlanChange(number("entries"), number("first"), std::move(before), std::move(after)),
        json["merge"].toString(), file, place});
}

QByteArray editsFile(const QJsonArray& edits) {
    return qCompress(QJsonDocument(edits).toJson(QJsonDocument::Compact));
}

QJsonArray editsOfFile(const QByteArray& bytes, const QString& file) {
    const std::optional<QByteArray> text = unpacked(bytes);
    const QJsonDocument document = text ? QJsonDocument::fromJson(*text) : QJsonDocument();
    if (!document.isArray()) throw InputError(file.toStdString(), "", "this is no list of edits");
    return document.array();
}

}  // namespace overlap::ui
