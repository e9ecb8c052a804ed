#include "ui/session/early_histories.h"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <utility>
#include <vector>

#include "core/io/plan/plan_file.h"
#include "ui/session/history_files.h"
#include "ui/tasks/task_failure.h"

namespace overlap::ui {

/// What the thread that reads shares with those who wait for it; the last of them deletes it.
struct EarlyHistories::Reading {
    std::mutex mutex;
    std::condition_variable_any ended;
    bool has_ended = false;                                 // guarded by mutex
    std::vector<std::pair<SessionVariant, Read>> of_plans;  // guarded by mutex
};

namespace {

EarlyHistories::Read readFrom(const QString& folder, const SessionVariant& kept, const Plan& plan) {
    try {
        return {HistoryFiles::read(kept.history, HistoryFiles::contentsOf(folder, kept.history), plan), {}};
    } catch (const std::exception& error) {
        return {nullptr, reasonOf(error)};
    }
}

bool hasHistory(const SessionVariant& kept) {
    return kept.history.live || !kept.history.stored.isEmpty();
}

}  // namespace

GraphLoader::Companion EarlyHistories::begin(const SessionDocument* kept, const QString& folder) {
    reading_ = nullptr;
    if (!kept || std::ranges::none_of(kept->variants, hasHistory)) return {};
    const auto reading = std::make_shared<Reading>();
    const auto read_all = [reading, folder, variants = kept->variants,
                           graph = kept->graph.toStdString()]() -> DetachedTasks::Delivery {
        for (const SessionVariant& variant : variants) {
            if (!hasHistory(variant)) continue;
            try {
                Read read = readFrom(folder, variant, read_plan_text(variant.plan.toStdString(), graph));
                const std::scoped_lock lock(reading->mutex);
                reading->of_plans.emplace_back(variant, std::move(read));
            } catch (const std::exception&) {
                // Who opens the plan tells why it cannot be read.
            }
        }
        const std::scoped_lock lock(reading->mutex);
        reading->has_ended = true;
        reading->ended.notify_all();
        return [] {};
    };
    try {
        tasks_.run(read_all);
    } catch (const std::system_error&) {
        return {};  // no further thread: each is read when its plan is opened
    }
    reading_ = reading;
    return [reading](const std::stop_token& stop) {
        std::unique_lock lock(reading->mutex);
        reading->ended.wait_for(lock, stop, folder_patience, [&] { return reading->has_ended; });
    };
}

std::optional<EarlyHistories::Read> EarlyHistories::of(const SessionVariant& kept) const {
    if (!reading_) return std::nullopt;
    const std::scoped_lock lock(reading_->mutex);
    for (const auto& [variant, read] : reading_->of_plans)
        if (variant.plan == kept.plan && variant.history.live == kept.history.live &&
            variant.history.stored == kept.history.stored)
            return read;
    return std::nullopt;
}

}  // namespace overlap::ui
