#include <QAbstractButton>
#include <QAction>
#include <QDockWidget>
#include <QLabel>
#include <QtTest>

#include "ui/document/document.h"
#include "ui/session/graph_finder.h"
#include "ui/shell/main_window.h"

namespace overlap::ui {

/// What the window says before its first graph has been read.
class GraphBeingReadTest : public QObject {
    Q_OBJECT

    /// All sentences of labels, controls and actions, by what says them.
    static QMultiMap<QString, QString> sentences(const MainWindow& window) {
        QMultiMap<QString, QString> said;
        const auto add = [&](const QObject& object, const QStringList& texts) {
            for (const QString& text : texts)
                if (!text.isEmpty())
                    said.insert(object.metaObject()->className() + QStringLiteral(" ") + object.objectName(), text);
        };
        for (const QAction* action : window.findChildren<QAction*>()) add(*action, {action->toolTip()});
        for (const QWidget* widget : window.findChildren<QWidget*>()) add(*widget, {widget->toolTip()});
        for (const QLabel* label : window.findChildren<QLabel*>()) add(*label, {label->text()});
        return said;
    }

    /// What says one of these.
    static QStringList saying(const MainWindow& window, const QStringList& wanted) {
        QStringList found;
        const auto all = sentences(window);
        for (auto said = all.begin(); said != all.end(); ++said)
            for (const QString& each : wanted)
                if (said.value().startsWith(each)) found.append(said.key() + QStringLiteral(": ") + said.value());
        found.sort();
        return found;
    }

    static const QStringList& none() {
        static const QStringList said{"No graph is open", "There is no graph", "Open a graph to"};
        return said;
    }

    inline static const QString being_read = QStringLiteral("The graph is being read");

  private slots:
    /// In every panel and every menu, and none of them afterwards where the reading was cancelled.
    void nothingSaysThatNoneIsOpen() {
        MainWindow window;
        window.resize(1600, 1000);
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        for (QDockWidget* dock : window.findChildren<QDockWidget*>()) {
            dock->raise();
            QTest::qWait(20);
            const qsizetype closed = saying(window, none()).size();
            QVERIFY2(closed > 40, qPrintable(QString::number(closed)));
            window.document().openGraph(sampleGraph());
            QCoreApplication::processEvents();
            QVERIFY(window.document().loading() && !window.document().isOpen());
            QCOMPARE(saying(window, none()).join(u'\n'), QString());
            QVERIFY2(saying(window, {being_read}).size() > 40, qPrintable(dock->objectName()));
            window.document().loader().cancel();
            QTRY_COMPARE(saying(window, {being_read}).join(u'\n'), QString());
            QVERIFY2(saying(window, none()).size() > 40, qPrintable(dock->objectName()));
        }
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::GraphBeingReadTest)
#include "graph_being_read_test.moc"
