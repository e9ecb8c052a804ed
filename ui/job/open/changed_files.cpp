#include "ui/job/open/changed_files.h"

#include "core/base/error.h"
#include "ui/files/read_plan.h"
#include "ui/job/open/job_source.h"

namespace overlap::ui {

ChangedFiles changedFiles(const ReadGraphs& read, const std::vector<WatchedPlan>& plans, const QString& job,
                          const QByteArray& digest) {
    ChangedFiles changed;
    changed.graphs = changedGraphs(read, job);
    for (const WatchedPlan& watched : plans) {
        try {
            ReadPlan now = readPlan(watched.file);
            if (watched.known && *watched.known == now.plan) continue;
            changed.plans.push_back(
                {watched.stage, watched.file, std::make_shared<const Plan>(std::move(now.plan)), now.digest});
        } catch (const InputError&) {
            // It is gone, or half written: what the job has stays.
            changed.plans.push_back({watched.stage, watched.file, nullptr, {}});
        }
    }
    if (digest.isEmpty() || isEmbeddedFile(job)) return changed;  // nobody knows what it had
    const QByteArray now = fileDigest(job);
    changed.is_document_known = now == digest;
    if (now != digest) changed.document = now;
    return changed;
}

}  // namespace overlap::ui
