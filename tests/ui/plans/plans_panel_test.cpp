#include "ui/plans/plans_panel.h"

#include <QAbstractItemModelTester>
#include <QAction>
#include <QComboBox>
#include <QHeaderView>
#include <QListView>
#include <QMenu>
#include <QSignalSpy>
#include <QTreeView>
#include <QtTest>

#include "core/cost/built_in_cost_models.h"
#include "core/cost/with_cost_model.h"
#include "core/pipeline/disturbed_times.h"
#include "core/pipeline/step_with_links_shared.h"
#include "core/plan/presets.h"
#include "tests/ui/ui_test_support.h"
#include "ui/edits/bucket_commands.h"
#include "ui/edits/pipeline_commands.h"
#include "ui/edits/plan_commands.h"
#include "ui/plans/plans_model.h"
#include "ui/theme/numbers.h"
#include "ui/theme/theme_manager.h"
#include "ui/theme/times_apart.h"

namespace overlap::ui {

/// The table of the plans of a small graph.
class PlansPanelTest : public QObject {
    Q_OBJECT

    using Column = PlansModel::Column;

  private slots:
    void init() {
        document_ = openDocument();
        panel_ = std::make_unique<PlansPanel>(*document_);
        panel_->resize(1200, 300);
        panel_->show();
        QVERIFY(QTest::qWaitForWindowExposed(panel_.get()));
        QVERIFY(waitForRows());
    }
    void cleanup() {
        panel_.reset();
        document_.reset();
    }

    void notesTakeWhatTheOtherColumnsLeave() {
        for (const int width : {1600, 1300}) {
            panel_->resize(width, 300);
            QTRY_COMPARE(panel_->view()->header()->length(), panel_->view()->viewport()->width());
        }
        panel_->resize(300, 300);  // and stay readable where these leave nothing
        QTRY_VERIFY(panel_->view()->header()->length() > panel_->view()->viewport()->width());
    }

