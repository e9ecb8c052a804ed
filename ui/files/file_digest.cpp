#include "ui/files/file_digest.h"

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
    return file.open(QIODevice::ReadOnly) ? contentDigest(file.readAll()) : QByteArray();
}

}  // namespace overlap::ui
