#include "ui/plan/bucket_model.h"

#include <QAbstractItemModelTester>
#include <cmath>
#include <map>

#include "tests/ui/ui_test_support.h"
#include "ui/cost/graph_cost_model.h"
#include "ui/document/module_mime.h"
#include "ui/edits/bucket_commands.h"
#include "ui/edits/pipeline_commands.h"
#include "ui/plan/bucket_card.h"
#include "ui/plan/drop_preview.h"
#include "ui/plan/uncovered_model.h"
#include "ui/theme/numbers.h"
#include "ui/theme/theme.h"

namespace overlap::ui {

class BucketModelTest : public QObject {
    Q_OBJECT

  private slots:
    void modelsStayConsistentThroughEdits() {
        Document document;
        BucketModel buckets(document);
        UncoveredModel uncovered(document);
        QAbstractItemModelTester buckets_tester(&buckets, QAbstractItemModelTester::FailureReportingMode::QtTest);
        QAbstractItemModelTester uncovered_tester(&uncovered, QAbstractItemModelTester::FailureReportingMode::QtTest);
        document.setGraph(loadGraph(smallGraphFile()));
        const int all = uncovered.rowCount();
        QVERIFY(all > 0);
        BucketCommands commands(document);
        commands.startFrom(BucketCommands::Template::block);
        const int blocks = buckets.rowCount();
        QVERIFY(blocks > 6);
        QVERIFY(uncovered.rowCount() < all);
        commands.merge({1, 2, 3});
        QCOMPARE(buckets.rowCount(), blocks - 2);
        commands.startFrom(BucketCommands::Template::empty);
        QCOMPARE(buckets.rowCount(), 0);
        QCOMPARE(uncovered.rowCount(), all);
        document.undoGroup().undo();
        QCOMPARE(buckets.rowCount(), blocks - 2);
        QVERIFY(waitForEvaluation(document));
        document.setCurrentIndex(0);
        QCOMPARE(buckets.rowCount(), 0);
        document.setGraph(loadGraph(smallGraphFile()));
        QCOMPARE(buckets.rowCount(), 0);
    }

    void cardsCountWhatRunsWithThePlansPasses() {
        Document document;
        document.setGraph(loadGraph(smallGraphFile()));
        BucketModel model(document);
        UncoveredModel uncovered(document);
        BucketCommands(document).addText("layers.0");
        QVERIFY(waitForEvaluation(document));
        const std::size_t not_in_buckets = uncovered.count(CollectiveKind::all_gather);
        const auto gathered = [&] {
            std::int64_t bytes = 0;
            for (const PassReport& report : document.evaluation()->reports)
                for (const BucketReport& bucket : report.buckets)
                    if (bucket.kind == CollectiveKind::all_gather) bytes += bucket.bytes;
            return bytes;
        };
        const std::int64_t before = gathered();
        const auto shown = [&] { return model.summary(0).part(CollectiveKind::all_gather)->bytes; };
        QCOMPARE(shown(), before);
        PipelineCommands(document).add("deduplicate_fsdp_unshard_chains_pass", 0);
        QVERIFY(waitForEvaluation(document));
        QVERIFY(gathered() < before);
        QCOMPARE(shown(), gathered());
        QVERIFY(uncovered.count(CollectiveKind::all_gather) < not_in_buckets);
        const QString figures = QStringLiteral("AG ") + formatBytes(static_cast<double>(gathered()));
        QVERIFY(model.index(0).data(BucketModel::figures_role).toString().startsWith(figures));
        QVERIFY(model.index(0).data(Qt::ToolTipRole).toString().contains(figures));
        document.undoGroup().undo();
        QVERIFY(waitForEvaluation(document));
        QCOMPARE(shown(), before);
    }

