#include "ui/document/session.h"

#include <QDir>
#include <QJsonArray>
#include <QJsonDocument>
#include <QSaveFile>
#include <QStandardPaths>
#include <algorithm>

#include "core/io/plan_file.h"
#include "ui/document/document.h"

namespace overlap::ui {
namespace {

constexpr int session_version = 1;
constexpr std::size_t kept_documents = 20;
constexpr qsizetype kept_recent_files = 12;

QJsonObject toJson(const SessionVariant& variant) {
    return {{"plan", QString::fromUtf8(variant.plan)}, {"file", variant.file}, {"modified", variant.modified}};
}

QJsonObject toJson(const SessionDocument& document) {
    QJsonArray variants;
    for (const SessionVariant& variant : document.variants) variants.append(toJson(variant));
    return {{"graph", document.graph},
            {"variants", variants},
            {"current", document.current},
            {"range_start_ms", document.range_start_ms},
            {"range_end_ms", document.range_end_ms}};
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
            {"geometry", QString::fromLatin1(state.geometry.toBase64())},
            {"layout", QString::fromLatin1(state.layout.toBase64())},
            {"views", state.views}};
}

SessionDocument documentFromJson(const QJsonObject& json) {
    SessionDocument document;
    document.graph = json["graph"].toString();
    for (const QJsonValue value : json["variants"].toArray()) {
        const QJsonObject variant = value.toObject();
        document.variants.push_back(
            {variant["plan"].toString().toUtf8(), variant["file"].toString(), variant["modified"].toBool()});
    }
    document.current = json["current"].toInt(1);
    document.range_start_ms = json["range_start_ms"].toDouble();
    document.range_end_ms = json["range_end_ms"].toDouble();
    return document;
}

SessionState stateFromJson(const QJsonObject& json) {
    SessionState state;
    state.open = json["open"].toString();
    for (const QJsonValue value : json["documents"].toArray())
        state.documents.push_back(documentFromJson(value.toObject()));
    for (const QJsonValue value : json["recent_files"].toArray()) state.recent_files.append(value.toString());
    state.theme = json["theme"].toString(state.theme);
    state.geometry = QByteArray::fromBase64(json["geometry"].toString().toLatin1());
    state.layout = QByteArray::fromBase64(json["layout"].toString().toLatin1());
    state.views = json["views"].toObject();
    return state;
}

bool hasUnsavedEdits(const SessionDocument& document) {
    return std::any_of(document.variants.begin(), document.variants.end(),
                       [](const SessionVariant& variant) { return variant.modified; });
}

}  // namespace

SessionDocument* SessionState::document(const QString& graph) {
    const auto found = std::find_if(documents.begin(), documents.end(),
                                    [&](const SessionDocument& document) { return document.graph == graph; });
    return found == documents.end() ? nullptr : &*found;
}

void SessionState::put(SessionDocument document) {
    std::erase_if(documents, [&](const SessionDocument& older) { return older.graph == document.graph; });
    documents.insert(documents.begin(), std::move(document));
    for (std::size_t i = documents.size(); i-- > kept_documents;)
        if (!hasUnsavedEdits(documents[i])) documents.erase(documents.begin() + static_cast<std::ptrdiff_t>(i));
}

void SessionState::putRecent(const QString& file) {
    recent_files.removeAll(file);
    recent_files.prepend(file);
    if (recent_files.size() > kept_recent_files) recent_files.resize(kept_recent_files);
}

SessionDocument sessionDocument(const Document& document) {
    SessionDocument result;
    if (!document.isOpen()) return result;
    result.graph = document.loaded().path;
    for (int i = 1; i < document.variantCount(); ++i) {
        const Variant& variant = document.variant(i);
        result.variants.push_back(
            {QByteArray::fromStdString(write_plan_text(variant.plan())), variant.filePath(), variant.modified()});
    }
    result.current = document.currentIndex();
    return result;
}

Session::Session(const QString& folder) : folder_(folder) {
    QDir().mkpath(folder_);
    for (int instance = 1; instance <= 9; ++instance) {
        const QString stem = instance == 1 ? QStringLiteral("session") : QStringLiteral("session-%1").arg(instance);
        file_ = QDir(folder_).filePath(stem + QStringLiteral(".json"));
        lock_ = std::make_unique<QLockFile>(QDir(folder_).filePath(stem + QStringLiteral(".lock")));
        lock_->setStaleLockTime(0);  // a lock is stale when its process is gone, not when it is old
        if (lock_->tryLock()) return;
    }
}

QString Session::defaultFolder() {
    return QStandardPaths::writableLocation(QStandardPaths::AppDataLocation);
}

SessionState Session::load(QString* problem) const {
    QFile stored(file_);
    if (!stored.open(QIODevice::ReadOnly)) return {};
    QJsonParseError error;
    const QJsonObject json = QJsonDocument::fromJson(stored.readAll(), &error).object();
    stored.close();
    if (error.error == QJsonParseError::NoError && json["format"] == "overlap-session" &&
        json["version"].toInt() == session_version)
        return stateFromJson(json);
    const QString aside = freeName(QStringLiteral("session-not-read"), QStringLiteral(".json"));
    QFile::rename(file_, aside);
    if (problem) *problem = QStringLiteral("The last session could not be read and was kept as %1").arg(aside);
    return {};
}

QString Session::save(const SessionState& state) const {
    QSaveFile stored(file_);
    if (stored.open(QIODevice::WriteOnly)) {
        stored.write(QJsonDocument(toJson(state)).toJson(QJsonDocument::Compact));
        if (stored.commit()) return {};
    }
    return QStringLiteral("The session could not be stored in %1: %2").arg(file_, stored.errorString());
}

QString Session::keepAside(const QByteArray& plan) const {
    QSaveFile stored(freeName(QStringLiteral("recovered"), QStringLiteral(".plan.json")));
    if (!stored.open(QIODevice::WriteOnly)) return {};
    stored.write(plan);
    return stored.commit() ? stored.fileName() : QString();
}

QString Session::freeName(const QString& stem, const QString& suffix) const {
    for (int number = 1;; ++number) {
        const QString path = QDir(folder_).filePath(QStringLiteral("%1-%2%3").arg(stem).arg(number).arg(suffix));
        if (!QFile::exists(path)) return path;
    }
}

}  // namespace overlap::ui
