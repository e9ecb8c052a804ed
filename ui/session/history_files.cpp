#include "ui/session/history_files.h"

#include <QDir>
#include <QFile>
#include <QUuid>
#include <algorithm>
#include <cstddef>
#include <utility>

#include "core/base/error.h"
#include "ui/files/write_file.h"
#include "ui/session/history_json.h"

namespace overlap::ui {
namespace {

constexpr int history_version = 1;

/// Edits of one file; of large ones fewer. The session's own file has as many of a plan at most.
constexpr std::size_t edits_of_file = 64;
constexpr std::size_t bytes_of_file = 128u << 10;

/// A side of a change has about as much beside its modules' names; the rest of a plan, where it differs, most often.
constexpr std::size_t bytes_of_side = 300, bytes_of_entry = 40, bytes_of_rest = 3000;

const QString suffix = QStringLiteral(".edits");

QString pathOf(const QString& folder, const QString& file = {}) {
    return folder + QStringLiteral("/histories") + (file.isEmpty() ? QString() : u'/' + file);
}

std::size_t roughBytes(const PlanHistory::Edit& edit) {
    std::size_t bytes = 0;
    for (const PlanChange::Side* side : {&edit.change.before(), &edit.change.after()}) {
        bytes += bytes_of_side + (side->rest ? bytes_of_rest : 0);
        for (const BucketEntry& entry : side->entries) {
            bytes += bytes_of_entry;
            for (const std::string& module : entry.modules) bytes += module.size();
        }
    }
    return bytes;
}

/// The edits that are kept: the newest ones, and in any case those next to the plan's state.
struct Kept {
    int begin = 0, end = 0;
};

Kept keptOf(const PlanHistory& history) {
    const int count = static_cast<int>(history.edits.size());
    int room = HistoryFiles::most_edits;
    std::size_t bytes = 0;
    const auto has_room = [&](int edit) {
        bytes += roughBytes(*history.edits[static_cast<std::size_t>(edit)]);
        return room-- > 0 && bytes <= HistoryFiles::most_bytes;
    };
    Kept kept{count, count};
    while (kept.begin > 0 && has_room(kept.begin - 1)) --kept.begin;
    if (kept.begin <= history.done) return kept;
    // More than are kept have been undone.
    kept = {history.done, history.done};
    room = HistoryFiles::most_edits;
    bytes = 0;
    while (kept.end < count && has_room(kept.end)) ++kept.end;
    return kept;
}

/// Calls with each history of a session, and whether its plan may be edited: of the graph that is open.
template <typename Call>
void forEachHistory(SessionState& state, const Call& call) {
    for (SessionDocument& document : state.documents)
        for (auto* variants : {&document.variants, &document.closed})
            for (SessionVariant& variant : *variants)
                call(variant.history, variants == &state.documents.front().variants);
}

void addFiles(QSet<QString>& files, const QJsonObject& history) {
    for (const QJsonValue part : history["parts"].toArray())
        if (const QString file = part["file"].toString(); !file.isEmpty()) files.insert(file);
}

QSet<QString> filesOf(const KeptHistory& kept) {
    QSet<QString> files;
    if (!kept.live) addFiles(files, kept.stored);
    return files;
}

[[noreturn]] void fail(const QString& problem) {
    throw InputError("", "", problem.toStdString());
}

}  // namespace

HistoryFiles::HistoryFiles(const QString& folder) : folder_(folder) {}

void HistoryFiles::begin(const SessionState& state, bool alone) {
    SessionState of_start = state;
    forEachHistory(of_start, [this](const KeptHistory& history, bool) { addFiles(there_, history.stored); });
    used_before_ = there_;
    if (!alone) return;
    const QDir files(pathOf(folder_));
    for (const QString& file : files.entryList({u'*' + suffix}, QDir::Files))
        if (!there_.contains(file)) QFile::remove(files.filePath(file));
}

void HistoryFiles::store(SessionState& state) {
    older_texts_ = std::exchange(texts_, {});
    older_histories_ = std::exchange(histories_, {});
    used_.clear();
    forEachHistory(state, [this](KeptHistory& history, bool edited) {
        if (const auto live = std::exchange(history.live, nullptr)) {
            const auto known = older_histories_.find(live);
            const bool same = known != older_histories_.end() && known->second.edited == edited;
            history.stored = same ? known->second.json : stored(*live, edited);
            histories_.insert_or_assign(live, Stored{history.stored, edited});
        }
        addFiles(used_, history.stored);
    });
}

void HistoryFiles::removeUnused() {
    for (auto file = there_.begin(); file != there_.end();) {
        const bool is_used = used_.contains(*file) || used_before_.contains(*file);
        if (is_used || !QFile::remove(pathOf(folder_, *file))) {
            ++file;
            continue;
        }
        std::erase_if(places_, [&](const auto& place) { return place.second.file == *file; });
        file = there_.erase(file);
    }
    used_before_ = used_;
}

QJsonObject HistoryFiles::stored(const PlanHistory& history, bool edited) {
    const Kept kept = keptOf(history);
    QJsonArray parts;
    std::vector<Edit> in_no_file;
    Place first;  // of those in a row in one file
    int count = 0;
    const auto add_row = [&] {
        if (count > 0) parts.append(QJsonObject{{"file", first.file}, {"first", first.place}, {"count", count}});
        count = 0;
    };
    for (int i = kept.begin; i < kept.end; ++i) {
        Place place = placeOf(history.edits[static_cast<std::size_t>(i)]);
        if (count > 0 && place.file == first.file && place.place == first.place + count) {
            ++count;
            continue;
        }
        add_row();
        if (place.file.isEmpty()) {
            in_no_file.push_back(std::move(place.edit));
            continue;
        }
        addParts(parts, std::exchange(in_no_file, {}), false);
        first = std::move(place);
        count = 1;
    }
    add_row();
    addParts(parts, in_no_file, edited);
    return {{"version", history_version},
            {"parts", parts},
            {"done", history.done - kept.begin},
            {"saved", history.saved <= kept.end ? std::max(-1, history.saved - kept.begin) : -1},
            {"begins_later", history.begins_later || kept.begin > 0},
            {"ends_earlier", history.ends_earlier || kept.end < static_cast<int>(history.edits.size())}};
}

HistoryFiles::Place HistoryFiles::placeOf(const Edit& edit) const {
    if (const auto found = places_.find(edit.get()); found != places_.end()) return found->second;
    if (there_.contains(edit->file)) return {edit, edit->file, edit->place};
    return {edit, {}, 0};
}

void HistoryFiles::addParts(QJsonArray& parts, const std::vector<Edit>& edits, bool edited) {
    QJsonArray in_session;
    std::vector<Edit> together;
    std::size_t bytes = 0;
    const auto add = [&](bool in_a_file) {
        const QString file = in_a_file ? writeFileOf(together) : QString();
        if (file.isEmpty()) {
            for (const Edit& edit : together) in_session.append(jsonOf(edit));
        } else {
            if (!in_session.isEmpty()) parts.append(QJsonObject{{"edits", std::exchange(in_session, {})}});
            parts.append(QJsonObject{{"file", file}, {"first", 0}, {"count", static_cast<int>(together.size())}});
        }
        together.clear();
        bytes = 0;
    };
    for (const Edit& edit : edits) {
        if (together.size() >= edits_of_file || bytes >= bytes_of_file) add(true);
        together.push_back(edit);
        bytes += roughBytes(*edit);
    }
    // The newest edit may still take in what follows.
    if (!together.empty()) add(!edited);
    if (!in_session.isEmpty()) parts.append(QJsonObject{{"edits", in_session}});
}

QString HistoryFiles::writeFileOf(const std::vector<Edit>& edits) {
    QJsonArray texts;
    for (const Edit& edit : edits) texts.append(jsonOf(edit));
    const QString file = QUuid::createUuid().toString(QUuid::WithoutBraces) + suffix;
    QDir().mkpath(pathOf(folder_));
    // Where it cannot be written they stay in the session, whose problem is told.
    if (!writeFile(pathOf(folder_, file), editsFile(texts)).isEmpty()) return {};
    there_.insert(file);
    for (std::size_t i = 0; i < edits.size(); ++i) places_[edits[i].get()] = {edits[i], file, static_cast<int>(i)};
    return file;
}

const QJsonObject& HistoryFiles::jsonOf(const Edit& edit) {
    const auto known = older_texts_.find(edit);
    return texts_.try_emplace(edit, known == older_texts_.end() ? editJson(*edit) : known->second).first->second;
}

bool HistoryFiles::hasFiles(const KeptHistory& kept) {
    return !filesOf(kept).isEmpty();
}

HistoryFiles::Contents HistoryFiles::contentsOf(const QString& folder, const KeptHistory& kept) {
    Contents contents;
    for (const QString& file : filesOf(kept)) {
        const QString path = pathOf(folder, file);
        if (file.contains(u'/')) fail(QStringLiteral("%1 is in another folder").arg(path));
        QFile stored(path);
        if (!stored.open(QIODevice::ReadOnly))
            fail(QStringLiteral("%1 cannot be read (%2)").arg(path, stored.errorString()));
        contents.insert(file, stored.readAll());
    }
    return contents;
}

std::shared_ptr<const PlanHistory> HistoryFiles::read(const KeptHistory& kept, const Contents& contents,
                                                      const Plan& plan) {
    std::shared_ptr<const PlanHistory> history = kept.live;
    if (!history) {
        if (kept.stored.isEmpty()) return nullptr;
        if (kept.stored["version"].toInt() != history_version) fail(QStringLiteral("another version has kept them"));
        auto read = std::make_shared<PlanHistory>();
        EditReader reader;
        for (const QJsonValue part : kept.stored["parts"].toArray()) {
            const QString file = part["file"].toString();
            const bool in_session = file.isEmpty();
            const QJsonArray edits = in_session ? part["edits"].toArray() : editsOfFile(contents.value(file), file);
            const qsizetype first = in_session ? 0 : part["first"].toInt();
            const qsizetype count = in_session ? edits.size() : part["count"].toInt();
            if (first < 0 || count < 0 || count > edits.size() - first)
                fail(QStringLiteral("%1 has fewer of them").arg(file));
            for (qsizetype i = first; i < first + count; ++i)
                read->edits.push_back(reader.read(edits[i].toObject(), file, static_cast<int>(i)));
        }
        read->done = kept.stored["done"].toInt();
        read->saved = kept.stored["saved"].toInt(-1);
        read->begins_later = kept.stored["begins_later"].toBool();
        read->ends_earlier = kept.stored["ends_earlier"].toBool();
        history = std::move(read);
    }
    if (!fits(*history, plan)) fail(QStringLiteral("they do not fit the plan"));
    return history;
}

}  // namespace overlap::ui
