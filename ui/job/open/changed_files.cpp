#include "ui/job/open/changed_files.h"

#include "core/base/error.h"
#include "ui/files/read_plan.h"
#include "ui/job/open/job_source.h"

namespace overlap::ui {
namespace {

/// As the empty plan of a graph.
bool doesNothing(const Plan& plan) {
    if (plan.pipeline.size() != 1 || !takes_buckets(plan.pipeline.front().pass)) return false;
    Plan empty;
    empty.graph = plan.graph;
    empty.pipeline = plan.pipeline;
    return does_the_same(plan, empty);
}

}  // namespace

ChangedFiles changedFiles(const ReadGraphs& read, const std::vector<WatchedPlan>& plans, const QString& job,
                          const QByteArray& digest) {
    ChangedFiles changed;
    changed.graphs = changedGraphs(read, job);
    for (const WatchedPlan& watched : plans) {
        try {
            ReadPlan now = readPlan(watched.file);
            if (watched.known && *watched.known == now.plan) continue;
            if (watched.does_nothing && doesNothing(now.plan)) continue;
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
