#include "ui/session/graph_file_watch.h"

#include <system_error>
#include <utility>

#include "ui/document/document.h"

namespace overlap::ui {
namespace {

/// Empty where it cannot be known, or would take too long.
QByteArray digestOf(const QString& file, const FileStamp& stamp) {
    return stamp.bytes < 0 || stamp.bytes > GraphFileWatch::most_bytes_compared ? QByteArray() : fileDigest(file);
}

}  // namespace

GraphFileWatch::GraphFileWatch(Document& document, QObject* parent) : QObject(parent), document_(document) {
    connect(&document, &Document::graphChanged, this, &GraphFileWatch::begin);
    connect(&watched_, &WatchedFiles::touched, this, &GraphFileWatch::look);
}

void GraphFileWatch::begin() {
    ++serial_;
    read_.clear();
    if (std::exchange(told_, {}) != FileStamp()) emit settled();
    const FileStamp& stamp = document_.loaded().stamp;
    const QString file = document_.loaded().source.file;
    watched_.watch(stamp.bytes < 0 ? QStringList() : QStringList{file});
    if (stamp.bytes < 0) return;
    look();
    // What was read is still there, most likely.
    try {
        tasks_.run([this, file, stamp, serial = serial_]() -> DetachedTasks::Delivery {
            QByteArray digest = fileStamp(file) == stamp ? digestOf(file, stamp) : QByteArray();
            if (fileStamp(file) != stamp) digest.clear();
            return [this, digest, serial] {
                if (serial == serial_) read_ = digest;
            };
        });
    } catch (const std::system_error&) {
        // No further thread: a file that is written anew counts as changed.
    }
}

void GraphFileWatch::look() {
    if (!document_.isOpen() || document_.loaded().stamp.bytes < 0) return;
    if (looking_) {
        again_ = true;
        return;
    }
    looking_ = true;
    try {
        tasks_.run([this, file = document_.loaded().source.file, read = document_.loaded().stamp,
                    serial = serial_]() -> DetachedTasks::Delivery {
            const FileStamp now = fileStamp(file);
            const QByteArray digest = now == read ? QByteArray() : digestOf(file, now);
            return [this, now, digest, serial] {
                looking_ = false;
                if (serial == serial_) looked(now, digest);
                if (std::exchange(again_, false)) look();
            };
        });
    } catch (const std::system_error&) {
        looking_ = false;
    }
}

void GraphFileWatch::looked(const FileStamp& now, const QByteArray& digest) {
    if (now.bytes < 0) return;
    const bool same = now == document_.loaded().stamp || (!digest.isEmpty() && digest == read_);
    if (same) {
        if (std::exchange(told_, {}) != FileStamp()) emit settled();
        return;
    }
    const bool is_told = told_ == now || (told_ != FileStamp() && !digest.isEmpty() && digest == told_digest_);
    told_ = now;
    told_digest_ = digest;
    if (!is_told) emit changed(document_.loaded().source.file);
}

}  // namespace overlap::ui
