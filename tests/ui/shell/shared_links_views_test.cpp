#include <QSignalSpy>
#include <QTextBrowser>
#include <QTreeView>
#include <QtTest>
#include <algorithm>

#include "core/pipeline/step_with_links_shared.h"
#include "core/plan/presets.h"
#include "core/views/exposed_time.h"
#include "tests/ui/ui_test_support.h"
#include "ui/actions/timeline_connection.h"
#include "ui/collectives/collectives_panel.h"
#include "ui/document/links_shared_step.h"
#include "ui/edits/pipeline_commands.h"
#include "ui/groups/process_groups_model.h"
#include "ui/inspector/inspector_panel.h"
#include "ui/measure/compared_steps.h"
#include "ui/measure/comparison_model.h"
#include "ui/measure/measurements.h"
#include "ui/measure/statistics_panel.h"
#include "ui/modules/module_tree_model.h"
#include "ui/panels/problems_model.h"
#include "ui/theme/links_shared.h"
#include "ui/timeline/timeline_view.h"

namespace overlap::ui {

/// A plan whose process groups share links that its figures do not share: what views show of single collectives is of
/// the step whose exposed time the toolbar tells.
class SharedLinksViewsTest : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase() {
        document_ = std::make_unique<Document>();
        document_->setGraph(
            loadGraph(QStringLiteral(OVERLAP_TEST_DATA "/graphs/llama3_debugmodel_fsdp4_tp2.prebucket.graph.json.gz")));
        PipelineCommands(*document_).startFrom(pipeline_presets(*document_->graph()).at(1));
        QVERIFY(waitForEvaluation(*document_));
        const auto evaluation = document_->evaluation();
        QVERIFY(evaluation->on_shared_links);
        toolbar_ = formatTime(evaluation->on_shared_links->exposed_ms);
        QVERIFY(toolbar_ != formatTime(evaluation->simulation.exposed_ms));
        shown_ = with_links_shared(evaluation);
        const auto& timings = shown_->simulation.collectives;
        longest_ = *std::ranges::max_element(timings, {}, &CollectiveTiming::exposed_ms);
        // Where both are the same, no view could be wrong.
        QVERIFY(std::ranges::max_element(evaluation->simulation.collectives, {}, &CollectiveTiming::exposed_ms)
                    ->exposed_ms != longest_.exposed_ms);
    }
    void cleanupTestCase() { document_.reset(); }

    void viewsHaveTheSameStep() {
        const auto shown = shownEvaluation(*document_);
        QCOMPARE(shown->simulation.step_ms, document_->evaluation()->on_shared_links->step_ms);
        QCOMPARE(shownEvaluation(*document_), shown);
        QVERIFY(sharesLinks(*shown));
        QVERIFY(!sharesLinks(*document_->evaluation()));
        QCOMPARE(withLinksShared(shown), shown);
        QVERIFY(!withLinksShared(nullptr));
    }

    /// What is kept of an evaluation goes with it.
    void stepsAreNotKeptLongerThanTheirEvaluation() {
        auto copy = std::make_shared<const Evaluation>(*document_->evaluation());
        std::weak_ptr<const Evaluation> kept = withLinksShared(copy);
        QVERIFY(kept.lock() != withLinksShared(document_->evaluation()));
        copy.reset();
        withLinksShared(document_->evaluation());
        QVERIFY(kept.expired());
    }

    void collectivesAddUpToTheToolbar() {
        CollectivesPanel panel(*document_);
        panel.resize(1400, 400);
        panel.show();
        QTRY_VERIFY2(panel.sums().contains(toolbar_ + u' ' + exposedLinksSharedLabel()), qPrintable(panel.sums()));
        QCOMPARE(panel.shown()->index(0, CollectivesModel::exposed_column).data().toString(),
                 formatTime(longest_.exposed_ms));
    }

