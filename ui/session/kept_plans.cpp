#include "ui/session/kept_plans.h"

#include <QCoreApplication>
#include <QFile>
#include <QFileInfo>
#include <algorithm>
#include <optional>

#include "core/io/plan/plan_file.h"
#include "ui/document/found_note.h"
#include "ui/files/file_digest.h"
#include "ui/files/file_looks.h"
#include "ui/session/early_histories.h"
#include "ui/session/history_files.h"
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
        now.newer = RestoredVariant{std::move(plan), file, false, now.digest, {}};
    } catch (const std::exception& error) {
        now.problem = reasonOf(error);
    }
    return now;
}

/// The history of a kept plan, or why it cannot be had.
EarlyHistories::Read readHistory(const SessionVariant& kept, const Plan& plan, FileLooks& looks,
                                 const QString& folder) {
    try {
        // The folder is not waited for where nothing of the history is in it.
        const auto contents =
            HistoryFiles::hasFiles(kept.history)
                ? looks.read(folder, [folder, kept = kept.history] { return HistoryFiles::contentsOf(folder, kept); })
                : HistoryFiles::Contents();
        if (contents) return {HistoryFiles::read(kept.history, *contents, plan), {}};
        return {nullptr, FileLooks::silence(folder)};
    } catch (const std::exception& error) {
        return {nullptr, reasonOf(error)};
    }
}

/// The history of a kept plan; null where none is known.
std::shared_ptr<const PlanHistory> historyOf(const SessionVariant& kept, const Plan& plan, FileLooks& looks,
                                             const QString& folder, const EarlyHistories* early, QStringList& told) {
    std::optional<EarlyHistories::Read> read = early ? early->of(kept) : std::nullopt;
    if (!read) read = readHistory(kept, plan, looks, folder);
    if (!read->problem.isEmpty())
        told.append(text("Earlier edits of %1 can no longer be undone: %2. The plan itself is unchanged")
                        .arg(QString::fromStdString(plan.name), read->problem));
    return read->history;
}

/// The same where no state is known to be what the plan's file has.
std::shared_ptr<const PlanHistory> savedNowhere(const std::shared_ptr<const PlanHistory>& history) {
    if (!history || history->saved < 0) return history;
    auto changed = std::make_shared<PlanHistory>(*history);
    changed->saved = -1;
    return changed;
}

/// The history of what a file has now, after that of the plan which it had before.
std::shared_ptr<const PlanHistory> readAgain(const std::shared_ptr<const PlanHistory>& history, const Plan& before,
                                             const RestoredVariant& now) {
    if (!history || now.plan == before) return history;
    auto longer = std::make_shared<PlanHistory>(*history);
    longer->edits.resize(static_cast<std::size_t>(longer->done));
    longer->edits.push_back(std::make_shared<const PlanHistory::Edit>(PlanHistory::Edit{
        text("Read %1 again").arg(QFileInfo(now.file).fileName()), PlanChange(before, now.plan), {}}));
    longer->saved = ++longer->done;
    longer->ends_earlier = false;  // what was undone is gone, as after any edit
    return longer;
}

}  // namespace

std::vector<RestoredVariant> restoreKeptPlan(const SessionVariant& kept, const LoadedGraph& loaded, FileLooks& looks,
                                             const std::vector<SessionVariant>& beside, QStringList& told,
                                             const QString& folder, const EarlyHistories* early) {
    Plan plan = read_plan_text(kept.plan.toStdString(), loaded.path.toStdString());
    check_plan_fits(plan, *loaded.empty_plan.graph);
    auto history = historyOf(kept, plan, looks, folder, early, told);
    RestoredVariant variant{std::move(plan), kept.file, kept.modified, kept.digest, std::move(history)};
    if (kept.file.isEmpty()) return {std::move(variant)};
    auto now = looks.read(kept.file, [file = kept.file, digest = kept.digest, graph = *loaded.empty_plan.graph] {
        return lookAt(file, digest, graph);
    });
    if (!now) {
        told.append(text("%1; the plan is as it was here").arg(FileLooks::silence(kept.file)));
        return {std::move(variant)};
    }
    if (now->digest == kept.digest) return {std::move(variant)};
    variant.history = savedNowhere(variant.history);
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
    const bool same = now->newer->plan == variant.plan;
    if (same || !kept.modified) {
        if (!same) told.append(text("%1 was changed on disk and was read again").arg(kept.file));
        markEdited(now->newer->plan, variant.plan);
        now->newer->history = readAgain(variant.history, variant.plan, *now->newer);
        return {std::move(*now->newer)};
    }
    // The kept plan has the digest of an older version, so that saving it asks first.
    const auto has_newer = [&](const SessionVariant& other) {
        return other.file == kept.file && other.digest == now->digest;
    };
    if (std::ranges::any_of(beside, has_newer)) return {std::move(variant)};
    told.append(text("%1 was changed on disk; your unsaved plan and the file's are both open").arg(kept.file));
    return {std::move(variant), std::move(*now->newer)};
}

}  // namespace overlap::ui
