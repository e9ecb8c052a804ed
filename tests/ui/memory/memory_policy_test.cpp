#include <QMenu>
#include <algorithm>
#include <string>
#include <vector>

#include "core/plan/memory_edits.h"
#include "tests/ui/memory/document_before_memory.h"
#include "tests/ui/ui_test_support.h"
#include "ui/edits/memory_commands.h"
#include "ui/memory/kind_bar.h"
#include "ui/memory/memory_effects.h"
#include "ui/memory/memory_panel.h"
#include "ui/memory/memory_rules_model.h"
#include "ui/memory/memory_rules_view.h"
#include "ui/memory/policy_box.h"
#include "ui/memory/policy_chart.h"

namespace overlap::ui {

/// The policy of a plan in the dock Memory.
class MemoryPolicyTest : public QObject {
    Q_OBJECT

  private slots:
    void aPolicyChangesThePeak() {
        const auto document = documentBefore();
        QVERIFY(waitForEvaluation(*document));
        MemoryPanel panel(*document);
        panel.show();
        const std::int64_t peak = document->evaluation()->corrected_memory.peak_bytes;
        panel.policy()->setPolicy(QStringLiteral("full"));
        emit panel.policy()->policyChosen(QStringLiteral("full"));
        QVERIFY(waitForEvaluation(*document));
        QVERIFY(document->evaluation()->corrected_memory.peak_bytes < peak);
        QTRY_VERIFY(panel.kinds()->text().contains(QStringLiteral("gathered parameters")));
    }

    void aGraphThatRecomputesAlreadySaysSoBeforehand() {
        Document document;
        document.setGraph(
            loadGraph(QStringLiteral(OVERLAP_TEST_DATA "/graphs/llama3_debugmodel_fsdp8.prebucket.graph.json.gz")));
        QVERIFY(waitForEvaluation(document));
        MemoryPanel panel(document);
        panel.resize(900, 300);
        panel.show();
        QVERIFY2(panel.caption().contains(QStringLiteral("recomputes")), qPrintable(panel.caption()));
        QVERIFY(!panel.policy()->isEnabled());
        QTRY_COMPARE(panel.chart()->note(), panel.caption());
        QVERIFY(!panel.busy());
        // A plan that has a section all the same can get rid of it.
        MemorySection section;
        section.rules = {{MemoryAction::keep, {}, {}}};
        document.editPlan(QStringLiteral("section"), edits::with_memory(document.current()->plan(), section));
        QVERIFY(panel.policy()->isEnabled());
        panel.view()->setCurrentIndex(panel.model()->index(panel.model()->rowOfRule(0), 0));
        QTest::keyClick(panel.view(), Qt::Key_Delete);
        QVERIFY(!document.current()->plan().memory);
        QVERIFY(!panel.policy()->isEnabled());
    }

    void aPlanWithoutAPolicySaysNone() {
        Document document;
        document.setGraph(loadGraph(QStringLiteral(OVERLAP_TEST_DATA "/graphs/llama3_debugmodel_fsdp8.graph.json.gz")));
        QVERIFY(waitForEvaluation(document));
        MemoryPanel panel(document);
        panel.show();
        QCOMPARE(panel.policy()->policy(), QStringLiteral("none"));
        const std::int64_t peak = document.evaluation()->corrected_memory.peak_bytes;
        panel.policy()->setPolicy(QStringLiteral("default"));
        emit panel.policy()->policyChosen(QStringLiteral("default"));
        QVERIFY(waitForEvaluation(document));
        QVERIFY(document.evaluation()->corrected_memory.peak_bytes < peak);
        QCOMPARE(panel.policy()->policy(), QStringLiteral("default"));
        emit panel.policy()->policyChosen(QString());
        QVERIFY(waitForEvaluation(document));
        QCOMPARE(document.evaluation()->corrected_memory.peak_bytes, peak);
        QCOMPARE(panel.policy()->policy(), QStringLiteral("none"));
        document.undoGroup().undo();
        QCOMPARE(panel.policy()->policy(), QStringLiteral("default"));
    }

