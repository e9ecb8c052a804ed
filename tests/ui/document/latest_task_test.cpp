#include "ui/tasks/latest_task.h"

#include <new>
#include <stdexcept>

#include "tests/ui/ui_test_support.h"

namespace overlap::ui {

class LatestTaskTest : public QObject {
    Q_OBJECT

    QStringList told_;

  private slots:
    void init() {
        told_.clear();
        LatestTask::whenTasksFail([this](const QString& reason) { told_.append(reason); });
    }
    void cleanup() { LatestTask::whenTasksFail({}); }

    void aTaskThatThrowsEndsWithASentence() {
        LatestTask task;
        task.start([](std::stop_token) -> LatestTask::Delivery { throw std::runtime_error("no such thing"); });
        QTRY_COMPARE(told_, QStringList{"no such thing"});
        QVERIFY(!task.busy());
        task.start([](std::stop_token) -> LatestTask::Delivery { throw std::bad_alloc(); });
        QTRY_COMPARE(told_.size(), 2);
        QVERIFY2(told_[1].startsWith("There is not enough memory"), qPrintable(told_[1]));
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
};

}  // namespace overlap::ui

QTEST_GUILESS_MAIN(overlap::ui::LatestTaskTest)
#include "latest_task_test.moc"
