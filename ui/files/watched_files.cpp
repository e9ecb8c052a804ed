#include "ui/files/watched_files.h"

#include <QFileInfo>
#include <system_error>
#include <utility>

namespace overlap::ui {
namespace {

/// A file that is written in place changes many times; it is whole, most likely, where it has not changed for so long.
constexpr int quiet_ms = 100;

QString folderOf(const QString& file) {
    return QFileInfo(file).path();
}

}  // namespace

WatchedFiles::WatchedFiles(QObject* parent) : QObject(parent) {
    connect(&watcher_, &QFileSystemWatcher::fileChanged, this, &WatchedFiles::lookSoon);
    connect(&watcher_, &QFileSystemWatcher::directoryChanged, this, &WatchedFiles::folderTouched);
    timer_.setSingleShot(true);
    timer_.setInterval(quiet_ms);
    connect(&timer_, &QTimer::timeout, this, [this] {
        for (const QString& file : std::exchange(waiting_, {})) look(file);
    });
}

void WatchedFiles::watch(const QStringList& files) {
    const QSet<QString> wanted(files.begin(), files.end());
    QSet<QString> folders;
    for (const QString& file : wanted) folders.insert(folderOf(file));
    for (const QString& file : stamps_.keys()) {
        if (wanted.contains(file)) continue;
        stamps_.remove(file);
        new_.remove(file);
        changing_.remove(file);
        waiting_.remove(file);
        watcher_.removePath(file);
        if (!folders.contains(folderOf(file))) watcher_.removePath(folderOf(file));
    }
    for (const QString& file : wanted) {
        if (stamps_.contains(file)) continue;
        stamps_.insert(file, {});
        new_.insert(file);
        look(file);
    }
}

void WatchedFiles::folderTouched(const QString& folder) {
    for (auto file = stamps_.keyBegin(); file != stamps_.keyEnd(); ++file)
        if (folderOf(*file) == folder) lookSoon(*file);
}

void WatchedFiles::lookSoon(const QString& file) {
    if (!stamps_.contains(file)) return;
    waiting_.insert(file);
    if (!timer_.isActive()) timer_.start();
}

void WatchedFiles::look(const QString& file) {
    if (looking_.contains(file)) {
        again_.insert(file);
        return;
    }
    looking_.insert(file);
    try {
        tasks_.run([this, file]() -> DetachedTasks::Delivery {
            return [this, file, now = fileStamp(file)] { looked(file, now); };
        });
    } catch (const std::system_error&) {
        // No further thread: it is looked at when something else happens.
        looking_.remove(file);
    }
}

void WatchedFiles::looked(const QString& file, const FileStamp& now) {
    looking_.remove(file);
    const bool look_again = again_.remove(file);
    const auto known = stamps_.find(file);
    if (known == stamps_.end()) return;
    // The folder has just answered. A file that took the place of another one is watched anew.
    watcher_.addPath(folderOf(file));
    const bool is_new = new_.remove(file), is_other = std::exchange(*known, now) != now;
    if (is_other) watcher_.removePath(file);
    if (now.bytes >= 0) watcher_.addPath(file);
    // What happened before it was watched is not told by the system.
    if (is_new || is_other || look_again) lookSoon(file);
    if (is_other && !is_new) changing_.insert(file);
    if (is_new || (!is_other && changing_.remove(file))) emit touched(file);
}

}  // namespace overlap::ui