    void everyPlanHasFiguresAlsoWhereItWasNeverShown() {
        QAbstractItemModelTester tester(panel_->model(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        Plan blocks = document_->loaded().empty_plan;
        blocks.name = "blocks";
        blocks.buckets = {{{"layers.0"}, false, {}}, {{"layers.1"}, false, {}}};
        document_->addVariant(blocks);
        document_->setCurrentIndex(1);  // before it has been evaluated
        QVERIFY(waitForRows());
        QCOMPARE(panel_->model()->rowCount(), 3);
        QCOMPARE(cell(2, Column::name_column), "blocks");
        const auto evaluation = evaluate(document_->graph(), blocks);
        QCOMPARE(cell(2, Column::step_column), formatTime(evaluation->simulation.step_ms));
        QCOMPARE(cell(2, Column::peak_column),
                 formatBytes(static_cast<double>(evaluation->corrected_memory.peak_bytes)));
        QCOMPARE(cell(2, Column::collectives_column),
                 formatCount(static_cast<std::int64_t>(evaluation->simulation.collectives.size())));
        QVERIFY(!cell(2, Column::gain_column).isEmpty() && cell(0, Column::gain_column).isEmpty());
    }

    void aNameThatIsAddedLaterIsWhole() {
        const auto* view = panel_->findChild<QTreeView*>();
        Plan named = document_->loaded().empty_plan;
        for (const char* name : {"Automatic with groups of their own", "Automatic with groups of their own 2"}) {
            named.name = name;
            document_->addVariant(named);
            QVERIFY(waitForRows());
            QTRY_COMPARE(cell(panel_->model()->rowCount() - 1, Column::name_column), name);
            const QModelIndex last = view->model()->index(view->model()->rowCount() - 1, Column::name_column);
            QVERIFY(view->columnWidth(Column::name_column) >= view->sizeHintForIndex(last).width());
        }
    }

    void anEditChangesItsRowAlone() {
        document_->addCopyOfCurrent();
        QVERIFY(waitForRows());
        const QString before = cell(1, Column::step_column);
        BucketCommands(*document_).startFrom(BucketCommands::Template::block);
        QVERIFY(waitForRows());
        QCOMPARE(cell(1, Column::step_column), before);
        QVERIFY(cell(2, Column::step_column) != before);
    }

    void aRefusedPlanSaysSo() {
        document_->editBuckets("overlap", {{{"layers.0"}, false, {}}, {{"layers.0.attention"}, false, {}}});
        QVERIFY(waitForRows());
        QCOMPARE(cell(1, Column::step_column), "refused");
        QCOMPARE(cell(1, Column::peak_column), QString());
    }

    void plansAreShownComparedRenamedAndClosed() {
        document_->addCopyOfCurrent();
        QVERIFY(waitForRows());
        QSignalSpy shown(panel_.get(), &PlansPanel::showWanted), compared(panel_.get(), &PlansPanel::compareWanted),
            renamed(panel_.get(), &PlansPanel::renameWanted), closed(panel_.get(), &PlansPanel::closeWanted);
        QVERIFY(!panel_->compareAction()->isEnabled());
        QVERIFY(panel_->compareAction()->toolTip().contains("two"));
        choose({1});
        emit panel_->view()->clicked(panel_->view()->model()->index(1, 0));
        QCOMPARE(shown.back().front().toInt(), 1);
        QTest::keyClick(panel_->view(), Qt::Key_F2);
        QCOMPARE(renamed.back().front().toInt(), 1);
        choose({1, 2});
        panel_->compareAction()->trigger();
        QCOMPARE(compared.back(), (QList<QVariant>{1, 2}));
        QVERIFY(!panel_->renameAction()->isEnabled());
        QTest::keyClick(panel_->view(), Qt::Key_Delete);
        QCOMPARE(closed.count(), 2);
        QCOMPARE(closed[0].front().toInt(), 2);  // from the back, so that positions stay
        QCOMPARE(closed[1].front().toInt(), 1);
        choose({0});
        QVERIFY(!panel_->closeAction()->isEnabled());  // the baseline stays
    }

    void figuresUnderAnotherCostModelAreOneClickAway() {
        BucketCommands(*document_).startFrom(BucketCommands::Template::block);
        QVERIFY(waitForRows());
        QCOMPARE(panel_->model()->columnCount(), static_cast<int>(Column::other_column));
        const int place = panel_->other()->findData("h100-sxm");
        QVERIFY(place > 0);
        panel_->other()->setCurrentIndex(place);
        QVERIFY(waitForRows());
        QCOMPARE(panel_->model()->columnCount(), static_cast<int>(Column::column_count));
        QVERIFY(panel_->model()
                    ->headerData(Column::other_column, Qt::Horizontal, Qt::DisplayRole)
                    .toString()
                    .contains("h100-sxm"));
        QVERIFY(cell(1, Column::other_column) != cell(1, Column::step_column));
        // Notes, which take what is left, stand behind them.
        QCOMPARE(panel_->view()->header()->visualIndex(Column::note_column), Column::column_count - 1);
        panel_->other()->setCurrentIndex(0);
        QVERIFY(waitForRows());
        QCOMPARE(panel_->model()->columnCount(), static_cast<int>(Column::other_column));
    }

    void theCostModelInUseIsNoOther() {
        auto* rows = qobject_cast<QListView*>(panel_->other()->view());
        const int place = panel_->other()->findData("h100-sxm");
        QVERIFY(!rows->isRowHidden(place));
        panel_->other()->setCurrentIndex(place);
        LoadedGraph loaded = document_->loaded();
        loaded.graph = with_cost_model(loaded.graph, *built_in_cost_model("h100-sxm")).graph;
        loaded.baseline = evaluate_baseline(loaded.graph);
        document_->setGraph(loaded);
        QVERIFY(rows->isRowHidden(place));
        QCOMPARE(panel_->other()->currentIndex(), 0);
        QVERIFY(!rows->isRowHidden(panel_->other()->findData("b200-sxm")));
        // Nor is it chosen by keys while the list is closed.
        panel_->other()->setCurrentIndex(place - 1);
        QTest::keyClick(panel_->other(), Qt::Key_Down);
        QCOMPARE(panel_->other()->currentIndex(), place + 1);
        QTest::keyClick(panel_->other(), Qt::Key_Up);
        QCOMPARE(panel_->other()->currentIndex(), place - 1);
        panel_->other()->setCurrentIndex(0);
    }

    void stepsWithLinksSharedStandBesideTheOthers() {
        const QTreeView* view = panel_->view();
        QVERIFY(view->isColumnHidden(Column::shared_column));  // one process group shares with none
        document_->setGraph(
            loadGraph(QStringLiteral(OVERLAP_TEST_DATA "/graphs/llama3_debugmodel_fsdp4_tp2.prebucket.graph.json.gz")));
        QVERIFY(waitForRows());
        PipelineCommands(*document_).startFrom(pipeline_presets(*document_->graph()).at(1));
        QVERIFY(waitForRows());
        const auto evaluation = document_->evaluation();
        QVERIFY(evaluation->on_shared_links);
        QVERIFY(!view->isColumnHidden(Column::shared_column));
        QCOMPARE(cell(1, Column::step_column), formatTime(evaluation->simulation.step_ms));
        QCOMPARE(cell(1, Column::shared_column), formatTime(evaluation->on_shared_links->step_ms));
        QCOMPARE(panel_->model()->index(1, Column::shared_column).data(PlansModel::sort_role).toDouble(),
                 evaluation->on_shared_links->step_ms);
        // What stands beside it, and what is made of other times, is of the same step.
        const Evaluation& as_read = document_->baseline();
        const auto heading = [this](int column) {
            return panel_->model()->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
        };
        QCOMPARE(heading(Column::gain_column), "To baseline, shared");
        QCOMPARE(heading(Column::exposed_column), "Exposed, shared");
        QCOMPARE(cell(1, Column::gain_column),
                 formatDifference(step_with_links_shared(*evaluation) - step_with_links_shared(as_read), Unit::Time));
        QVERIFY(cell(1, Column::gain_column) !=
                formatDifference(evaluation->simulation.step_ms - as_read.simulation.step_ms, Unit::Time));
        QCOMPARE(cell(1, Column::exposed_column), formatTime(evaluation->on_shared_links->exposed_ms));
        QVERIFY(cell(1, Column::exposed_column) != formatTime(evaluation->simulation.exposed_ms));
        const auto of_job = with_links_shared(evaluation);
        const std::vector<double>& disturbed_ms = panel_->model()->rows()[1].disturbed_ms;
        QCOMPARE(disturbed_ms.size(), usual_disturbances().size());
        for (std::size_t index = 0; index < disturbed_ms.size(); ++index)
            QCOMPARE(disturbed_ms[index], disturbed_step_ms(*of_job, usual_disturbances()[index]));

        PlanRow baseline{1, {}, true, PlanFigures{}, {}, {}, {}}, plan{2, {}, false, PlanFigures{}, {}, {}, {}};
        baseline.figures->step_ms = 100;
        plan.figures->step_ms = 90;
        QVERIFY(!losesWithLinksShared(plan, baseline));
        plan.figures->shared_step_ms = 101;
        QVERIFY(losesWithLinksShared(plan, baseline));
        panel_->model()->setRows({baseline, plan}, {});
        QCOMPARE(cell(1, Column::lost_column), "links shared");

        // Under another cost model it is the step of a job, too.
        plan.figures = baseline.other = plan.other = baseline.figures;
        plan.figures->step_ms = 90;
        plan.other->step_ms = 80;
        QVERIFY(!losesUnderOther(plan, baseline));
        plan.other->shared_step_ms = 101;
        QVERIFY(losesUnderOther(plan, baseline));
        panel_->model()->setRows({baseline, plan}, "another");
        QCOMPARE(heading(Column::other_column), "Step under another, shared");
        QCOMPARE(heading(Column::gain_column), "To baseline");
        QCOMPARE(cell(1, Column::other_column), formatTime(101));
        QCOMPARE(cell(1, Column::other_gain_column), formatDifference(1, Unit::Time));
    }

    /// As the toolbar says it, whose function it is.
    void distancesToTheBoundStandInTheTable() {
        document_->setGraph(
            loadGraph(QStringLiteral(OVERLAP_TEST_DATA "/graphs/llama3_debugmodel_fsdp4_tp2.prebucket.graph.json.gz")));
        QVERIFY(waitForRows());
        PipelineCommands(*document_).startFrom(pipeline_presets(*document_->graph()).at(1));
        QVERIFY(waitForRows());
        QCOMPARE(panel_->model()->headerData(Column::bound_column, Qt::Horizontal, Qt::DisplayRole).toString(),
                 "Above bound");
        const auto bounds = GraphBounds::of(document_->graph(), nullptr);
        for (const int row : {0, 1}) {
            const BoundGap gap = bounds->gapOf(document_->variant(row).evaluation());
            QVERIFY(gap.none.isEmpty() && gap.share > 0);
            // The preset moves compute.
            QCOMPARE(boundKind(gap), row == 0 ? "order kept" : "any order");
            QCOMPARE(cell(row, Column::bound_column), formatPercent(gap.share) + " · " + boundKind(gap));
            const QModelIndex index = panel_->model()->index(row, Column::bound_column);
            QCOMPARE(index.data(Qt::ToolTipRole).toString(), boundHelp(gap));
            QCOMPARE(index.data(PlansModel::sort_role).toDouble(), gap.share);
        }
        QVERIFY(cell(0, Column::bound_column) != cell(1, Column::bound_column));

        PlanRow any_order{1, {}, true, PlanFigures{}, {}, {}, {}}, none = any_order;
        any_order.gap.emplace();
        any_order.gap->share = 0.2;
        any_order.gap->any_order = true;
        none.gap.emplace();
        none.gap->none = "No bound holds";
        panel_->model()->setRows({any_order, none}, {});
        QCOMPARE(cell(0, Column::bound_column), formatPercent(0.2) + " · any order");
        QCOMPARE(cell(1, Column::bound_column), QString());
        const QModelIndex blank = panel_->model()->index(1, Column::bound_column);
        QCOMPARE(blank.data(Qt::ToolTipRole).toString(), "No bound holds");
    }

    /// Beside its notes, a table of three plans at the window's usual width shows all its figures.
    void figuresFitAnUsualWindow() {
        document_->setGraph(
            loadGraph(QStringLiteral(OVERLAP_TEST_DATA "/graphs/llama3_debugmodel_fsdp4_tp2.prebucket.graph.json.gz")));
        PipelineCommands(*document_).startFrom(pipeline_presets(*document_->graph()).at(1));
        QVERIFY(waitForRows());
        panel_->resize(1280, 300);
        const QTreeView* view = panel_->view();
        QTRY_VERIFY2(view->header()->length() <= view->viewport()->width(),
                     qPrintable(QString::number(view->header()->length())));
    }

    void whatIsLostUnderAnotherModelIsMarked() {
        PlanRow baseline{1, {}, true, PlanFigures{}, PlanFigures{}, {}, {}},
            row{2, {}, false, PlanFigures{}, PlanFigures{}, {}, {}};
        baseline.figures->step_ms = 100;
        baseline.other->step_ms = 50;
        row.figures->step_ms = 90;
        row.other->step_ms = 45;
        QVERIFY(!losesUnderOther(row, baseline));
        row.other->step_ms = 55;
        QVERIFY(losesUnderOther(row, baseline));
        row.figures->step_ms = 110;  // it gains nothing here either
        QVERIFY(!losesUnderOther(row, baseline));
    }

    void gainsThatDependOnTheTimesAreNamed() {
        BucketCommands(*document_).startFrom(BucketCommands::Template::block);
        QVERIFY(waitForRows());
        const PlanRow& row = panel_->model()->rows()[1];
        QCOMPARE(row.disturbed_ms.size(), usual_disturbances().size());
        for (std::size_t index = 0; index < row.disturbed_ms.size(); ++index)
            QCOMPARE(row.disturbed_ms[index],
                     disturbed_step_ms(*document_->variant(1).evaluation(), usual_disturbances()[index]));
        QVERIFY(panel_->model()
                    ->index(1, Column::step_column)
                    .data(Qt::ToolTipRole)
                    .toString()
                    .contains("links 20 % slower: " + formatTime(row.disturbed_ms[0])));
        QVERIFY(panel_->model()
                    ->index(1, Column::step_column)
                    .data(Qt::ToolTipRole)
                    .toString()
                    .startsWith(formatExactTime(row.figures->step_ms) + u'\n'));
        PlanRow baseline{1, {}, true, PlanFigures{}, {}, {100, 100, 100, 100}, {}};
        baseline.figures->step_ms = 100;
        PlanRow plan{2, {}, false, PlanFigures{}, {}, {90, 100, 99, 101}, {}};
        plan.figures->step_ms = 95;
        QCOMPARE(losesDisturbed(plan, baseline), (std::vector<std::size_t>{1, 3}));
        panel_->model()->setRows({baseline, plan}, {});
        QCOMPARE(cell(1, Column::lost_column), "links 20 % faster, compute 20 % faster");
        QCOMPARE(cell(0, Column::lost_column), QString());
    }

    void plansGetNotes() {
        QSignalSpy noted(panel_.get(), &PlansPanel::noteWanted);
        choose({1});
        panel_->noteAction()->trigger();
        QCOMPARE(noted.back().front().toInt(), 1);
        PlanCommands(*document_).setNote(0, "of the graph as it is");
        PlanCommands(*document_).setNote(1, "  two\nlines ");
        QVERIFY(!document_->variant(1).stale());  // no pass reads it
        QVERIFY(waitForRows());
        QCOMPARE(cell(1, Column::note_column), "two lines");
        QCOMPARE(cell(0, Column::note_column), QString());  // the baseline is the graph as it is
        document_->variant(1).undoStack().undo();
        QCOMPARE(document_->variant(1).plan().notes, std::string());
        choose({0});
        QVERIFY(!panel_->noteAction()->isEnabled());
        document_->addCopyOfCurrent();
        QVERIFY(waitForRows());
        choose({1, 2});
        QVERIFY(!panel_->noteAction()->isEnabled());
    }

    void plansGetColours() {
        QSignalSpy wanted(panel_.get(), &PlansPanel::colourWanted);
        choose({1});
        emit panel_->colourAction()->menu()->aboutToShow();
        const QList<QAction*> colours = panel_->colourAction()->menu()->actions();
        QCOMPARE(colours.size(), static_cast<qsizetype>(plan_colours.size()) + 2);  // a line, and none
        QVERIFY(colours.back()->isChecked());
        colours[1]->trigger();
        QCOMPARE(wanted.back().front().toInt(), 1);
        QCOMPARE(wanted.back().back().value<PlanColour>(), PlanColour::green);
        PlanCommands(*document_).setColour(1, PlanColour::green);
        QVERIFY(!document_->variant(1).stale());
        QVERIFY(waitForRows());
        const QModelIndex name = panel_->view()->model()->index(1, Column::name_column);
        QCOMPARE(name.data(Qt::DecorationRole).value<QColor>(), currentTheme().bucketHues[1]);
        document_->variant(1).undoStack().undo();
        QVERIFY(document_->variant(1).plan().colour == PlanColour::none);
    }

    void rowsAreSortedByFigures() {
        Plan blocks = document_->loaded().empty_plan;
        blocks.buckets = {{{"layers.0"}, false, {}}};
        document_->addVariant(blocks);
        QVERIFY(waitForRows());
        panel_->view()->sortByColumn(Column::collectives_column, Qt::AscendingOrder);
        QCOMPARE(panel_->view()->model()->index(0, 0).data().toString(), QString::fromStdString(blocks.name));
    }

  private:
    bool waitForRows() {
        return waitForEvaluation(*document_) && QTest::qWaitFor([&] {
                   return !panel_->busy() && panel_->model()->rowCount() == document_->variantCount();
               });
    }
    void choose(std::initializer_list<int> rows) {
        panel_->view()->clearSelection();
        for (const int row : rows)
            panel_->view()->selectionModel()->select(panel_->view()->model()->index(row, 0),
                                                     QItemSelectionModel::Select | QItemSelectionModel::Rows);
    }
    /// @param row of the model: the position of the plan.
    QString cell(int row, int column) const { return panel_->model()->index(row, column).data().toString(); }

    std::unique_ptr<Document> document_;
    std::unique_ptr<PlansPanel> panel_;
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::PlansPanelTest)
#include "plans_panel_test.moc"
