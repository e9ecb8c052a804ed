#include <QComboBox>
#include <QDockWidget>
#include <QPushButton>
#include <QTabBar>
#include <array>

#include "tests/ui/shell/opened_window.h"
#include "tests/ui/ui_test_support.h"
#include "ui/frame/docks/dock_layout.h"
#include "ui/search/front_chart.h"
#include "ui/search/search_controls.h"
#include "ui/search/search_panel.h"
#include "ui/shell/workspace/workspace.h"
#include "ui/timeline/timeline_view.h"

namespace overlap::ui {

/// The search in the window: by its action, with its result as a plan beside the others.
class SearchWindowTest : public QObject {
    Q_OBJECT

  private slots:
    void buttonsOfTheResultStayWhereTheyAre_data() {
        QTest::addColumn<QSize>("size");
        for (const QSize size : {QSize(1600, 1000), QSize(1280, 800), QSize(1024, 640), QSize(800, 500)})
            QTest::addRow("%dx%d", size.width(), size.height()) << size;
    }
    void buttonsOfTheResultStayWhereTheyAre() {
        QFETCH(QSize, size);
        MainWindow window;
        open(window, {smallGraphFile()});
        window.resize(size);
        QTRY_COMPARE(window.size(), size);
        SearchPanel& panel = window.workspace().search();
        window.actions().find(QStringLiteral("view.go.search"))->trigger();
        QTRY_VERIFY(panel.isVisible());
        const auto placeOf = [&](const QWidget* button) {
            return QRect(button->mapTo(&window, QPoint()), button->size());
        };
        const auto isWhole = [](const QWidget* button) { return button->visibleRegion() == QRegion(button->rect()); };
        const std::array<QPushButton*, 2> buttons{panel.openButton(), panel.compareButton()};
        for (const QPushButton* button : buttons) QTRY_VERIFY2(isWhole(button), qPrintable(button->text()));
        const std::array before{placeOf(buttons[0]), placeOf(buttons[1])};
        const auto stay = [&] {
            for (std::size_t button = 0; button < buttons.size(); ++button) {
                QCOMPARE(placeOf(buttons[button]), before[button]);
                QVERIFY2(isWhole(buttons[button]), qPrintable(buttons[button]->text()));
            }
        };
        panel.controls().effort()->setItemData(panel.controls().effort()->currentIndex(), 110);
        panel.findOrFinish();
        runAllDue();
        stay();
        QVERIFY(waitUntilIdle(window));
        QVERIFY(panel.openButton()->isEnabled());
        runAllDue();
        stay();
        emit panel.chart()->chosen(panel.chart()->points().back().id);
        runAllDue();
        stay();
    }

    /// It says what Enter does.
    void aClickOnTheTabGivesItTheKeys() {
        MainWindow window;
        open(window, {smallGraphFile()});
        window.actions().find(QStringLiteral("view.go.problems"))->trigger();
        window.workspace().timeline().setFocus();
        const QDockWidget* dock = window.workspace().docks().find(QStringLiteral("search"));
        QTabBar* row = nullptr;
        int tab = -1;
        for (QTabBar* tabs : window.findChildren<QTabBar*>(Qt::FindDirectChildrenOnly))
            for (int index = 0; index < tabs->count(); ++index)
                if (tabs->tabText(index) == dock->windowTitle()) row = tabs, tab = index;
        QVERIFY(row);
        QTest::mouseClick(row, Qt::LeftButton, {}, row->tabRect(tab).center());
        SearchPanel& panel = window.workspace().search();
        QTRY_COMPARE(window.focusWidget(), panel.findButton());
        QVERIFY(panel.isVisible());
        panel.controls().effort()->setItemData(panel.controls().effort()->currentIndex(), 110);
        QTest::keyClick(window.focusWidget(), Qt::Key_Return);
        QVERIFY(panel.busy());
        QVERIFY(waitUntilIdle(window));
    }

    void theActionFindsAPlan() {
        MainWindow window;
        open(window, {smallGraphFile()});
        SearchPanel& panel = window.workspace().search();
        panel.controls().effort()->setItemData(panel.controls().effort()->currentIndex(), 110);
        const int variants = window.document().variantCount();
        QAction* action = window.actions().find(QStringLiteral("plan.findBetter"));
        QVERIFY(action);
        action->trigger();
        QVERIFY(panel.isVisible());
        QVERIFY2(!panel.busy(), "a limit can be chosen first");
        QVERIFY2(panel.result().startsWith("Enter begins a search for plans with any peak."),
                 qPrintable(panel.result()));
        QCOMPARE(window.focusWidget(), panel.findButton());
        QTest::keyClick(panel.findButton(), Qt::Key_Return);
        QVERIFY(panel.busy());
        // The user works on meanwhile.
        window.document().renameCurrent(QStringLiteral("Mine"));
        QVERIFY(waitUntilIdle(window));
        QVERIFY2(panel.openButton()->isEnabled(), qPrintable(panel.caption()));
        panel.compareButton()->click();
        QCOMPARE(window.document().variantCount(), variants + 1);
        QVERIFY(window.workspace().docks().find(QStringLiteral("compare"))->widget()->isVisible());
        QVERIFY(waitUntilIdle(window));
        QVERIFY(window.document().evaluation()->simulation.step_ms < window.document().baseline().simulation.step_ms);
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::SearchWindowTest)
#include "search_window_test.moc"
