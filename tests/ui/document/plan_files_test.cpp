#include <QFile>
#include <QTemporaryDir>
#include <utility>

#include "core/base/error.h"
#include "tests/ui/ui_test_support.h"
#include "ui/document/document.h"
#include "ui/edits/bucket_commands.h"
#include "ui/files/file_digest.h"
#include "ui/files/file_kind.h"
#include "ui/session/plan_saver.h"

namespace overlap::ui {

using namespace std::chrono_literals;
namespace {

void save(Document& document, int index, const QString& file) {
    const auto outcome = PlanSaver(document, nullptr, {}, 60s).save(index, file, true);
    QVERIFY(outcome && outcome->result == PlanSaver::Result::saved);
}

}  // namespace

/// Plans that are saved, read again and opened again, with their edits to undo.
class PlanFilesTest : public QObject {
    Q_OBJECT

  private slots:
    void plansAreSavedAndReopened() {
        const auto document = openDocument();
        BucketCommands(*document).addText("layers.0+layers.1");
        QTemporaryDir folder;
        const QString path = folder.filePath("a.plan.json");
        QVERIFY(document->current()->modified());
        save(*document, 1, path);
        QVERIFY(!document->current()->modified());
        QCOMPARE(fileKind(path), FileKind::plan);
        const Plan saved = document->current()->plan();
        BucketCommands(*document).addText("layers.2");
        QVERIFY(document->current()->modified());
        Variant& opened = document->openPlan(readPlan(path));
        QCOMPARE(document->currentIndex(), 2);
        QVERIFY(opened.plan().buckets == saved.buckets);
        QVERIFY(!opened.modified());
    }

    void plansOfOneNameAreToldApart() {
        const auto document = openDocument();
        BucketCommands(*document).addText("layers.0");
        QTemporaryDir folder;
        const QString path = folder.filePath("a.plan.json");
        save(*document, 1, path);
        const QString name = document->variant(1).title();
        const QByteArray digest = fileDigest(path);
        QCOMPARE(document->openPlan(readPlan(path)).title(), name + QStringLiteral(" 2"));
        QCOMPARE(document->openPlan(readPlan(path)).title(), name + QStringLiteral(" 3"));
        QVERIFY(!document->variant(2).modified());
        document->reloadPlan(2, readPlan(path));
        QCOMPARE(document->variant(2).title(), name + QStringLiteral(" 2"));
        QCOMPARE(fileDigest(path), digest);
        // Where it takes the place of the empty plan, it has its own name.
        const auto other = openDocument();
        QCOMPARE(other->openPlan(readPlan(path)).title(), name);
    }

    void aFileIsReadAgainAsAnEdit() {
        const auto document = openDocument();
        BucketCommands(*document).addText("layers.0");
        QTemporaryDir folder;
        const QString path = folder.filePath("a.plan.json");
        save(*document, 1, path);
        QVERIFY(!document->variant(1).fileDigest().isEmpty());
        QCOMPARE(document->variant(1).fileDigest(), fileDigest(path));
        const Buckets older = document->buckets();
        document->addCopyOfCurrent();
        BucketCommands(*document).addText("layers.1");
        save(*document, 2, path);
        QVERIFY(document->variant(1).fileDigest() != fileDigest(path));
        document->reloadPlan(1, readPlan(path));
        QVERIFY(document->variant(1).plan().buckets == document->variant(2).plan().buckets);
        QVERIFY(!document->variant(1).modified());
        QCOMPARE(document->variant(1).fileDigest(), fileDigest(path));
        document->variant(1).undoStack().undo();
        QVERIFY(document->variant(1).plan().buckets == older);
        ReadPlan other = readPlan(path);
        other.plan.graph->nodes += 1;
        QVERIFY_THROWS_EXCEPTION(InputError, document->reloadPlan(1, other));
        QFile::remove(path);
        QVERIFY_THROWS_EXCEPTION(InputError, readPlan(path));
        QVERIFY(document->variant(1).plan().buckets == older);
        QCOMPARE(fileDigest(path), QByteArray());
    }

