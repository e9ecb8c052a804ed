#include <QRegularExpression>
#include <QTextCursor>
#include <QTextDocument>

#include "core/advice/advice.h"
#include "core/advice/named_moves.h"
#include "core/bound/step_parts.h"
#include "core/views/exposed_time.h"
#include "core/views/module_sums.h"
#include "tests/ui/docked_behind.h"
#include "tests/ui/memory/document_before_memory.h"
#include "tests/ui/ui_test_support.h"
#include "ui/edits/bucket_commands.h"
#include "ui/edits/memory_commands.h"
#include "ui/edits/pipeline_commands.h"
#include "ui/inspector/describe_step.h"
#include "ui/inspector/inspector_panel.h"
#include "ui/memory/memory_effects.h"
#include "ui/theme/numbers.h"
#include "ui/theme/theme.h"

namespace overlap::ui {

class InspectorTest : public QObject {
    Q_OBJECT

    static QString line(const InspectorContent& content, const QString& label) {
        for (const InspectorRow& row : content.rows)
            if (row.label == label) return row.pieces.front().text;
        return {};
    }

  private slots:
    void theInspectorTellsOfNodes() {
        const auto document = openDocument();
        BucketCommands(*document).startFrom(BucketCommands::Template::block);
        QVERIFY(waitForEvaluation(*document));
        const BucketReport bucket = document->evaluation()->reports[0].buckets[1];
        document->selection().selectNode(QString::fromStdString(bucket.start));
        const InspectorContent content = inspect(*document);
        QCOMPARE(content.title, QString::fromStdString(bucket.start));
        const Evaluation& evaluation = *document->evaluation();
        QCOMPARE(content.collective, evaluation.simulation.collective_of_node[evaluation.graph->find(bucket.start)]);
        QVERIFY(content.collective >= 0);
        QCOMPARE(line(content, "group"), QString::fromStdString(bucket.process_group));
        QVERIFY(plainText(content).contains("8 ranks"));
        QVERIFY(!line(content, "bytes · time").isEmpty());
        QCOMPARE(line(content, "bucket"), BucketCommands(*document).title(static_cast<int>(*bucket.plan_entry)));
        QCOMPARE(line(content, QStringLiteral("merged of %1").arg(bucket.members.size())),
                 QString::fromStdString(bucket.members[0]));
        QVERIFY(!line(content, "inputs").isEmpty() && !line(content, "users").isEmpty());
        followInspectorLink(*document, QStringLiteral("node:%1").arg(QString::fromStdString(bucket.members[0])));
        QCOMPARE(document->selection().node(), QString::fromStdString(bucket.members[0]));
        const InspectorContent replaced = inspect(*document);
        QVERIFY(replaced.rows.front().pieces.front().text.contains("as it was read"));
        QVERIFY(plainText(replaced).contains("Figures of the baseline:\nop\t"));
    }

    void theInspectorTellsWhatAModuleComputesAgain() {
        const auto opened = documentBefore();
        Document& document = *opened;
        document.selection().selectModule("layers.0");
        MemoryCommands(document).setPolicy(QStringLiteral("save_all"));
        QVERIFY(waitForEvaluation(document));
        QVERIFY(!plainText(inspect(document)).contains("computed again"));
        MemoryCommands(document).setPolicy(QStringLiteral("full"));
        QVERIFY(waitForEvaluation(document));
        const Evaluation& evaluation = *document.evaluation();
        double again_ms = 0;
        for (const NodeId node : document.modules().nodes("layers.0")) {
            if (document.graph()->target_info(node).starts != CollectiveKind::none) continue;
            const std::string name = std::string(document.graph()->name(node)).append("_recomputed");
            const NodeId again = evaluation.graph->find(name);
            if (again != no_node) again_ms += evaluation.times_ms[again];
        }
        QVERIFY(again_ms > 0);
        QCOMPARE(line(inspect(document), "computed again by the plan"), formatTime(again_ms));
    }

    void labelsAreOneLineWhateverTheirLength() {
        InspectorContent content;
        content.title = "event";
        content.rows.resize(1);
        content.rows.front().label = "Behind compute of all";
        static const QRegularExpression width("<td width='(\\d+)'");
        const int columns = width.match(inspectorHtml(content)).captured(1).toInt();
        QVERIFY(columns > QFontMetrics(textFont()).horizontalAdvance(content.rows.front().label));
    }

