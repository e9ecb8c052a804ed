#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <algorithm>
#include <numeric>

#include "core/advice/named_moves.h"
#include "core/plan/presets.h"
#include "tests/ui/panels/problem_rows.h"
#include "tests/ui/ui_test_support.h"
#include "ui/edits/bucket_commands.h"
#include "ui/edits/pipeline_commands.h"
#include "ui/panels/log.h"
#include "ui/panels/problem_groups.h"
#include "ui/panels/problems_model.h"
#include "ui/panels/problems_panel.h"
#include "ui/theme/numbers.h"
#include "ui/widgets/severity_sign.h"

namespace overlap::ui {

class ProblemsTest : public QObject {
    Q_OBJECT

    static Problem named(const char* title, Severity severity, ProblemKind kind = ProblemKind::general) {
        Problem problem;
        problem.title = title;
        problem.message = "a sentence";
        problem.severity = severity;
        problem.kind = kind;
        return problem;
    }

  private slots:
    void manyOfOneKindAreOneRow() {
        const Problem often = named("Gathered again", Severity::caution);
        const Problem harmless = named("Gathered again", Severity::note);
        const Problem other = named("Awaited again", Severity::caution);
        const Problem imported = named("Import", Severity::caution, ProblemKind::import_note);
        const std::vector<std::vector<std::size_t>> rows =
            group_problems({often, other, often, imported, imported, imported, imported, often, harmless, often});
        const std::vector<std::vector<std::size_t>> expected = {{0, 2, 7, 9}, {1}, {3}, {4}, {5}, {6}, {8}};
        QCOMPARE(rows, expected);
        QCOMPARE(group_problems({often, often, often}).size(), 3u);  // few are told one by one
    }

    /// As the memory of the device is one.
    void aPeakBeyondALimitIsAProblem() {
        const auto document = openDocument();
        QVERIFY(waitForEvaluation(*document));
        const std::int64_t peak = document->evaluation()->corrected_memory.peak_bytes;
        ProblemsPanel panel(*document);
        ProblemsModel& model = *panel.problems();
        QSignalSpy counted(&panel, &ProblemsPanel::countChanged);
        const auto beyond = [&] {
            return std::ranges::count(model.problems(), std::string("Beyond the limit"), &Problem::title);
        };
        model.setMemoryLimit(peak);
        QCOMPARE(beyond(), 0);
        model.setMemoryLimit(peak - 1);
        QCOMPARE(beyond(), 1);
        QVERIFY(!counted.isEmpty());
        const auto problem = std::ranges::find(model.problems(), "Beyond the limit", &Problem::title);
        model.goTo(static_cast<std::size_t>(problem - model.problems().begin()));
        QVERIFY2(!document->selection().node().isEmpty(), "it leads to the peak");
        model.showInstead(std::vector<Problem>());  // another step has another peak
        QCOMPARE(beyond(), 0);
        model.showInstead({});
        model.setMemoryLimit(0);
        QCOMPARE(beyond(), 0);
    }

    void aRowOfSeveralOpensToItsProblems() {
        const auto document = openDocument();
        ProblemsPanel panel(*document);
        ProblemsModel& model = *panel.problems();
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        std::vector<Problem> problems(5, named("Gathered again", Severity::caution));
        problems.push_back(named("Awaited again", Severity::note));
        std::size_t counted = 0;
        connect(&panel, &ProblemsPanel::countChanged, &panel, [&](std::size_t count) { counted = count; });
        model.showInstead(problems);
        QCOMPARE(counted, 2u);  // as many as there are to read
        const QModelIndex several = model.index(0, 0);
        QCOMPARE(model.rowCount(several), 5);
        QCOMPARE(several.data().toString(), QStringLiteral("5 × Gathered again"));
        QVERIFY(!model.problemAt(several));
        QCOMPARE(*model.problemAt(model.index(3, 0, several)), 3u);
        QCOMPARE(tableText(model).count(u'\n'), model.rowCount() + model.rowCount(several));
        QVERIFY(!panel.isExpanded(several));
        panel.setCurrentIndex(several);
        QTest::keyClick(&panel, Qt::Key_Return);
        QVERIFY(panel.isExpanded(several));
    }

    void titlesOfRowsThatOpenAreWhole() {
        const auto document = openDocument();
        ProblemsPanel panel(*document);
        panel.resize(900, 200);
        panel.show();
        panel.problems()->showInstead(
            std::vector<Problem>(12, named("A name that matches nothing", Severity::caution)));
        panel.expandAll();
        const QModelIndex several = panel.model()->index(0, ProblemsModel::title_column);
        for (const QModelIndex& row : {several, panel.model()->index(3, ProblemsModel::title_column, several)}) {
            constexpr int sign_and_margins = 8 + severity_sign_size + 8 + 8;
            const QRect place = panel.visualRect(row);
            QVERIFY(place.width() - sign_and_margins > panel.fontMetrics().horizontalAdvance(row.data().toString()));
            QVERIFY(place.right() < panel.viewport()->width() / 2);
        }
    }

