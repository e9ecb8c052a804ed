#include "ui/document/graph_reading.h"

#include "tests/ui/ui_test_support.h"

namespace overlap::ui {

class GraphReadingTest : public QObject {
    Q_OBJECT

  private slots:
    void whileAGraphIsReadThatIsSaid() {
        Document document;
        QCOMPARE(noGraphOpen(document), "No graph is open");
        QObject view;
        QStringList shown;
        whenReadingChanges(document, &view, [&] { shown.append(noGraphOpen(document)); });
        document.openGraph({smallGraphFile()});
        QCOMPARE(noGraphOpen(document), "The graph is being read");
        document.loader().cancel();
        QTRY_COMPARE(shown.size(), 2);
        QCOMPARE(shown.back(), "No graph is open");
        document.openGraph({QStringLiteral("no such file")});
        QTRY_COMPARE(shown.size(), 4);
        QCOMPARE(shown,
                 QStringList({shown.front(), "No graph is open", "The graph is being read", "No graph is open"}));
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::GraphReadingTest)
#include "graph_reading_test.moc"
