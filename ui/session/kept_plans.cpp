#include "ui/session/kept_plans.h"

#include <QCoreApplication>
#include <QFile>

#include "core/io/plan_file.h"
#include "ui/files/file_digest.h"
#include "ui/files/file_looks.h"

namespace overlap::ui {
namespace {

QString text(const char* sentence) {
    return QCoreApplication::translate("KeptPlans", sentence);
}

/// The plan that its file has now. @throws InputError.
RestoredVariant readAgain(const QString& file, const LoadedGraph& loaded) {
    const QByteArray digest = fileDigest(file);
    Plan plan = read_plan_file(QFile::encodeName(file).toStdString());
    check_plan_fits(plan, *loaded.empty_plan.graph);
    return {std::move(plan), file, false, digest};
}

}  // namespace

std::vector<RestoredVariant> restoreKeptPlan(const SessionVariant& kept, const LoadedGraph& loaded, FileLooks& looks,
                                             QStringList& told) {
    Plan plan = read_plan_text(kept.plan.toStdString(), loaded.path.toStdString());
    check_plan_fits(plan, *loaded.empty_plan.graph);
    RestoredVariant variant{std::move(plan), kept.file, kept.modified, kept.digest};
    if (!looks.answers(kept.file)) {
        told.append(text("%1; the plan is as it was here").arg(FileLooks::silence(kept.file)));
        return {std::move(variant)};
    }
    if (kept.file.isEmpty() || fileDigest(kept.file) == kept.digest) return {std::move(variant)};
    if (!QFile::exists(kept.file)) {
        if (!kept.modified) told.append(text("%1 is gone; its plan is kept here, unsaved").arg(kept.file));
        variant.modified = true;
        return {std::move(variant)};
    }
    try {
        RestoredVariant newer = readAgain(kept.file, loaded);
        if (newer.plan == variant.plan) return {std::move(newer)};
        if (!kept.modified) {
            told.append(text("%1 was changed on disk and was read again").arg(kept.file));
            return {std::move(newer)};
        }
        told.append(text("%1 was changed on disk; your unsaved plan and the file's are both open").arg(kept.file));
        return {std::move(variant), std::move(newer)};
    } catch (const std::exception& error) {
        told.append(text("%1 was changed on disk and cannot be read; the plan as it was is kept here, "
                         "unsaved: %2")
                        .arg(kept.file, QString::fromUtf8(error.what())));
        variant.modified = true;
        return {std::move(variant)};
    }
}

}  // namespace overlap::ui
