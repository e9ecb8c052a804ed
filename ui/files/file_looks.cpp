#include "ui/files/file_looks.h"

#include <QCoreApplication>
#include <QFile>
#include <QFileInfo>
#include <memory>
#include <system_error>

#include "core/base/error.h"
#include "core/files/input_file.h"

namespace overlap::ui {
namespace {

void openOnce(const QString& path) {
    try {
        open_input_file(QFile::encodeName(path).toStdString());
    } catch (const InputError&) {
        // Not there, or no file: that is an answer.
    }
}

}  // namespace

FileLooks::FileLooks(std::chrono::milliseconds patience) : look_(openOnce), patience_(patience) {}

bool FileLooks::answers(const QString& path) {
    return looked(path, [] {});
}

bool FileLooks::looked(const QString& path, std::function<void()> then) {
    if (path.isEmpty() || path.startsWith(u":/")) {
        then();
        return true;
    }
    const QString folder = QFileInfo(path).path();
    if (hanging_.contains(folder)) return false;
    const auto has_returned = std::make_shared<bool>(false);
    try {
        tasks_.run(
            [this, look = look_, path, folder, has_returned, then]() -> DetachedTasks::Delivery {
                look(path);
                then();
                return [this, folder, has_returned] {
                    *has_returned = true;
                    hanging_.remove(folder);
                };
            },
            patience_);
    } catch (const std::system_error&) {
        then();  // no further thread; most folders answer
        return true;
    }
    if (!*has_returned) hanging_.insert(folder);
    return *has_returned;
}

QString FileLooks::silence(const QString& path) {
    return QCoreApplication::translate("FileLooks", "%1 cannot be looked at: its folder does not answer").arg(path);
}

}  // namespace overlap::ui
