#include <QDockWidget>
#include <QTabBar>
#include <cstdlib>
#include <utility>

#include "tests/ui/shell/opened_window.h"
#include "tests/ui/ui_test_support.h"
#include "ui/edits/bucket_commands.h"
#include "ui/frame/centre_tabs.h"
#include "ui/frame/figures_bar.h"
#include "ui/frame/variant_bar.h"
#include "ui/panels/problems_panel.h"
#include "ui/shell/main_window.h"
#include "ui/shell/workspace/workspace.h"

namespace overlap::ui {

/// Tabs stay under the pointer while the user edits: no figure, count or mark pushes them.
class TabPlacesTest : public QObject {
    Q_OBJECT

    /// The places of all tabs of a bar in the window.
    static QList<QRect> places(const QTabBar& tabs, const MainWindow& window) {
        QList<QRect> places;
        for (int tab = 0; tab < tabs.count(); ++tab)
            places.append(tabs.tabRect(tab).translated(tabs.mapTo(&window, QPoint())));
        return places;
    }

    /// The bar that the panels below share.
    static QTabBar* panelTabs(const MainWindow& window) {
        const QString problems = window.findChild<QDockWidget*>("problems")->windowTitle();
        for (auto* bar : window.findChildren<QTabBar*>(Qt::FindDirectChildrenOnly))
            for (int tab = 0; tab < bar->count(); ++tab)
                if (bar->tabText(tab) == problems) return bar;
        return nullptr;
    }

