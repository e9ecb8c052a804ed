#include <QAbstractItemView>
#include <QTreeView>

#include "core/views/step_remark.h"
#include "tests/ui/passes/pipeline_document.h"
#include "ui/passes/passes_model.h"
#include "ui/passes/passes_panel.h"
#include "ui/passes/passes_view.h"
#include "ui/passes/step_changes_model.h"
#include "ui/theme/numbers.h"

namespace overlap::ui {

/// What each step of an evaluated pipeline did, or why it did not run.
class StepOutcomesTest : public QObject {
    Q_OBJECT

    static QModelIndex heading(const StepChangesModel& model, const QString& title) {
        for (int row = 0; row < model.rowCount(); ++row)
            if (model.index(row, 0).data().toString().startsWith(title)) return model.index(row, 0);
        return {};
    }

  private slots:
    void aStepThatChangesNothingSaysSo() {
        const auto document = openWithPresets();
        PassesPanel panel(*document);
        panel.show();
        QVERIFY(waitForEvaluation(*document));
        const auto* changes = panel.findChild<QTreeView*>("stepChanges");
        QCOMPARE(panel.changes().rowCount(), 0);
        QTRY_COMPARE(changes->accessibleDescription(), QStringLiteral("The step changed nothing."));
        QVERIFY(changes->isHeaderHidden());
        panel.switchCurrent();
        QVERIFY(waitForEvaluation(*document));
        QTRY_COMPARE(changes->accessibleDescription(), QStringLiteral("The step is switched off."));
        startFromDefault(*document);
        QVERIFY(waitForEvaluation(*document));
        panel.selectStep(1);
        QVERIFY(panel.changes().rowCount() > 0);
        QCOMPARE(changes->accessibleDescription(), QString());
        QVERIFY(!changes->isHeaderHidden());
    }

    void stepsThatChangeNoNodeTellWhatTheyDid() {
        const auto document = openWithPresets();
        startFromDefault(*document);
        PassesPanel panel(*document);
        QVERIFY(waitForEvaluation(*document));
        int tagging = 0;
        for (int row = 0; row < panel.model().rowCount(); ++row) {
            const QString outcome = panel.model().index(row).data(PassesModel::outcome_role).toString();
            if (panel.model().step(row).pass != "tag_with_memory_policy_pass") continue;
            ++tagging;
            QVERIFY2(outcome.contains("are to be saved"), qPrintable(outcome));
        }
        QCOMPARE(tagging, 1);
    }

    void stepsTellWhatTheyDid() {
        const auto document = openWithPresets();
        startFromDefault(*document);
        PassesPanel panel(*document);
        QVERIFY(waitForEvaluation(*document));
        const auto evaluation = document->evaluation();
        for (int step = 0; step < panel.model().rowCount(); ++step) {
            const StepOutcome& outcome = evaluation->steps[static_cast<std::size_t>(step)];
            const QString told = panel.model().index(step).data(PassesModel::outcome_role).toString();
            const std::string remark = step_remark(*evaluation, outcome);
            if (outcome.difference->empty() && !remark.empty())
                QCOMPARE(told, QString::fromStdString(remark));
            else
                QCOMPARE(told, differenceText(*outcome.difference));
            QVERIFY(!panel.model().index(step).data(PassesModel::time_role).toString().isEmpty());
        }
        panel.selectStep(6);
        const GraphDifference& bucketing = *evaluation->steps[6].difference;
        const QModelIndex changed = heading(panel.changes(), "Changed");
        QCOMPARE(panel.changes().rowCount(changed), static_cast<int>(bucketing.changed.size()));
        const QModelIndex first = panel.changes().index(0, 0, changed);
        QCOMPARE(first.data(StepChangesModel::node_role).toString().toStdString(), bucketing.changed[0].name);
        QCOMPARE(first.siblingAtColumn(StepChangesModel::place_column).data().toString(),
                 QStringLiteral("%1 → %2").arg(formatCount(bucketing.changed[0].before),
                                               formatCount(bucketing.changed[0].after)));
        auto* view = panel.findChild<QAbstractItemView*>("stepChanges");
        view->setCurrentIndex(first);
        QTest::keyClick(view, Qt::Key_Return);
        QCOMPARE(document->selection().node().toStdString(), bucketing.changed[0].name);
    }

    /// Until the plan has been evaluated again, its problems are listed.
    void problemsOfAStepThatIsSwitchedOffAreReadable() {
        const auto document = openWithPresets();
        document->editBuckets("unknown", {{{"no.such.module"}, false, {}}});
        PassesPanel panel(*document);
        QVERIFY(waitForEvaluation(*document));
        QVERIFY(panel.changes().rowCount() > 0);
        panel.switchCurrent();
        QVERIFY(panel.changes().rowCount() > 0);
        const auto* changes = panel.findChild<QTreeView*>("stepChanges");
        QCOMPARE(changes->accessibleDescription(), QString());
        QVERIFY(!changes->isHeaderHidden());
    }

    void aRefusalIsShownAtItsStep() {
        const auto document = openWithPresets();
        startFromDefault(*document);
        document->editBuckets("overlap", {{{"layers.0"}, false, {}}, {{"layers.0.attention"}, false, {}}});
        PassesPanel panel(*document);
        QVERIFY(waitForEvaluation(*document));
        PipelineCommands(*document).add("eliminate_dead_code_pass", 7);
        QVERIFY(waitForEvaluation(*document));
        QVERIFY(document->evaluation()->refused);
        const auto outcome = [&](int step) {
            return panel.model().index(step).data(PassesModel::outcome_role).toString();
        };
        QCOMPARE(outcome(6).toStdString(), document->evaluation()->steps[6].refusal);
        QCOMPARE(panel.model().index(6).data(PassesModel::severity_role).toInt(), static_cast<int>(Severity::error));
        QVERIFY(outcome(7).contains("not run: a step before it"));
        QCOMPARE(panel.model().index(7).data(PassesModel::time_role).toString(), QString());
        PipelineCommands(*document).setEnabled(3, false);
        QVERIFY(waitForEvaluation(*document));
        QCOMPARE(outcome(3), "switched off");
        QVERIFY(!outcome(4).contains("not run"));
    }

    void problemsStandAtTheStepThatReportsThem() {
        const auto document = openWithPresets();
        document->setGraph(loadGraph(
            QStringLiteral(OVERLAP_TEST_DATA "/graphs/deepseek_v3_debugmodel_fsdp8_ep4.prebucket.graph.json.gz")));
        PipelineCommands(*document).startFrom(pipeline_presets(*document->graph()).back());
        PassesPanel panel(*document);
        QVERIFY(waitForEvaluation(*document));
        const auto evaluation = document->evaluation();
        int told = 0;
        for (int step = 0; step < panel.model().rowCount(); ++step) {
            const auto& of_step = evaluation->steps[static_cast<std::size_t>(step)].problems;
            told += static_cast<int>(of_step.size());
            QCOMPARE(panel.model().problems(step).size(), of_step.size());
            QCOMPARE(panel.model().index(step).data(PassesModel::severity_role).toInt() >= 0, !of_step.empty());
            panel.selectStep(step);
            const QModelIndex problems = heading(panel.changes(), "Problems");
            QCOMPARE(problems.isValid(), !of_step.empty());
            if (problems.isValid()) QCOMPARE(panel.changes().rowCount(problems), static_cast<int>(of_step.size()));
        }
        QVERIFY(told > 0);
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::StepOutcomesTest)
#include "step_outcomes_test.moc"
