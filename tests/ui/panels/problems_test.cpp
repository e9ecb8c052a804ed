#include <QAbstractItemModelTester>

#include "tests/ui/ui_test_support.h"
#include "ui/edits/bucket_commands.h"
#include "ui/panels/log.h"
#include "ui/panels/problems_model.h"
#include "ui/panels/problems_panel.h"

namespace overlap::ui {

class ProblemsTest : public QObject {
    Q_OBJECT

  private slots:
    void problemsAreListedAndMended() {
        const auto document = openDocument();
        ProblemsModel model(*document);
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        BucketCommands(*document).addText("layers.0\nlayers.6");
        QVERIFY(waitForEvaluation(*document));
        const auto rowOf = [&](ProblemKind kind) {
            for (int row = 0; row < model.rowCount(); ++row)
                if (model.problem(row).kind == kind) return row;
            return -1;
        };
        const int unknown = rowOf(ProblemKind::unknown_module);
        QVERIFY(unknown >= 0);
        model.goTo(unknown);
        QCOMPARE(document->selection().bucket(), 1);
        QVERIFY(model.index(unknown, ProblemsModel::fix_column).data().toString().startsWith("rename to layers.5"));
        QVERIFY(model.applyFix(unknown));
        QCOMPARE(document->buckets()[1].modules, std::vector<std::string>{"layers.5"});
        QVERIFY(waitForEvaluation(*document));
        QCOMPARE(rowOf(ProblemKind::unknown_module), -1);
        QVERIFY(tableText(model).startsWith("Problem\t"));
    }

    void overlappingEntriesAreMended() {
        const auto document = openDocument();
        ProblemsModel model(*document);
        document->editBuckets("overlap", {{{"layers.0"}, false, {}}, {{"layers.1", "layers.0.attention"}, false, {}}});
        QVERIFY(waitForEvaluation(*document));
        QVERIFY(document->evaluation()->refused);
        QCOMPARE(model.problem(0).severity, Severity::error);  // the worst first
        int row = 0;
        while (row < model.rowCount() && model.problem(row).kind != ProblemKind::overlapping_entries) ++row;
        QVERIFY(row < model.rowCount());
        QVERIFY(model.applyFix(row));
        QVERIFY(waitForEvaluation(*document));
        QVERIFY(!document->evaluation()->refused);
    }

    void theLogIsBounded() {
        Log log;
        QAbstractItemModelTester tester(&log, QAbstractItemModelTester::FailureReportingMode::QtTest);
        for (int i = 0; i < 5000; ++i) log.add(QString::number(i), i % 2 ? Log::Level::failure : Log::Level::note);
        QVERIFY(log.rowCount() <= 2000);
        QVERIFY(log.index(log.rowCount() - 1).data().toString().endsWith("4999"));
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::ProblemsTest)
#include "problems_test.moc"