    void whatAFileLacksIsToldUntilItIsWritten() {
        const auto document = openDocument();
        QTemporaryDir folder;
        const QString path = folder.filePath("a.plan.json");
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(R"({"format": "overlap-plan", "version": 1, "pipeline": [], "memory": {}})");
        file.close();
        Variant& variant = document->openPlan(readPlan(path));
        const int index = document->currentIndex();
        const auto lacks = [](const Variant& of) { return of.plan().added_by_reading.memory_passes.size(); };
        QCOMPARE(lacks(variant), std::size_t{3});
        QCOMPARE(lacks(document->addCopyOfCurrent()), std::size_t{0});
        document->setCurrentIndex(index);
        Plan renamed = variant.plan();
        renamed.name = "renamed";
        variant.edit("rename", renamed);
        QCOMPARE(lacks(variant), std::size_t{3});
        document->reloadPlan(index, readPlan(path));
        QCOMPARE(lacks(variant), std::size_t{3});
        save(*document, index, path);
        QCOMPARE(lacks(variant), std::size_t{0});
        while (variant.undoStack().canUndo()) variant.undoStack().undo();
        QVERIFY2(lacks(variant) == 0, "the file has them, whatever is undone");
    }

    void aPlanForAnotherGraphIsRefused() {
        const auto document = openDocument();
        QTemporaryDir folder;
        const QString path = folder.filePath("a.plan.json");
        save(*document, 1, path);
        Document other;
        other.setGraph(
            loadGraph(QStringLiteral(OVERLAP_TEST_DATA "/graphs/llama3_debugmodel_fsdp4_tp2.prebucket.graph.json.gz")));
        QVERIFY_THROWS_EXCEPTION(InputError, other.openPlan(readPlan(path)));
        QCOMPARE(other.variantCount(), 2);
    }

    void aPlanThatIsOpenedAgainCanStillUndoItsEdits() {
        const auto document = openDocument();
        document->editBuckets("first", {{{"layers.0"}, false, {}}});
        document->editBuckets("second", {{{"layers.0"}, false, {}}, {{"layers.1"}, false, {}}});
        document->undoGroup().undo();
        const Plan closed = document->closeVariant(1);
        Variant& again = document->addVariant(closed);
        QCOMPARE(again.plan(), closed);
        QCOMPARE(document->undoGroup().undoText(), "first");
        QCOMPARE(document->undoGroup().redoText(), "second");
        document->undoGroup().redo();
        QCOMPARE(document->buckets().size(), std::size_t{2});
        document->undoGroup().undo();
        document->undoGroup().undo();
        QVERIFY(document->buckets().empty());
        // A plan of another content has a history of its own.
        document->closeVariant(document->currentIndex());
        Plan other = closed;
        other.name = "another";
        document->addVariant(other);
        QVERIFY(!document->undoGroup().canUndo());
    }

    void aPlanIsPutInAnotherPlace() {
        const auto document = openDocument();
        for (const char* name : {"B", "C"}) {
            document->addCopyOfCurrent();
            document->renameCurrent(name);
        }
        document->setCurrentIndex(2);
        const auto titles = [&] {
            QStringList all;
            for (int i = 0; i < document->variantCount(); ++i) all.append(document->variant(i).title());
            return all;
        };
        document->moveVariant(3, 1);
        QCOMPARE(titles(), (QStringList{"Baseline", "C", "Plan A", "B"}));
        QCOMPARE(document->current()->title(), "B");
        document->moveVariant(1, 3);
        QCOMPARE(titles(), (QStringList{"Baseline", "Plan A", "B", "C"}));
        QCOMPARE(document->current()->title(), "B");
        for (const auto& [from, to] : std::vector<std::pair<int, int>>{{0, 1}, {1, 0}, {1, 4}, {4, 1}})
            document->moveVariant(from, to);
        QCOMPARE(titles(), (QStringList{"Baseline", "Plan A", "B", "C"}));
    }

