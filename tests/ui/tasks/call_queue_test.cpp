#include "ui/tasks/call_queue.h"

#include <QtTest>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace overlap::ui {

class CallQueueTest : public QObject {
    Q_OBJECT

  private slots:
    /// Of each thread's calls; under the thread sanitizer, what they have captured is safe as well.
    void callsRunOnTheOwnersThreadInTheirOrder() {
        constexpr int threads = 4, calls = 200;
        CallQueue queue;
        std::vector<std::string> received(threads);
        const std::thread::id owner = std::this_thread::get_id();
        int elsewhere = 0, run = 0;
        {
            std::vector<std::jthread> workers;
            for (int worker = 0; worker < threads; ++worker)
                workers.emplace_back([&, worker] {
                    for (int call = 0; call < calls; ++call)
                        queue.put([&, worker, text = std::to_string(call) + ' '] {
                            received[static_cast<std::size_t>(worker)] += text;
                            if (std::this_thread::get_id() != owner) ++elsewhere;
                            ++run;
                        });
                });
            QVERIFY(QTest::qWaitFor([&] { return run == threads * calls; }, 60'000));
        }
        std::string expected;
        for (int call = 0; call < calls; ++call) expected += std::to_string(call) + ' ';
        for (const std::string& texts : received) QCOMPARE(texts, expected);
        QCOMPARE(elsewhere, 0);
    }

    void aCallThatWaitsHoldsUpNoOther() {
        CallQueue queue;
        bool second = false, waited = false;
        queue.put([&] { waited = QTest::qWaitFor([&] { return second; }, 60'000); });
        queue.put([&] { second = true; });
        QVERIFY(QTest::qWaitFor([&] { return waited; }, 60'000));
    }

    void noCallRunsOnceTheQueueIsGone() {
        auto queue = std::make_unique<CallQueue>();
        auto captured = std::make_shared<int>(0);
        queue->put([captured] { ++*captured; });
        queue.reset();
        QCoreApplication::processEvents();
        QCOMPARE(*captured, 0);
        QCOMPARE(captured.use_count(), 1L);
    }

    void aCallMayDeleteTheQueue() {
        auto queue = std::make_unique<CallQueue>();
        bool run = false;
        queue->put([&] {
            queue.reset();
            run = true;
        });
        queue->put([] { QFAIL("this call belongs to a queue that is gone"); });
        QVERIFY(QTest::qWaitFor([&] { return run; }, 60'000));
        QCoreApplication::processEvents();
    }
};

}  // namespace overlap::ui

QTEST_GUILESS_MAIN(overlap::ui::CallQueueTest)
#include "call_queue_test.moc"
