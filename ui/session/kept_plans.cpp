#include "ui/session/kept_plans.h"

#include <QCoreApplication>
#include <QFile>
#include <algorithm>
#include <optional>

#include "core/io/plan/plan_file.h"
#include "ui/files/file_digest.h"
#include "ui/files/file_looks.h"
#include "ui/tasks/task_failure.h"

namespace overlap::ui {
namespace {

QString text(const char* sentence) {
    return QCoreApplication::translate("KeptPlans", sentence);
}

/// What the file of a kept plan is now.
struct FileNow {
    bool is_there = false;
    QByteArray digest;
    std::optional<RestoredVariant> newer;  ///< where it differs from what was kept and can be read
    QString problem;                       ///< why it cannot be read
};

FileNow lookAt(const QString& file, const QByteArray& kept_digest, const GraphFingerprint& graph) {
    FileNow now{QFile::exists(file), fileDigest(file), {}, {}};
    if (!now.is_there || now.digest == kept_digest) return now;
    try {
        Plan plan = read_plan_file(QFile::encodeName(file).toStdString());
        check_plan_fits(plan, graph);
        now.newer = RestoredVariant{std::move(plan), file, false, now.digest};
    } catch (const std::exception& error) {
        now.problem = reasonOf(error);
    }
    return now;
}

}  // namespace

std::vector<RestoredVariant> restoreKeptPlan(const SessionVariant& kept, const LoadedGraph& loaded, FileLooks& looks,
                                             const std::vector<SessionVariant>& beside, QStringList& told) {
    Plan plan = read_plan_text(kept.plan.toStdString(), loaded.path.toStdString());
    check_plan_fits(plan, *loaded.empty_plan.graph);
    RestoredVariant variant{std::move(plan), kept.file, kept.modified, kept.digest};
    if (kept.file.isEmpty()) return {std::move(variant)};
    const auto now = looks.read(kept.file, [file = kept.file, digest = kept.digest, graph = *loaded.empty_plan.graph] {
        return lookAt(file, digest, graph);
    });
    if (!now) {
        told.append(text("%1; the plan is as it was here").arg(FileLooks::silence(kept.file)));
        return {std::move(variant)};
    }
    if (now->digest == kept.digest) return {std::move(variant)};
    if (!now->is_there) {
        if (!kept.modified) told.append(text("%1 is gone; its plan is kept here, unsaved").arg(kept.file));
        variant.modified = true;
        return {std::move(variant)};
    }
    if (!now->newer) {
        told.append(text("%1 was changed on disk and cannot be read; the plan as it was is kept here, "
                         "unsaved: %2")
                        .arg(kept.file, now->problem));
        variant.modified = true;
        return {std::move(variant)};
    }
    if (now->newer->plan == variant.plan) return {*now->newer};
    if (!kept.modified) {
        told.append(text("%1 was changed on disk and was read again").arg(kept.file));
        return {*now->newer};
    }
    // The kept plan has the digest of an older version, so that saving it asks first.
    const auto has_newer = [&](const SessionVariant& other) {
        return other.file == kept.file && other.digest == now->digest;
    };
    if (std::ranges::any_of(beside, has_newer)) return {std::move(variant)};
    told.append(text("%1 was changed on disk; your unsaved plan and the file's are both open").arg(kept.file));
    return {std::move(variant), *now->newer};
}

}  // namespace overlap::ui
