#include "ui/collectives/collectives_panel.h"

#include <QAbstractItemModelTester>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QScrollBar>
#include <QSignalSpy>
#include <QToolButton>
#include <QTreeView>
#include <QtTest>
#include <algorithm>
#include <atomic>
#include <stdexcept>

#include "core/pipeline/evaluation.h"
#include "core/plan/presets.h"
#include "tests/ui/docked_behind.h"
#include "tests/ui/ui_test_support.h"
#include "ui/document/evaluation_failure.h"
#include "ui/edits/bucket_commands.h"
#include "ui/edits/pipeline_commands.h"
#include "ui/theme/numbers.h"

namespace overlap::ui {

/// The table of all collectives of a small graph's plan.
class CollectivesPanelTest : public QObject {
    Q_OBJECT

    using Column = CollectivesModel::Column;

  private slots:
    void init() {
        document_ = openDocument();
        panel_ = std::make_unique<CollectivesPanel>(*document_);
        panel_->resize(1400, 400);
        panel_->show();
        QVERIFY(QTest::qWaitForWindowExposed(panel_.get()));
        QVERIFY(waitForRows());
    }
    void cleanup() {
        panel_.reset();
        document_.reset();
    }

    /// Many begin alike, and differ in their numbers.
    void namesThatAreTooLongKeepTheirEnds() {
        panel_->view()->sortByColumn(Column::name_column, Qt::AscendingOrder);
        panel_->view()->clearSelection();
        panel_->view()->setCurrentIndex({});
        panel_->view()->header()->resizeSection(Column::name_column, 110);
        const auto drawn = [&](int row) {
            const QModelIndex index = panel_->shown()->index(row, Column::name_column);
            panel_->view()->scrollTo(index);
            return panel_->view()->viewport()->grab(panel_->view()->visualRect(index)).toImage();
        };
        const QFontMetrics metrics(panel_->view()->font());
        int compared = 0;
        for (int row = 1; row < panel_->shown()->rowCount(); ++row) {
            const QString before = cell(row - 1, Column::name_column), name = cell(row, Column::name_column);
            // So much of both is the same that nothing but the end can tell them apart.
            const qsizetype same =
                std::mismatch(before.begin(), before.end(), name.begin(), name.end()).first - before.begin();
            if (metrics.horizontalAdvance(name.first(same)) < 110 || std::max(before.size(), name.size()) > same + 3)
                continue;
            ++compared;
            QVERIFY2(drawn(row - 1) != drawn(row), qPrintable(name));
        }
        QVERIFY2(compared > 10, qPrintable(QString::number(compared)));
    }

