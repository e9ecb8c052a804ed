#include "ui/files/write_file.h"

#include <QBuffer>
#include <QCoreApplication>
#include <QFile>
#include <QFileInfo>
#include <QImageWriter>
#include <QSet>
#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <system_error>

namespace overlap::ui {
namespace {

/// Files that are being exported, of all threads.
class ExportsUnderWay {
  public:
    /// @returns false where it is among them.
    static bool begin(const QString& path) {
        const std::lock_guard lock(mutex());
        if (paths().contains(path)) return false;
        paths().insert(path);
        return true;
    }
    static void end(const QString& path) {
        const std::lock_guard lock(mutex());
        paths().remove(path);
    }

  private:
    // Never destroyed: a thread that hangs outlives what the program destroys at its end.
    static std::mutex& mutex() {
        static auto* const mutex = new std::mutex;
        return *mutex;
    }
    static QSet<QString>& paths() {
        static auto* const paths = new QSet<QString>;
        return *paths;
    }
};

}  // namespace

QString writeFile(const QString& path, const QByteArray& bytes, OlderVersion older) {
    try {
        write_file_atomically(QFile::encodeName(path).toStdString(),
                              {bytes.constData(), static_cast<std::size_t>(bytes.size())}, older);
        return {};
    } catch (const std::exception& error) {
        return writingProblem(path, error);
    }
}

QString writingProblem(const QString& path, const std::exception& error) {
    if (dynamic_cast<const std::bad_alloc*>(&error))
        return QCoreApplication::translate("WriteFile", "%1 could not be written: there is not enough memory")
            .arg(path);
    return QString::fromUtf8(error.what());
}

LateExports& LateExports::instance() {
    static auto* const exports = new LateExports;  // never destroyed: see ExportsUnderWay
    return *exports;
}

QString exportFile(const QString& path, const QByteArray& bytes, std::chrono::milliseconds patience,
                   OlderVersion older) {
    // An older export that hangs would be written over a newer one in the end.
    if (!ExportsUnderWay::begin(path))
        return QCoreApplication::translate(
                   "WriteFile",
                   "%1 is still being written: its folder has not answered. Choose another folder, or try "
                   "again when it does")
            .arg(path);
    // Shared with the thread, which may outlive this call. The second one reports to the user.
    struct Outcome {
        std::atomic<bool> one_has_come = false;
        QString problem;
    };
    const auto outcome = std::make_shared<Outcome>();
    LateExports& late = LateExports::instance();
    try {
        DetachedTasks().run(
            [path, bytes, older, outcome, &late]() -> DetachedTasks::Delivery {
                outcome->problem = writeFile(path, bytes, older);
                ExportsUnderWay::end(path);
                if (outcome->one_has_come.exchange(true))
                    late.calls_.put([&late, path, outcome] { emit late.finished(path, outcome->problem); });
                return [] {};
            },
            patience);
    } catch (const std::system_error&) {
        ExportsUnderWay::end(path);
        return writeFile(path, bytes, older);
    } catch (const std::exception& error) {
        ExportsUnderWay::end(path);
        return writingProblem(path, error);
    }
    if (outcome->one_has_come.exchange(true)) return outcome->problem;
    return QCoreApplication::translate("WriteFile",
                                       "%1 is not written yet: its folder does not answer. It is tried until the "
                                       "program ends; the outcome will be reported")
        .arg(path);
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
