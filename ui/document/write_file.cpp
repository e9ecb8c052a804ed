#include "ui/document/write_file.h"

#include <QBuffer>
#include <QCoreApplication>
#include <QFile>
#include <QFileInfo>
#include <QImageWriter>
#include <exception>
#include <memory>

namespace overlap::ui {

QString writeFile(const QString& path, const QByteArray& bytes, OlderVersion older) {
    try {
        write_file_atomically(QFile::encodeName(path).toStdString(),
                              {bytes.constData(), static_cast<std::size_t>(bytes.size())}, older);
        return {};
    } catch (const std::exception& error) {
        return QString::fromUtf8(error.what());
    }
}

QString exportFile(const QString& path, const QByteArray& bytes, std::chrono::milliseconds patience) {
    // Shared with the thread, which may outlive this call.
    const auto problem = std::make_shared<QString>(
        QCoreApplication::translate("WriteFile",
                                    "%1 is not written yet: its folder does not answer. It is tried until the program "
                                    "ends; look there whether it has come")
            .arg(path));
    try {
        DetachedTasks().run(
            [path, bytes, problem]() -> DetachedTasks::Delivery {
                return [problem, outcome = writeFile(path, bytes)] { *problem = outcome; };
            },
            patience);
    } catch (const std::exception& error) {
        return QString::fromUtf8(error.what());
    }
    return *problem;
}

QString writePicture(const QString& path, const QImage& picture) {
    QByteArray bytes;
    QBuffer buffer(&bytes);
    QImageWriter writer(&buffer, QFileInfo(path).suffix().toLower().toLatin1());
    if (!writer.write(picture))
        return QCoreApplication::translate("WriteFile", "%1 could not be written: %2").arg(path, writer.errorString());
    return exportFile(path, bytes);
}

QString olderVersionPath(const QString& path) {
    return QFile::decodeName(QByteArray::fromStdString(older_version_path(QFile::encodeName(path).toStdString())));
}

}  // namespace overlap::ui