    static bool settled(MainWindow& window) {
        if (!waitUntilIdle(window)) return false;
        const auto& gap = window.findChild<FiguresBar*>("figures")->gap();
        if (!QTest::qWaitFor([&] { return gap.gap().has_value(); }, 30'000)) return false;
        QTest::qWait(20);  // what is laid out late
        return true;
    }

    static void sizes() {
        QTest::addColumn<QSize>("size");
        QTest::newRow("1600x1000") << QSize(1600, 1000);
        QTest::newRow("1280x800") << QSize(1280, 800);
        QTest::newRow("1024x640") << QSize(1024, 640);
        QTest::newRow("800x500") << QSize(800, 500);  // what a screen of 1600x1000 has at scale 2
    }

  private slots:
    /// Titles of tabs give their letters first, and tabs go to the list before differences go.
    void fiveTabsLeaveFiguresTheirDetails() {
        MainWindow window;
        open(window, {smallGraphFile()});
        BucketCommands(window.document()).addText("layers.0");
        for (int i = 0; i < 5; ++i) {
            if (i > 0) window.document().addCopyOfCurrent();
            window.document().renameCurrent(QStringLiteral("A plan whose name is long, %1").arg(i));
        }
        QVERIFY(settled(window));
        FiguresBar& figures = window.workspace().figures();
        figures.setMemoryLimit(std::int64_t{1} << 20);
        for (const int width : {1600, 1280}) {
            window.resize(width, 800);
            QTRY_COMPARE(window.width(), width);
            QTest::qWait(20);  // what is laid out late
            const QString labels = figures.labels().join(u'|');
            QVERIFY2(labels.contains("above bound") && labels.contains("peak · limit ") && labels.contains("exposed") &&
                         labels.contains("collectives"),
                     qPrintable(labels));
            QVERIFY2(figures.differences().size() >= 4, qPrintable(figures.differences().join(u'|')));
            QTabBar* tabs = window.workspace().variants().tabs();
            if (width == 1600)
                for (int tab = 0; tab < tabs->count(); ++tab) QVERIFY(tabs->rect().contains(tabs->tabRect(tab)));
        }
    }

    /// Tabs move closer together for them.
    void fiveTabsLeaveLabelsWhole() {
        MainWindow window;
        open(window, {smallGraphFile()});
        BucketCommands(window.document()).addText("layers.0");
        for (int i = 1; i < 5; ++i) window.document().addCopyOfCurrent();
        window.resize(1280, 800);
        QVERIFY(settled(window));
        const FiguresBar& figures = window.workspace().figures();
        const QString labels = figures.labels().join(u'|');
        QVERIFY2(labels.contains("above bound · order kept"), qPrintable(labels));
        const QTabBar* tabs = window.workspace().variants().tabs();
        QVERIFY(figures.differences().size() >= 4);
        for (int tab = 0; tab < tabs->count(); ++tab) QVERIFY(tabs->rect().contains(tabs->tabRect(tab)));
    }

    void tabsOfPlansStayWhileAPlanIsEdited_data() { sizes(); }
    void tabsOfPlansStayWhileAPlanIsEdited() {
        QFETCH(const QSize, size);
        MainWindow window;
        open(window, {smallGraphFile()});
        window.resize(size);
        window.document().addCopyOfCurrent();
        QVERIFY(settled(window));
        const QTabBar& tabs = *window.findChild<VariantBar*>()->tabs();
        const QList<QRect> first = places(tabs, window);
        QCOMPARE(first.size(), 3);
        BucketCommands commands(window.document());
        for (const char* bucket : {"layers.0", "layers.1", "layers.[2-3]", "norm+output"}) {
            commands.addText(QString::fromLatin1(bucket));  // the first one brings the dot of what is not saved
            QCOMPARE(places(tabs, window), first);
            QVERIFY(settled(window));
            QCOMPARE(places(tabs, window), first);
        }
        window.document().setCurrentIndex(0);
        QVERIFY(settled(window));
        if (size.width() > 1000) QCOMPARE(places(tabs, window), first);  // a narrow bar scrolls to the current one
        window.document().setCurrentIndex(2);
        QVERIFY(settled(window));
        QCOMPARE(places(tabs, window), first);
    }

    void tabsOfPanelsStayWhileProblemsAreCounted_data() { sizes(); }
    void tabsOfPanelsStayWhileProblemsAreCounted() {
        QFETCH(const QSize, size);
        MainWindow window;
        open(window, {smallGraphFile()});
        window.resize(size);
        QVERIFY(settled(window));
        QTabBar* tabs = panelTabs(window);
        QVERIFY(tabs);
        // In a narrow window they move closer together later.
        QList<QRect> first;
        QTRY_VERIFY(std::exchange(first, places(*tabs, window)) == first);
        auto* dock = window.findChild<QDockWidget*>("problems");
        ProblemsPanel& problems = window.workspace().problems();
        QStringList titles;
        for (const std::size_t count : {0u, 1u, 7u, 12u, 88u}) {
            emit problems.countChanged(count);
            QCoreApplication::processEvents();
            titles.append(dock->windowTitle().trimmed());
            QCOMPARE(panelTabs(window), tabs);
            for (int tab = 0; tab < tabs->count(); ++tab) {
                const int moved = places(*tabs, window)[tab].left() - first[tab].left();
                QVERIFY2(std::abs(moved) <= 4, qPrintable(QStringLiteral("tab %1, %2").arg(tab).arg(moved)));
            }
        }
        QCOMPARE(titles, (QStringList{"Problems", "Problems 1", "Problems 7", "Problems 12", "Problems 88"}));
    }

    void tabsOfViewsStayWhicheverIsInFront_data() { sizes(); }
    void tabsOfViewsStayWhicheverIsInFront() {
        QFETCH(const QSize, size);
        MainWindow window;
        open(window, {smallGraphFile()});
        window.resize(size);
        QVERIFY(settled(window));
        CentreTabs& centre = window.workspace().centre();
        const auto& tabs = *centre.findChild<QTabBar*>("centreTabBar");
        const QList<QRect> first = places(tabs, window);
        for (const CentreTabs::View& view : centre.views()) {
            centre.showView(view.id);
            QCoreApplication::processEvents();
            QCOMPARE(places(tabs, window), first);
        }
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::TabPlacesTest)
#include "tab_places_test.moc"
