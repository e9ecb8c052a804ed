#include "ui/files/read_plan.h"

#include <QFile>

#include "core/io/plan/plan_file.h"
#include "ui/files/file_digest.h"

namespace overlap::ui {

ReadPlan readPlan(const QString& path) {
    // The digest first: should the file change in between, it is the older one and saving asks.
    QByteArray digest = fileDigest(path);
    return {path, read_plan_file(QFile::encodeName(path).toStdString()), std::move(digest)};
}

}  // namespace overlap::ui
