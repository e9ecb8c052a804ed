#include "ui/document/document.h"

#include <QSignalSpy>
#include <atomic>
#include <thread>

#include "core/pipeline/step_with_links_shared.h"
#include "core/plan/found_note.h"
#include "tests/ui/ui_test_support.h"
#include "ui/document/found_note.h"
#include "ui/document/module_mime.h"
#include "ui/edits/bucket_commands.h"
#include "ui/edits/pipeline_commands.h"

namespace overlap::ui {

using namespace std::chrono_literals;

class DocumentTest : public QObject {
    Q_OBJECT

  private slots:
    void opensWithBaselineAndEmptyPlan() {
        const auto document = openDocument();
        QCOMPARE(document->variantCount(), 2);
        QVERIFY(document->variant(0).readOnly());
        QCOMPARE(document->variant(1).title(), "Plan A");
        QCOMPARE(document->currentIndex(), 1);
        QVERIFY(waitForEvaluation(*document));
        QVERIFY(document->evaluation()->simulation.step_ms > 0);
    }

    void theNoteOfAFoundPlanIsMarkedByAnEdit() {
        const auto document = openDocument();
        const auto note = [&] { return QString::fromStdString(document->current()->plan().notes); };
        Plan plan = document->current()->plan();
        plan.notes = "My own words. " + foundNote(20, QStringLiteral("(fastest): step 5 ms")).toStdString();
        document->editPlan(QStringLiteral("note"), plan);
        plan.name = "Other name";
        document->editPlan(QStringLiteral("rename"), plan);
        const QString fresh = note();
        QCOMPARE(fresh, QStringLiteral("My own words. Found by a search of 20 plans (fastest): step 5 ms."));

        document->addCopyOfCurrent();
        QCOMPARE(note(), fresh);
        BucketCommands(*document).putIntoNew({QStringLiteral("layers.0")});
        const QString marked =
            QStringLiteral("My own words. Before it was edited, found by a search of 20 plans (fastest): step 5 ms.");
        QCOMPARE(note(), marked);
        BucketCommands(*document).putIntoNew({QStringLiteral("layers.1")});
        QCOMPARE(note(), marked);
        document->current()->undoStack().undo();
        document->current()->undoStack().undo();
        QCOMPARE(note(), fresh);  // the plan is the found one again
    }

    /// Written before its figures were known, it has them when they are; with figures it keeps those of its file.
    void theNameOfAFoundPlanThatWasSavedAtOnceHasItsFigures() {
        const auto document = openDocument();
        QVERIFY(waitForEvaluation(*document));
        Plan plan = document->current()->plan();
        const std::int64_t peak = document->evaluation()->corrected_memory.peak_bytes;
        plan.name = "Found 5 ms at 2 GiB";
        document->addNew(plan);
        BucketCommands(*document).putIntoNew({QStringLiteral("layers.0")});
        document->current()->setSaved(QStringLiteral("edited.plan.json"), {});
        QCOMPARE(document->current()->title(), QStringLiteral("Edited plan"));
        QVERIFY(waitForEvaluation(*document));
        const Evaluation& now = *document->evaluation();
        QCOMPARE(document->current()->title(), QString::fromStdString(edited_plan_name(
                                                   step_with_links_shared(now), now.corrected_memory.peak_bytes)));
        QVERIFY2(!document->current()->modified(), "that is no edit");
        plan.name = edited_plan_name(1, peak);  // the step is that of other times
        document->addNew(plan);
        document->current()->setSaved(QStringLiteral("written.plan.json"), {});
        QVERIFY(waitForEvaluation(*document));
        QCOMPARE(document->current()->title(), QString::fromStdString(plan.name));
    }

    void severalModulesAreOneSelection() {
        Selection selection;
        const QSignalSpy changed(&selection, &Selection::changed);
        selection.selectModules({"layers.1", "layers.0", "layers.1"});
        QCOMPARE(selection.kind(), Selection::Kind::modules);
        QCOMPARE(selection.modules(), (QStringList{"layers.1", "layers.0"}));
        QCOMPARE(selection.module(), QString());
        selection.selectModules({"layers.1", "layers.0"});
        QCOMPARE(changed.count(), 1);
        // What is inside another counts with it.
        selection.selectModules({"layers.1.attention", "layers.1", "layers.10"});
        QCOMPARE(selection.modules(), (QStringList{"layers.1", "layers.10"}));
        selection.selectModules({"layers.1", "layers.1.attention.wq"});
        QCOMPARE(selection.kind(), Selection::Kind::module);
        QCOMPARE(selection.module(), QStringLiteral("layers.1"));
        selection.selectModules({"layers.1", QString()});
        QCOMPARE(selection.kind(), Selection::Kind::module);
        QCOMPARE(selection.module(), QString());
        selection.selectModules({});
        QCOMPARE(selection.kind(), Selection::Kind::nothing);
        QVERIFY(selection.modules().isEmpty());
        selection.selectModules({"a", "b"});
        selection.selectNode("mm");
        QVERIFY(selection.modules().isEmpty());
    }

