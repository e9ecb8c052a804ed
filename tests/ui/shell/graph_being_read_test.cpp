#include <QAbstractButton>
#include <QAction>
#include <QDockWidget>
#include <QLabel>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QtTest>

#include "tests/ui/ui_test_support.h"
#include "ui/document/document.h"
#include "ui/session/graph_finder.h"
#include "ui/shell/main_window.h"

namespace overlap::ui {

/// What the window says before its first graph has been read.
class GraphBeingReadTest : public QObject {
    Q_OBJECT

    /// All sentences of labels, controls and actions, by what says them.
    static QMultiMap<QString, QString> sentences(const QWidget& window) {
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
    static QStringList saying(const QWidget& window, const QStringList& wanted) {
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

    static void show(MainWindow& window) {
        window.resize(1600, 1000);
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
    }

  private slots:
    /// In every panel and every menu, and none of them afterwards where the reading was cancelled.
    void nothingSaysThatNoneIsOpen() {
        MainWindow window;
        show(window);
        for (QDockWidget* dock : window.findChildren<QDockWidget*>()) {
            dock->raise();
            QTRY_VERIFY2(saying(window, none()).size() > 40, qPrintable(dock->objectName()));
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

    /// When the graph has been read, nothing says so any more, and nothing that none is open.
    void nothingSaysSoWhenItHasBeenRead() {
        MainWindow window;
        show(window);
        QTRY_VERIFY(saying(window, none()).size() > 40);
        window.document().openGraph(sampleGraph());
        QTRY_VERIFY(saying(window, {being_read}).size() > 40);
        QTRY_VERIFY_WITH_TIMEOUT(window.document().isOpen(), 60'000);
        // What is behind another dock is made anew when it is seen.
        for (QDockWidget* dock : window.findChildren<QDockWidget*>()) {
            dock->raise();
            QTRY_COMPARE(saying(*dock, {being_read}).join(u'\n'), QString());
            QTRY_COMPARE(saying(*dock, none()).join(u'\n'), QString());
        }
        QCOMPARE(saying(window, {being_read}).join(u'\n'), QString());
        QCOMPARE(saying(window, none()).join(u'\n'), QString());
    }

    /// Where it cannot be read, everything says again that none is open.
    void everythingSaysThatNoneIsOpenWhenReadingFails() {
        QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("none.graph.json"));
        MainWindow window;
        show(window);
        QTRY_VERIFY(saying(window, none()).size() > 40);
        const qsizetype before = saying(window, none()).size();
        QSignalSpy failed(&window.document().loader(), &GraphLoader::failed);
        window.document().openGraph(path);
        QVERIFY(window.document().loading());
        runAllDue();
        QTRY_COMPARE(failed.count(), 1);
        QTRY_COMPARE(saying(window, {being_read}).join(u'\n'), QString());
        QVERIFY2(saying(window, none()).size() >= before, qPrintable(saying(window, none()).join(u'\n')));
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::GraphBeingReadTest)
#include "graph_being_read_test.moc"
