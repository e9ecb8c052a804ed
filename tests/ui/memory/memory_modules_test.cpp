#include <QPointer>
#include <set>
#include <utility>
#include <vector>

#include "core/pipeline/evaluation.h"
#include "core/plan/presets.h"
#include "tests/ui/memory/document_before_memory.h"
#include "tests/ui/ui_test_support.h"
#include "ui/edits/bucket_commands.h"
#include "ui/edits/memory_commands.h"
#include "ui/edits/pipeline_commands.h"
#include "ui/memory/memory_effects.h"
#include "ui/memory/memory_panel.h"
#include "ui/memory/memory_rules_model.h"
#include "ui/memory/memory_rules_view.h"
#include "ui/memory/policy_chart.h"
#include "ui/tasks/call_queue.h"

namespace overlap::ui {

namespace {

/// Keeps what worker threads deliver from being taken, for those that have delivered nothing before.
class HeldDeliveries : public QObject {
  public:
    HeldDeliveries() { qApp->installEventFilter(this); }

    void holdOthers() { holding_ = true; }
    bool holdsAny() const { return !held_.empty(); }
    void release() {
        holding_ = false;
        for (const QPointer<QObject>& queue : std::exchange(held_, {}))
            if (queue) QMetaObject::invokeMethod(queue, "runNext", Qt::QueuedConnection);
    }

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override {
        if (event->type() != QEvent::MetaCall || !qobject_cast<CallQueue*>(watched)) return false;
        if (!holding_) known_.insert(watched);
        if (known_.contains(watched)) return false;
        held_.emplace_back(watched);
        return true;
    }

  private:
    bool holding_ = false;
    std::set<QObject*> known_;
    std::vector<QPointer<QObject>> held_;
};

}  // namespace

/// The dock Memory while rules of a plan give nodes other modules.
class MemoryModulesTest : public QObject {
    Q_OBJECT

  private slots:
    /// Rules give nodes other modules in the background, here after the evaluation and after the panel looks for
    /// policies.
    void modulesThatARuleGivesHaveEffectsAndPolicies() {
        std::shared_ptr<const Evaluation> known;  // of the plan with rules
        HeldDeliveries deliveries;
        Document document(nullptr, [&known](const auto& graph, const Plan& plan, const std::stop_token& stop,
                                            const auto& source, const auto& cache) {
            return known && !plan.module_rules.empty() ? known : evaluate(graph, plan, stop, source, cache);
        });
        document.setGraph(loadGraph(QStringLiteral(OVERLAP_TEST_DATA "/graphs/llama3_debugmodel_fsdp8.graph.json.gz")));
        PipelineCommands(document).startFrom(pipeline_presets(*document.graph()).at(0));
        BucketCommands(document).addText(QStringLiteral("layers.77"));
        QVERIFY(waitForEvaluation(document));
        MemoryPanel panel(document);
        panel.show();
        document.selection().selectBucket(static_cast<int>(document.buckets().size()) - 1);
        QTRY_COMPARE(panel.effects()->text(MemoryAction::recompute), QStringLiteral("matches nothing"));
        QTRY_VERIFY_WITH_TIMEOUT(!panel.busy(), 30'000);
        Plan plan = document.current()->plan();
        ModuleRule rule;
        rule.kind = ModuleRule::Kind::nodes;
        rule.nodes = {std::string(document.graph()->name(document.bucketable().front().start))};
        rule.module = "layers.77";
        rule.override_own = true;
        plan.module_rules.push_back(rule);
        known = document.evaluation();
        // No rule was applied before, so what gives the modules has delivered nothing yet.
        deliveries.holdOthers();
        document.editPlan(QStringLiteral("rules"), plan);
        QVERIFY(waitForEvaluation(document));
        // Meanwhile no policy can be evaluated, and the empty chart says so.
        QTRY_VERIFY2(panel.chart()->note().startsWith("Rules that give nodes their modules are being applied"),
                     qPrintable(panel.chart()->note()));
        QVERIFY(panel.chart()->points().empty());
        QTRY_VERIFY(deliveries.holdsAny());
        QVERIFY(document.repairing() && !document.evaluating());
        deliveries.release();
        QTRY_VERIFY_WITH_TIMEOUT(!document.repairing() && !document.evaluating() && !panel.busy(), 30'000);
        QVERIFY(panel.effects()->target());
        for (const MemoryAction action : memory_actions)
            QVERIFY2(!panel.effects()->text(action).isEmpty() && panel.effects()->text(action) != "matches nothing",
                     qPrintable(panel.effects()->text(action)));
        const auto& points = panel.chart()->points();
        const bool names_it = std::ranges::any_of(points, [&](const StepPeakChart::Point& point) {
            const std::vector<MemoryRule> rules = panel.chart()->choiceOf(point).section.rules;
            return !rules.empty() && rules.front().modules == std::vector<std::string>{"layers.77"};
        });
        QVERIFY(names_it);
    }

    /// The root of the module tree is all of the model, which a rule names by none.
    void theRootIsTheWholeModel() {
        const auto document = documentBefore();
        QVERIFY(waitForEvaluation(*document));
        MemoryPanel panel(*document);
        panel.show();
        document->selection().selectModule(QString());
        QTRY_VERIFY(panel.effects()->target());
        QCOMPARE(panel.effects()->target()->title(), QStringLiteral("whole model"));
        QTRY_VERIFY_WITH_TIMEOUT(!panel.busy(), 30'000);
        QVERIFY2(panel.effects()->text(MemoryAction::recompute).contains("GiB") ||
                     panel.effects()->text(MemoryAction::recompute).contains("MiB"),
                 qPrintable(panel.effects()->text(MemoryAction::recompute)));
        document->selection().selectModules({QString(), QStringLiteral("layers.1")});
        panel.view()->setFocus();
        QTest::keyClick(panel.view(), Qt::Key_R);
        QCOMPARE(memory_rules_text(MemoryCommands(*document).section().rules), std::string("recompute *"));
    }

    void withNothingSelectedAnActionSaysWhatToSelect() {
        const auto document = documentBefore();
        QVERIFY(waitForEvaluation(*document));
        MemoryPanel panel(*document);
        panel.show();
        const QModelIndex row = panel.model()->index(panel.model()->rowOf(MemoryAction::keep), 0);
        const auto help = [&] { return row.data(Qt::ToolTipRole).toString(); };
        const QString nothing = QStringLiteral("Nothing is selected that a rule could name");
        QVERIFY2(help().contains(nothing), qPrintable(help()));
        for (const MemoryAction action : memory_actions) QCOMPARE(panel.effects()->text(action), QString());
        document->selection().selectModule(QStringLiteral("layers.1"));
        QVERIFY2(!help().contains(nothing), qPrintable(help()));
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::MemoryModulesTest)
#include "memory_modules_test.moc"
