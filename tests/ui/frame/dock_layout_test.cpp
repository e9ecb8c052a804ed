#include "ui/frame/docks/dock_layout.h"

#include <QDockWidget>
#include <QLabel>
#include <QTabBar>
#include <QtTest>

namespace overlap::ui {

class DockLayoutTest : public QObject {
    Q_OBJECT

    using Heading = DockLayout::Heading;

    static QDockWidget* add(DockLayout& layout, const char* id, Qt::DockWidgetArea area) {
        return layout.add(QString::fromLatin1(id), QString::fromLatin1(id), new QLabel, area, Heading::always);
    }

  private slots:
    void docksAreFoundByTheirNames() {
        QMainWindow window;
        DockLayout layout(window);
        QDockWidget* left = add(layout, "left", Qt::LeftDockWidgetArea);
        QDockWidget* below = add(layout, "below", Qt::BottomDockWidgetArea);
        QCOMPARE(layout.find("below"), below);
        QVERIFY(!layout.find("nowhere"));
        QCOMPARE(layout.all(), (QList<QDockWidget*>{left, below}));
        QCOMPARE(window.dockWidgetArea(left), Qt::LeftDockWidgetArea);
    }

    void resetBringsDocksBack() {
        QMainWindow window;
        window.setCentralWidget(new QLabel);
        DockLayout layout(window);
        QDockWidget* dock = add(layout, "dock", Qt::LeftDockWidgetArea);
        window.show();
        layout.keepAsFirst();
        window.addDockWidget(Qt::RightDockWidgetArea, dock);
        dock->hide();
        layout.reset();
        QCOMPARE(window.dockWidgetArea(dock), Qt::LeftDockWidgetArea);
        QVERIFY(dock->isVisible());
    }

    void withoutAFirstLayoutNothingChanges() {
        QMainWindow window;
        DockLayout layout(window);
        QDockWidget* dock = add(layout, "dock", Qt::LeftDockWidgetArea);
        dock->hide();
        layout.reset();
        QVERIFY(dock->isHidden());
    }

    void aNoteStandsWhereItMovesNothing() {
        QMainWindow window;
        window.setCentralWidget(new QLabel);
        DockLayout layout(window);
        QDockWidget* side = add(layout, "side", Qt::LeftDockWidgetArea);
        QList<QDockWidget*> below;
        for (const char* id : {"first", "second"})
            below.append(layout.add(QString::fromLatin1(id), QString::fromLatin1(id), new QLabel,
                                    Qt::BottomDockWidgetArea, Heading::floating));
        window.resize(800, 600);
        window.show();
        layout.putInTabs(below);
        QTabBar* tabs = nullptr;
        QTRY_VERIFY(tabs = window.findChild<QTabBar*>(QString(), Qt::FindDirectChildrenOnly));
        const auto noteIn = [](const QWidget& widget) { return widget.findChild<QLabel*>("dockNote"); };
        QTRY_VERIFY(noteIn(*tabs));
        QVERIFY(!noteIn(*tabs)->isVisible());
        const QRect content = below.front()->widget()->geometry(), tab = tabs->tabRect(1);

        layout.setNote("side", "of Plan A");
        layout.setNote("first", "of Plan B");
        layout.setNote("nowhere", "of nothing");
        QCOMPARE(noteIn(*side->titleBarWidget())->text(), "of Plan A");
        QCOMPARE(noteIn(*tabs)->text(), "of Plan B");
        QVERIFY(noteIn(*tabs)->isVisible());
        QVERIFY(!noteIn(*tabs)->geometry().intersects(tab));
        QCOMPARE(below.front()->widget()->geometry(), content);
        QCOMPARE(tabs->tabRect(1), tab);

        // It is of the dock in front, and goes with it.
        tabs->setCurrentIndex(1);
        QVERIFY(!noteIn(*tabs)->isVisible());
        below.front()->setFloating(true);
        QCOMPARE(below.front()->windowTitle(), "first of Plan B");
        layout.setNote("first", {});
        QCOMPARE(below.front()->windowTitle(), "first");
    }

    void docksShareTabsWithTheFirstInFront() {
        QMainWindow window;
        window.setCentralWidget(new QLabel);
        DockLayout layout(window);
        QDockWidget* first = add(layout, "first", Qt::BottomDockWidgetArea);
        QDockWidget* second = add(layout, "second", Qt::BottomDockWidgetArea);
        QDockWidget* third = add(layout, "third", Qt::BottomDockWidgetArea);
        window.resize(800, 600);
        window.show();
        layout.putInTabs({first, third, second});
        const QList<QDockWidget*> beside = window.tabifiedDockWidgets(first);
        QVERIFY(beside.contains(second) && beside.contains(third));
        QTRY_VERIFY(!first->visibleRegion().isEmpty());
        QVERIFY(third->visibleRegion().isEmpty());
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::DockLayoutTest)
#include "dock_layout_test.moc"
