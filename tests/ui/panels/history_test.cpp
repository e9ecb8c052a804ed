#include <QAbstractItemModelTester>
#include <QUndoStack>
#include <QtTest>

#include "tests/ui/ui_test_support.h"
#include "ui/edits/bucket_commands.h"
#include "ui/panels/history_model.h"
#include "ui/panels/history_panel.h"

namespace overlap::ui {

class HistoryTest : public QObject {
    Q_OBJECT

  private slots:
    void editsAreNamedAndGoneTo() {
        const auto document = openDocument();
        HistoryPanel panel(document->undoGroup());
        QAbstractItemModelTester tester(panel.model(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        BucketCommands commands(*document);
        commands.addText("layers.0");
        commands.addText("layers.1");
        commands.put({"layers.2"}, 1);
        QCOMPARE(texts(panel),
                 (QStringList{"As it was opened", "Add layers.0", "Add layers.1", "Put layers.2 into layers.1"}));
        QCOMPARE(panel.currentIndex().row(), 3);
        emit panel.clicked(panel.model()->index(1, 0));
        QCOMPARE(document->buckets().size(), std::size_t{1});
        QCOMPARE(panel.currentIndex().row(), 1);
        QCOMPARE(panel.model()->rowCount(), 4);  // what is undone can be redone
        QVERIFY(panel.model()->index(3, 0).data(Qt::AccessibleTextRole).toString().endsWith("undone"));
        emit panel.activated(panel.model()->index(3, 0));
        QCOMPARE(document->buckets().size(), std::size_t{2});
        QCOMPARE(document->buckets()[1].modules.size(), std::size_t{2});
    }

    void aClickBelowTheRowsLeavesTheMark() {
        const auto document = openDocument();
        HistoryPanel panel(document->undoGroup());
        panel.resize(300, 400);
        panel.show();
        BucketCommands(*document).addText("layers.0");
        const QPoint below(20, panel.viewport()->height() - 5);
        QVERIFY(!panel.indexAt(below).isValid());
        QTest::mouseClick(panel.viewport(), Qt::LeftButton, {}, below);
        QVERIFY(panel.selectionModel()->isSelected(panel.model()->index(1, 0)));
        const QRect marked = panel.visualRect(panel.model()->index(1, 0));
        QTest::mouseClick(panel.viewport(), Qt::LeftButton, Qt::ControlModifier, marked.center());
        QVERIFY(panel.selectionModel()->isSelected(panel.model()->index(1, 0)));
    }

    void eachPlanHasItsOwn() {
        const auto document = openDocument();
        HistoryPanel panel(document->undoGroup());
        BucketCommands(*document).addText("layers.0");
        const int edited = document->currentIndex();
        document->addCopyOfCurrent();
        QCOMPARE(texts(panel), QStringList{"As it was opened"});
        document->setCurrentIndex(edited);
        QCOMPARE(panel.model()->rowCount(), 2);
    }

    void editsOfAnEarlierRunAreNoSilentLoss() {
        Document document;
        document.setVariantSource([](const LoadedGraph& loaded) {
            RestoredVariants kept;
            for (const bool modified : {true, false}) {
                kept.variants.emplace_back();
                kept.variants.back().plan = loaded.empty_plan;
                kept.variants.back().modified = modified;
            }
            return kept;
        });
        document.setGraph(loadGraph(smallGraphFile()));
        HistoryPanel panel(document.undoGroup());
        document.setCurrentIndex(1);
        QCOMPARE(texts(panel), QStringList{"As it was, with earlier edits that can no longer be undone"});
        document.setCurrentIndex(2);
        QCOMPARE(texts(panel), QStringList{"As it was opened"});
    }

    void whatCanNoLongerBeRedoneIsTold() {
        const auto edited = openDocument();
        BucketCommands(*edited).addText("layers.0");
        auto history = std::make_shared<PlanHistory>(*edited->current()->history());
        history->ends_earlier = true;
        Document document;
        document.setVariantSource([&](const LoadedGraph&) {
            RestoredVariants kept;
            kept.variants.push_back({edited->current()->plan(), {}, true, {}, history});
            return kept;
        });
        document.setGraph(loadGraph(smallGraphFile()));
        HistoryPanel panel(document.undoGroup());
        const QString lost = " · edits after it were undone and can no longer be redone";
        QCOMPARE(texts(panel), (QStringList{"As it was opened", "Add layers.0" + lost}));
        document.undoGroup().undo();
        BucketCommands(document).addText("layers.1");
        QCOMPARE(texts(panel), (QStringList{"As it was opened", "Add layers.1"}));
    }

    void whatIsSavedIsMarked() {
        const auto document = openDocument();
        HistoryPanel panel(document->undoGroup());
        BucketCommands(*document).addText("layers.0");
        document->current()->undoStack().setClean();
        QCOMPARE(texts(panel).back(), "Add layers.0 · saved");
    }

  private:
    static QStringList texts(const HistoryPanel& panel) {
        QStringList texts;
        for (int row = 0; row < panel.model()->rowCount(); ++row)
            texts.append(panel.model()->index(row, 0).data().toString());
        return texts;
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::HistoryTest)
#include "history_test.moc"