    /// Two windows of one graph each had a `Plan A`. The edits of both can be undone.
    void plansThatComeBackHaveNamesOfTheirOwn() {
        const auto document = openDocument();
        const LoadedGraph graph = document->loaded();
        std::vector<RestoredVariant> kept;
        for (const char* module : {"layers.0", "layers.1", "layers.2"}) {
            document->setGraph(graph);
            document->editBuckets(QString::fromLatin1(module), {{{module}, false, {}}});
            kept.push_back({document->current()->plan(), {}, true, {}, document->current()->history()});
        }
        kept[2].history = nullptr;  // that of this run is known all the same
        document->setVariantSource([&](const LoadedGraph&) { return RestoredVariants{kept, 1}; });
        document->setGraph(graph);
        const auto titles = [&] {
            QStringList all;
            for (int i = 0; i < document->variantCount(); ++i) all.append(document->variant(i).title());
            return all;
        };
        QCOMPARE(titles(), (QStringList{"Baseline", "Plan A", "Plan A 2", "Plan A 3"}));
        for (int i = 1; i <= 3; ++i) {
            QVERIFY(document->variant(i).modified());
            QCOMPARE(document->variant(i).undoStack().count(), 1);
            QVERIFY(fits(*document->variant(i).history(), document->variant(i).plan()));
        }
        // Its name was given to another one while it was closed.
        const RestoredVariant closed{document->closeVariant(1), {}, true, {}, kept[0].history};
        document->addUnderFreeName(graph.empty_plan);
        QCOMPARE(document->current()->title(), "Plan A");
        document->addRestored(closed);
        QCOMPARE(document->current()->title(), "Plan A 4");
    }

    /// Edits of more than buckets have all that is beside them, and the plan's name with it.
    void aPlanThatGotANumberKeepsItThroughUndoAndRedo() {
        for (const bool is_of_session : {false, true}) {
            const auto document = openDocument();
            Plan plan = document->current()->plan();
            const std::vector<PassStep> pipeline = std::exchange(plan.pipeline, {});
            QVERIFY(!pipeline.empty());
            document->editPlan("No passes", plan);
            plan.pipeline = pipeline;
            document->editPlan("Passes again", plan);
            document->undoGroup().undo();
            const auto history = document->current()->history();
            const RestoredVariant closed{document->closeVariant(1), {}, true, {}, is_of_session ? history : nullptr};
            document->addUnderFreeName(document->loaded().empty_plan);
            QCOMPARE(document->current()->title(), "Plan A");
            const Variant& back = document->addRestored(closed);
            QCOMPARE(back.title(), "Plan A 2");
            QVERIFY(fits(*back.history(), back.plan()));
            document->undoGroup().redo();
            QVERIFY(back.plan().pipeline == pipeline);
            QCOMPARE(back.title(), "Plan A 2");
            document->undoGroup().undo();
            QVERIFY(back.plan().pipeline.empty());
            QCOMPARE(back.title(), "Plan A 2");
            document->undoGroup().undo();
            QVERIFY(back.plan().pipeline == pipeline);
            QCOMPARE(back.title(), "Plan A 2");
        }
    }

    void aGraphThatIsOpenedAgainHasItsEditsToUndo() {
        const auto document = openDocument();
        const LoadedGraph first = document->loaded();
        document->editBuckets("first", {{{"layers.0"}, false, {}}});
        const Plan edited = document->current()->plan();
        document->setGraph(
            loadGraph(QStringLiteral(OVERLAP_TEST_DATA "/graphs/llama3_debugmodel_fsdp8_aot_fw.graph.json.gz")));
        QVERIFY(!document->undoGroup().canUndo());
        document->setVariantSource([&](const LoadedGraph&) { return RestoredVariants{{{edited, {}, true, {}}}, 1}; });
        document->setGraph(first);
        QVERIFY(document->current()->modified());
        QCOMPARE(document->undoGroup().undoText(), "first");
        document->undoGroup().undo();
        QVERIFY(document->buckets().empty());
    }
};

}  // namespace overlap::ui

QTEST_GUILESS_MAIN(overlap::ui::PlanFilesTest)
#include "plan_files_test.moc"
