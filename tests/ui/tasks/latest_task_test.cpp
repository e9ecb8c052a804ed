#include "ui/tasks/latest_task.h"

#include <atomic>
#include <memory>
#include <new>
#include <stdexcept>
#include <thread>
#include <vector>

#include "tests/ui/tasks/told_failures.h"
#include "tests/ui/ui_test_support.h"
#include "ui/tasks/worker_pool.h"

namespace overlap::ui {

class LatestTaskTest : public ToldFailures {
    Q_OBJECT

  private slots:
    void init() { listen(); }
    void cleanup() { stopListening(); }

    void aTaskThatThrowsEndsWithASentence() {
        LatestTask task;
        task.start([](std::stop_token) -> LatestTask::Delivery { throw std::runtime_error("no such thing"); });
        QTRY_COMPARE(told_, QStringList{"no such thing"});
        QVERIFY(!task.busy());
        task.start([](std::stop_token) -> LatestTask::Delivery { throw std::bad_alloc(); });
        QTRY_COMPARE(told_.size(), 2);
        QVERIFY2(told_[1].startsWith("There is not enough memory"), qPrintable(told_[1]));
        task.start([](std::stop_token) -> LatestTask::Delivery { throw std::length_error("vector::reserve"); });
        QTRY_COMPARE(told_.size(), 3);
        QCOMPARE(told_[2], told_[1]);
        // The thread goes on.
        bool is_delivered = false;
        task.start([&](std::stop_token) -> LatestTask::Delivery { return [&] { is_delivered = true; }; });
        QTRY_VERIFY(is_delivered);
    }

    void ofATaskThatNobodyWantsAnyMoreNothingIsTold() {
        LatestTask task;
        task.start([](std::stop_token stop) -> LatestTask::Delivery {
            while (!stop.stop_requested()) std::this_thread::yield();
            throw std::runtime_error("too late");
        });
        bool is_delivered = false;
        task.start([&](std::stop_token) -> LatestTask::Delivery { return [&] { is_delivered = true; }; });
        QTRY_VERIFY(is_delivered);
        QCOMPARE(told_, QStringList());
    }

    void whatWasCancelledIsNotDelivered() {
        LatestTask task;
        const auto result = std::make_shared<int>();
        std::atomic<bool> has_begun = false;
        bool is_delivered = false;
        task.start([&, result](std::stop_token stop) -> LatestTask::Delivery {
            has_begun = true;
            while (!stop.stop_requested()) std::this_thread::yield();
            return [&is_delivered, result] { is_delivered = true; };
        });
        QTRY_VERIFY(has_begun);
        task.cancel();
        QVERIFY(!task.busy());
        QTRY_COMPARE(result.use_count(), 1);  // the task has ended, and its delivery has been dropped
        QVERIFY(!is_delivered);
    }

    void ownersShareThreads() {
        for (int owner = 0; owner < 2 * static_cast<int>(WorkerPool::most_threads); ++owner) {
            LatestTask task;
            bool is_delivered = false;
            task.start([&](std::stop_token) -> LatestTask::Delivery { return [&] { is_delivered = true; }; });
            QTRY_VERIFY(is_delivered);
        }
        // One that is about to wait again may not be counted as idle yet.
        QVERIFY(WorkerPool::shared().thread_count() <= 4);
    }

    void tasksOfSeveralOwnersRunAtOnce() {
        std::atomic<int> running = 0;
        std::vector<std::unique_ptr<LatestTask>> owners(8);
        for (auto& owner : owners) {
            owner = std::make_unique<LatestTask>();
            owner->start([&](std::stop_token stop) -> LatestTask::Delivery {
                ++running;
                while (!stop.stop_requested()) std::this_thread::yield();
                return {};
            });
        }
        QTRY_COMPARE(running.load(), 8);
        owners.clear();  // asks each to stop and waits for it
    }

    void anOwnerWaitsForItsTask() {
        bool has_ended = false;
        {
            LatestTask task;
            std::atomic<bool> has_begun = false;
            task.start([&](std::stop_token stop) -> LatestTask::Delivery {
                has_begun = true;
                while (!stop.stop_requested()) std::this_thread::yield();
                has_ended = true;
                return {};
            });
            QTRY_VERIFY(has_begun);
        }
        QVERIFY(has_ended);
    }
};

}  // namespace overlap::ui

QTEST_GUILESS_MAIN(overlap::ui::LatestTaskTest)
#include "latest_task_test.moc"
