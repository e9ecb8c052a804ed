#include "ui/timeline/event_search.h"

#include <QLabel>
#include <QLineEdit>
#include <QSignalSpy>
#include <QToolButton>
#include <QtTest>

#include "tests/timeline/synthetic_timeline.h"
#include "ui/timeline/find_bar.h"

namespace overlap::ui {

/// The search without a timeline's view: the field lies on a plain widget.
class EventSearchTest : public QObject {
    Q_OBJECT

  private slots:
    void init() {
        place_ = std::make_unique<QWidget>();
        place_->resize(1000, 300);
        place_->show();
        QVERIFY(QTest::qWaitForWindowExposed(place_.get()));
        search_ = std::make_unique<EventSearch>(place_.get());
        search_->setTimeline(test::synthetic_step(16));
    }
    void cleanup() {
        search_.reset();
        place_.reset();
    }

    void whatMatchesIsFoundAndTold() {
        QSignalSpy changed(search_.get(), &EventSearch::changed);
        search_->find(QStringLiteral("reduce_scatter"));
        QCOMPARE_GE(changed.count(), 1);
        QVERIFY(search_->finder().active());
        QCOMPARE(search_->finder().matches().events.size(), std::size_t{16});
    }

    void anotherTimelineIsSearchedForTheSame() {
        search_->find(QStringLiteral("reduce_scatter"));
        search_->setTimeline(test::synthetic_step(20));
        QCOMPARE(search_->finder().matches().events.size(), std::size_t{20});
    }

    void theOwnerMayKnowMoreWords() {
        search_->setMoreText([](std::uint32_t reference) { return reference == 5 ? "head" : ""; });
        search_->find(QStringLiteral("head"));
        QCOMPARE(search_->finder().matches().events.size(), std::size_t{1});
    }

    void enterAsksForTheNextMatch() {
        search_->find(QStringLiteral("gather"));
        QSignalSpy stepped(search_.get(), &EventSearch::stepWanted);
        QTest::keyClick(&field(), Qt::Key_Return);
        QTest::keyClick(&field(), Qt::Key_Return, Qt::ShiftModifier);
        QCOMPARE(stepped.count(), 2);
        QCOMPARE(stepped[0][0].toInt(), 1);
        QCOMPARE(stepped[1][0].toInt(), -1);
    }

    void aStepWaitsForASearchInTheBackground() {
        search_->setTimeline(test::synthetic_trace(300'000, 4));
        QSignalSpy stepped(search_.get(), &EventSearch::stepWanted);
        search_->find(QStringLiteral("kernel"));
        QVERIFY(search_->finder().searching());
        QTest::keyClick(&field(), Qt::Key_Return);
        QCOMPARE(stepped.count(), 0);
        QTRY_COMPARE(stepped.count(), 1);
        QVERIFY(!search_->finder().matches().events.empty());
    }

    void aStepIsForgottenWithTheSearchThatItWaitedFor() {
        search_->setTimeline(test::synthetic_trace(300'000, 4));
        QSignalSpy stepped(search_.get(), &EventSearch::stepWanted);
        search_->find(QStringLiteral("kern"));
        QTest::keyClick(&field(), Qt::Key_Return);
        search_->find(QStringLiteral("kernel"));
        QTRY_VERIFY(!search_->finder().searching());
        QVERIFY(!search_->finder().matches().events.empty());
        QCOMPARE(stepped.count(), 0);
    }

    void closingEndsTheSearch() {
        search_->find(QStringLiteral("gather"));
        QSignalSpy closed(search_.get(), &EventSearch::closed);
        QTest::keyClick(&field(), Qt::Key_Escape);
        QCOMPARE(closed.count(), 1);
        QVERIFY(!search_->finder().active());
    }

    void theFieldLiesAtTheEndOfItsLine() {
        const QRect line(200, 10, 700, 24);
        auto* bar = place_->findChild<FindBar*>();
        search_->show({}, line);
        QVERIFY(!bar->isVisible());  // closed, it stays closed
        search_->open();
        search_->show({}, line);
        QVERIFY(bar->isVisible());
        QCOMPARE(bar->geometry().right(), line.right());
    }

    /// How many matches there are, and the ways to them, stay where all else gives way.
    void howManyWereFoundIsSaidInAShortLine() {
        auto* bar = place_->findChild<FindBar*>();
        const auto said = [&] {
            const auto labels = bar->findChildren<QLabel*>(Qt::FindDirectChildrenOnly);
            return labels.front()->width() >= labels.front()->sizeHint().width() ? labels.front()->text() : QString();
        };
        search_->open();
        search_->find(QStringLiteral("reduce_scatter"));
        search_->show({}, QRect(0, 10, 1000, 24));
        QCOMPARE(said(), search_->finder().summary({}));
        QVERIFY(bar->histogramButton().isVisible());
        const int whole = bar->width();
        for (const int width : {whole - 20, 520, 380, 260}) {
            const QRect line(10, 10, width, 24);
            search_->show({}, line);
            QVERIFY2(said().startsWith(QStringLiteral("16 found")), qPrintable(QString::number(width) + said()));
            QVERIFY(search_->finder().summary({}).startsWith(said() + QStringLiteral(" · ")));
            QVERIFY(line.contains(bar->geometry()));
            for (const QToolButton* button : bar->findChildren<QToolButton*>(Qt::FindDirectChildrenOnly))
                if (!button->isHidden())
                    QVERIFY(button->width() >= button->sizeHint().width() && bar->rect().contains(button->geometry()));
            if (width >= 520 || width <= 260) QCOMPARE(bar->histogramButton().isVisible(), width >= 520);
        }
        search_->show({}, QRect(0, 10, 1000, 24));
        QCOMPARE(bar->width(), whole);
    }

  private:
    QLineEdit& field() { return *place_->findChild<FindBar*>()->findChild<QLineEdit*>(); }

    std::unique_ptr<QWidget> place_;
    std::unique_ptr<EventSearch> search_;
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::EventSearchTest)
#include "event_search_test.moc"
