#include <QAbstractButton>
#include <QAbstractSpinBox>
#include <QComboBox>
#include <QDockWidget>
#include <QLineEdit>
#include <QTabBar>
#include <QToolButton>

#include "tests/ui/shell/opened_window.h"
#include "tests/ui/ui_test_support.h"
#include "ui/frame/variant_bar.h"
#include "ui/measure/measurements.h"
#include "ui/shell/times_controller.h"
#include "ui/shell/workspace/workspace.h"

namespace overlap::ui {

/// What cannot be used says why, wherever it is seen.
class UnavailableControlsTest : public QObject {
    Q_OBJECT

    static bool isControl(const QWidget& widget) {
        if (const auto* field = qobject_cast<const QLineEdit*>(&widget))  // not that of a number or a choice
            return !qobject_cast<const QAbstractSpinBox*>(field->parentWidget()) &&
                   !qobject_cast<const QComboBox*>(field->parentWidget());
        return qobject_cast<const QAbstractButton*>(&widget) || qobject_cast<const QComboBox*>(&widget) ||
               qobject_cast<const QAbstractSpinBox*>(&widget);
    }

    /// By setAvailable(), for itself, its action or what it is a part of.
    static bool saysWhy(const QWidget& control) {
        constexpr const char* kept = "ownToolTip";
        if (const auto* button = qobject_cast<const QToolButton*>(&control); button && button->defaultAction())
            return button->defaultAction()->property(kept).isValid() && !button->toolTip().isEmpty();
        for (const QWidget* part = &control; part && !part->isEnabled(); part = part->parentWidget())
            if (part->property(kept).isValid() && !part->toolTip().isEmpty()) return true;
        return false;
    }

    static QString described(const QWidget& control) {
        QStringList names{QString::fromLatin1(control.metaObject()->className()), control.objectName(),
                          control.accessibleName(), control.toolTip().section(u'\n', 0, 0)};
        if (const auto* button = qobject_cast<const QAbstractButton*>(&control)) names.append(button->text());
        for (const QWidget* part = control.parentWidget(); part; part = part->parentWidget())
            if (!part->objectName().isEmpty()) names.append(part->objectName());
        return names.join(QStringLiteral(" | "));
    }

    /// Controls that are seen, greyed and silent. What the arrows of a tab bar do is seen in the bar.
    static QStringList silentIn(const MainWindow& window) {
        QStringList silent;
        for (const QWidget* widget : window.findChildren<QWidget*>()) {
            if (!widget->isVisible() || widget->isEnabled()) continue;
            if (!isControl(*widget) || qobject_cast<const QTabBar*>(widget->parentWidget())) continue;
            if (!saysWhy(*widget)) silent.append(described(*widget));
        }
        for (const QTabBar* bar : window.findChildren<QTabBar*>()) {
            for (int tab = 0; bar->isVisible() && tab < bar->count(); ++tab)
                if (!bar->isTabEnabled(tab) && bar->tabToolTip(tab).isEmpty()) silent.append(bar->tabText(tab));
        }
        return silent;
    }

    /// With each dock in front once, and each page of the middle.
    static QStringList silentAnywhere(MainWindow& window) {
        QStringList silent = silentIn(window);
        for (QDockWidget* dock : window.findChildren<QDockWidget*>()) {
            dock->show();
            dock->raise();
            QCoreApplication::processEvents();
            silent += silentIn(window);
        }
        for (const char* page : {"view.go.mesh", "view.go.job", "view.go.timeline"}) {
            QAction* action = window.actions().find(page);
            if (!action || !action->isEnabled()) continue;
            action->trigger();
            QCoreApplication::processEvents();
            silent += silentIn(window);
        }
        silent.removeDuplicates();
        return silent;
    }

  private slots:
    void whatCannotBeUsedSaysWhy() {
        MainWindow window;
        window.resize(1600, 1000);
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        const auto check = [&window](const char* state) {
            const QStringList silent = silentAnywhere(window);
            QVERIFY2(silent.isEmpty(), qPrintable(QString::fromLatin1(state) + ":\n" + silent.join(u'\n')));
        };
        check("nothing is open");
        window.openFiles({smallGraphFile()});
        QVERIFY(waitUntilIdle(window));
        check("a plan");
        window.workspace().variants().tabs()->setCurrentIndex(0);
        QVERIFY(waitUntilIdle(window));
        check("the baseline");
        window.openFiles({QStringLiteral(OVERLAP_TEST_DATA "/traces/hta_nccl_data.json.gz")});
        QVERIFY(waitUntilIdle(window));
        QVERIFY(window.times().measurements().current());
        check("a measurement");
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::UnavailableControlsTest)
#include "unavailable_controls_test.moc"
