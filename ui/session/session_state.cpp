#include "ui/session/session_state.h"

#include <QCryptographicHash>
#include <QJsonArray>
#include <QJsonDocument>
#include <algorithm>

namespace overlap::ui {
namespace {

constexpr std::size_t kept_documents = 20;
constexpr qsizetype kept_recent_files = 12;

QJsonObject toJson(const SessionVariant& variant) {
    QJsonObject json{{"plan", QString::fromUtf8(variant.plan)},
                     {"file", variant.file},
                     {"modified", variant.modified},
                     {"digest", QString::fromLatin1(variant.digest)}};
    if (!variant.history.stored.isEmpty()) json["history"] = variant.history.stored;
    if (variant.place > 0) json["place"] = variant.place;
    return json;
}

QJsonArray toJson(const std::vector<SessionVariant>& variants) {
    QJsonArray list;
    for (const SessionVariant& variant : variants) list.append(toJson(variant));
    return list;
}

QJsonObject toJson(const SessionDocument& document) {
    return {{"graph", document.graph},
            {"variants", toJson(document.variants)},
            {"closed", toJson(document.closed)},
            {"current", document.current},
            {"range_start_ms", document.range_start_ms},
            {"range_end_ms", document.range_end_ms},
            {"times", QJsonArray::fromStringList(document.times)},
            {"cost_model", document.cost_model},
            {"contention", document.contention},
            {"compiled", document.compiled},
            {"attention_density", document.attention_density},
            {"timeline", document.timeline},
            {"compared", document.compared},
            {"found", document.found},
            {"memory_limit", document.memory_limit},
            {"memory_limit_typed", document.memory_limit_typed},
            {"selection", document.selection},
            {"source", document.source.toJson()}};
}

QJsonObject toJson(const SessionState& state) {
    QJsonArray documents;
    for (const SessionDocument& document : state.documents) documents.append(toJson(document));
    return {{"format", "overlap-session"},
            {"version", session_version},
            {"open", state.open},
            {"documents", documents},
            {"recent_files", QJsonArray::fromStringList(state.recent_files)},
            {"theme", state.theme},
            {"share_links", state.share_links},
            {"geometry", QString::fromLatin1(state.geometry.toBase64())},
            {"layout", QString::fromLatin1(state.layout.toBase64())},
            {"views", state.views},
            {"ended", state.ended},
            {"kept_before", QJsonArray::fromStringList(state.kept_before)}};
}

std::vector<SessionVariant> variantsFromJson(const QJsonArray& json) {
    std::vector<SessionVariant> variants;
    for (const QJsonValue value : json) {
        const QJsonObject variant = value.toObject();
        variants.push_back({variant["plan"].toString().toUtf8(),
                            variant["file"].toString(),
                            variant["modified"].toBool(),
                            variant["digest"].toString().toLatin1(),
                            {variant["history"].toObject()},
                            variant["place"].toInt()});
    }
    return variants;
}

SessionDocument documentFromJson(const QJsonObject& json) {
    SessionDocument document;
    document.graph = json["graph"].toString();
    document.variants = variantsFromJson(json["variants"].toArray());
    document.closed = variantsFromJson(json["closed"].toArray());
    document.current = json["current"].toInt(1);
    document.range_start_ms = json["range_start_ms"].toDouble();
    document.range_end_ms = json["range_end_ms"].toDouble();
    for (const QJsonValue file : json["times"].toArray()) document.times.append(file.toString());
    document.cost_model = json["cost_model"].toString();
    document.contention = json["contention"].toBool();
    document.compiled = json["compiled"].toString();
    document.attention_density = json["attention_density"].toDouble();
    document.timeline = json["timeline"].toObject();
    document.compared = json["compared"].toObject();
    document.found = json["found"].toObject();
    document.memory_limit = json["memory_limit"].toDouble();
    document.memory_limit_typed = json["memory_limit_typed"].toString();
    document.selection = json["selection"].toObject();
    document.source = GraphSource::fromJson(json["source"].toObject());
    return document;
}

SessionState stateFromJson(const QJsonObject& json) {
    SessionState state;
    state.open = json["open"].toString();
    for (const QJsonValue value : json["documents"].toArray())
        state.documents.push_back(documentFromJson(value.toObject()));
    for (const QJsonValue value : json["recent_files"].toArray()) state.recent_files.append(value.toString());
    for (const QJsonValue value : json["kept_before"].toArray()) state.kept_before.append(value.toString());
    state.theme = json["theme"].toString(state.theme);
    state.share_links = json["share_links"].toBool();
    state.geometry = QByteArray::fromBase64(json["geometry"].toString().toLatin1());
    state.layout = QByteArray::fromBase64(json["layout"].toString().toLatin1());
    state.views = json["views"].toObject();
    state.ended = json["ended"].toBool(true);  // version 1 did not have it at first: nothing is claimed of those
    return state;
}

bool isModified(const SessionVariant& variant) {
    return variant.modified;
}

bool hasUnsavedEdits(const SessionDocument& document) {
    return std::any_of(document.variants.begin(), document.variants.end(), isModified) ||
           std::any_of(document.closed.begin(), document.closed.end(), isModified);
}

/// The plan that a graph opens with, not touched since.
bool isUntouched(const SessionVariant& variant) {
    return !variant.modified && variant.file.isEmpty();
}

/// Whether `variants` has all that is in `wanted`.
bool contains(const std::vector<SessionVariant>& variants, const SessionVariant& wanted) {
    return std::any_of(variants.begin(), variants.end(), [&](const SessionVariant& variant) {
        return variant.file == wanted.file && (!wanted.modified || variant.plan == wanted.plan);
    });
}

/// @returns how many plans with unsaved edits were added.
int addMissing(std::vector<SessionVariant>& variants, const std::vector<SessionVariant>& others) {
    int unsaved = 0;
    for (const SessionVariant& other : others) {
        if (isUntouched(other) || contains(variants, other)) continue;
        variants.push_back(other);
        unsaved += other.modified ? 1 : 0;
    }
    return unsaved;
}

/// Notes on a timeline are kept nowhere else.
bool hasNotes(const SessionDocument& document) {
    return !document.timeline["notes"].toArray().isEmpty();
}

/// Notes of both; the arrangement of lanes is that of `timeline`.
void addNotes(QJsonObject& timeline, const QJsonObject& others) {
    if (timeline.isEmpty()) {
        timeline = others;
        return;
    }
    QJsonArray notes = timeline["notes"].toArray();
    for (const QJsonValue note : others["notes"].toArray())
        if (!notes.contains(note)) notes.append(note);
    timeline["notes"] = notes;
}

}  // namespace

SessionDocument* SessionState::document(const QString& graph) {
    const auto found = std::find_if(documents.begin(), documents.end(),
                                    [&](const SessionDocument& document) { return document.graph == graph; });
    return found == documents.end() ? nullptr : &*found;
}

const SessionDocument* SessionState::document(const QString& graph) const {
    return const_cast<SessionState*>(this)->document(graph);
}

GraphSource SessionState::source(const QString& graph) const {
    const SessionDocument* kept = document(graph);
    return kept && !kept->source.file.isEmpty() ? kept->source : GraphSource(graph);
}

void SessionState::put(SessionDocument document) {
    std::erase_if(documents, [&](const SessionDocument& older) { return older.graph == document.graph; });
    documents.insert(documents.begin(), std::move(document));
    for (std::size_t i = documents.size(); i-- > kept_documents;)
        if (!hasUnsavedEdits(documents[i]) && !hasNotes(documents[i]))
            documents.erase(documents.begin() + static_cast<std::ptrdiff_t>(i));
}

void SessionState::putRecent(const QString& file) {
    recent_files.removeAll(file);
    recent_files.prepend(file);
    if (recent_files.size() > kept_recent_files) recent_files.resize(kept_recent_files);
}

int SessionState::adopt(const SessionState& other) {
    int unsaved = 0;
    for (const SessionDocument& theirs : other.documents) {
        SessionDocument* mine = document(theirs.graph);
        if (!mine) {
            documents.push_back(theirs);
            unsaved += static_cast<int>(std::count_if(theirs.variants.begin(), theirs.variants.end(), isModified));
            continue;
        }
        if (mine->variants.size() == 1 && isUntouched(mine->variants[0]) && hasUnsavedEdits(theirs))
            mine->variants.clear();
        unsaved += addMissing(mine->variants, theirs.variants);
        addMissing(mine->closed, theirs.closed);
        addNotes(mine->timeline, theirs.timeline);
    }
    kept_before.append(other.kept_before);
    if (open.isEmpty()) open = other.open;
    for (const QString& file : other.recent_files)
        if (!recent_files.contains(file) && recent_files.size() < kept_recent_files) recent_files.append(file);
    return unsaved;
}

QString keptBefore(const QString& graph, const SessionVariant& variant) {
    QCryptographicHash hash(QCryptographicHash::Sha1);
    hash.addData(graph.toUtf8() + '\n' + variant.plan);
    return QString::fromLatin1(hash.result().toHex());
}

QByteArray sessionText(const SessionState& state) {
    return QJsonDocument(toJson(state)).toJson(QJsonDocument::Compact);
}

ReadSession readSessionText(const QByteArray& text) {
    const QJsonObject json = QJsonDocument::fromJson(text).object();
    if (json["format"] != QStringLiteral("overlap-session")) return {};
    const int version = json["version"].toInt();
    if (version == session_version) return {.state = stateFromJson(json)};
    return {.newer_version = version > session_version ? version : 0};
}

}  // namespace overlap::ui
