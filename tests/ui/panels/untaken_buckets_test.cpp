// Buckets of a plan that no step takes: what Problems and the cards say, and the fix.

#include <QLabel>
#include <QPushButton>

#include "tests/ui/panels/problem_rows.h"
#include "tests/ui/ui_test_support.h"
#include "ui/edits/bucket_commands.h"
#include "ui/edits/pipeline_commands.h"
#include "ui/inspector/inspector_content.h"
#include "ui/plan/bucket_board.h"

namespace overlap::ui {

class UntakenBucketsTest : public QObject {
    Q_OBJECT

  private slots:
    /// By the step that fits the graph, or by the plan's own that is switched off.
    void bucketsThatNoStepTakesAreTaken() {
        const auto document = openDocument();
        ProblemsModel model(*document);
        BucketCommands(*document).addText("layers.0");
        const Plan taken = document->current()->plan();
        for (const bool removed : {true, false}) {
            Plan plan = taken;
            removed ? plan.pipeline.clear() : void(plan.pipeline.front().enabled = false);
            document->editPlan(QStringLiteral("untaken"), plan);
            QVERIFY(waitForEvaluation(*document));
            const QModelIndex untaken = rowOf(model, ProblemKind::buckets_not_taken);
            QVERIFY(untaken.isValid());
            const QString fix = untaken.siblingAtColumn(ProblemsModel::fix_column).data().toString();
            QCOMPARE(fix, removed ? QStringLiteral("Add manual bucketing ↵")
                                  : QStringLiteral("Switch manual bucketing on ↵"));
            QCOMPARE(untaken.data().toString(), "Buckets not taken");
            QVERIFY2(fix.startsWith(PipelineCommands(*document).titleOfTakingBuckets()), "as below the cards");
            QVERIFY(model.applyFix(*model.problemAt(untaken)));
            QCOMPARE(document->current()->plan().pipeline, taken.pipeline);
            QVERIFY(waitForEvaluation(*document));
            QVERIFY(!rowOf(model, ProblemKind::buckets_not_taken).isValid());
        }
    }

    /// One undo; the plan's take the place of those of the step.
    void bucketsThatAStepHasOfItsOwnAreDropped() {
        const auto document = openDocument();
        ProblemsModel model(*document);
        BucketCommands(*document).addText("layers.0");
        const Plan taken = document->current()->plan();
        Plan plan = taken;
        plan.pipeline.front().options["module_bucket_plans"] = ModuleLists{{{"layers.1"}}};
        document->editPlan(QStringLiteral("own"), plan);
        QVERIFY(waitForEvaluation(*document));
        const QModelIndex untaken = rowOf(model, ProblemKind::buckets_not_taken);
        QVERIFY(untaken.isValid());
        QVERIFY(untaken.siblingAtColumn(ProblemsModel::message_column)
                    .data()
                    .toString()
                    .startsWith(QStringLiteral(
                        "step 1 (manual_overlap_bucketing) has a list of buckets of its own, so the plan's bucket")));
        const QString fix = untaken.siblingAtColumn(ProblemsModel::fix_column).data().toString();
        QCOMPARE(fix, QStringLiteral("Drop the step's own buckets ↵"));
        QVERIFY2(fix.startsWith(PipelineCommands(*document).titleOfTakingBuckets()), "as below the cards");
        QCOMPARE(PipelineCommands(*document).wayToTakeBuckets(),
                 QStringLiteral("Gives manual_overlap_bucketing the plan's buckets in place of its own"));
        QVERIFY(model.applyFix(*model.problemAt(untaken)));
        QVERIFY(document->current()->plan() == taken);
        QCOMPARE(document->undoGroup().undoText(), QStringLiteral("Drop the step's own buckets"));
        QVERIFY(waitForEvaluation(*document));
        QVERIFY(!rowOf(model, ProblemKind::buckets_not_taken).isValid());
        document->undoGroup().undo();
        QVERIFY(document->current()->plan() == plan);
    }

    /// A step that is off is not the reason where one that is on has a list of its own.
    void cardsSayWhichStepHasBucketsOfItsOwn() {
        const auto document = openDocument();
        BucketCommands(*document).addText("layers.0");
        const Plan taking = document->current()->plan();
        BucketBoard board(*document);
        board.show();
        const auto* untaken = board.findChild<QWidget*>(QStringLiteral("untakenCards"));
        QVERIFY(untaken->isHidden());
        Plan own = taking;
        own.pipeline.insert(own.pipeline.begin(), own.pipeline.front());
        own.pipeline[0].enabled = false;
        own.pipeline[1].options["module_bucket_plans"] = ModuleLists{{{"layers.1"}}};
        document->editPlan(QStringLiteral("own"), own);
        QVERIFY(untaken->isVisible());
        const auto* text = untaken->findChild<QLabel*>();
        QCOMPARE(text->text(), QStringLiteral("Step 1 has its own list of buckets"));
        QCOMPARE(text->toolTip(), QStringLiteral("Step 1 has its own list of buckets, so these change nothing"));
        document->selection().selectBucket(0);
        QVERIFY(plainText(inspect(*document))
                    .contains(
                        QStringLiteral("Not applied: manual_overlap_bucketing is given a list of buckets of its own")));
        auto* take = untaken->findChild<QPushButton*>();
        QCOMPARE(take->text(), QStringLiteral("Drop the step's own buckets"));
        QVERIFY(take->toolTip().startsWith(
            QStringLiteral("Gives manual_overlap_bucketing the plan's buckets in place of its own")));
        take->click();
        QVERIFY(untaken->isHidden());
        QVERIFY(!document->current()->plan().pipeline[0].enabled);
        QVERIFY(document->current()->plan().pipeline[1] == taking.pipeline.front());
        document->undoGroup().undo();
        QVERIFY(document->current()->plan() == own);
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::UntakenBucketsTest)
#include "untaken_buckets_test.moc"
