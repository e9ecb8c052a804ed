#include <QSignalSpy>
#include <QtTest>

#include "core/pipeline/step_with_links_shared.h"
#include "core/plan/found_note.h"
#include "tests/ui/ui_test_support.h"
#include "ui/document/document.h"
#include "ui/document/found_note.h"
#include "ui/edits/bucket_commands.h"

namespace overlap::ui {

/// What a plan that a search found is called, when it is edited, or its file was.
class FoundPlanNamesTest : public QObject {
    Q_OBJECT

  private slots:
    /// Its file was changed by another program, which left the name and the note as they were.
    void aFoundPlanOfAChangedFileIsCalledByItsOwnFigures() {
        const auto document = openDocument();
        QVERIFY(waitForEvaluation(*document));
        Plan plan = document->current()->plan();
        const auto figures = [&] {
            const Evaluation& now = *document->evaluation();
            return edited_plan_name(step_with_links_shared(now), now.corrected_memory.peak_bytes);
        };
        plan.name = "Found 5 ms at 2 TiB";
        plan.notes = foundNote(20, QStringLiteral("(fastest): peak 2 TiB")).toStdString();
        document->openPlan({QStringLiteral("found.plan.json"), plan, {}});
        QVERIFY(waitForEvaluation(*document));
        // Or it was found on another export of the graph: nothing says that it was edited.
        QCOMPARE(document->current()->plan().name, std::string("Found plan"));
        QVERIFY(document->current()->plan().notes.starts_with("With other figures than now, found by a search"));
        QVERIFY2(!document->current()->modified(), "that is no edit");
        // Once more, while it is open.
        BucketCommands(*document).putIntoNew({QStringLiteral("layers.0")});
        const Buckets changed = document->buckets();
        document->current()->undoStack().undo();
        QVERIFY(waitForEvaluation(*document));
        plan.buckets = changed;
        document->reloadPlan(document->currentIndex(), {QStringLiteral("found.plan.json"), plan, {}});
        QVERIFY(waitForEvaluation(*document));
        QCOMPARE(document->current()->plan().name, figures());
        QVERIFY(document->current()->plan().notes.starts_with("Before it was edited, found by a search"));
        QVERIFY2(fits(*document->current()->history(), document->current()->plan()), "its edits can be kept");
        // Where step and peak are those that were found, the plan is what was found.
        const Evaluation now = *document->evaluation();
        const std::int64_t peak = now.corrected_memory.peak_bytes;
        plan.name = found_plan_name(step_with_links_shared(now), peak);
        document->openPlan({QStringLiteral("other.plan.json"), plan, {}});
        QVERIFY(waitForEvaluation(*document));
        QCOMPARE(document->current()->plan().name, plan.name);
        // What changed changes the step alone.
        plan.name = found_plan_name(5, peak);
        document->openPlan({QStringLiteral("step.plan.json"), plan, {}});
        QVERIFY(waitForEvaluation(*document));
        QCOMPARE(document->current()->plan().name, std::string("Found plan"));
    }

    /// With other times the step of each plan is another one, and nobody changed its file.
    void aFoundPlanKeepsItsNameWithOtherTimes() {
        const auto document = openDocument();
        LoadedGraph other = document->loaded();
        other.as_read = other.graph;
        document->setCostModel(other);
        QVERIFY(waitForEvaluation(*document));
        Plan plan = document->current()->plan();
        plan.name = found_plan_name(5, document->evaluation()->corrected_memory.peak_bytes);
        document->openPlan({QStringLiteral("found.plan.json"), plan, {}});
        QVERIFY(waitForEvaluation(*document));
        QCOMPARE(document->current()->plan().name, plan.name);
        plan.name = "Found 5 ms at 2 TiB";
        document->openPlan({QStringLiteral("peak.plan.json"), plan, {}});
        QVERIFY(waitForEvaluation(*document));
        QCOMPARE(document->current()->plan().name, std::string("Found plan"));
    }

    /// Its graph was read again, with another peak: the plan is the one that its file has.
    void aFoundPlanThatComesBackIsNotCalledEdited() {
        const auto document = openDocument();
        Plan plan = document->current()->plan();
        plan.name = "Found 5 ms at 2 TiB";
        plan.notes = foundNote(20, QStringLiteral("(fastest): peak 2 TiB")).toStdString();
        document->addRestored({plan, QStringLiteral("found.plan.json"), false, "digest", nullptr});
        QVERIFY(waitForEvaluation(*document));
        QVERIFY(document->current()->plan() == plan);
    }

    /// The tab of an edited plan tells the figures of the toolbar, and not those that were found.
    void theNameOfAFoundPlanFollowsItsFigures() {
        const auto document = openDocument();
        QVERIFY(waitForEvaluation(*document));
        Plan plan = document->current()->plan();
        const QString found = QStringLiteral("Found 5 ms at 2 GiB");
        plan.name = found.toStdString();
        document->addNew(plan);
        QVERIFY(waitForEvaluation(*document));
        QCOMPARE(document->current()->title(), found);  // as it was found, also with other times
        BucketCommands(*document).putIntoNew({QStringLiteral("layers.0")});
        QCOMPARE(document->current()->title(), QStringLiteral("Edited plan"));
        const auto figures = [&] {
            const Evaluation& now = *document->evaluation();
            return QString::fromStdString(
                edited_plan_name(step_with_links_shared(now), now.corrected_memory.peak_bytes));
        };
        const QSignalSpy renamed(document.get(), &Document::variantsChanged);
        QVERIFY(waitForEvaluation(*document));
        const QString first = figures();
        QCOMPARE(document->current()->title(), first);
        QVERIFY(renamed.count() > 0);
        BucketCommands(*document).putIntoNew({QStringLiteral("layers.1"), QStringLiteral("layers.2")});
        QVERIFY(waitForEvaluation(*document));
        QVERIFY(figures() != first);
        QCOMPARE(document->current()->title(), figures());
        document->current()->undoStack().undo();
        QVERIFY(waitForEvaluation(*document));
        QCOMPARE(document->current()->title(), first);
        document->current()->undoStack().undo();
        QCOMPARE(document->current()->title(), found);
        document->current()->undoStack().redo();
        QVERIFY(waitForEvaluation(*document));
        QCOMPARE(document->current()->title(), first);
        // Who gives it a name keeps that.
        document->renameCurrent(QStringLiteral("Mine"));
        BucketCommands(*document).putIntoNew({QStringLiteral("layers.3")});
        QVERIFY(waitForEvaluation(*document));
        QCOMPARE(document->current()->title(), QStringLiteral("Mine"));
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::FoundPlanNamesTest)
#include "found_plan_names_test.moc"
