#include "ui/search/start_check.h"

#include <atomic>
#include <new>

#include "tests/ui/tasks/told_failures.h"
#include "tests/ui/ui_test_support.h"
#include "ui/document/document.h"

namespace overlap::ui {

/// Whether a search could have found a plan, asked in the background.
class StartCheckTest : public ToldFailures {
    Q_OBJECT

  private slots:
    void init() { listen(); }
    void cleanup() { stopListening(); }

    void answersAndKeepsTheAnswer() {
        const auto document = openDocument();
        StartCheck check;
        QSignalSpy checked(&check, &StartCheck::checked);
        const auto ask = [&] {
            return check.couldTake(document->graph(), document->current()->plan(), {}, LinkSharing::by_host);
        };
        QVERIFY(!ask());
        QVERIFY(!ask());
        QTRY_COMPARE(checked.size(), 1);
        QCOMPARE(ask(), true);
        QCOMPARE(told_, QStringList());
    }

    /// What was lacking, memory or a thread, may be there again.
    void asksAgainWhatFailed() {
        const auto document = openDocument();
        std::atomic<int> asked = 0;
        StartCheck check([&](const auto&, const Plan&, const auto&, const std::stop_token&) {
            if (++asked == 1) throw std::bad_alloc();
            return true;
        });
        QSignalSpy checked(&check, &StartCheck::checked);
        const auto ask = [&] { return check.couldTake(document->graph(), Plan(), {}, LinkSharing::by_group); };
        QVERIFY(!ask());
        QTRY_COMPARE(told_.size(), 1);
        QCOMPARE(checked.size(), 0);
        QVERIFY(!ask());
        QTRY_COMPARE(checked.size(), 1);
        QCOMPARE(ask(), true);
        QCOMPARE(asked.load(), 2);
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::StartCheckTest)
#include "start_check_test.moc"