    void problemsAreListedAndMended() {
        const auto document = openDocument();
        ProblemsModel model(*document);
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        BucketCommands(*document).addText("layers.0\nlayers.6");
        QVERIFY(waitForEvaluation(*document));
        const QModelIndex unknown = rowOf(model, ProblemKind::unknown_module);
        QVERIFY(unknown.isValid());
        model.goTo(*model.problemAt(unknown));
        QCOMPARE(document->selection().bucket(), 1);
        const QModelIndex fix = unknown.siblingAtColumn(ProblemsModel::fix_column);
        QVERIFY(fix.data().toString().startsWith("rename to layers.5"));
        QVERIFY(model.applyFix(*model.problemAt(unknown)));
        QCOMPARE(document->buckets()[1].modules, std::vector<std::string>{"layers.5"});
        QCOMPARE(document->current()->undoStack().undoText(), QStringLiteral("Rename layers.6 to layers.5"));
        QVERIFY(waitForEvaluation(*document));
        QVERIFY(!rowOf(model, ProblemKind::unknown_module).isValid());
        QVERIFY(tableText(model).startsWith("Problem\t"));
        // A name that stands for one that is in the plan already is taken out.
        BucketCommands(*document).addText("layers.[1-4]\nlayers.6");
        QVERIFY(waitForEvaluation(*document));
        const QModelIndex useless = rowOf(model, ProblemKind::unknown_module);
        QVERIFY(useless.isValid());
        const QString taken_out = useless.siblingAtColumn(ProblemsModel::fix_column).data().toString();
        QVERIFY2(taken_out.startsWith("take out of the plan"), qPrintable(taken_out));
        QVERIFY(model.applyFix(*model.problemAt(useless)));
        QCOMPARE(document->current()->undoStack().undoText(), QStringLiteral("Take layers.6 out of the plan"));
    }

    void manyNamesThatMatchNothingAreTakenOutByOneEdit() {
        const auto document = openDocument();
        ProblemsModel model(*document);
        BucketCommands(*document).addText("layers.[4-20]\nnorm");
        QVERIFY(waitForEvaluation(*document));
        QModelIndex several;
        for (int row = 0; row < model.rowCount(); ++row)
            if (model.index(row, 0).data().toString() == "15 × Unknown module") several = model.index(row, 0);
        QVERIFY2(several.isValid(), qPrintable(tableText(model)));
        QVERIFY(several.siblingAtColumn(ProblemsModel::fix_column)
                    .data()
                    .toString()
                    .startsWith("take all out of the plan"));
        QVERIFY(model.applyFixOfSeveral(several));
        QCOMPARE(document->current()->undoStack().undoText(), QStringLiteral("Take layers.[6-20] out of the plan"));
        QCOMPARE(document->buckets().size(), std::size_t{3});
        QVERIFY(waitForEvaluation(*document));
        QVERIFY(!rowOf(model, ProblemKind::unknown_module).isValid());
    }

    void gathersOfBothDirectionsAreBucketedApart() {
        const auto document = openDocument();
        ProblemsModel model(*document);
        BucketCommands(*document).addText("layers.0");
        QVERIFY(waitForEvaluation(*document));
        const QModelIndex both = rowOf(model, ProblemKind::gathered_for_both);
        QVERIFY(both.isValid());
        const std::int64_t peak = document->evaluation()->corrected_memory.peak_bytes;
        const QString fix = both.siblingAtColumn(ProblemsModel::fix_column).data().toString();
        QCOMPARE(fix, QStringLiteral("bucket either direction apart ↵"));
        model.goTo(*model.problemAt(both));
        QCOMPARE(document->selection().bucket(), 0);
        QVERIFY(model.applyFix(*model.problemAt(both)));
        QVERIFY(waitForEvaluation(*document));
        QVERIFY(!document->evaluation()->refused);
        QVERIFY(!rowOf(model, ProblemKind::gathered_for_both).isValid());
        QVERIFY(document->evaluation()->corrected_memory.peak_bytes < peak);
        QCOMPARE(document->buckets().size(), 1u);
    }

