#include "ui/session/selection_restore.h"

#include <QJsonArray>
#include <QtTest>

#include "tests/ui/ui_test_support.h"
#include "ui/document/document.h"

namespace overlap::ui {

/// What is selected comes back with its graph.
class SelectionRestoreTest : public QObject {
    Q_OBJECT

    /// The small graph with two buckets, which is not evaluated yet.
    static std::unique_ptr<Document> openWithBuckets() {
        auto document = openDocument();
        document->editBuckets("two", {{{"layers.0"}, false, {}}, {{"layers.1", "layers.2"}, false, {}}});
        return document;
    }

    static QString firstNode(const Document& document) {
        return QString::fromStdString(std::string(document.graph()->name(0)));
    }

    /// Selects what a row of the tables below names.
    static void select(Document& document, const QString& what) {
        Selection& selection = document.selection();
        if (what == "node") selection.selectNode(firstNode(document));
        if (what == "module") selection.selectModule("layers.3");
        if (what == "root") selection.selectModule({});
        if (what == "modules") selection.selectModules({"layers.3", "norm"});
        if (what == "bucket") selection.selectBucket(1);
        if (what == "group") selection.selectGroup("0");
    }

    static void waitFor(Document& document) { QVERIFY(waitForEvaluation(document)); }

    static void kinds() {
        QTest::addColumn<QString>("what");
        for (const char* what : {"nothing", "node", "module", "root", "modules", "bucket", "group"})
            QTest::newRow(what) << QString::fromLatin1(what);
    }

  private slots:
    void whatIsSelectedComesBackWithTheFigures_data() { kinds(); }
    void whatIsSelectedComesBackWithTheFigures() {
        QFETCH(const QString, what);
        const auto before = openWithBuckets();
        const SelectionRestore keeper(*before);
        select(*before, what);
        const QJsonObject kept = keeper.kept();
        QCOMPARE(kept.isEmpty(), what == "nothing");

        const auto document = openWithBuckets();
        SelectionRestore restore(*document);
        restore.graphOpened(kept);
        QCOMPARE(document->selection().kind(), Selection::Kind::nothing);
        QVERIFY2(restore.kept() == kept, "what waits is kept, too");
        waitFor(*document);
        const Selection &now = document->selection(), &then = before->selection();
        QCOMPARE(now.kind(), then.kind());
        QCOMPARE(now.node(), then.node());
        QCOMPARE(now.modules(), then.modules());
        QCOMPARE(now.bucket(), then.bucket());
        QCOMPARE(now.group(), then.group());
        QVERIFY(restore.kept() == kept);
        // Once: what comes with later figures is another matter.
        document->selection().clear();
        document->editBuckets("one", {{{"layers.0"}, false, {}}});
        waitFor(*document);
        QCOMPARE(document->selection().kind(), Selection::Kind::nothing);
        QVERIFY(restore.kept().isEmpty());
    }

    void whatIsNotThereAnyMoreIsNotSelected_data() {
        QTest::addColumn<QJsonObject>("kept");
        QTest::newRow("node") << QJsonObject{{"node", "of_another_export"}};
        QTest::newRow("module") << QJsonObject{{"modules", QJsonArray{"layers.77"}}};
        QTest::newRow("group") << QJsonObject{{"group", "made by a pass"}};
        QTest::newRow("bucket") << QJsonObject{{"bucket", 1}, {"of", QJsonArray{"layers.5"}}};
        QTest::newRow("no bucket") << QJsonObject{{"bucket", 9}, {"of", QJsonArray{"layers.5"}}};
    }
    void whatIsNotThereAnyMoreIsNotSelected() {
        QFETCH(const QJsonObject, kept);
        const auto document = openWithBuckets();
        SelectionRestore restore(*document);
        restore.graphOpened(kept);
        waitFor(*document);
        QCOMPARE(document->selection().kind(), Selection::Kind::nothing);
        QVERIFY(restore.kept().isEmpty());
    }

    void ofSeveralModulesThoseThatAreThereAreSelected() {
        const auto document = openWithBuckets();
        SelectionRestore restore(*document);
        restore.graphOpened({{"modules", QJsonArray{"norm", "layers.77", "layers.3"}}});
        waitFor(*document);
        QCOMPARE(document->selection().modules(), (QStringList{"norm", "layers.3"}));
    }

    /// Another program has put buckets before it.
    void aBucketIsSelectedWhereItIsNow() {
        const auto document = openWithBuckets();
        SelectionRestore restore(*document);
        restore.graphOpened({{"bucket", 0}, {"of", QJsonArray{"layers.1", "layers.2"}}});
        waitFor(*document);
        QCOMPARE(document->selection().bucket(), 1);
    }

    /// Its number means another bucket there.
    void aBucketOfAnotherPlanIsNotSelected() {
        const auto document = openWithBuckets();
        SelectionRestore restore(*document);
        restore.graphOpened({{"bucket", 1}, {"of", QJsonArray{"layers.1", "layers.2"}}});
        document->addCopyOfCurrent();
        waitFor(*document);
        QCOMPARE(document->selection().kind(), Selection::Kind::nothing);
    }

    void whatIsSelectedMeanwhileStays() {
        const auto document = openWithBuckets();
        SelectionRestore restore(*document);
        restore.graphOpened({{"modules", QJsonArray{"norm"}}});
        document->selection().selectModule("layers.3");
        QCOMPARE(restore.kept(), (QJsonObject{{"modules", QJsonArray{"layers.3"}}}));
        waitFor(*document);
        QCOMPARE(document->selection().module(), QStringLiteral("layers.3"));
    }

    /// A bucket that an edit of another kind has taken away meanwhile has nothing that could be kept of it.
    void aBucketThatIsNotThereIsNotKept() {
        const auto document = openWithBuckets();
        const SelectionRestore restore(*document);
        document->selection().selectBucket(7);
        QVERIFY(restore.kept().isEmpty());
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::SelectionRestoreTest)
#include "selection_restore_test.moc"
