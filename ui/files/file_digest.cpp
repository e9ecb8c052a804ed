#include "ui/files/file_digest.h"

#include <sys/stat.h>

#include <QCryptographicHash>
#include <QFile>
#include <QFileInfo>

namespace overlap::ui {

QByteArray contentDigest(const QByteArray& content) {
    return QCryptographicHash::hash(content, QCryptographicHash::Sha256).toHex();
}

QByteArray fileDigest(const QString& path) {
    if (!QFileInfo(path).isFile()) return {};  // a pipe would be waited for
    QFile file(path);
    // In pieces: a graph's file may be larger than what is left of memory.
    QCryptographicHash hash(QCryptographicHash::Sha256);
    return file.open(QIODevice::ReadOnly) && hash.addData(&file) ? hash.result().toHex() : QByteArray();
}

FileStamp fileStamp(const QString& path) {
    constexpr qint64 ns_per_s = 1'000'000'000;
    struct stat status {};
    if (stat(QFile::encodeName(path).constData(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
    return {qint64{status.st_mtim.tv_sec} * ns_per_s + status.st_mtim.tv_nsec, qint64{status.st_size},
            quint64{status.st_ino}};
}

}  // namespace overlap::ui
