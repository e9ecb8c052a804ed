#include "ui/document/session.h"

#include <QDir>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QStandardPaths>
#include <QUuid>
#include <algorithm>

#include "core/io/plan_file.h"
#include "ui/document/document.h"
#include "ui/document/write_file.h"

namespace overlap::ui {
namespace {

constexpr int session_version = 1;
constexpr int numbered_instances = 9;  ///< those beyond have names at random
constexpr std::size_t kept_documents = 20;
constexpr qsizetype kept_recent_files = 12;
const QString aside_stem = QStringLiteral("session-not-read");

QJsonObject toJson(const SessionVariant& variant) {
    return {{"plan", QString::fromUtf8(variant.plan)},
            {"file", variant.file},
            {"modified", variant.modified},
            {"digest", QString::fromLatin1(variant.digest)}};
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
            {"timeline", document.timeline},
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
            {"geometry", QString::fromLatin1(state.geometry.toBase64())},
            {"layout", QString::fromLatin1(state.layout.toBase64())},
            {"views", state.views},
            {"ended", state.ended}};
}

std::vector<SessionVariant> variantsFromJson(const QJsonArray& json) {
    std::vector<SessionVariant> variants;
    for (const QJsonValue value : json) {
        const QJsonObject variant = value.toObject();
        variants.push_back({variant["plan"].toString().toUtf8(), variant["file"].toString(),
                            variant["modified"].toBool(), variant["digest"].toString().toLatin1()});
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
    document.timeline = json["timeline"].toObject();
    document.source = GraphSource::fromJson(json["source"].toObject());
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
    state.ended = json["ended"].toBool(true);  // version 1 did not have it at first: nothing is claimed of those
    return state;
}

std::unique_ptr<QLockFile> lockOf(const QString& file) {
    auto lock = std::make_unique<QLockFile>(QFileInfo(file).path() + u'/' + QFileInfo(file).completeBaseName() +
                                            QStringLiteral(".lock"));
    lock->setStaleLockTime(0);  // a lock is stale when its process is gone, not when it is old
    return lock;
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
    if (open.isEmpty()) open = other.open;
    for (const QString& file : other.recent_files)
        if (!recent_files.contains(file) && recent_files.size() < kept_recent_files) recent_files.append(file);
    return unsaved;
}

SessionVariant sessionVariantOutline(const Variant& variant) {
    return {{}, variant.filePath(), variant.modified(), variant.fileDigest()};
}

SessionVariant sessionVariant(const Variant& variant) {
    SessionVariant kept = sessionVariantOutline(variant);
    kept.plan = QByteArray::fromStdString(write_plan_text(variant.plan()));
    return kept;
}

SessionDocument sessionDocument(const Document& document, SessionVariant (*keep)(const Variant&)) {
    SessionDocument result;
    if (!document.isOpen()) return result;
    result.graph = document.loaded().path;
    result.source = document.loaded().source;
    for (int i = 1; i < document.variantCount(); ++i) result.variants.push_back(keep(document.variant(i)));
    result.current = document.currentIndex();
    return result;
}

Session::Session(const QString& folder) : folder_(folder) {
    QDir().mkpath(folder_);
    for (int instance = 1; instance <= numbered_instances; ++instance)
        if (lockInstance(instance == 1 ? QStringLiteral("session") : QStringLiteral("session-%1").arg(instance)))
            return;
    // Never a file that another instance writes: a name that nobody else has, which the next start finds as well.
    lockInstance(QStringLiteral("session-") + QUuid::createUuid().toString(QUuid::WithoutBraces));
}

bool Session::lockInstance(const QString& stem) {
    file_ = QDir(folder_).filePath(stem + QStringLiteral(".json"));
    lock_ = lockOf(file_);
    return lock_->tryLock();
}

QString Session::defaultFolder() {
    return QStandardPaths::writableLocation(QStandardPaths::AppDataLocation);
}

StoredSession Session::load() const {
    StoredSession stored = read(file_).value_or(StoredSession());
    QStringList taken_over;
    std::vector<std::unique_ptr<QLockFile>> locks;  // held until the files are gone
    const QString own = QFileInfo(file_).fileName();
    for (const QString& name : QDir(folder_).entryList(
             {QStringLiteral("session-*.json"), QStringLiteral("session.json")}, QDir::Files, QDir::Name)) {
        if (name == own || name.startsWith(aside_stem)) continue;
        const QString file = QDir(folder_).filePath(name);
        std::unique_ptr<QLockFile> lock = lockOf(file);
        if (!lock->tryLock()) continue;  // its instance is running
        if (auto other = read(file)) {
            stored.adopted += stored.state.adopt(other->state);
            stored.problems.append(other->problems);
            std::move(other->recovered.begin(), other->recovered.end(), std::back_inserter(stored.recovered));
            taken_over.append(file);
        }
        locks.push_back(std::move(lock));
    }
    if (!taken_over.isEmpty() && save(stored.state).isEmpty()) {
        for (const QString& file : taken_over) {
            QFile::remove(file);
            QFile::remove(olderVersionPath(file));
        }
    }
    return stored;
}

std::optional<StoredSession> Session::read(const QString& file) const {
    if (!QFile::exists(file)) return {};
    StoredSession stored;
    auto state = readState(file, stored.problems);
    if (!state && QFile::exists(olderVersionPath(file))) state = readState(olderVersionPath(file), stored.problems);
    if (!state) {
        if (stored.problems.isEmpty()) return {};
        return stored;
    }
    stored.state = std::move(*state);
    if (!std::exchange(stored.state.ended, false)) {
        for (const SessionDocument& document : stored.state.documents)
            for (const SessionVariant& variant : document.variants)
                if (variant.modified) stored.recovered.push_back({document.graph, variant});
    }
    return stored;
}

std::optional<SessionState> Session::readState(const QString& file, QStringList& problems) const {
    QFile stored(file);
    const bool opened = stored.open(QIODevice::ReadOnly);
    QJsonParseError error;
    const QJsonObject json = QJsonDocument::fromJson(opened ? stored.readAll() : QByteArray(), &error).object();
    stored.close();
    const bool session = error.error == QJsonParseError::NoError && json["format"] == "overlap-session";
    const int version = json["version"].toInt();
    if (session && version == session_version) return stateFromJson(json);
    const QString aside = freeName(aside_stem, QStringLiteral(".json"));
    QFile::rename(file, aside);
    problems.append(session && version > session_version
                        ? QStringLiteral("The last session was written by a newer Overlap Studio (version %1 of the "
                                         "format, this one reads up to %2) and was kept as %3; update Overlap Studio "
                                         "and rename it to %4 to have it back")
                              .arg(QString::number(version), QString::number(session_version), aside, file)
                        : QStringLiteral("The last session could not be read and was kept as %1").arg(aside));
    return {};
}

QString Session::save(const SessionState& state) const {
    const QByteArray text = QJsonDocument(toJson(state)).toJson(QJsonDocument::Compact);
    const QString problem = writeFile(file_, text, OlderVersion::kept);
    return problem.isEmpty() ? QString() : QStringLiteral("The session could not be stored: ") + problem;
}

QString Session::keepAside(const QByteArray& plan) const {
    const QString file = freeName(QStringLiteral("recovered"), QStringLiteral(".plan.json"));
    return writeFile(file, plan).isEmpty() ? file : QString();
}

QString Session::freeName(const QString& stem, const QString& suffix) const {
    for (int number = 1;; ++number) {
        const QString path = QDir(folder_).filePath(QStringLiteral("%1-%2%3").arg(stem).arg(number).arg(suffix));
        if (!QFile::exists(path)) return path;
    }
}

}  // namespace overlap::ui
