#include <QJsonDocument>
#include <QJsonObject>
#include <QSignalSpy>
#include <algorithm>
#include <cmath>

#include "tests/ui/ui_test_support.h"
#include "ui/actions/edit_effect.h"
#include "ui/actions/timeline_export.h"
#include "ui/document/variant.h"
#include "ui/edits/bucket_commands.h"
#include "ui/frame/actions.h"
#include "ui/panels/problems_panel.h"
#include "ui/shell/files/export_controller.h"
#include "ui/shell/main_window.h"
#include "ui/shell/session_controller.h"
#include "ui/shell/workspace/workspace.h"
#include "ui/theme/numbers.h"
#include "ui/timeline/alive/alive_panel.h"
#include "ui/timeline/timeline_view.h"

namespace overlap::ui {

/// What a person makes of the timeline in the window: kept in the session, undone beside plans, written into files.
class TimelineKeepingTest : public QObject {
    Q_OBJECT

  private slots:
    void notesAndLanesComeBackWithTheirGraph() {
        const QTemporaryDir folder;
        {
            MainWindow window(folder.path());
            open(window);
            window.workspace().timeline().edits().setNotes("add note", {{{}, {1'000, 2'000}, "here"}});
            window.workspace().timeline().edits().arrange("pin", {{}, {"Compute"}, {}});
            window.session().store();
        }
        MainWindow window(folder.path());
        QVERIFY(window.workspace().timeline().edits().notes().empty());
        open(window);
        QCOMPARE(window.workspace().timeline().edits().notes().size(), std::size_t{1});
        QCOMPARE(window.workspace().timeline().edits().notes()[0].text, QStringLiteral("here"));
        QCOMPARE(window.workspace().timeline().edits().lanes().pinned, QStringList{"Compute"});
        QVERIFY(!window.workspace().timeline().edits().undoStack().canUndo());
    }

    void undoTakesBackWhatWasDoneLast() {
        MainWindow window;
        open(window);
        QAction* undo = window.actions().find("edit.undo");
        BucketCommands(window.document()).startFrom(BucketCommands::Template::block);
        window.workspace().timeline().edits().setNotes("add note", {{{}, {1'000, 1'000}, {}}});
        QVERIFY(undo->text().contains("note"));
        undo->trigger();
        QVERIFY(window.workspace().timeline().edits().notes().empty());
        QVERIFY(!window.document().buckets().empty());
        undo->trigger();
        QVERIFY(window.document().buckets().empty());
    }

    void redoGoesForwardOverPlanAndTimelineInTheOrderOfTheEdits() {
        MainWindow window;
        open(window);
        QAction *undo = window.actions().find("edit.undo"), *redo = window.actions().find("edit.redo");
        TimelineEdits& edits = window.workspace().timeline().edits();
        edits.setNotes("add note", {{{}, {1'000, 1'000}, {}}});
        BucketCommands(window.document()).startFrom(BucketCommands::Template::block);
        edits.arrange("pin", {{}, {"Compute"}, {}});
        const std::size_t buckets = window.document().buckets().size();
        QVERIFY(!redo->isEnabled());
        for (int i = 0; i < 3; ++i) undo->trigger();
        QVERIFY(edits.notes().empty() && edits.lanes().pinned.empty() && window.document().buckets().empty());
        QVERIFY(!undo->isEnabled());

        redo->trigger();
        QCOMPARE(edits.notes().size(), std::size_t{1});
        QVERIFY(window.document().buckets().empty());
        redo->trigger();
        QCOMPARE(window.document().buckets().size(), buckets);
        QVERIFY(redo->text().contains("pin"));
        redo->trigger();
        QCOMPARE(edits.lanes().pinned, QStringList{"Compute"});
        QVERIFY(!redo->isEnabled());

        // Another plan has edits of its own; those of the timeline are of all.
        window.document().addCopyOfCurrent();
        edits.arrange("unpin", {{}, {}, {}});
        QVERIFY(undo->text().contains("unpin"));
        undo->trigger();
        QVERIFY(undo->text().contains("pin"));  // not that the plan was added
        QVERIFY(!undo->text().contains("unpin"));
        window.document().closeVariant(window.document().currentIndex());
        QVERIFY(redo->text().contains("unpin"));
    }