    /// Its modules communicate all the same, each for itself: that is no bucket's.
    void aBucketWhoseStepIsOffIsNotApplied() {
        const auto document = openDocument();
        BucketModel model(*document);
        UncoveredModel uncovered(*document);
        const int all = uncovered.rowCount();
        const std::int64_t all_bytes = uncovered.bytes();
        BucketCommands(*document).addText("layers.0\nlayers.1");
        QVERIFY(waitForEvaluation(*document));
        const auto text = [&](int role) { return model.index(0).data(role).toString(); };
        const QString figures = text(BucketModel::figures_role);
        QVERIFY(figures.startsWith("AG ") && uncovered.rowCount() < all);
        PipelineCommands(*document).setEnabled(0, false);
        for (const bool evaluated : {false, true}) {
            if (evaluated) QVERIFY(waitForEvaluation(*document));
            QCOMPARE(text(BucketModel::figures_role), "not applied");
            QCOMPARE(text(BucketModel::sum_role), "not applied");
            QCOMPARE(text(BucketModel::time_role), QString());
            QCOMPARE(model.index(0).data(BucketModel::exposed_role).toDouble(), -1.0);
            QVERIFY(model.summary(0).parts.empty() && model.summary(0).communication_ms == 0);
            const QString tip = text(Qt::ToolTipRole);
            QVERIFY2(tip.contains("Not applied: manual_overlap_bucketing is switched off"), qPrintable(tip));
            QVERIFY(text(Qt::AccessibleTextRole).contains("not applied"));
            QCOMPARE(uncovered.rowCount(), all);
            QCOMPARE(uncovered.bytes(), all_bytes);
        }
        DropPreview preview(*document);
        preview.show({"layers.2"}, 0, -1);
        QCOMPARE(preview.weight(), "not applied");
        preview.clear();
        PipelineCommands(*document).remove(0);
        QVERIFY(text(Qt::ToolTipRole).contains("Not applied: no step of the plan takes buckets"));
        document->undoGroup().undo();
        document->undoGroup().undo();
        QVERIFY(waitForEvaluation(*document));
        QCOMPARE(text(BucketModel::figures_role), figures);
        QVERIFY(uncovered.rowCount() < all);
    }

    /// What backward gathers once more, since memory says so, is in no graph before its pass.
    void cardsCountWhatPassesGatherAgain() {
        Document document;
        document.setGraph(loadGraph(QStringLiteral(OVERLAP_TEST_DATA "/graphs/llama3_debugmodel_fsdp8.graph.json.gz")));
        BucketModel model(document);
        BucketCommands(document).addText("layers.0");
        QVERIFY(waitForEvaluation(document));
        const std::int64_t before = model.summary(0).part(CollectiveKind::all_gather)->bytes;
        QVERIFY(!model.summary(0).part(CollectiveKind::all_gather)->made_bytes);
        Plan plan = document.current()->plan();
        plan.memory.emplace();
        plan.memory->policy = "full";
        plan.memory->rules = {{MemoryAction::reshard, {"layers.0"}, {}}};
        plan.pipeline = with_memory_steps(std::move(plan.pipeline));
        document.editPlan("memory", std::move(plan));
        QVERIFY(waitForEvaluation(document));
        const Evaluation& evaluation = *document.evaluation();
        QVERIFY(!evaluation.refused);
        std::int64_t bytes = 0;
        double time_ms = 0;
        for (const CollectiveTiming& timing : evaluation.simulation.collectives) {
            if (timing.kind != CollectiveKind::all_gather || evaluation.bucket_of_node[timing.start] != 0) continue;
            bytes += timing.bytes;
            time_ms += timing.end_ms - timing.start_ms;
        }
        QVERIFY2(bytes > before, qPrintable(QString::number(bytes)));
        const QString figures =
            QStringLiteral("AG ") + formatBytes(static_cast<double>(bytes)) + u' ' + formatTime(time_ms);
        const QString shown = model.index(0).data(BucketModel::figures_role).toString();
        QVERIFY2(shown.startsWith(figures + QStringLiteral(" · RS ")), qPrintable(shown));
        const QString tip = model.index(0).data(Qt::ToolTipRole).toString();
        QVERIFY2(tip.contains(figures) && tip.contains("in the graph, before the plan's passes"), qPrintable(tip));
    }

