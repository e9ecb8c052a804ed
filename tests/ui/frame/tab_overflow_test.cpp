#include "ui/widgets/tab_overflow.h"

#include <QDockWidget>
#include <QLabel>
#include <QMainWindow>
#include <QMenu>
#include <QStyle>
#include <QTabBar>
#include <QToolButton>
#include <QtTest>

#include "tests/ui/ui_test_support.h"
#include "ui/frame/docks/dock_tabs.h"

namespace overlap::ui {

class TabOverflowTest : public QObject {
    Q_OBJECT

    static void fill(QTabBar& tabs) {
        tabs.setElideMode(Qt::ElideNone);
        for (int tab = 0; tab < 12; ++tab) tabs.addTab(QStringLiteral("Panel number %1").arg(tab));
    }

    static QToolButton* scrollButton(const QTabBar& tabs) { return tabs.findChild<QToolButton*>("ScrollLeftButton"); }

    static bool isWhole(const QTabBar& tabs, int tab) {
        const QRect rect = tabs.tabRect(tab);
        return rect.left() >= 0 && rect.right() <= scrollButton(tabs)->x();
    }

  private slots:
    void theListIsShownWhereTabsDoNotFit() {
        QTabBar tabs;
        fill(tabs);
        const TabOverflow& overflow = *new TabOverflow(tabs, QStringLiteral("All"));
        tabs.resize(tabs.sizeHint().width() + 10, 32);
        tabs.show();
        QTRY_VERIFY(overflow.listButton()->isHidden());
        tabs.resize(400, 32);
        QTRY_VERIFY(!overflow.listButton()->isHidden());
        const QRect list = overflow.listButton()->geometry();
        QCOMPARE(list.right(), tabs.rect().right());
        QVERIFY(!list.intersects(scrollButton(tabs)->geometry()));
    }

    /// They do as soon as one pixel is missing, and no longer: by the width that the bar itself gives them.
    void tabsMoveTogetherWhereTheyDoNotFit() {
        constexpr TabPadding padding{30, 6};
        QTabBar tabs;
        tabs.setStyleSheet(QStringLiteral("QTabBar::tab { padding: 4px %1px; border: 2px solid red; }"
                                          "QTabBar[dense=\"true\"]::tab { padding: 4px %2px; }")
                               .arg(padding.wide)
                               .arg(padding.dense));
        fill(tabs);
        QPixmap icon(8, 8);
        icon.fill(Qt::red);
        for (int tab = 0; tab < tabs.count(); tab += 2) tabs.setTabIcon(tab, icon);
        new TabOverflow(tabs, QStringLiteral("All"), padding);
        tabs.resize(4000, 32);
        tabs.show();
        const auto dense = [&] { return tabs.property("dense").toBool(); };
        QTRY_VERIFY(tabs.tabRect(11).width() > 0 && !dense());
        const int whole = tabs.sizeHint().width();
        QVERIFY(tabs.tabRect(11).right() >= whole - 1);
        for (int time = 0; time < 2; ++time) {
            tabs.resize(whole - 1, 32);
            QTRY_VERIFY(dense());
            QVERIFY(tabs.sizeHint().width() < whole - 1);
            tabs.resize(whole - 20, 32);
            runAllDue();
            QVERIFY(dense());
            tabs.resize(whole, 32);
            QTRY_VERIFY(!dense());
        }
    }

    void theCurrentTabIsInView() {
        QTabBar tabs;
        fill(tabs);
        new TabOverflow(tabs, QStringLiteral("All"));
        tabs.resize(tabs.sizeHint().width() + 10, 32);
        tabs.show();
        tabs.setCurrentIndex(11);
        tabs.resize(400, 32);
        QTRY_VERIFY(isWhole(tabs, 11));
        tabs.setCurrentIndex(0);
        QTRY_VERIFY(isWhole(tabs, 0));
    }

    void narrowAndWideBarsHaveOneStyle() {
        QTabBar tabs;
        fill(tabs);
        new TabOverflow(tabs, QStringLiteral("All"));
        tabs.show();
        const auto room = [&] { return tabs.style()->pixelMetric(QStyle::PM_TabBarScrollButtonWidth, nullptr, &tabs); };
        int wide = 0;
        for (int time = 0; time < 3; ++time) {
            tabs.resize(400, 32);
            QTRY_VERIFY(room() > 12);
            if (time == 0) wide = room();
            QCOMPARE(room(), wide);
            tabs.resize(200, 32);
            QTRY_COMPARE(room(), wide / 3);
        }
        QCOMPARE(tabs.findChildren<QStyle*>(Qt::FindDirectChildrenOnly).size(), 1);
    }

    void theMenuHasAllAndShowsTheOneThatIsChosen() {
        QTabBar tabs;
        fill(tabs);
        auto& overflow = *new TabOverflow(tabs, QStringLiteral("All"));
        const std::unique_ptr<QMenu> menu(overflow.makeMenu());
        QCOMPARE(menu->actions().size(), tabs.count());
        QVERIFY(menu->actions()[0]->isChecked());
        menu->actions()[7]->trigger();
        QCOMPARE(tabs.currentIndex(), 7);
        QCOMPARE(menu->actions()[7]->text(), tabs.tabText(7));
        tabs.setTabVisible(3, false);  // what is not there cannot be chosen
        const std::unique_ptr<QMenu> fewer(overflow.makeMenu());
        QCOMPARE(fewer->actions().size(), tabs.count() - 1);
        QCOMPARE(fewer->actions()[3]->text(), tabs.tabText(4));
    }

    void docksThatShareTabsKeepWholeNames() {
        QMainWindow window;
        new DockTabs(window);
        QDockWidget* first = nullptr;
        for (int number = 0; number < 12; ++number) {
            auto* dock = new QDockWidget(QStringLiteral("Panel number %1").arg(number), &window);
            dock->setWidget(new QLabel);
            window.addDockWidget(Qt::BottomDockWidgetArea, dock);
            first ? window.tabifyDockWidget(first, dock) : void(first = dock);
        }
        window.resize(500, 400);
        window.show();
        QTRY_VERIFY(window.findChild<TabOverflow*>());
        const auto* tabs = window.findChild<QTabBar*>(QString(), Qt::FindDirectChildrenOnly);
        QTRY_VERIFY(!window.findChild<TabOverflow*>()->listButton()->isHidden());
        for (int tab = 0; tab < tabs->count(); ++tab)
            QVERIFY(tabs->tabRect(tab).width() > tabs->fontMetrics().horizontalAdvance(tabs->tabText(tab)));
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::TabOverflowTest)
#include "tab_overflow_test.moc"