    void everyEditIsUndoneAndRedone_data() {
        QTest::addColumn<int>("which");
        const char* names[] = {"put",
                               "put into new",
                               "take out",
                               "remove",
                               "merge",
                               "split",
                               "rename",
                               "move",
                               "move module",
                               "type",
                               "start from blocks",
                               "start from empty",
                               "option",
                               "rename plan"};
        for (int i = 0; i < 14; ++i) QTest::newRow(names[i]) << i;
    }
    void everyEditIsUndoneAndRedone() {
        QFETCH(int, which);
        const auto document = openDocument();
        BucketCommands commands(*document);
        commands.addText("layers.[0-2]\nlayers.3+layers.4");
        const Plan before = document->current()->plan();
        const int count = document->current()->undoStack().count();
        QString reason;
        switch (which) {
            case 0:
                reason = commands.put({"layers.1"}, 0);
                break;
            case 1:
                reason = commands.putIntoNew({"layers.5"});
                break;
            case 2:
                commands.takeOut({"layers.1"});
                break;
            case 3:
                commands.remove({0, 2});
                break;
            case 4:
                commands.merge({0, 1});
                break;
            case 5:
                commands.split(3);
                break;
            case 6:
                commands.rename(0, "first");
                break;
            case 7:
                commands.move(0, 2);
                break;
            case 8:
                commands.moveModule(3, 0, 1);
                break;
            case 9:
                reason = commands.addText("norm + lm_head");
                break;
            case 10:
                commands.startFrom(BucketCommands::Template::blocks, 2);
                break;
            case 11:
                commands.startFrom(BucketCommands::Template::empty);
                break;
            case 12:
                reason = PipelineCommands(*document).setOption(0, "insert_overlap_deps", true);
                break;
            case 13:
                document->renameCurrent("another");
                break;
        }
        QCOMPARE(reason, QString());
        Variant& variant = *document->current();
        QCOMPARE(variant.undoStack().count(), count + 1);
        QVERIFY(!variant.undoStack().undoText().isEmpty());
        const Plan after = variant.plan();
        QVERIFY(!(after == before));
        variant.undoStack().undo();
        QVERIFY(variant.plan() == before);
        variant.undoStack().redo();
        QVERIFY(variant.plan() == after);
    }

    void movesInARowAreOneEdit() {
        const auto document = openDocument();
        BucketCommands commands(*document);
        commands.addText("layers.[0-3]");
        const Plan before = document->current()->plan();
        commands.move(0, 1);
        commands.move(1, 2);
        commands.move(2, 3);
        QCOMPARE(document->current()->undoStack().count(), 2);
        document->current()->undoStack().undo();
        QVERIFY(document->current()->plan() == before);
    }

    void theBaselineCannotBeEdited() {
        const auto document = openDocument();
        document->setCurrentIndex(0);
        QVERIFY(!document->editable());
        QVERIFY(!BucketCommands(*document).put({"layers.0"}, 0).isEmpty());
        QVERIFY(!BucketCommands(*document).addText("layers.0").isEmpty());
        document->editBuckets("x", {{{"layers.0"}, false, {}}});
        QVERIFY(document->buckets().empty());
    }

    void figuresFollowTheCurrentVariant() {
        const auto document = openDocument();
        BucketCommands(*document).startFrom(BucketCommands::Template::block);
        QVERIFY(waitForEvaluation(*document));
        const auto bucketed = document->evaluation();
        QVERIFY(!bucketed->refused);
        QVERIFY(bucketed->simulation.collectives.size() < document->baseline().simulation.collectives.size());
        QSignalSpy changed(document.get(), &Document::evaluationChanged);
        document->setCurrentIndex(0);
        QCOMPARE(changed.count(), 1);
        QCOMPARE(document->evaluation().get(), &document->baseline());
        document->setCurrentIndex(1);
        QCOMPARE(document->evaluation(), bucketed);
    }

    void aNewerEditCancelsTheOlderEvaluation() {
        std::atomic<int> begun = 0, stopped = 0;
        const auto document = openDocument(
            [&](const auto& graph, const Plan& plan, std::stop_token stop, const auto& time_source, const auto& cache) {
                ++begun;
                // An evaluation that would take for ever, were it not stopped; that of the last plan is quick.
                while (plan.buckets.size() < 3) {
                    if (stop.stop_requested()) {
                        ++stopped;
                        return std::shared_ptr<const Evaluation>();
                    }
                    std::this_thread::sleep_for(1ms);
                }
                return evaluate(graph, plan, stop, time_source, cache);
            });
        QSignalSpy ready(document.get(), &Document::evaluationChanged);
        QTRY_VERIFY(begun > 0);
        QElapsedTimer timer;
        timer.start();
        BucketCommands(*document).addText("layers.0");
        BucketCommands(*document).addText("layers.1");
        BucketCommands(*document).addText("layers.2");
        QVERIFY(timer.elapsed() < 2000);  // nothing of this waits for the worker
        QVERIFY(waitForEvaluation(*document));
        QCOMPARE(ready.count(), 1);
        QVERIFY(stopped >= 1);
        QCOMPARE(document->evaluation()->input, document->graph());
    }