    /// A plan without a policy gets one with its first rule: that is told before, and undone with the rule.
    void aRuleThatBringsAPolicySaysSoBefore() {
        Document document;
        document.setGraph(loadGraph(QStringLiteral(OVERLAP_TEST_DATA "/graphs/llama3_debugmodel_fsdp8.graph.json.gz")));
        QVERIFY(waitForEvaluation(document));
        MemoryPanel panel(document);
        panel.resize(900, 300);
        panel.show();
        QCOMPARE(panel.policy()->policy(), QStringLiteral("none"));
        QVERIFY2(panel.caption().endsWith("a rule comes with policy default"), qPrintable(panel.caption()));
        document.selection().selectModule(QStringLiteral("layers.1"));
        for (const MemoryAction action : {MemoryAction::recompute, MemoryAction::keep}) {
            QTRY_VERIFY(!panel.effects()->text(action).isEmpty());
            const QModelIndex row = panel.model()->index(panel.model()->rowOf(action), 0);
            for (const QString& text : {panel.effects()->text(action), row.data(Qt::ToolTipRole).toString()})
                QVERIFY2(text.endsWith("with policy default"), qPrintable(text));
            // The caption says so of all rows, which have no room for it.
            const QString remark = row.siblingAtColumn(MemoryRulesModel::remark_column).data().toString();
            QVERIFY(!remark.isEmpty() && !remark.contains("policy"));
            QVERIFY2(panel.effects()->text(action).startsWith(remark), qPrintable(remark));
        }
        QMenu menu;
        panel.view()->fillMenu(menu, -1);
        for (const QAction* action : menu.actions())
            QVERIFY2(action->isSeparator() || action->text().contains("with policy default"),
                     qPrintable(action->text()));
        QTest::keyClick(panel.view(), Qt::Key_R);
        QCOMPARE(memory_rules_text(MemoryCommands(document).section().rules), std::string("recompute layers.1"));
        QCOMPARE(panel.policy()->policy(), QStringLiteral("default"));
        QCOMPARE(document.undoGroup().undoText(), QStringLiteral("Recompute: layers.1, with policy default"));
        QVERIFY(waitForEvaluation(document));
        QVERIFY2(!panel.caption().contains("with policy"), qPrintable(panel.caption()));
        // A second rule changes no policy.
        QTRY_VERIFY(!panel.effects()->text(MemoryAction::keep).isEmpty());
        QVERIFY(!panel.effects()->text(MemoryAction::keep).contains("policy"));
        document.undoGroup().undo();
        QCOMPARE(panel.policy()->policy(), QStringLiteral("none"));
        QVERIFY(!document.current()->plan().memory);
        QVERIFY(!document.undoGroup().canUndo());
    }

    /// One name for one thing: the list, the chart, undo and the plan's file.
    void policiesHaveOneName() {
        const auto document = documentBefore();
        MemoryPanel panel(*document);
        const std::vector<MemoryChoice> choices = memory_choices(document->modules());
        for (int item = 0; item < panel.policy()->count(); ++item) {
            const std::string name = panel.policy()->itemData(item).toString().toStdString();
            const auto choice = std::ranges::find(choices, name, &MemoryChoice::name);
            QCOMPARE(choice != choices.end(), name != "none");
            if (choice != choices.end()) QCOMPARE(choice->title, name);
        }
        for (const MemoryChoice& choice : choices)
            QVERIFY2(choice.title.starts_with(choice.section.policy), choice.title.c_str());
    }

    void everyPolicyIsExplained() {
        const auto document = documentBefore();
        MemoryPanel panel(*document);
        for (int item = 0; item < panel.policy()->count(); ++item) {
            const QString name = panel.policy()->itemData(item).toString();
            QVERIFY(panel.policy()->itemText(item).startsWith(name + QStringLiteral(": ")));
            QVERIFY2(panel.policy()->itemText(item).size() > name.size() + 20, qPrintable(name));
        }
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::MemoryPolicyTest)
#include "memory_policy_test.moc"
