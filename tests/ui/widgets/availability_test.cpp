#include "ui/widgets/availability.h"

#include <QAction>
#include <QToolButton>
#include <QtTest>

namespace overlap::ui {

class AvailabilityTest : public QObject {
    Q_OBJECT

  private slots:
    void whatIsRefusedSaysWhyAndWhatItIsForReturns() {
        QToolButton button;
        button.setToolTip("Remove the step");
        setAvailable(button, "No step is selected");
        QVERIFY(!button.isEnabled());
        QCOMPARE(button.toolTip(), "No step is selected");
        setAvailable(button, "The baseline has no steps");  // the reason changes
        QCOMPARE(button.toolTip(), "The baseline has no steps");
        setAvailable(button, {});
        QVERIFY(button.isEnabled());
        QCOMPARE(button.toolTip(), "Remove the step");
    }

    void anActionHasTwoTips() {
        QAction action("&Close plan");
        action.setStatusTip("Close the plan");
        setAvailable(action, "No graph is open");
        QCOMPARE(action.toolTip(), "No graph is open");
        QCOMPARE(action.statusTip(), "No graph is open");
        setAvailable(action, {});
        QCOMPARE(action.toolTip(), "Close plan");
        QCOMPARE(action.statusTip(), "Close the plan");
    }

    void aChangeOfTheTipWhileAvailableStays() {
        QToolButton button;
        setAvailable(button, "No");
        setAvailable(button, {});
        button.setToolTip("Another");
        setAvailable(button, "No");
        setAvailable(button, {});
        QCOMPARE(button.toolTip(), "Another");
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::AvailabilityTest)
#include "availability_test.moc"