    void cardsTellTheTimeWithLinksShared() {
        const auto document = openDocument();
        document->setGraph(
            loadGraph(QStringLiteral(OVERLAP_TEST_DATA "/graphs/llama3_debugmodel_fsdp4_tp2.prebucket.graph.json.gz")));
        BucketModel model(*document);
        BucketCommands(*document).startFrom(BucketCommands::Template::block);
        QVERIFY(waitForEvaluation(*document));
        const auto figures = [&] {
            QStringList texts;
            for (int row = 0; row < model.rowCount(); ++row)
                texts.append(model.index(row).data(BucketModel::figures_role).toString());
            return texts;
        };
        // Also where the figures of the plan are of separate links, as all views of single collectives.
        QVERIFY(document->evaluation()->on_shared_links);
        const QStringList shown = figures();
        double slower_ms = 0;
        for (int row = 0; row < model.rowCount(); ++row) {
            double sum_ms = 0;
            for (const BucketPart& part : model.summary(row).parts) {
                QVERIFY(part.shared_ms && part.time_ms);
                slower_ms += *part.shared_ms - *part.time_ms;
                sum_ms += *part.shared_ms;
                const QString time = formatTime(*part.shared_ms);
                QVERIFY(model.index(row).data(BucketModel::figures_role).toString().contains(u' ' + time));
                const QString tip = model.index(row).data(Qt::ToolTipRole).toString();
                QVERIFY2(tip.contains(time + " with links shared"), qPrintable(tip));
                QVERIFY2(tip.contains("communication exposed, with links shared"), qPrintable(tip));
            }
            QCOMPARE(model.index(row).data(BucketModel::time_role).toString(), formatTime(sum_ms));
        }
        QVERIFY(slower_ms > 0);

        auto times = std::make_shared<MeasuredTimes>();
        times->source = modelled_source(false, {}, true);
        times->baseline = evaluate_baseline(document->graph(), {}, times->source);
        times->module_figures = document->loaded().module_figures;
        document->setTimes(times);
        QVERIFY(waitForEvaluation(*document));
        QVERIFY(!document->evaluation()->on_shared_links);
        QCOMPARE(figures(), shown);
    }

    void cardsTellWhatABucketWeighs() {
        const auto document = openDocument();
        BucketModel model(*document);
        BucketCommands(*document).addText("layers.0");
        QCOMPARE(model.rowCount(), 1);
        const QModelIndex card = model.index(0);
        QCOMPARE(card.data(BucketModel::title_role).toString(), "layers.0");
        QVERIFY(card.data(BucketModel::figures_role).toString().startsWith("AG "));
        QVERIFY(model.summary(0).collectives > 0);
        const auto alone = model.summary(0);
        QCOMPARE(card.data(BucketModel::exposed_role).toDouble(), -1.0);
        QVERIFY(waitForEvaluation(*document));
        const double exposed = card.data(BucketModel::exposed_role).toDouble();
        QVERIFY(exposed >= 0 && exposed <= 1);
        BucketCommands(*document).put({"layers.1"}, 0);
        QCOMPARE(model.summary(0).parts.front().bytes, 2 * alone.parts.front().bytes);
        QVERIFY(card.data(Qt::AccessibleTextRole).toString().contains("layers.1"));
    }

    /// The bar is of all that the bucket communicates, so the figures are, too: of one module as of several.
    void cardsTellEachKindAndTheSumOfAll() {
        const auto document = openDocument();
        BucketModel model(*document);
        BucketCommands(*document).addText("layers.0\nlayers.1+layers.2");
        QVERIFY(waitForEvaluation(*document));
        const auto text = [&](int row, int role) { return model.index(row).data(role).toString(); };
        for (const int row : {0, 1}) {
            const BucketPart* gathers = model.summary(row).part(CollectiveKind::all_gather);
            const BucketPart* scatters = model.summary(row).part(CollectiveKind::reduce_scatter);
            QVERIFY(gathers && scatters && gathers->time_ms && scatters->time_ms);
            const QString gathered =
                QStringLiteral("AG %1 %2")
                    .arg(formatBytes(static_cast<double>(gathers->bytes)), formatTime(*gathers->time_ms));
            const QString scattered =
                QStringLiteral("RS %1 %2")
                    .arg(formatBytes(static_cast<double>(scatters->bytes)), formatTime(*scatters->time_ms));
            QCOMPARE(text(row, BucketModel::figures_role), gathered + QStringLiteral(" · ") + scattered);
            QVERIFY2(text(row, Qt::ToolTipRole).contains(gathered + u'\n' + scattered),
                     qPrintable(text(row, Qt::ToolTipRole)));
            const QString time = formatTime(*gathers->time_ms + *scatters->time_ms);
            QCOMPARE(text(row, BucketModel::time_role), time);
            QCOMPARE(text(row, BucketModel::sum_role),
                     QStringLiteral("AG+RS %1 %2")
                         .arg(formatBytes(static_cast<double>(gathers->bytes + scatters->bytes)), time));
            // What the bar is a share of.
            QVERIFY(std::abs(model.summary(row).communication_ms - *gathers->time_ms - *scatters->time_ms) <
                    0.05 * model.summary(row).communication_ms);
        }
    }