    void anEditTellsWhatItBought() {
        MainWindow window;
        open(window);
        Document& document = window.document();
        QTRY_VERIFY_WITH_TIMEOUT(!document.current()->stale(), 60'000);
        QSignalSpy told(window.findChild<EditEffect*>(), &EditEffect::told);
        const double before = document.evaluation()->simulation.step_ms;
        BucketCommands(document).startFrom(BucketCommands::Template::block);
        QTRY_COMPARE_WITH_TIMEOUT(told.count(), 1, 60'000);
        const double after = document.evaluation()->simulation.step_ms;
        QVERIFY(told[0][0].toString().contains("step " + formatDifference(after - before, Unit::Time)));
        window.actions().find("edit.undo")->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(told.count(), 2, 60'000);
        QVERIFY(told[1][0].toString().contains("step " + formatDifference(before - after, Unit::Time)));
        // An edit that makes a refused plan is told with the reason.
        document.editBuckets("overlap", {{{"layers.0"}, false, {}}, {{"layers.0.attention"}, false, {}}});
        QTRY_COMPARE_WITH_TIMEOUT(told.count(), 3, 60'000);
        QVERIFY(told[2][0].toString().startsWith("overlap: the plan is refused: "));
        document.current()->undoStack().undo();
        QTRY_COMPARE_WITH_TIMEOUT(told.count(), 4, 60'000);
        QVERIFY(told[3][0].toString().endsWith("no longer refused"));
        // Another tab is no edit.
        document.setCurrentIndex(0);
        QTRY_VERIFY_WITH_TIMEOUT(window.idle() && !document.current()->stale(), 60'000);
        QCOMPARE(told.count(), 4);
    }

    void aDragIsToldFromBeforeItBegan() {
        MainWindow window;
        open(window);
        Document& document = window.document();
        QTRY_VERIFY_WITH_TIMEOUT(!document.current()->stale(), 60'000);
        QSignalSpy told(window.findChild<EditEffect*>(), &EditEffect::told);
        const Buckets none = document.buckets();
        Buckets some = none, more = none;
        some.push_back({{"layers.0"}, false, {}});
        more.push_back({{"layers.0", "layers.1"}, false, {}});
        const auto shown = [&] { return document.evaluation()->simulation; };
        const auto difference = [](const Simulation& before, const Simulation& after) {
            return QStringLiteral("step %1 · exposed %2 · ")
                .arg(formatDifference(after.step_ms - before.step_ms, Unit::Time),
                     formatDifference(after.exposed_ms - before.exposed_ms, Unit::Time));
        };
        const Simulation before = shown();
        document.editBuckets("some", some, "drag");
        QTRY_COMPARE_WITH_TIMEOUT(told.count(), 1, 60'000);
        const Simulation between = shown();
        document.editBuckets("more", more, "drag");
        QTRY_COMPARE_WITH_TIMEOUT(told.count(), 2, 60'000);
        const Simulation after = shown();
        QVERIFY(difference(before, after) != difference(between, after));
        QVERIFY(difference(before, after) != difference(before, between));
        const auto starts = [&](const QString& words) {
            const QString sentence = told.back()[0].toString();
            if (!sentence.startsWith(words)) qWarning("%s\n%s", qPrintable(sentence), qPrintable(words));
            return sentence.startsWith(words);
        };
        QVERIFY(starts("more: " + difference(before, after)));
        // Undo and redo say the same.
        window.actions().find("edit.undo")->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(told.count(), 3, 60'000);
        QVERIFY(starts("Undone: more: " + difference(after, before)));
        window.actions().find("edit.redo")->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(told.count(), 4, 60'000);
        QVERIFY(starts("more: " + difference(before, after)));
        // Back where it began.
        document.editBuckets("none", none, "drag");
        QTRY_COMPARE_WITH_TIMEOUT(told.count(), 5, 60'000);
        QVERIFY(!document.current()->undoStack().canUndo());
        QVERIFY(starts("more, taken back: " + difference(before, before)));
    }

    /// As a click in History asks for.
    void aJumpOverSeveralEditsIsToldAsTheirSum() {
        MainWindow window;
        open(window);
        Document& document = window.document();
        QTRY_VERIFY_WITH_TIMEOUT(!document.current()->stale(), 60'000);
        QSignalSpy told(window.findChild<EditEffect*>(), &EditEffect::told);
        const double before = document.evaluation()->simulation.step_ms;
        int edits = 0;
        for (const char* module : {"layers.0", "layers.1", "layers.2"}) {
            BucketCommands(document).addText(module);
            ++edits;
            QTRY_COMPARE_WITH_TIMEOUT(told.count(), edits, 60'000);
        }
        const double after = document.evaluation()->simulation.step_ms;
        document.current()->undoStack().setIndex(0);
        QTRY_COMPARE_WITH_TIMEOUT(told.count(), 4, 60'000);
        const QString undone = told.back()[0].toString();
        QVERIFY2(undone.startsWith("3 edits undone: step " + formatDifference(before - after, Unit::Time)),
                 qPrintable(undone));
        document.current()->undoStack().setIndex(3);
        QTRY_COMPARE_WITH_TIMEOUT(told.count(), 5, 60'000);
        const QString redone = told.back()[0].toString();
        QVERIFY2(redone.startsWith("3 edits redone, up to Add layers.2: step " +
                                   formatDifference(after - before, Unit::Time)),
                 qPrintable(redone));
    }

    void aDragThatBeganBeforeTheFirstFiguresIsToldFromThere() {
        MainWindow window;
        open(window);
        Document& document = window.document();
        QTRY_VERIFY_WITH_TIMEOUT(!document.current()->stale(), 60'000);
        QSignalSpy told(window.findChild<EditEffect*>(), &EditEffect::told);
        document.addVariant({});
        Buckets buckets{{{"layers.0"}, false, {}}};
        document.editBuckets("some", buckets, "drag");
        QVERIFY(document.current()->stale());
        QTRY_VERIFY_WITH_TIMEOUT(!document.current()->stale(), 60'000);
        QCOMPARE(told.count(), 0);
        const double before = document.evaluation()->simulation.step_ms;
        buckets[0].modules.push_back("layers.1");
        document.editBuckets("more", buckets, "drag");
        QTRY_COMPARE_WITH_TIMEOUT(told.count(), 1, 60'000);
        const double after = document.evaluation()->simulation.step_ms;
        const QString sentence = told[0][0].toString();
        QVERIFY2(sentence.startsWith("more: step " + formatDifference(after - before, Unit::Time)),
                 qPrintable(sentence));
    }

    void notesAreNoEditOfThePlan() {
        MainWindow window;
        open(window);
        const bool modified = window.document().current()->modified();
        window.workspace().timeline().edits().setNotes("add note", {{{}, {1'000, 1'000}, {}}});
        QCOMPARE(window.document().current()->modified(), modified);
    }

    void theTimelineIsWrittenAsWhatTheNameTells() {
        const QTemporaryDir folder;
        MainWindow window;
        open(window);
        const auto content = [&](const QString& name) {
            const QString path = folder.filePath(name);
            const QString problem = window.exports().timeline().write(path, false);
            if (!problem.isEmpty()) return problem.toUtf8();
            QFile file(path);
            return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
        };
        QVERIFY(content("t.png").startsWith("\x89PNG"));
        QVERIFY(content("t.SVG").contains("<svg"));
        QVERIFY(content("t.csv").startsWith("lane,row,name"));
        QVERIFY(QJsonDocument::fromJson(content("t.json")).object()["traceEvents"].isArray());
        QCOMPARE(QJsonDocument::fromJson(content("t.json")).object()["otherData"].toObject()["times"].toString(),
                 QStringLiteral("simulated"));
        QVERIFY(content("t.docx").contains("not as t.docx"));
        QVERIFY(!QFile::exists(folder.filePath("t.docx")));
        QVERIFY(window.exports().timeline().write("/nowhere/t.csv", false).contains("/nowhere/t.csv"));
    }

    void clickingTheMemoryCurveListsRealTensors() {
        MainWindow window;
        open(window);
        window.workspace().timeline().showAlive(window.workspace().timeline().timeline()->range().end_ns / 2);
        AlivePanel& panel = window.workspace().alive();
        QVERIFY(panel.isVisibleTo(&window));
        QVERIFY(panel.text().count(u'\n') > 5);
        QVERIFY(panel.text().contains("layers."));
    }

    /// A merged gather is of no module of its own: the list names those of what it was made of.
    void whatABucketHoldsHasItsModules() {
        MainWindow window;
        open(window);
        BucketCommands(window.document()).startFrom(BucketCommands::Template::block);
        QTRY_VERIFY_WITH_TIMEOUT(window.idle(), 60'000);
        const Evaluation& evaluation = *window.document().evaluation();
        TimelineView& timeline = window.workspace().timeline();
        QStringList without;
        int merged = 0;
        for (const CollectiveTiming& timing : evaluation.simulation.collectives) {
            if (timing.kind != CollectiveKind::all_gather || evaluation.bucket_of_node[timing.start] < 0) continue;
            timeline.showAlive(std::llround((timing.start_ms + timing.end_ms) / 2 * 1e6));
            const QString name = QString::fromStdString(std::string(evaluation.graph->name(timing.start)));
            for (const QString& line : window.workspace().alive().text().split(u'\n')) {
                const QStringList fields = line.split(u'\t');
                if (fields.size() < 4 || fields[1] != name) continue;
                ++merged;
                if (fields[2].isEmpty()) without.append(line);
            }
        }
        QVERIFY(merged > 2);
        QVERIFY2(without.isEmpty(), qPrintable(without.join(u'\n')));
        // What a wait returns lies in the memory of what it waits for, so the list has that alone while the wait runs.
        const auto exposed =
            std::ranges::max_element(evaluation.simulation.collectives, {}, &CollectiveTiming::exposed_ms);
        const NodeTiming& wait = evaluation.simulation.nodes[exposed->wait];
        timeline.showAlive(std::llround((wait.start_ms + wait.end_ms) / 2 * 1e6));
        const QString listed = window.workspace().alive().text();
        const auto lists = [&](NodeId node) {
            return listed.contains(u'\t' + QString::fromStdString(std::string(evaluation.graph->name(node))) + u'\t');
        };
        QVERIFY2(lists(exposed->start), qPrintable(listed));
        QVERIFY2(!lists(exposed->wait), qPrintable(listed));
    }

    /// What packs a bucket and what holds its result are named by its modules in the same words as its collective.
    void partsOfABucketAreNamedAlike() {
        MainWindow window;
        open(window);
        BucketCommands(window.document()).addText(QStringLiteral("layers.0+layers.1"));
        QTRY_VERIFY_WITH_TIMEOUT(window.idle(), 60'000);
        const Evaluation& evaluation = *window.document().evaluation();
        QSet<QString> collectives, others;
        for (const CollectiveTiming& timing : evaluation.simulation.collectives) {
            if (evaluation.bucket_of_node[timing.start] < 0) continue;
            window.workspace().timeline().showAlive(std::llround((timing.start_ms + timing.end_ms) / 2 * 1e6));
            for (const QString& line : window.workspace().alive().text().split(u'\n')) {
                const QStringList fields = line.split(u'\t');
                const NodeId node = fields.size() < 4 ? no_node : evaluation.graph->find(fields[1].toStdString());
                if (node == no_node || evaluation.bucket_of_node[node] < 0) continue;
                const bool is_collective = evaluation.simulation.collective_of_node[node] >= 0;
                (is_collective ? collectives : others).insert(fields[2]);
            }
        }
        QCOMPARE(collectives, QSet<QString>{QStringLiteral("layers.[0-1]")});
        QCOMPARE(others, collectives);
    }

    /// With what is alive then in the plan after the edit, and without coming to the front.
    void theMomentThatIsListedStaysOverAnEdit() {
        MainWindow window;
        window.show();
        open(window);
        TimelineView& timeline = window.workspace().timeline();
        AlivePanel& panel = window.workspace().alive();
        const MemoryCurve& curve = timeline.timeline()->memory();
        timeline.showAlive(curve.time_ns[timeline.timeline()->memory_peak()]);
        const auto peak = [&] {
            return formatBytes(static_cast<double>(window.document().evaluation()->corrected_memory.peak_bytes));
        };
        const QString before = peak();
        QVERIFY2(panel.caption().startsWith(before), qPrintable(panel.caption()));
        const auto title = [&] { return window.document().current()->title(); };
        QVERIFY2(panel.caption().contains(title()), qPrintable(panel.caption()));
        window.workspace().problems().parentWidget()->raise();
        QTRY_VERIFY(panel.visibleRegion().isEmpty());  // behind the panel in front
        BucketCommands(window.document()).startFrom(BucketCommands::Template::block);
        QTRY_VERIFY_WITH_TIMEOUT(window.idle() && peak() != before, 60'000);
        QVERIFY(panel.caption().startsWith(before));  // nobody sees it: nothing is worked out
        QVERIFY(panel.visibleRegion().isEmpty());
        panel.parentWidget()->raise();
        QTRY_VERIFY2(panel.caption().startsWith(peak()), qPrintable(panel.caption()));
        QVERIFY(panel.text().count(u'\n') > 5);
        window.document().renameCurrent(QStringLiteral("Blocks"));
        QTRY_VERIFY2(panel.caption().contains(QStringLiteral("Blocks")), qPrintable(panel.caption()));
        window.document().setCurrentIndex(0);
        QTRY_VERIFY2(panel.caption().contains(title()) && panel.caption().startsWith(before),
                     qPrintable(panel.caption()));
        // Of another graph nothing is listed until it is asked for.
        window.openFiles(
            {QStringLiteral(OVERLAP_TEST_DATA "/graphs/llama3_debugmodel_fsdp4_tp2.prebucket.graph.json.gz")});
        QTRY_COMPARE_WITH_TIMEOUT(panel.text().count(u'\n'), 1, 60'000);
    }

    void modulesAreFoundInTheTimeline() {
        MainWindow window;
        open(window);
        window.workspace().timeline().find("layers.0 attention");
        QVERIFY(!window.workspace().timeline().finder().matches().events.empty());
    }

  private:
    static void open(MainWindow& window) {
        window.openFiles({smallGraphFile()});
        QVERIFY(QTest::qWaitFor(
            [&] { return window.idle() && window.workspace().timeline().timeline()->event_count() > 0; }, 30'000));
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::TimelineKeepingTest)
#include "timeline_keeping_test.moc"