    void aStepOfTheMemorySectionIsSwitchedOn() {
        Document document;
        document.setGraph(loadGraph(QStringLiteral(OVERLAP_TEST_DATA "/graphs/llama3_debugmodel_fsdp8.graph.json.gz")));
        ProblemsModel model(document);
        QVERIFY(waitForEvaluation(document));
        Plan whole = document.current()->plan();
        whole.memory.emplace();
        whole.pipeline = with_memory_steps(std::move(whole.pipeline));
        Plan plan = whole;
        std::ranges::find(plan.pipeline, memory_tag_pass, &PassStep::pass)->enabled = false;
        document.editPlan(QStringLiteral("switched off"), plan);
        QVERIFY(waitForEvaluation(document));
        const QModelIndex told = rowOf(model, ProblemKind::memory_not_carried_out);
        QVERIFY(told.isValid());
        QVERIFY2(!rowOf(model, ProblemKind::not_evaluated).isValid(), "the plan is evaluated");
        QCOMPARE(told.data().toString(), "Memory not carried out");
        QCOMPARE(told.siblingAtColumn(ProblemsModel::fix_column).data().toString(),
                 "switch tag_with_memory_policy_pass on ↵");
        QVERIFY(model.applyFix(*model.problemAt(told)));
        QCOMPARE(document.current()->plan().pipeline, whole.pipeline);
    }

