#pragma once

#include <QByteArray>
#include <QString>

namespace overlap::ui {

/// Decides whether a file is still the one that was read or written: a digest of its content, in hexadecimal digits.
/// Content rather than time or size, because clocks are coarse and a plan may change without growing.
QByteArray contentDigest(const QByteArray& content);
/// The same of a file as it is now; empty where it is gone or cannot be read.
QByteArray fileDigest(const QString& path);

/// What the file system says of a file's content: where the stamp is the same, the content is. Where it is another, the
/// content may still be the same. Cheaper than a digest of a large file.
struct FileStamp {
    qint64 written_ns = 0;  ///< when it was written last
    qint64 bytes = -1;      ///< -1: there is no such file
    quint64 inode = 0;      ///< another one where a new file was put in its place

    bool operator==(const FileStamp&) const = default;
};

/// That of a file as it is now. One embedded in the program has none.
FileStamp fileStamp(const QString& path);

}  // namespace overlap::ui