    void theInspectorTellsOfModulesAndBuckets() {
        const auto document = openDocument();
        BucketCommands(*document).addText("layers.0");
        QVERIFY(waitForEvaluation(*document));
        document->selection().selectModule("layers.0");
        QVERIFY(!line(inspect(*document), "gathers").isEmpty());
        QCOMPARE(line(inspect(*document), "bucket"), "layers.0");
        document->selection().selectBucket(0);
        QCOMPARE(line(inspect(*document), "modules"), "layers.0");
        QVERIFY(!line(inspect(*document), "all gather").isEmpty());
        PipelineCommands(*document).setEnabled(0, false);
        QVERIFY(plainText(inspect(*document)).contains("Not applied: manual_overlap_bucketing is switched off"));
        document->selection().selectModule("layers.0");
        QVERIFY(plainText(inspect(*document)).contains("bucket\tlayers.0, not applied"));
        document->undoGroup().undo();
        QCOMPARE(line(inspect(*document), "bucket"), "layers.0");
        document->selection().selectBucket(0);
        document->selection().clear();
        QVERIFY(inspect(*document).title.isEmpty());
        InspectorPanel panel(*document);
        QVERIFY(panel.toPlainText().contains("Select a module"));
        document->selection().selectModule("layers.0");
        QTRY_VERIFY(panel.toPlainText().contains("layers.0"));
    }

    /// A click on a range selects all of it; its tip has all names.
    void manyModulesOfABucketAreNamedInShort() {
        const auto document = openDocument();
        BucketCommands(*document).putIntoNew({"layers.1", "layers.2", "layers.3", "layers.4", "norm"});
        QCOMPARE(document->undoGroup().undoText(), QStringLiteral("Put layers.[1-4] and norm into a new bucket"));
        document->selection().selectBucket(0);
        const InspectorContent content = inspect(*document);
        QCOMPARE(content.title, QStringLiteral("layers.[1-4] + norm"));
        const auto row = std::ranges::find(content.rows, QStringLiteral("modules"), &InspectorRow::label);
        QVERIFY(row != content.rows.end());
        QCOMPARE(row->pieces.size(), 2u);
        const QStringList layers{"layers.1", "layers.2", "layers.3", "layers.4"};
        QCOMPARE(row->pieces[0].text, QStringLiteral("layers.[1-4]"));
        QCOMPARE(row->pieces[0].tip, QStringList(layers.join(QStringLiteral(", "))));
        QCOMPARE(row->pieces[1].link, QStringLiteral("module:norm"));
        QTextDocument shown;
        shown.setHtml(inspectorHtml(content));
        const QTextCursor found = shown.find(QStringLiteral("layers.[1-4]"), shown.find(content.title));
        QVERIFY(!found.isNull());
        QVERIFY2(found.charFormat().toolTip().contains("layers.3"), qPrintable(found.charFormat().toolTip()));
        followInspectorLink(*document, row->pieces[0].link);
        QCOMPARE(document->selection().modules(), layers);
    }

    void theInspectorSumsSeveralModules() {
        const auto document = openDocument();
        QVERIFY(waitForEvaluation(*document));
        const auto figures = [&](const char* path) {
            return document->moduleFigures().modules[document->modules().find(path)];
        };
        document->selection().selectModules({"layers.2", "norm", "layers.1"});
        const InspectorContent content = inspect(*document);
        QCOMPARE(content.kind, "modules");
        QCOMPARE(content.title, "3 modules");
        QVERIFY2(plainText(content).contains("modules\tlayers.1, layers.2, norm"), qPrintable(plainText(content)));
        const ModuleFigures first = figures("layers.1"), second = figures("layers.2"), norm = figures("norm");
        QCOMPARE(line(content, "nodes"), formatCount(first.nodes + second.nodes + norm.nodes));
        QCOMPARE(line(content, "forward as traced"),
                 formatTime(first.forward_ms + second.forward_ms + norm.forward_ms));
        QCOMPARE(line(content, "gathers"),
                 formatBytes(static_cast<double>(first.gather_bytes + second.gather_bytes + norm.gather_bytes)));
        QVERIFY(line(content, "parameters")
                    .contains(formatBytes(
                        static_cast<double>(first.parameter_bytes + second.parameter_bytes + norm.parameter_bytes))));
        const std::vector<double> exposed = exposed_ms_of_input(*document->evaluation());
        double exposed_ms = 0;
        for (const char* path : {"layers.1", "layers.2", "norm"})
            exposed_ms += sum_of_module(document->modules(), document->modules().find(path), exposed);
        QVERIFY(exposed_ms > 0);
        QCOMPARE(line(content, "exposed"), formatTime(exposed_ms));
        document->selection().selectModules({"layers.1", "gone"});
        QVERIFY(plainText(inspect(*document)).contains("This graph lacks 1 of them"));
    }