    void everyCollectiveHasARow() {
        QAbstractItemModelTester tester(panel_->model(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        const Simulation& simulation = document_->evaluation()->simulation;
        QCOMPARE(static_cast<std::size_t>(panel_->model()->rowCount()), simulation.collectives.size());
        QVERIFY(panel_->sums().startsWith(formatted(simulation.collectives.size()) + " collectives"));
    }

    void theMostExposedComesFirstAndColumnsAreSorted() {
        const auto exposed_ms = [&](int row) { return timing(row).exposed_ms; };
        for (int row = 1; row < panel_->shown()->rowCount(); ++row) QVERIFY(exposed_ms(row - 1) >= exposed_ms(row));
        panel_->view()->sortByColumn(Column::bytes_column, Qt::AscendingOrder);
        for (int row = 1; row < panel_->shown()->rowCount(); ++row) QVERIFY(timing(row - 1).bytes <= timing(row).bytes);
    }

    /// What each could hide by itself is no gain of the step, and is not called one.
    void noGainIsPromised() {
        const CollectiveSums sums = panel_->shown()->sums();
        QVERIFY(sums.could_hide_ms > 0);
        const auto* label = panel_->findChild<QWidget*>(QStringLiteral("collectiveSums"));
        QVERIFY2(panel_->sums().contains(formatTime(sums.could_hide_ms) + " could hide, each by itself"),
                 qPrintable(panel_->sums()));
        QVERIFY(label->toolTip().contains(QStringLiteral("the step gains less")));
        const QString help =
            panel_->model()->headerData(Column::could_hide_column, Qt::Horizontal, Qt::ToolTipRole).toString();
        QVERIFY2(help.contains(QStringLiteral("The step may gain less")), qPrintable(help));
        for (const QString& text : {panel_->sums(), help}) QVERIFY2(!text.contains("avoidable"), qPrintable(text));
    }

    void sumsAreOfWhatIsShown() {
        BucketCommands(*document_).startFrom(BucketCommands::Template::block);
        QVERIFY(waitForRows());
        panel_->exposedOnly()->setChecked(true);
        const CollectiveSums sums = panel_->shown()->sums();
        QVERIFY(sums.collectives > 0 && sums.collectives < static_cast<std::uint32_t>(panel_->model()->rowCount()));
        double exposed_ms = 0;
        for (const CollectiveTiming& each : document_->evaluation()->simulation.collectives)
            exposed_ms += each.exposed_ms;
        QVERIFY(std::abs(sums.exposed_ms - exposed_ms) < 1e-9);
        QVERIFY(panel_->sums().contains(" of "));
    }

    void whatTheOtherHalfHidesIsSummed() {
        QVERIFY(!panel_->sums().contains("other half"));
        document_->setGraph(loadGraph(QStringLiteral(
            OVERLAP_TEST_DATA "/graphs/deepseek_v3_debugmodel_fsdp8_ep4_epo_graph_moe_batch.prebucket.graph.json.gz")));
        QVERIFY(waitForRows());
        PipelineCommands(*document_).startFrom(pipeline_presets(*document_->graph()).front());
        QVERIFY(waitForRows());
        const CollectiveSums all = panel_->shown()->sums();
        QVERIFY(all.exchanges_of_halves > 0 && all.hidden_by_other_half_ms > 0);
        const QString told = QStringLiteral("%1 all-to-alls of halves, %2, of which the other half hides %3")
                                 .arg(formatCount(all.exchanges_of_halves), formatTime(all.exchanges_ms),
                                      formatTime(all.hidden_by_other_half_ms));
        QVERIFY2(panel_->sums().contains(told), qPrintable(panel_->sums()));
        // Of what is shown, as the other sums.
        panel_->filterField()->setText("all-gather");
        QVERIFY(!panel_->sums().contains("other half"));
    }

    void aFilterWantsAllItsWords() {
        panel_->filterField()->setText("LAYERS.2 reduce-scatter");
        QVERIFY(panel_->shown()->rowCount() > 0);
        for (int row = 0; row < panel_->shown()->rowCount(); ++row) {
            QCOMPARE(timing(row).kind, CollectiveKind::reduce_scatter);
            QVERIFY(cell(row, Column::module_column).startsWith("layers.2"));
        }
        panel_->filterField()->setText("nothing of this kind");
        QCOMPARE(panel_->shown()->rowCount(), 0);
    }

    /// The table begins with its first row, or shows the chosen one where the filter leaves it.
    void aFilterShowsWhatItLeaves() {
        BucketCommands(*document_).startFrom(BucketCommands::Template::block);
        QVERIFY(waitForRows());
        panel_->resize(1400, 160);
        const auto* bar = panel_->view()->verticalScrollBar();
        panel_->exposedOnly()->setChecked(true);
        QTRY_VERIFY(bar->maximum() > 0);  // what is exposed does not fit either
        const QModelIndex exposed = panel_->shown()->index(panel_->shown()->rowCount() - 1, 0);
        const QString shown_after = exposed.data().toString();
        panel_->exposedOnly()->setChecked(false);
        const int last = panel_->shown()->rowCount() - 1;
        // The last row is hidden by the filter, and with it the selection.
        document_->selection().selectNode(cell(last, Column::name_column));
        QTRY_VERIFY(bar->value() > 0);
        panel_->exposedOnly()->setChecked(true);
        runAllDue();
        QCOMPARE(bar->value(), 0);
        QVERIFY(!panel_->view()->currentIndex().isValid());
        panel_->exposedOnly()->setChecked(false);
        QTRY_VERIFY(bar->value() > 0);  // it is the selection still
        document_->selection().selectNode(shown_after);
        panel_->view()->scrollToTop();
        panel_->exposedOnly()->setChecked(true);
        runAllDue();
        QVERIFY(bar->value() > 0);
        QCOMPARE(panel_->view()->currentIndex().data().toString(), shown_after);
        // Nothing is selected: the table was scrolled by hand.
        document_->selection().clear();
        panel_->exposedOnly()->setChecked(false);
        panel_->view()->scrollToBottom();
        panel_->exposedOnly()->setChecked(true);
        runAllDue();
        QCOMPARE(bar->value(), 0);
    }

    void aRowIsTheSelectionOfAllViews() {
        panel_->view()->setCurrentIndex(panel_->shown()->index(2, 0));
        QCOMPARE(document_->selection().node(), cell(2, Column::name_column));
        QSignalSpy wanted(panel_.get(), &CollectivesPanel::timelineWanted);
        QTest::keyClick(panel_->view(), Qt::Key_Return);
        QCOMPARE(wanted.count(), 1);
    }

    void whatIsSelectedElsewhereIsChosenHere() {
        document_->selection().selectModule("layers.1");
        const QModelIndexList chosen = panel_->view()->selectionModel()->selectedRows();
        QVERIFY(chosen.size() > 1);
        for (const QModelIndex& row : chosen) QVERIFY(cell(row.row(), Column::module_column).startsWith("layers.1"));
        QVERIFY(panel_->sums().contains("chosen"));
        QCOMPARE(document_->selection().module(), "layers.1");  // choosing them is no edit of the selection
        // Of several modules those of each.
        document_->selection().selectModule("layers.3");
        const qsizetype of_third = panel_->view()->selectionModel()->selectedRows().size();
        document_->selection().selectModules({"layers.3", "layers.1"});
        QCOMPARE(panel_->view()->selectionModel()->selectedRows().size(), chosen.size() + of_third);
        QCOMPARE(document_->selection().modules().size(), 2);
    }

    void mergedCollectivesAreFoundByTheirMembers() {
        BucketCommands(*document_).addText("layers.1");
        QVERIFY(waitForRows());
        const std::uint32_t collectives = static_cast<std::uint32_t>(panel_->model()->rowCount());
        QVERIFY(collectives < document_->baseline().simulation.collectives.size());
        document_->selection().selectModule("layers.1.attention");
        const QModelIndexList chosen = panel_->view()->selectionModel()->selectedRows();
        QVERIFY(!chosen.isEmpty());
        for (const QModelIndex& row : chosen) QCOMPARE(cell(row.row(), Column::bucket_column), "layers.1");
    }

    void nothingIsMadeWhileNobodyLooks() {
        panel_->hide();
        BucketCommands(*document_).addText("layers.1");
        QVERIFY(waitForEvaluation(*document_));
        const int before = panel_->model()->rowCount();
        QVERIFY(!panel_->busy());
        panel_->show();
        QVERIFY(waitForRows());
        QVERIFY(panel_->model()->rowCount() < before);
    }

    /// Its rows take a moment when all is evaluated.
    void aPlanThatIsEvaluatedIsNotToldToBeSo() {
        CollectivesPanel another(*document_);
        QVERIFY(!another.model()->rows());
        QCOMPARE(another.sums(), QStringLiteral("Collectives are being listed"));
        BucketCommands(*document_).addText("layers.1");
        CollectivesPanel third(*document_);
        QCOMPARE(third.sums(), QStringLiteral("The plan is being evaluated"));
        // Seen, it tells what it waits for now.
        QStringList told;
        auto* sums = third.findChild<QLabel*>("collectiveSums");
        connect(third.model(), &QAbstractItemModel::modelAboutToBeReset, &third, [&] { told.append(sums->text()); });
        QVERIFY(waitForEvaluation(*document_));
        third.show();
        QTRY_VERIFY(third.model()->rows());
        QCOMPARE(told, QStringList{QStringLiteral("Collectives are being listed")});
    }

    /// A plan whose evaluation failed is not told to be evaluated for good.
    void whyAPlanHasNoRowsIsTold() {
        std::atomic<bool> fails = true;
        const auto document = openDocument([&](const auto& graph, const Plan& plan, const std::stop_token& stop,
                                               const auto& source, const auto& cache) {
            if (fails) throw std::runtime_error("there is no memory left");
            return evaluate(graph, plan, stop, source, cache);
        });
        CollectivesPanel panel(*document);
        QCOMPARE(panel.sums(), QStringLiteral("The plan is being evaluated"));
        const QString failed = QStringLiteral("The plan could not be evaluated: there is no memory left");
        QTRY_COMPARE(panel.sums(), failed);
        // Of this plan as it is, and no other.
        document->setCurrentIndex(0);
        QCOMPARE(whyNotEvaluated(*document), QStringLiteral("The plan is being evaluated"));
        QTRY_VERIFY(!document->evaluating());
        document->setCurrentIndex(1);
        QTRY_COMPARE(whyNotEvaluated(*document), failed);
        fails = false;
        BucketCommands(*document).addText("layers.1");
        QCOMPARE(whyNotEvaluated(*document), QStringLiteral("The plan is being evaluated"));
        panel.show();
        QTRY_VERIFY(panel.model()->rows());
        QVERIFY2(panel.sums().contains(" collectives"), qPrintable(panel.sums()));
    }

    /// As is what is chosen.
    void nothingIsChosenBehindAnotherDock() {
        DockedBehind docked(*panel_);
        runAllDue();
        document_->selection().selectModule("layers.1");
        runAllDue();
        QCOMPARE(panel_->view()->selectionModel()->selectedRows().size(), 0);
        QVERIFY2(!panel_->sums().contains("chosen"), qPrintable(panel_->sums()));
        docked.raise();
        QTRY_VERIFY(panel_->view()->selectionModel()->selectedRows().size() > 1);
        QVERIFY2(panel_->sums().contains("chosen"), qPrintable(panel_->sums()));
    }

  private:
    bool waitForRows() {
        return waitForEvaluation(*document_) && QTest::qWaitFor([&] {
                   return !panel_->busy() && panel_->model()->rows() &&
                          panel_->model()->rows()->evaluation == document_->evaluation();
               });
    }
    QString cell(int row, int column) const { return panel_->shown()->index(row, column).data().toString(); }
    const CollectiveTiming& timing(int shown_row) const {
        const QModelIndex source = panel_->shown()->mapToSource(panel_->shown()->index(shown_row, 0));
        return document_->evaluation()->simulation.collectives[static_cast<std::size_t>(source.row())];
    }
    static QString formatted(std::size_t count) { return QString::number(count); }

    std::unique_ptr<Document> document_;
    std::unique_ptr<CollectivesPanel> panel_;
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::CollectivesPanelTest)
#include "collectives_panel_test.moc"