    /// A tool tip breaks no line: one of all modules would be wider than the screen.
    void theTipOfACardOfManyModulesHasLines() {
        QStringList modules;
        for (int layer = 0; layer < 40; ++layer) modules.append(QStringLiteral("layers.%1").arg(layer));
        const auto document = openDocument();
        BucketModel model(*document);
        BucketCommands(*document).addText(modules.join(u'+'));
        const QString tip = model.index(0).data(Qt::ToolTipRole).toString();
        QVERIFY2(tip.contains(QStringLiteral("layers.0 + layers.1 + ")), qPrintable(tip));
        QVERIFY(tip.contains(QStringLiteral("layers.39")));
        for (const QString& line : tip.split(u'\n')) QVERIFY2(line.size() < 90, qPrintable(line));
    }

    void cardsHaveTheTimesOfTheCostModel() {
        const auto document = openDocument();
        BucketModel buckets(*document);
        BucketCommands(*document).addText("layers.0");
        const auto time = [&] { return buckets.summary(0).parts.front().time_ms; };
        const auto before = time();
        QStringList notes;
        document->setCostModel(withCostModel(document->loaded(), "h100-sxm", {}, notes));
        QVERIFY(time() && before && *time() != *before);
        QVERIFY(waitForEvaluation(*document));
        const BucketModel anew(*document);
        QCOMPARE(*time(), *anew.summary(0).parts.front().time_ms);
    }

    void chipsAreModulesOrThePartsOfTheOnlyOne() {
        const auto document = openDocument();
        BucketModel model(*document);
        BucketCommands(*document).addText("layers.0\nlayers.1+layers.2");
        QVERIFY(std::none_of(model.chips(0).begin(), model.chips(0).end(),
                             [](const BucketChip& chip) { return chip.own; }));
        QCOMPARE(model.chips(0).front().path, "layers.0.feed_forward");  // the largest first
        QCOMPARE(model.chips(1).size(), 2u);
        QVERIFY(model.chips(1)[1].own);
    }

    void aProblemMarksItsCard() {
        const auto document = openDocument();
        BucketModel model(*document);
        BucketCommands(*document).addText("layers.0\nlayers.99");
        QVERIFY(waitForEvaluation(*document));
        QCOMPARE(model.index(0).data(BucketModel::severity_role).toInt() >= static_cast<int>(Severity::caution), false);
        QVERIFY(model.index(1).data(BucketModel::severity_role).toInt() >= static_cast<int>(Severity::caution));
        QVERIFY(model.index(1).data(BucketModel::problem_role).toString().contains("layers.99"));
    }

    /// Also where cards before it go: a colour tells which card it is.
    void aCardKeepsItsColour() {
        const auto document = openDocument();
        BucketModel model(*document);
        const auto hues = [&] {
            std::map<QString, uint> of_title;
            for (int row = 0; row < model.rowCount(); ++row)
                of_title[model.index(row).data().toString()] = model.index(row).data(BucketModel::hue_role).toUInt();
            return of_title;
        };
        BucketCommands commands(*document);
        commands.startFrom(BucketCommands::Template::block);
        std::map<QString, uint> kept = hues();
        const QString first = model.index(0).data().toString();
        QCOMPARE(kept.size(), static_cast<std::size_t>(model.rowCount()));
        commands.move(3, 1);
        QCOMPARE(hues(), kept);
        commands.remove({0});
        kept.erase(first);
        QCOMPARE(hues(), kept);
    }