    void modulesHaveTheirShareOfIt() {
        ModuleTreeModel model(*document_);
        const double root_ms = module_exposed_ms(*shown_, document_->modules()).modules_ms[ModuleTree::root];
        const QModelIndex cell = model.index(0, ModuleTreeModel::exposed_column);
        const auto value = [&] { return cell.data().toString().remove(u',').toDouble(); };
        QTRY_VERIFY2(std::abs(value() - root_ms) < 0.051, qPrintable(cell.data().toString()));
        const QString help =
            model.headerData(ModuleTreeModel::exposed_column, Qt::Horizontal, Qt::ToolTipRole).toString();
        QVERIFY2(help.contains(linksSharedLabel()), qPrintable(help));
    }

    void statisticsHaveTheSameTimes() {
        Measurements measurements;
        StatisticsPanel panel(*document_, measurements);
        panel.resize(1400, 400);
        panel.show();
        QTRY_VERIFY(panel.model()->rowCount() > 0);
        QStringList rows;
        for (int row = 0; row < panel.model()->rowCount(); ++row)
            rows.append(panel.model()->index(row, StatisticsModel::name_column).data().toString() + u'|' +
                        panel.model()->index(row, StatisticsModel::exposed_column).data().toString());
        QVERIFY2(
            std::ranges::any_of(
                rows, [&](const QString& row) { return row.contains(linksSharedLabel()) && row.contains(toolbar_); }),
            qPrintable(rows.join(u'\n')));
    }

    void inspectorAndProblemsNameTheSameTime() {
        const QString name = QString::fromStdString(std::string(shown_->graph->name(longest_.start)));
        document_->selection().selectNode(name);
        const InspectorContent content = inspect(*document_);
        const auto row = std::ranges::find(content.rows, exposedLinksSharedLabel(), &InspectorRow::label);
        QVERIFY(row != content.rows.end());
        QVERIFY2(row->pieces.front().text.startsWith(formatTime(longest_.exposed_ms)),
                 qPrintable(row->pieces.front().text));
        ProblemsModel problems(*document_);
        const auto exposed = std::ranges::find(problems.problems(), ProblemKind::exposed, &Problem::kind);
        QVERIFY(exposed != problems.problems().end());
        QCOMPARE(QString::fromStdString(exposed->nodes.front()), name);
        QVERIFY(std::ranges::count(problems.problems(), ProblemKind::links_not_shared, &Problem::kind) == 1);
    }

    void groupsAndTimelineAreOfIt() {
        ProcessGroupsModel groups(*document_);
        QString help =
            groups.headerData(ProcessGroupsModel::exposed_column, Qt::Horizontal, Qt::ToolTipRole).toString();
        QVERIFY2(help.contains(linksSharedLabel()), qPrintable(help));
        double sum_ms = 0;
        for (int row = 0; row < groups.rowCount(); ++row) sum_ms += groups.group(row).exposed_ms;
        QCOMPARE(formatTime(sum_ms), toolbar_);
        TimelineView view;
        TimelineConnection connection(*document_, view);
        document_->evaluationChanged();
        QTRY_VERIFY(view.timeline()->event_count() > 0);
        QVERIFY(std::abs(static_cast<double>(view.timeline()->range().end_ns) * 1e-6 - shown_->simulation.step_ms) <
                0.001);
    }

    void comparedPlansAreOfIt() {
        const auto side = [&](const Variant& variant) {
            ComparedSide made;
            made.title = variant.title();
            made.graph = document_->graph();
            made.plan = variant.plan();
            made.evaluation = variant.evaluation();
            return made;
        };
        const auto steps = compareSteps(side(document_->variant(0)), side(*document_->current()), {});
        const QString sums = comparisonSums(*steps);
        QVERIFY2(sums.contains(QStringLiteral("step ") + linksSharedLabel()), qPrintable(sums));
        QVERIFY2(sums.contains(QStringLiteral("→ ") + toolbar_), qPrintable(sums));
    }

  private:
    std::unique_ptr<Document> document_;
    QString toolbar_;  ///< the exposed time that it tells
    std::shared_ptr<const Evaluation> shown_;
    CollectiveTiming longest_;  ///< the one that is exposed for longest
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::SharedLinksViewsTest)
#include "shared_links_views_test.moc"
