#include "ui/session/early_histories.h"

#include <QTimer>
#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <utility>
#include <vector>

#include "core/io/plan/plan_file.h"
#include "ui/files/file_looks.h"
#include "ui/session/history_files.h"
#include "ui/tasks/task_failure.h"

namespace overlap::ui {

/// What the thread that reads shares with those who wait for it; the last of them deletes it.
struct EarlyHistories::Reading {
    std::mutex mutex;
    std::condition_variable_any ended;
    bool has_ended = false;                                 // guarded by mutex
    bool has_answered = false;                              // the folder; guarded by mutex
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

bool EarlyHistories::beginOne(const SessionVariant& kept, const QString& graph, const QString& folder,
                              std::function<void()> then) {
    reading_ = nullptr;
    // What was closed in this run is at hand.
    if (kept.history.live || kept.history.stored.isEmpty()) return false;
    const auto reading = std::make_shared<Reading>();
    reading_ = reading;
    // A task may have ended before it is known that it was begun: nobody is told within this call.
    const auto ended = [this, reading, then = std::move(then)] {
        QTimer::singleShot(0, &tasks_, [this, reading, then] {
            if (reading_ == reading) then();
        });
    };
    const auto read_it = [reading, ended, kept, folder, graph = graph.toStdString()]() -> DetachedTasks::Delivery {
        Read read;
        try {
            const Plan plan = read_plan_text(kept.plan.toStdString(), graph);
            const HistoryFiles::Contents contents = HistoryFiles::contentsOf(folder, kept.history);
            {
                const std::scoped_lock lock(reading->mutex);
                reading->has_answered = true;
            }
            read.history = HistoryFiles::read(kept.history, contents, plan);
        } catch (const std::exception& error) {
            read.problem = reasonOf(error);
        }
        const std::scoped_lock lock(reading->mutex);
        if (reading->has_ended) return [] {};
        reading->has_answered = reading->has_ended = true;
        reading->of_plans.emplace_back(kept, std::move(read));
        return ended;
    };
    try {
        tasks_.run(read_it);
    } catch (const std::system_error&) {
        reading_ = nullptr;
        return false;  // no further thread: it is read when the plan is opened
    }
    const auto give_up = [reading, ended, kept, folder] {
        {
            const std::scoped_lock lock(reading->mutex);
            if (reading->has_answered || reading->has_ended) return;
            reading->has_ended = true;
            reading->of_plans.emplace_back(kept, Read{nullptr, FileLooks::silence(folder)});
        }
        ended();
    };
    QTimer::singleShot(folder_patience, &tasks_, give_up);
    return true;
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
