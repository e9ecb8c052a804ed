#include "ui/frame/centre_tabs.h"

#include <QLabel>
#include <QSignalSpy>
#include <QSplitter>
#include <QTabBar>
#include <QtTest>

namespace overlap::ui {

class CentreTabsTest : public QObject {
    Q_OBJECT

  private slots:
    void init() {
        below_ = new QLabel("below");
        tabs_ = std::make_unique<CentreTabs>(below_);
        first_controls_ = new QLabel("controls");
        tabs_->addView("first", "First", new QLabel("1"), first_controls_);
        tabs_->addView("second", "Second", new QLabel("2"));
        tabs_->resize(600, 400);
        tabs_->show();
        QVERIFY(QTest::qWaitForWindowExposed(tabs_.get()));
    }
    void cleanup() { tabs_.reset(); }

    void theFirstViewIsInFrontAndSharesTheHeight() {
        QCOMPARE(tabs_->current(), "first");
        QVERIFY(tabs_->view("first")->isVisible());
        QVERIFY(first_controls_->isVisible());
        QVERIFY(std::abs(below_->height() - 200) < 8);
        QCOMPARE(tabs_->view("nothing"), nullptr);
    }

    void showingAViewBringsItToTheFrontWithItsControls() {
        QSignalSpy changed(tabs_.get(), &CentreTabs::currentChanged);
        tabs_->showView("second");
        QCOMPARE(changed.count(), 1);
        QVERIFY(tabs_->view("second")->isVisible());
        QVERIFY(!first_controls_->isVisible());
        tabs_->showView("nothing");
        QCOMPARE(tabs_->current(), "second");
    }

    void closingGivesAllRoomToTheLowerView() {
        QSignalSpy told(tabs_.get(), &CentreTabs::openChanged);
        tabs_->setOpen(false);
        QVERIFY(!tabs_->open());
        QVERIFY(below_->height() > 390);
        tabs_->showView("first");
        QVERIFY(tabs_->open());
        QVERIFY(std::abs(below_->height() - 200) < 8);
        QCOMPARE(told.count(), 2);
    }

    void inALowWindowAViewMayStandAlone() {
        tabs_->addView("alone", "Alone", new QLabel("3"));
        tabs_->setAloneBelow("alone", 300);
        tabs_->showView("alone");
        QVERIFY(below_->isVisible());
        tabs_->resize(600, 280);
        QTRY_VERIFY(!below_->isVisible());
        QTRY_VERIFY(tabs_->view("alone")->height() > 200);
        tabs_->resize(600, 400);
        QTRY_VERIFY(below_->isVisible());
        tabs_->resize(600, 280);
        QTRY_VERIFY(!below_->isVisible());
        // The lower view is there where it is wanted.
        tabs_->uncoverBelow();
        QVERIFY(below_->isVisible());
        QCOMPARE(tabs_->current(), "first");
        tabs_->showView("alone");
        QVERIFY(!below_->isVisible());
        tabs_->setOpen(false);
        QVERIFY(below_->isVisible());
    }

    void theSessionBringsViewAndSharesBack() {
        tabs_->showView("second");
        tabs_->findChild<QSplitter*>("centreSplitter")->setSizes({100, 300});
        emit tabs_->findChild<QSplitter*>("centreSplitter")->splitterMoved(100, 1);
        const QJsonObject kept = tabs_->state();

        CentreTabs other(new QLabel("below"));
        other.addView("first", "First", new QLabel("1"));
        other.addView("second", "Second", new QLabel("2"));
        other.restore(kept);
        other.resize(600, 400);
        other.show();
        QVERIFY(QTest::qWaitForWindowExposed(&other));
        QCOMPARE(other.current(), "second");
        QVERIFY(std::abs(other.view("second")->parentWidget()->parentWidget()->height() - 100) < 8);
        other.reset();
        QCOMPARE(other.current(), "first");
    }

    void everyViewKeepsAHeightOfItsOwn() {
        auto* tall = new QLabel("3");
        tabs_->addView("tall", "Tall", tall, nullptr, 0.75);
        tabs_->showView("tall");
        QVERIFY(std::abs(below_->height() - 100) < 8);
        auto* splitter = tabs_->findChild<QSplitter*>("centreSplitter");
        splitter->setSizes({350, 50});
        emit splitter->splitterMoved(350, 1);
        tabs_->showView("first");
        QVERIFY(std::abs(below_->height() - 200) < 8);
        tabs_->showView("tall");
        QVERIFY(std::abs(below_->height() - 50) < 8);
        tabs_->reset();
        tabs_->showView("tall");
        QVERIFY(std::abs(below_->height() - 100) < 8);
    }

    void aClosedUpperHalfStaysClosed() {
        tabs_->setOpen(false);
        CentreTabs other(new QLabel("below"));
        other.addView("first", "First", new QLabel("1"));
        other.addView("second", "Second", new QLabel("2"));
        other.restore(tabs_->state());
        other.resize(600, 400);
        other.show();
        QVERIFY(QTest::qWaitForWindowExposed(&other));
        QVERIFY(!other.open());
        QCOMPARE(other.state(), tabs_->state());
    }

    /// Only what the user closed stays closed.
    void aHalfThatMadeRoomIsOpenAtTheNextStart() {
        tabs_->closeForRoom();
        QVERIFY(!tabs_->open());
        QVERIFY(tabs_->state()["open"].toBool());
        tabs_->setOpen(true);
        tabs_->setOpen(false);
        QVERIFY(!tabs_->state()["open"].toBool());
        tabs_->closeForRoom();
        QVERIFY(!tabs_->state()["open"].toBool());
    }

  private:
    std::unique_ptr<CentreTabs> tabs_;
    QWidget* below_ = nullptr;
    QWidget* first_controls_ = nullptr;
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::CentreTabsTest)
#include "centre_tabs_test.moc"