    /// As in the notice after an edit, and also where there was none, such as after the plan was opened.
    void aRefusedPlanOffersWhatMendsIt() {
        Document document;
        document.setGraph(
            loadGraph(QStringLiteral(OVERLAP_TEST_DATA
                                     "/graphs/deepseek_v3_debugmodel_fsdp8_ep4_epo_graph_moe_batch.prebucket.graph.json"
                                     ".gz")));
        PipelineCommands(document).startFrom(pipeline_presets(*document.graph()).front());
        const auto stepOf = [&](std::string_view pass) {
            const std::vector<PassStep>& steps = document.current()->plan().pipeline;
            return static_cast<int>(std::ranges::find(steps, pass, &PassStep::pass) - steps.begin());
        };
        PipelineCommands(document).move(stepOf("ep_overlap_schedule_pass"), stepOf("ep_overlap_chunk_pass"));
        ProblemsModel model(document);
        QVERIFY(waitForEvaluation(document));
        QVERIFY(document.evaluation()->refused);
        const QModelIndex refused = rowOf(model, ProblemKind::refused);
        QVERIFY(refused.isValid());
        const auto fix = [&] { return refused.siblingAtColumn(ProblemsModel::fix_column).data().toString(); };
        QCOMPARE(fix(), QString());
        QVERIFY(!model.applyFix(*model.problemAt(refused)));
        model.evaluateMoves(true);
        QVERIFY(model.evaluating());
        QTRY_VERIFY_WITH_TIMEOUT(!model.evaluating(), 30'000);
        QCOMPARE(fix(), "move ep_overlap_schedule_pass behind ep_overlap_chunk_pass ↵");
        // It is a change of what the plan did then.
        int told_again = 0;
        connect(&model, &ProblemsModel::dataChanged, this,
                [&](const QModelIndex& index) { told_again += index.column() == ProblemsModel::fix_column; });
        Plan other = document.current()->plan();
        other.pipeline.back().enabled = !other.pipeline.back().enabled;
        document.editPlan("Switch", other);
        QCOMPARE(fix(), QString());
        QCOMPARE(told_again, 1);
        document.current()->undoStack().undo();
        QVERIFY(!fix().isEmpty());
        QCOMPARE(told_again, 2);
        disconnect(&model, &ProblemsModel::dataChanged, this, nullptr);
        // A note, a name or a colour is none: it stays, also when the plan is mended.
        Plan noted = document.current()->plan();
        noted.notes = "a note";
        noted.name = "Mine";
        document.editPlan("Note", noted);
        QVERIFY(!fix().isEmpty());
        QVERIFY(model.applyFix(*model.problemAt(refused)));
        QCOMPARE(document.current()->plan().notes, "a note");
        QCOMPARE(document.current()->title(), "Mine");
        QCOMPARE(document.current()->undoStack().undoText(),
                 "Plan refused: move ep_overlap_schedule_pass behind ep_overlap_chunk_pass");
        QVERIFY(waitForEvaluation(document));
        QVERIFY(!document.evaluation()->refused);
        model.evaluateMoves(false);
    }

    void whatIsExposedAsksForAdvice() {
        const auto document = openDocument();
        QVERIFY(waitForEvaluation(*document));
        ProblemsModel model(*document);
        const QModelIndex exposed = rowOf(model, ProblemKind::exposed);
        QVERIFY(exposed.isValid());
        QCOMPARE(exposed.siblingAtColumn(ProblemsModel::fix_column).data().toString(), QStringLiteral("what helps ↵"));
        QSignalSpy wanted(&model, &ProblemsModel::adviceWanted);
        QVERIFY(model.applyFix(*model.problemAt(exposed)));
        QCOMPARE(wanted.count(), 1);
        QCOMPARE(document->selection().node().toStdString(), model.problems()[*model.problemAt(exposed)].nodes.front());
    }

    /// The three longest are problems; how many there are is said, and where they are.
    void whatElseIsExposedIsCounted() {
        const auto document = openDocument();
        QVERIFY(waitForEvaluation(*document));
        ProblemsModel model(*document);
        std::vector<double> exposed_ms;
        for (const CollectiveTiming& timing : document->evaluation()->simulation.collectives)
            if (timing.exposed_ms > 0) exposed_ms.push_back(timing.exposed_ms);
        std::ranges::sort(exposed_ms.rbegin(), exposed_ms.rend());  // the longest first
        QVERIFY(exposed_ms.size() > 4);
        const auto first = static_cast<std::size_t>(
            std::ranges::find(model.problems(), ProblemKind::exposed, &Problem::kind) - model.problems().begin());
        const Problem& more = model.problems().at(first + 3);
        QCOMPARE(more.kind, ProblemKind::exposed);
        QCOMPARE(QString::fromStdString(more.title), QStringLiteral("%1 more exposed").arg(exposed_ms.size() - 3));
        const QString rest = formatTime(std::accumulate(exposed_ms.begin() + 3, exposed_ms.end(), 0.0));
        QVERIFY2(QString::fromStdString(more.message).contains(rest), more.message.c_str());
        QSignalSpy wanted(&model, &ProblemsModel::exposedWanted);
        QVERIFY(model.applyFix(first + 3));
        model.goTo(first + 3);
        QCOMPARE(wanted.count(), 2);
    }

    /// A move is named with what it does to the step, or not at all.
    void whatIsExposedTellsMovesAsTheyAreEvaluated() {
        const auto document = openDocument();
        BucketCommands(*document).addText("layers.0");
        QVERIFY(waitForEvaluation(*document));
        ProblemsPanel panel(*document);
        ProblemsModel& model = *panel.problems();
        const auto messages = [&] {
            QStringList shown;
            for (const Problem& problem : model.problems()) {
                if (problem.kind != ProblemKind::exposed || problem.nodes.empty()) continue;
                const auto place = static_cast<std::size_t>(&problem - model.problems().data());
                for (int row = 0; row < model.rowCount(); ++row)
                    if (model.problemAt(model.index(row, 0)) == place)
                        shown.append(model.index(row, ProblemsModel::message_column).data().toString());
            }
            return shown;
        };
        QVERIFY(!messages().isEmpty());
        for (const QString& message : messages()) {
            QVERIFY2(!message.contains("compute to hide behind"), qPrintable(message));
            QVERIFY2(!message.contains("Evaluated"), qPrintable(message));
        }
        panel.show();
        QVERIFY(model.evaluating());
        QTRY_VERIFY(!model.evaluating());
        const auto evaluation = document->evaluation();
        QString shown = messages().join(u'\n');
        shown.replace(thinSpace, u' ');
        int told = 0;
        for (const Problem& problem : model.problems()) {
            if (problem.kind != ProblemKind::exposed || problem.nodes.empty()) continue;
            const NodeId start = evaluation->graph->find(problem.nodes.front());
            const auto collective = static_cast<std::size_t>(evaluation->simulation.collective_of_node[start]);
            for (const std::string& sentence : evaluated_moves(evaluation, collective, RefusedMoves::told)) {
                QVERIFY2(shown.contains(QString::fromStdString(sentence)), qPrintable(shown));
                ++told;
            }
        }
        QVERIFY(told > 0);
        panel.hide();
        QVERIFY(document->current()->undoStack().canUndo());
        document->current()->undoStack().undo();
        QVERIFY(waitForEvaluation(*document));
        QVERIFY(!model.evaluating());  // nobody looks
    }

    void overlappingEntriesAreMended() {
        const auto document = openDocument();
        ProblemsModel model(*document);
        document->editBuckets("overlap", {{{"layers.0"}, false, {}}, {{"layers.1", "layers.0.attention"}, false, {}}});
        QVERIFY(waitForEvaluation(*document));
        QVERIFY(document->evaluation()->refused);
        QCOMPARE(model.problems().front().severity, Severity::error);  // the worst first
        const QModelIndex row = rowOf(model, ProblemKind::overlapping_entries);
        QVERIFY(row.isValid());
        QVERIFY(model.applyFix(*model.problemAt(row)));
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