    void whatIsDoneWithSeveralModulesIsOneEdit() {
        const auto document = openDocument();
        const auto buckets = [&] {
            QStringList names;
            for (const BucketEntry& entry : document->buckets())
                names.append(QString::fromStdString(display_name(entry)));
            return names;
        };
        document->selection().selectModules({"norm", "layers.1", "layers.0"});
        QVERIFY(plainText(inspect(*document)).contains("put into\ta new bucket of all, a new bucket each"));
        QCOMPARE(followInspectorLink(*document, "put:together"), QString());
        QCOMPARE(document->buckets().size(), 1u);
        QCOMPARE(document->buckets()[0].modules.size(), 3u);
        QCOMPARE(followInspectorLink(*document, "put:apart"), QString());
        QCOMPARE(buckets(), (QStringList{"layers.0", "layers.1", "norm"}));
        QCOMPARE(line(inspect(*document), "take"), "out of their buckets");
        QVERIFY(plainText(inspect(*document)).contains("buckets\tlayers.0, layers.1, norm"));
        followInspectorLink(*document, "put:out");
        QVERIFY(document->buckets().empty());
        QCOMPARE(document->current()->undoStack().count(), 3);
        document->current()->undoStack().undo();
        QCOMPARE(buckets().size(), 3);
        QVERIFY(!plainText(inspect(*document)).contains("no such"));
        document->setCurrentIndex(0);
        QCOMPARE(line(inspect(*document), "put into"), QString());  // the baseline is as it is
    }

    /// A link that would change nothing is none.
    void modulesThatHaveABucketOfTheirOwnAreOfferedNoOther() {
        const auto document = openDocument();
        const auto offered = [&] {
            QStringList links;
            for (const InspectorRow& row : inspect(*document).rows)
                if (row.label == "put into")
                    for (const InspectorPiece& piece : row.pieces) links.append(piece.text);
            return links.join(", ");
        };
        document->selection().selectModule("norm");
        QCOMPARE(offered(), "a new bucket");
        followInspectorLink(*document, "put:together");
        QCOMPARE(offered(), QString());
        QCOMPARE(line(inspect(*document), "take"), "out of its bucket");
        document->selection().selectModules({"norm", "layers.0"});
        QCOMPARE(offered(), "a new bucket of all, a new bucket each");
        followInspectorLink(*document, "put:apart");
        QCOMPARE(offered(), "a new bucket of all");
        followInspectorLink(*document, "put:together");
        QCOMPARE(offered(), "a new bucket each");
        document->selection().selectModule("norm");
        QCOMPARE(offered(), "a new bucket");
    }

    /// A module's bytes are those that are sent; what the plan takes away is told beside them.
    void theInspectorDoesNotCountWhatThePlanTakesAway() {
        Document document;
        document.setGraph(
            loadGraph(QStringLiteral(OVERLAP_TEST_DATA "/graphs/llama3_8b_fsdp64.prebucket.graph.json.gz")));
        QVERIFY(waitForEvaluation(document));
        document.selection().selectModule("layers.0");
        const QString gathers = line(inspect(document), "gathers");
        const QString traced = line(inspect(document), "collectives as traced");
        QVERIFY(line(inspect(document), "taken away by the plan").isEmpty());
        Plan plan = document.loaded().empty_plan;
        plan.pipeline = {{"deduplicate_fsdp_unshard_chains_pass", {}}};
        document.addNew(std::move(plan));
        QVERIFY(waitForEvaluation(document));
        const InspectorContent content = inspect(document);
        QVERIFY2(line(content, "gathers") != gathers, qPrintable(gathers));
        QCOMPARE(line(content, "collectives as traced"), traced);
        QVERIFY(!line(content, "taken away by the plan").isEmpty());
    }

    /// Compute that a plan may save has an address.
    void theInspectorTellsWhatTheStepIsMadeOf() {
        const auto document = openDocument();
        QVERIFY(waitForEvaluation(*document));
        const auto evaluation = document->evaluation();
        const auto work = step_work(evaluation->original);
        const StepParts parts = step_parts(*work, *evaluation);
        const double bound_ms = parts.step_ms / 1.1;
        const InspectorContent content = describeStep(*evaluation, parts, {{"order kept", bound_ms}});
        QVERIFY(isOfStep(content) && !isOfStep(inspect(*document)));
        QCOMPARE(line(content, "step"), formatTime(parts.step_ms));
        QCOMPARE(line(content, "bound, order kept"),
                 formatTime(bound_ms) + " · the step is " + formatPercent(0.1) + " above");
        QCOMPARE(line(content, "compute of every plan"), formatTime(parts.in_every_plan_ms));
        QVERIFY(!parts.beyond.empty());
        QCOMPARE(line(content, "compute that a plan may save"), formatTime(parts.beyond_ms));
        QCOMPARE(line(content, "waiting"), formatTime(parts.waiting_ms));
        for (const InspectorRow& row : content.rows) {
            if (row.label != "compute that a plan may save") continue;
            QVERIFY(followInspectorLink(*document, row.pieces.at(1).link).isEmpty());
            QCOMPARE(document->selection().node().toStdString(),
                     std::string(evaluation->graph->name(parts.beyond.front().node)));
        }
    }

