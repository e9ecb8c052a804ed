#include "ui/session/session.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <QDir>
#include <QFileInfo>
#include <QStandardPaths>
#include <QSysInfo>
#include <QUuid>
#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include "core/io/plan/plan_file.h"
#include "ui/document/document.h"
#include "ui/files/write_file.h"
#include "ui/session/history_files.h"

namespace overlap::ui {
namespace {

constexpr int numbered_instances = 9;  ///< further ones have random names
const QString aside_stem = QStringLiteral("session-not-read");

std::unique_ptr<QLockFile> lockOf(const QString& file) {
    auto lock = std::make_unique<QLockFile>(QFileInfo(file).path() + u'/' + QFileInfo(file).completeBaseName() +
                                            QStringLiteral(".lock"));
    lock->setStaleLockTime(0);  // a lock is stale when its process has ended, not when it is old
    return lock;
}

/// The holder of a session's lock that could not be taken.
struct LockHolder {
    bool is_running = true;
    QString other_host;  ///< where it may be running; empty for this one
};

LockHolder holderOf(const QLockFile& lock) {
    // No lock can be made in a read-only folder, whether or not there are other instances.
    if (lock.error() != QLockFile::LockFailedError) return {.is_running = false, .other_host = {}};
    qint64 process = 0;
    QString host, program;
    if (!lock.getLockInfo(&process, &host, &program)) return {};
    const bool has_process = kill(static_cast<pid_t>(process), 0) == 0 || errno != ESRCH;
    if (host == QSysInfo::machineHostName() && has_process) return {};
    // The lock of an ended process of this machine stays only where nothing can be removed.
    const QByteArray folder = QFile::encodeName(QFileInfo(lock.fileName()).path());
    const bool is_ours =
        host == QSysInfo::machineHostName() && faccessat(AT_FDCWD, folder.constData(), W_OK, AT_EACCESS) != 0;
    return is_ours ? LockHolder{.is_running = false, .other_host = {}}
                   : LockHolder{.is_running = true, .other_host = host};
}

int unsavedPlansOf(const SessionState& state) {
    int count = 0;
    for (const SessionDocument& document : state.documents)
        for (const auto* variants : {&document.variants, &document.closed})
            count += static_cast<int>(std::count_if(variants->begin(), variants->end(),
                                                    [](const SessionVariant& variant) { return variant.modified; }));
    return count;
}

/// Whether no such file is there. One that cannot be looked at may be there, and must not be overwritten.
bool isAbsent(const QString& file) {
    struct stat status {};
    return stat(QFile::encodeName(file).constData(), &status) != 0 && errno == ENOENT;
}

/// The sessions in a folder.
struct SessionFiles {
    QStringList names;
    QString problem;  ///< why some of them may be left out; empty where all are there
};

/// QDir lists nothing of a folder that it cannot read, and does not say so.
SessionFiles sessionsIn(const QString& folder) {
    SessionFiles found;
    std::error_code failure;
    for (std::filesystem::directory_iterator entry(QFile::encodeName(folder).toStdString(), failure), end;
         !failure && entry != end; entry.increment(failure)) {
        const QString name = QFile::decodeName(entry->path().filename().c_str());
        const bool is_session = name == QStringLiteral("session.json") ||
                                (name.startsWith(QStringLiteral("session-")) && name.endsWith(QStringLiteral(".json")));
        std::error_code not_looked_at;  // what cannot be looked at may be a session
        if (is_session && !name.startsWith(aside_stem) && !entry->is_directory(not_looked_at)) found.names.append(name);
    }
    found.names.sort();
    if (failure && failure != std::errc::no_such_file_or_directory)
        found.problem = QStringLiteral(
                            "The last session could not be read: the folder %1 cannot be listed (%2). What is "
                            "in it stays there for the next start")
                            .arg(folder, QString::fromStdString(failure.message()));
    return found;
}

/// The message on a session that may be in use on another host; empty where nothing would be lost.
QString noticeOfOtherHost(const QString& file, const QString& host) {
    QFile stored(file);
    if (!stored.open(QIODevice::ReadOnly)) return {};
    const ReadSession found = readSessionText(stored.readAll());
    const int unsaved = found.state ? unsavedPlansOf(*found.state) : 0;
    if (unsaved == 0) return {};
    const QString lock = QFileInfo(file).completeBaseName() + QStringLiteral(".lock");
    return QStringLiteral(
               "Overlap Studio may be running on %1, where it has unsaved plans (%2); if it has ended "
               "there, remove %3 and start again to have them here")
        .arg(host, QString::number(unsaved), QFileInfo(file).dir().filePath(lock));
}

}  // namespace

SessionVariant sessionVariantOutline(const Variant& variant) {
    return {{}, variant.filePath(), variant.modified(), variant.fileDigest(), {{}, variant.history()}};
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

Session::Session(const QString& folder) : folder_(folder), histories_(std::make_unique<HistoryFiles>(folder)) {
    QDir().mkpath(folder_);
    for (int instance = 1; instance <= numbered_instances; ++instance)
        if (lockInstance(instance == 1 ? QStringLiteral("session") : QStringLiteral("session-%1").arg(instance)))
            return;
    // Never a file that another instance writes: a unique name, which the next start finds as well.
    lockInstance(QStringLiteral("session-") + QUuid::createUuid().toString(QUuid::WithoutBraces));
}

Session::~Session() = default;

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
    std::vector<std::unique_ptr<QLockFile>> locks;  // held until the files are removed
    const QString own = QFileInfo(file_).fileName();
    const SessionFiles others = sessionsIn(folder_);
    if (!others.problem.isEmpty()) stored.problems.append(others.problem);
    for (const QString& name : others.names) {
        if (name == own) continue;
        const QString file = QDir(folder_).filePath(name);
        std::unique_ptr<QLockFile> lock = lockOf(file);
        const bool is_locked = lock->tryLock();
        if (!is_locked) {
            const LockHolder holder = holderOf(*lock);
            if (!holder.other_host.isEmpty())
                if (const QString notice = noticeOfOtherHost(file, holder.other_host); !notice.isEmpty())
                    stored.problems.append(notice);
            if (holder.is_running) continue;
        }
        if (auto other = read(file)) {
            stored.adopted += stored.state.adopt(other->state);
            stored.problems.append(other->problems);
            std::move(other->recovered.begin(), other->recovered.end(), std::back_inserter(stored.recovered));
            if (is_locked) taken_over.append(file);  // else it stays unchanged, for a start that can write
        }
        locks.push_back(std::move(lock));
    }
    const bool alone = stored.problems.isEmpty() &&
                       taken_over.size() == others.names.count() - others.names.count(own) &&
                       QDir(folder_).entryList({aside_stem + u'*'}).isEmpty();
    histories_->begin(stored.state, alone);
    if (!taken_over.isEmpty() && save(stored.state).isEmpty()) {
        for (const QString& file : taken_over) {
            QFile::remove(file);
            QFile::remove(olderVersionPath(file));
        }
    }
    return stored;
}

std::optional<StoredSession> Session::read(const QString& file) const {
    if (isAbsent(file)) return {};
    StoredSession stored;
    auto state = readState(file, stored.problems);
    if (!state && !isAbsent(olderVersionPath(file))) state = readState(olderVersionPath(file), stored.problems);
    if (!state) {
        if (stored.problems.isEmpty()) return {};
        return stored;
    }
    stored.state = std::move(*state);
    // A run that was cut off leaves what its edits made, and what it found: unsaved edits of runs that ended normally.
    const bool has_ended = std::exchange(stored.state.ended, false);
    QStringList unsaved;
    for (const SessionDocument& document : stored.state.documents) {
        for (const SessionVariant& variant : document.variants) {
            if (!variant.modified) continue;
            unsaved.append(keptBefore(document.graph, variant));
            if (!has_ended && !stored.state.kept_before.contains(unsaved.back()))
                stored.recovered.push_back({document.graph, variant});
        }
    }
    if (has_ended) stored.state.kept_before = unsaved;
    return stored;
}

std::optional<SessionState> Session::readState(const QString& file, QStringList& problems) const {
    QFile stored(file);
    ReadSession found;
    QString reason;
    if (stored.open(QIODevice::ReadOnly)) found = readSessionText(stored.readAll());
    if (stored.error() != QFileDevice::NoError) reason = QStringLiteral(" (%1)").arg(stored.errorString());
    stored.close();
    if (found.state) return found.state;
    const QString aside = freeName(aside_stem, QStringLiteral(".json"));
    const QString kept = QFile::rename(file, aside) ? aside : file;
    // A name that no instance writes to: what is in the session by then must stay.
    problems.append(found.newer_version != 0
                        ? QStringLiteral("The last session was written by a newer Overlap Studio (version %1 of the "
                                         "format, this one reads up to %2) and was kept as %3; update Overlap Studio "
                                         "and rename it to %4 to have it back")
                              .arg(QString::number(found.newer_version), QString::number(session_version), kept,
                                   freeName(QStringLiteral("session-of-newer"), QStringLiteral(".json")))
                        : QStringLiteral("The last session could not be read%1 and was kept as %2").arg(reason, kept));
    return {};
}

QString Session::save(const SessionState& state) const {
    SessionState stored = state;
    histories_->store(stored);
    const QString problem = writeFile(file_, sessionText(stored), OlderVersion::kept);
    if (problem.isEmpty()) histories_->removeUnused();
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