    void titlesAreEditedInPlace() {
        const auto document = openDocument();
        BucketModel model(*document);
        BucketCommands(*document).addText("layers.0");
        QVERIFY(model.setData(model.index(0), "first", Qt::EditRole));
        QCOMPARE(model.index(0).data().toString(), "first");
        QVERIFY(model.setData(model.index(0), "layers.0", Qt::EditRole));
        QVERIFY(document->buckets()[0].title.empty());
        document->setCurrentIndex(0);
        QVERIFY(!model.setData(model.index(0), "x", Qt::EditRole));
    }

    void uncoveredCollectivesCanBeDragged() {
        const auto document = openDocument();
        const UncoveredModel model(*document);
        QModelIndexList rows;
        for (int row = 0; row < model.rowCount(); ++row)
            if (model.flags(model.index(row)).testFlag(Qt::ItemIsDragEnabled)) rows.append(model.index(row));
        QVERIFY(!rows.isEmpty());
        const std::unique_ptr<QMimeData> data(model.mimeData(rows));
        QVERIFY(!modulesOf(data.get()).isEmpty());
    }

    void cardsAreLaidOutWithoutOverlap() {
        std::vector<BucketChip> chips;
        for (int i = 0; i < 12; ++i) chips.push_back({QString::number(i), QStringLiteral("layers.%1").arg(i), true});
        const CardHeading heading{"layers.0 + layers.1",
                                  {"AG 436 MiB 11 ms · RS 872 MiB 22 ms", "AG+RS 1.28 GiB", "33 ms"}};
        const QString told =
            QStringLiteral("drop: AG +436 MiB 11 ms\nstep\u00A02795\u00A0→\u00A02789 ms   peak\u00A032 GiB");
        for (const int width : {180, 332, 600}) {
            const CardGeometry card = layOutCard(QRect(0, 40, width, 0), heading, chips, false, told);
            QVERIFY(card.chips.size() < chips.size());
            QCOMPARE(card.chips.back().chip, -1);
            QVERIFY(card.title.right() < card.figures.left());
            QCOMPARE(card.figures_text, heading.figures[width == 180 ? 2 : width == 332 ? 1 : 0]);
            QVERIFY(card.chips.back().area.right() < card.bar.left());
            QVERIFY(card.preview.top() > card.chips.front().area.bottom());
            QVERIFY(card.card.contains(card.preview));
            // All of it can be read, in as many lines as that takes.
            const QRect needed = QFontMetrics(textFont(smallTextPx))
                                     .boundingRect(QRect(0, 0, card.preview.width(), 1000), Qt::TextWordWrap, told);
            QVERIFY(needed.width() <= card.preview.width() && needed.height() <= card.preview.height());
            QCOMPARE(card.chipAt(card.chips[0].area.center()), 0);
            const CardGeometry open = layOutCard(QRect(0, 40, width, 0), heading, chips, true, {});
            QCOMPARE(open.chips.size(), chips.size());
            QVERIFY(open.height > card.height || width == 600);
        }
    }

    void aDropIsWeighedAndEvaluated() {
        const auto document = openDocument();
        BucketCommands(*document).addText("layers.0");
        QVERIFY(waitForEvaluation(*document));
        DropPreview preview(*document);
        preview.show({"layers.1"}, 0, 0);
        QVERIFY(preview.active());
        QCOMPARE(preview.refusal(), QString());
        QVERIFY2(preview.weight().startsWith(QStringLiteral("AG\u00A0+")) && preview.weight().contains("→"),
                 qPrintable(preview.weight()));
        QTRY_VERIFY(!preview.outcome().isEmpty());
        QVERIFY(preview.outcome().contains("step") && preview.outcome().contains("peak"));
        QCOMPARE(document->buckets().size(), 1u);  // looking changes nothing
        preview.show({"layers.0.attention"}, -1, 1);
        QVERIFY(preview.refusal().contains("overlaps"));
        QVERIFY(preview.weight().isEmpty());
        preview.clear();
        QVERIFY(!preview.active());
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::BucketModelTest)
#include "bucket_model_test.moc"