    void destructionDoesNotWaitForALongEvaluation() {
        std::atomic<bool> begun = false;
        auto document = openDocument([&](const auto&, const Plan&, std::stop_token stop, const auto&, const auto&) {
            begun = true;
            while (!stop.stop_requested()) std::this_thread::sleep_for(1ms);
            return std::shared_ptr<const Evaluation>();
        });
        QTRY_VERIFY(begun);
        document.reset();
    }

    void anEvaluationThatFailsIsTold() {
        const auto document =
            openDocument([](const auto&, const Plan&, std::stop_token, const auto&,
                            const auto&) -> std::shared_ptr<const Evaluation> { throw std::bad_alloc(); });
        QSignalSpy failed(document.get(), &Document::failed);
        QTRY_COMPARE(failed.count(), 1);
        QVERIFY(!document->evaluating());
        const QString reason = failed.front()[0].toString();
        QVERIFY2(reason.startsWith("There is not enough memory"), qPrintable(reason));
    }
    void closedVariantsGoAndOthersStay() {
        const auto document = openDocument();
        document->addCopyOfCurrent();
        document->addCopyOfCurrent();
        QCOMPARE(document->variant(3).title(), "Plan C");
        document->closeVariant(2);
        QCOMPARE(document->variantCount(), 3);
        QCOMPARE(document->current()->title(), "Plan C");
        document->closeVariant(2);
        document->closeVariant(1);
        QCOMPARE(document->currentIndex(), 0);
        document->closeVariant(0);
        QCOMPARE(document->variantCount(), 1);
        QCOMPARE(document->addCopyOfCurrent().title(), "Plan A");
    }

    void nodesAreFoundInEitherGraph() {
        const auto document = openDocument();
        BucketCommands(*document).startFrom(BucketCommands::Template::block);
        QVERIFY(waitForEvaluation(*document));
        const auto evaluation = document->evaluation();
        QVERIFY(!evaluation->reports.empty() && !evaluation->reports[0].buckets.empty());
        const BucketReport& bucket = evaluation->reports[0].buckets[0];
        const auto merged = document->findNode(QString::fromStdString(bucket.start));
        QVERIFY(merged.evaluated);
        QCOMPARE(document->bucketOfNode(merged), static_cast<int>(*bucket.plan_entry));
        QCOMPARE(document->findNode("no such node").node, no_node);
    }

    /// As passes and cards see it, also before there is an evaluation of the newest plan.
    void aNodeWhoseStackEndsOutsideItsBlockIsInTheBlocksBucket() {
        QTemporaryDir folder;
        const QString path = folder.filePath("parametrized.graph.json");
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(R"({"format": "overlap-graph", "version": 1, "nodes": [
            {"name": "a", "op": "placeholder", "target": "a", "args": [], "kwargs": {},
             "module_stack": [["layers.0", "Block"], ["parametrizations.weight.0", "Shard"]]},
            {"name": "b", "op": "placeholder", "target": "b", "args": [], "kwargs": {},
             "module_stack": [["layers.1", "Block"]]}]})");
        file.close();
        Document document;
        document.setGraph(loadGraph(path));
        BucketCommands(document).addText("layers.0");
        QCOMPARE(document.bucketOfNode(document.findNode("a")), 0);
        QCOMPARE(document.bucketOfNode(document.findNode("b")), -1);
        QVERIFY(waitForEvaluation(document));
        QVERIFY(document.findNode("a").evaluated);
        QCOMPARE(document.bucketOfNode(document.findNode("a")), 0);
        QCOMPARE(document.bucketOfNode(document.findNode("b")), -1);
    }

    void mimeDataKeepsModules() {
        const std::unique_ptr<QMimeData> data(moduleMimeData({"layers.0", "norm"}));
        QCOMPARE(modulesOf(data.get()), QStringList({"layers.0", "norm"}));
        QCOMPARE(data->text(), "layers.0\nnorm");
        QMimeData other;
        other.setText("layers.0");
        QVERIFY(modulesOf(&other).isEmpty());
    }
};

}  // namespace overlap::ui

QTEST_GUILESS_MAIN(overlap::ui::DocumentTest)
#include "document_test.moc"
