#include "ui/widgets/seen_watch.h"

#include <QDockWidget>
#include <QMainWindow>
#include <QtTest>

#include "ui/widgets/seen_refresh.h"

namespace overlap::ui {

class SeenWatchTest : public QObject {
    Q_OBJECT

  private slots:
    void aWidgetAloneIsSeenWhenItIsShown() {
        QWidget widget;
        SeenWatch watch(widget);
        QSignalSpy seen(&watch, &SeenWatch::seen);
        QVERIFY(!watch.isSeen());
        widget.show();
        QCOMPARE(seen.count(), 1);
        QVERIFY(watch.isSeen());
        widget.hide();
        QVERIFY(!watch.isSeen());
    }

    /// Qt calls it visible there.
    void behindAnotherDockItIsNotSeen() {
        QMainWindow window;
        window.setCentralWidget(new QWidget);
        QDockWidget front(QStringLiteral("front")), behind(QStringLiteral("behind"));
        auto *widget = new QWidget, *other = new QWidget;
        for (QWidget* content : {widget, other}) content->setMinimumSize(80, 80);
        front.setWidget(other);
        behind.setWidget(widget);
        window.addDockWidget(Qt::BottomDockWidgetArea, &front);
        window.tabifyDockWidget(&front, &behind);
        front.raise();
        SeenWatch watch(*widget);
        QSignalSpy seen(&watch, &SeenWatch::seen);
        int made = 0;
        SeenRefresh refresh(*widget, std::chrono::milliseconds(0), [&] { ++made; });
        window.resize(600, 400);
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        QTest::qWait(50);
        QVERIFY(!watch.isSeen());
        QCOMPARE(seen.count(), 0);
        refresh.schedule();
        QTest::qWait(20);
        QCOMPARE(made, 0);
        behind.raise();
        QTRY_VERIFY(seen.count() > 0);
        QTRY_VERIFY(watch.isSeen());
        QTRY_COMPARE(made, 1);
        front.raise();
        QTRY_VERIFY(!watch.isSeen());
        refresh.schedule();
        QTest::qWait(20);
        QCOMPARE(made, 1);
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::SeenWatchTest)
#include "seen_watch_test.moc"