    void whatWouldHelpAnExposedCollectiveIsEvaluated() {
        const auto document = openDocument();
        BucketCommands(*document).addText("layers.0");
        QVERIFY(waitForEvaluation(*document));
        const auto evaluation = document->evaluation();
        InspectorPanel panel(*document);
        int told = 0;
        for (const std::size_t worst : most_exposed(*evaluation, 8)) {
            const std::vector<std::string> sentences = evaluated_moves(evaluation, worst, RefusedMoves::left_out);
            const std::string_view name = evaluation->graph->name(evaluation->simulation.collectives[worst].start);
            document->selection().selectNode(QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size())));
            QTRY_VERIFY(!panel.busy());
            QVERIFY(!plainText(panel.content()).contains("would save"));
            for (const std::string& sentence : sentences) {
                ++told;
                QString shown = plainText(panel.content());
                QVERIFY(shown.replace(QChar(QChar::Nbsp), u' ')
                            .contains(
                                withUnbrokenUnits(QString::fromStdString(sentence)).replace(QChar(QChar::Nbsp), u' ')));
            }
        }
        QVERIFY(told > 0);
    }

    void theInspectorTellsWhatMemoryActionsWouldChange() {
        const auto opened = documentBefore();
        Document& document = *opened;
        MemoryCommands(document).setPolicy("full");
        QVERIFY(waitForEvaluation(document));
        MemoryEffects effects(document);
        InspectorPanel panel(document);
        panel.showMemoryEffects(effects);
        panel.show();
        const Graph& graph = *document.graph();
        const auto first = [&](std::string_view target) {
            NodeId node = 0;
            while (graph.target(node) != target || graph.text(graph.metadata(node).module_fqn).empty()) ++node;
            return QString::fromUtf8(graph.name(node).data(), static_cast<qsizetype>(graph.name(node).size()));
        };
        const QString product = first("aten.mm.default");
        document.selection().selectNode(product);
        QTRY_VERIFY(!panel.busy() && !effects.busy() && !effects.text(MemoryAction::offload).isEmpty());
        QTRY_COMPARE(line(panel.content(), "Recompute"), QStringLiteral("changes nothing"));
        QVERIFY(line(panel.content(), "Save").contains("iB"));
        QVERIFY(line(panel.content(), "Keep gathered").isEmpty());
        QVERIFY(plainText(panel.content()).contains("The backward pass computes it again"));
        QVERIFY(followInspectorLink(document, "memory:save").isEmpty());
        QCOMPARE(document.undoGroup().undoText().section(u':', 0, 0), QStringLiteral("Save"));
        QVERIFY(waitForEvaluation(document));
        document.selection().selectNode(first("_c10d_functional.all_gather_into_tensor.default"));
        QTRY_VERIFY(!line(panel.content(), "Keep gathered").isEmpty());
        QVERIFY(line(panel.content(), "Save").isEmpty());
    }

    void memoryActionsAreNotTriedBehindAnotherDock() {
        const auto opened = documentBefore();
        Document& document = *opened;
        QVERIFY(waitForEvaluation(document));
        MemoryEffects effects(document);
        InspectorPanel panel(document);
        panel.showMemoryEffects(effects);
        DockedBehind docked(panel);
        document.selection().selectModule("layers.1");
        QTRY_VERIFY(!panel.busy());
        QVERIFY(!effects.busy() && !effects.target());
        docked.raise();
        QTRY_VERIFY(effects.target().has_value());
    }

    void aMemoryActionIsOfAllModulesThatItsEffectIsOf() {
        const auto opened = documentBefore();
        Document& document = *opened;
        QVERIFY(waitForEvaluation(document));
        MemoryEffects effects(document);
        InspectorPanel panel(document);
        panel.showMemoryEffects(effects);
        panel.show();
        document.selection().selectModules({"layers.0", "layers.1"});
        QTRY_VERIFY(!panel.busy() && !effects.busy() && effects.isWorthAClick(MemoryAction::keep));
        QTRY_VERIFY(plainText(panel.content()).contains("memory rules of layers.0 + layers.1 would change"));
        int link = 0;  // links stand as their numbers
        bool found = false;
        for (const InspectorRow& row : panel.content().rows) {
            for (const InspectorPiece& piece : row.pieces) {
                found = found || piece.link == "memory:keep";
                link += !found && !piece.link.isEmpty();
            }
        }
        QVERIFY(found);
        emit panel.anchorClicked(QUrl(QString::number(link)));
        QCOMPARE(memory_rules_text(MemoryCommands(document).section().rules), std::string("keep layers.0 + layers.1"));
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::InspectorTest)
#include "inspector_test.moc"
