#include <QComboBox>
#include <QDockWidget>
#include <QPushButton>

#include "tests/ui/shell/opened_window.h"
#include "tests/ui/ui_test_support.h"
#include "ui/frame/dock_layout.h"
#include "ui/search/search_controls.h"
#include "ui/search/search_panel.h"
#include "ui/shell/workspace.h"

namespace overlap::ui {

/// The search in the window: by its action, with its result as a plan beside the others.
class SearchWindowTest : public QObject {
    Q_OBJECT

  private slots:
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
