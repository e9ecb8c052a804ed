#include <QComboBox>
#include <QFile>
#include <QTreeView>

#include "tests/measure/simulated_trace.h"
#include "tests/ui/ui_test_support.h"
#include "ui/edits/bucket_commands.h"
#include "ui/measure/compare_panel.h"
#include "ui/measure/compared_sides.h"
#include "ui/measure/comparison_model.h"
#include "ui/measure/measurements.h"

namespace overlap::ui {

/// The selected collective's row stays marked when its steps are compared anew.
class MarkedRowTest : public QObject {
    Q_OBJECT

    static bool waitUntilCompared(ComparePanel& panel) {
        return QTest::qWaitFor([&] { return !panel.busy(); }, 60'000);
    }

    /// The name in the marked row; empty where none is.
    static QString marked(ComparePanel& panel) {
        const QModelIndexList rows = panel.view()->selectionModel()->selectedRows(ComparisonModel::name_column);
        return rows.size() == 1 ? rows.front().data().toString() : QString();
    }

    /// A row that both steps have.
    static const ComparisonRow* commonRow(const ComparedSteps& steps) {
        for (const ComparisonRow& row : steps.comparison.rows)
            if (row.before && row.after && row.change != CollectiveChange::same) return &row;
        return nullptr;
    }

  private slots:
    void ofACollectiveOfThePlan() {
        const auto document = openDocument();
        QCOMPARE(BucketCommands(*document).addText("layers.0"), QString());
        QVERIFY(waitForEvaluation(*document));
        Measurements measurements;
        ComparePanel panel(*document, measurements);
        panel.resize(1000, 300);
        panel.show();
        QVERIFY(waitUntilCompared(panel));
        const auto steps = panel.model()->steps();
        QVERIFY(steps && !steps->comparison.rows.empty());
        const QString name =
            QString::fromStdString(steps->comparison.rows.front().before ? steps->comparison.rows.front().before->name
                                                                         : steps->comparison.rows.front().after->name);
        document->selection().selectNode(name);
        const QString row = marked(panel);
        QVERIFY(!row.isEmpty());
        QCOMPARE(BucketCommands(*document).addText("layers.2"), QString());
        QVERIFY(waitForEvaluation(*document) && waitUntilCompared(panel));
        QVERIFY(panel.model()->steps() != steps);
        QCOMPARE(marked(panel), row);

        // Another panel that is opened later has it, too.
        ComparePanel later(*document, measurements);
        later.show();
        QVERIFY(waitUntilCompared(later));
        QCOMPARE(marked(later), row);
        document->selection().clear();
        QCOMPARE(marked(later), QString());
    }

    void ofAnEventOfATrace() {
        const auto document = openDocument();
        QVERIFY(waitForEvaluation(*document));
        test::SimulatedTrace job(*document->evaluation());
        job.lengthen(job.collectives.size() / 2, 3'000'000);
        QTemporaryDir folder;
        QFile file(folder.filePath("rank0.json"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(QByteArray::fromStdString(job.json()));
        file.close();
        Measurements measurements;
        ComparePanel panel(*document, measurements);
        panel.resize(1000, 300);
        panel.show();
        measurements.open({file.fileName()});
        QVERIFY(QTest::qWaitFor([&] { return measurements.count() == 1; }, 60'000));
        panel.sides().before()->setCurrentIndex(1);
        QVERIFY(waitUntilCompared(panel));
        const auto steps = panel.model()->steps();
        QVERIFY2(steps && steps->measured, qPrintable(panel.sums()));
        const ComparisonRow* row = commonRow(*steps);
        QVERIFY(row);
        panel.markReference(*steps->shown, steps->referenceAfter(*row));
        const QString name = marked(panel);
        QVERIFY(!name.isEmpty());
        emit document->evaluationChanged();
        QVERIFY(waitUntilCompared(panel));
        QVERIFY(panel.model()->steps() != steps);
        QCOMPARE(marked(panel), name);
        // No longer, where something else was selected since.
        panel.markReference(*steps->shown, no_reference);
        emit document->evaluationChanged();
        QVERIFY(waitUntilCompared(panel));
        QCOMPARE(marked(panel), QString());
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::MarkedRowTest)
#include "marked_row_test.moc"
