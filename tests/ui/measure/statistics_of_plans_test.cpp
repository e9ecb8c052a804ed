#include <QLabel>
#include <QThread>
#include <QtTest>
#include <atomic>
#include <new>

#include "core/cost/built_in_cost_models.h"
#include "core/cost/with_cost_model.h"
#include "tests/ui/ui_test_support.h"
#include "ui/document/document.h"
#include "ui/measure/measurements.h"
#include "ui/measure/simulated_plans.h"
#include "ui/measure/statistics_panel.h"
#include "ui/theme/numbers.h"

namespace overlap::ui {

/// Statistics of plans that are not in front.
class StatisticsOfPlansTest : public QObject {
    Q_OBJECT

    static QStringList plansOf(const StatisticsModel& model) {
        QStringList names;
        for (int row = 0; row < model.rowCount(); ++row)
            if (!model.index(row, 0).data(StatisticsModel::step_role).toBool())
                names.append(model.index(row, StatisticsModel::name_column).data().toString());
        return names;
    }
    /// The span that is shown of a plan.
    static QString spanOf(const StatisticsModel& model, const QString& name) {
        for (int row = 0; row < model.rowCount(); ++row)
            if (model.index(row, StatisticsModel::name_column).data().toString() == name)
                return model.index(row, StatisticsModel::span_column).data().toString();
        return {};
    }
    static QString caption(const StatisticsPanel& panel) {
        return panel.findChild<QLabel*>(QStringLiteral("statisticsCaption"))->text();
    }

    /// The baseline and three plans; the last one is in front and evaluated.
    static std::unique_ptr<Document> openPlans() {
        auto document = openDocument();
        const Plan empty = document->loaded().empty_plan;
        for (const char* module : {"layers.0", "layers.1"}) {
            Plan plan = empty;
            plan.name = module;
            plan.buckets = {{{module, "layers.2"}, false, {}}};
            document->addNew(plan);
        }
        return document;
    }

    static QString spanOfEvaluated(const Document& document, int index) {
        const Variant& variant = document.variant(index);
        const auto evaluation =
            evaluate(document.graph(), variant.plan(), {}, document.times() ? document.times()->source : nullptr);
        return formatTime(evaluation->simulation.step_ms);
    }

    const QStringList all_{"Baseline, simulated", "Plan A, simulated", "layers.0, simulated", "layers.1, simulated"};

  private slots:
    /// After the start, and whenever other times are used, only the one in front is evaluated by the document.
    void plansBehindAreEvaluatedInTheBackground() {
        const auto document = openPlans();
        QVERIFY(waitForEvaluation(*document));
        QVERIFY(document->variant(1).stale() && document->variant(2).stale());
        Measurements measurements;
        StatisticsPanel panel(*document, measurements);
        panel.show();
        QTRY_COMPARE(plansOf(*panel.model()), all_);
        QCOMPARE(spanOf(*panel.model(), all_[2]), spanOfEvaluated(*document, 2));
        QVERIFY2(document->variant(2).stale() && document->currentIndex() == 3, "tabs are as they were");
        QVERIFY2(!caption(panel).contains("not evaluated"), qPrintable(caption(panel)));

        LoadedGraph other = document->loaded();
        other.graph = with_cost_model(other.graph, *built_in_cost_model("h100-sxm")).graph;
        other.baseline = evaluate_baseline(other.graph);
        const QString before = spanOf(*panel.model(), all_[2]);
        document->setCostModel(other);
        QTRY_COMPARE(spanOf(*panel.model(), all_[2]), spanOfEvaluated(*document, 2));
        QTRY_COMPARE(plansOf(*panel.model()), all_);
        QVERIFY(spanOf(*panel.model(), all_[2]) != before);
    }

    /// It has the same figures under its new name, and none that were made for another one.
    void namesAndClosedPlansAreFollowed() {
        const auto document = openPlans();
        Measurements measurements;
        StatisticsPanel panel(*document, measurements);
        panel.show();
        QTRY_COMPARE(plansOf(*panel.model()), all_);
        document->setCurrentIndex(2);
        document->renameCurrent("Mine");
        document->setCurrentIndex(0);
        QTRY_VERIFY(plansOf(*panel.model()).contains("Mine, simulated"));
        document->closeVariant(1);
        QTRY_COMPARE(plansOf(*panel.model()),
                     (QStringList{"Baseline, simulated", "Mine, simulated", "layers.1, simulated"}));
        document->setGraph(document->loaded());
        QTRY_COMPARE(plansOf(*panel.model()), (QStringList{"Baseline, simulated", "Plan A, simulated"}));
    }

    void whatIsMissingIsSaid() {
        std::atomic<bool> goes_on = false;
        Document document(nullptr, [&](auto&&... arguments) {
            while (!goes_on) QThread::msleep(1);
            return evaluate(arguments...);
        });
        document.setGraph(loadGraph(smallGraphFile()));
        Measurements measurements;
        StatisticsPanel panel(document, measurements);
        panel.show();
        QTRY_COMPARE(plansOf(*panel.model()), QStringList{"Baseline, simulated"});
        QTRY_VERIFY2(caption(panel).endsWith("1 plan not evaluated yet"), qPrintable(caption(panel)));
        goes_on = true;
        QTRY_COMPARE(plansOf(*panel.model()).size(), 2);
        QVERIFY2(!caption(panel).contains("not evaluated"), qPrintable(caption(panel)));
    }

    /// Those after it are evaluated, and it is not tried again and again.
    void aPlanWhoseEvaluationFailsIsSaid() {
        const auto document = openPlans();
        QVERIFY(waitForEvaluation(*document));
        std::atomic<int> tried = 0;
        SimulatedPlans plans(*document, nullptr, [&](auto&&... arguments) {
            if (tried++ == 0) throw std::bad_alloc();
            return evaluate(arguments...);
        });
        plans.plans();
        QVERIFY(plans.busy());
        connect(&plans, &SimulatedPlans::changed, &plans, [&] { plans.plans(); });
        QTRY_COMPARE(plans.missing(), std::size_t(0));
        QVERIFY(!plans.busy());
        QCOMPARE(plans.failures().size(), 1);
        QVERIFY2(plans.failures().front().startsWith("Plan A: "), qPrintable(plans.failures().front()));
        QCOMPARE(plans.plans().size(), std::size_t(3));
        QVERIFY(!plans.busy());
        QCOMPARE(tried.load(), 2);
    }

    void itIsBusyWhilePlansAreEvaluatedAndItIsSeen() {
        const auto document = openPlans();
        QVERIFY(waitForEvaluation(*document));
        Measurements measurements;
        StatisticsPanel panel(*document, measurements);
        QVERIFY(!panel.busy());
        panel.show();
        QVERIFY(panel.busy());
        QTRY_VERIFY(!panel.busy());
        QCOMPARE(plansOf(*panel.model()), all_);
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::StatisticsOfPlansTest)
#include "statistics_of_plans_test.moc"
