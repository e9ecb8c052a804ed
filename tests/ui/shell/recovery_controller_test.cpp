#include "ui/shell/recovery_controller.h"

#include <QFileInfo>
#include <QSignalSpy>

#include "core/io/plan/plan_file.h"
#include "tests/ui/shell/session_fixture.h"
#include "tests/ui/ui_test_support.h"
#include "ui/edits/bucket_commands.h"
#include "ui/files/file_digest.h"
#include "ui/shell/plan_tabs.h"

namespace overlap::ui {

/// What a start tells of the run before it, and what becomes of recovered plans.
class RecoveryControllerTest : public QObject {
    Q_OBJECT

    static inline const QString other_graph =
        QStringLiteral(OVERLAP_TEST_DATA "/graphs/llama3_debugmodel_fsdp8_aot_fw.graph.json.gz");

    struct Fixture : SessionFixture {
        PlanTabs tabs{document, measurements, session, looks, window};
        RecoveryController recovery{document, session, tabs, looks};
        QSignalSpy told{&recovery, &NoticeSource::told};
        QSignalSpy noticed{&recovery, &NoticeSource::noticed};
        QSignalSpy warned{&recovery, &NoticeSource::warned};
        QSignalSpy warned_also{&recovery, &NoticeSource::warnedAlso};
        QAction* discard = nullptr;

        Fixture() {
            tabs.registerActions(actions);
            recovery.registerActions(actions);
            discard = actions.find("plan.discardRecovered");
            document.setGraph(loadGraph(smallGraphFile()));
            BucketCommands(document).addText("layers.0");
        }
        /// What a start finds whose session has the open plan. @param file where the user saved it, or empty.
        StoredSession withTheOpenPlan(const QString& file = {}) {
            StoredSession stored;
            stored.recovered = {{document.loaded().path, sessionVariant(*document.current())}};
            stored.recovered.front().variant.file = file;
            return stored;
        }
        QString lastTold() const { return told.isEmpty() ? QString() : told.back()[0].toString(); }
    };

  private slots:
    void aRunThatEndedWellIsNotMentioned() {
        Fixture fixture;
        fixture.recovery.begin({});
        QVERIFY(fixture.warned.isEmpty() && fixture.warned_also.isEmpty());
        QVERIFY(!fixture.discard->isEnabled());
    }

    void recoveredPlansAreNamed() {
        Fixture fixture;
        StoredSession stored = fixture.withTheOpenPlan();
        stored.problems = {"session.json is no session"};
        fixture.recovery.begin(stored);
        QCOMPARE(fixture.warned_also.count(), 2);
        const QString sentence = fixture.warned_also[0][0].toString();
        QVERIFY2(sentence.startsWith("The last run was cut off") &&
                     sentence.contains("Plan A of llama3_debugmodel_fsdp8.prebucket"),
                 qPrintable(sentence));
        QCOMPARE(fixture.warned_also[1][0].toString(), "session.json is no session");
        QVERIFY(fixture.discard->isEnabled());
    }

    void discardedPlansAreClosedAndTheirFilesOpened() {
        Fixture fixture;
        QTemporaryDir folder;
        QFile file(folder.filePath("saved.plan.json"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        QSignalSpy wanted(&fixture.recovery, &RecoveryController::openWanted);
        fixture.recovery.begin(fixture.withTheOpenPlan(file.fileName()));
        fixture.discard->trigger();
        QCOMPARE(fixture.document.variantCount(), 1);
        QCOMPARE(wanted.count(), 1);
        QCOMPARE(wanted[0][0].toStringList(), QStringList{file.fileName()});
        QVERIFY(fixture.recovery.plans().empty());
        QVERIFY(!fixture.discard->isEnabled());
        QVERIFY2(fixture.actions.find("plan.reopen")->isEnabled(), "discarding can be taken back");
        QCOMPARE(fixture.noticed.back()[0].toString(),
                 "Recovered plans were closed: Plan A of " + QFileInfo(smallGraphFile()).fileName());
    }

    void manyPlansAreOneSentenceWithDetails() {
        Fixture fixture;
        StoredSession stored = fixture.withTheOpenPlan();
        for (int i = 1; i < 8; ++i) stored.recovered.push_back(stored.recovered.front());
        stored.problems = {"a session is of another host", "another session is no session"};
        fixture.recovery.begin(stored);
        QCOMPARE(fixture.warned_also[0][0].toString(),
                 "The last run was cut off. Its unsaved edits are back: 8 plans of " +
                     QFileInfo(smallGraphFile()).fileName());
        const QStringList details = fixture.warned_also[0][1].toStringList();
        QCOMPARE(details.size(), 8);
        QVERIFY2(details.front().startsWith("Recovered Plan A of"), qPrintable(details.front()));
        QCOMPARE(fixture.warned_also[1][0].toString(), "2 problems with stored sessions");
        QCOMPARE(fixture.warned_also[1][1].toStringList(), stored.problems);
    }

    void plansOfGraphsThatAreNotOpenAreCountedWithThem() {
        Fixture fixture;
        StoredSession stored = fixture.withTheOpenPlan();
        const QString open = QFileInfo(stored.recovered.front().graph).fileName();
        for (const QString graph : {"/a/g.graph.json", "/b/g.graph.json", "/b/g.graph.json"})
            stored.recovered.push_back({graph, stored.recovered.front().variant});
        fixture.recovery.begin(stored);
        QCOMPARE(fixture.warned_also[0][0].toString(),
                 "The last run was cut off. Its unsaved edits are back, and open with their graphs: 1 plan of " + open +
                     ", 1 plan of g.graph.json in /a, 2 plans of g.graph.json in /b");
        QCOMPARE(fixture.warned_also[0][1].toStringList(),
                 QStringList({"Recovered Plan A of " + open, "Recovered Plan A of g.graph.json in /a",
                              "Recovered Plan A of g.graph.json in /b", "Recovered Plan A of g.graph.json in /b"}));
        // Where there are more graphs than a sentence has room for, the rest is counted.
        stored.recovered.push_back({"/c/h.graph.json", stored.recovered.front().variant});
        fixture.recovery.begin(stored);
        QVERIFY2(
            fixture.warned_also[1][0].toString().endsWith("1 plan of g.graph.json in /a, 3 plans of 2 other graphs"),
            qPrintable(fixture.warned_also[1][0].toString()));
    }

    void whatWasDiscardedCanBeTakenBack() {
        Fixture fixture;
        StoredSession stored = fixture.withTheOpenPlan();
        const SessionVariant elsewhere = stored.recovered.front().variant;
        stored.recovered.push_back({"/elsewhere/other.graph.json", elsewhere});
        SessionDocument kept;
        kept.graph = stored.recovered.back().graph;
        kept.variants = {elsewhere};
        fixture.session.state().put(kept);
        fixture.recovery.begin(stored);
        const QString open_graph = QFileInfo(fixture.document.loaded().path).fileName();
        const QString plans = "1 plan of " + open_graph + ", 1 plan of other.graph.json";
        QVERIFY2(fixture.discard->toolTip().simplified().endsWith("files as saved: " + plans),
                 qPrintable(fixture.discard->toolTip()));
        QVERIFY2(fixture.discard->statusTip().endsWith(plans), qPrintable(fixture.discard->statusTip()));
        fixture.discard->trigger();
        QCOMPARE(fixture.discard->toolTip(), "No edits were recovered");
        QCOMPARE(fixture.document.variantCount(), 1);
        // Another plan that is closed meanwhile does not come back in its place.
        fixture.document.addCopyOfCurrent();
        fixture.document.renameCurrent("Other");
        fixture.tabs.closePlan(1);
        const QVariantList notice = fixture.noticed.back();
        QCOMPARE(notice[0].toString(), "Recovered plans were closed: " + plans +
                                           "; Plan ▸ Reopen closed plan works once other.graph.json is open");
        const auto actions = notice[1].value<std::vector<NoticeAction>>();
        QCOMPARE(actions.front().text, "Take back");
        actions.front().run();
        QCOMPARE(fixture.document.variantCount(), 2);
        QCOMPARE(fixture.document.variant(1).title(), "Plan A");
        QVERIFY(fixture.document.variant(1).modified());
        QCOMPARE(fixture.session.state().document(kept.graph)->variants.size(), 1u);
        QVERIFY(fixture.session.state().document(kept.graph)->variants.front() == elsewhere);
        QVERIFY2(fixture.discard->isEnabled(), "and can be discarded again");
    }

    /// The plan of another window has its name, so it came back with a number.
    void whatCameBackUnderAnotherNameIsDiscarded() {
        Fixture fixture;
        const StoredSession stored = fixture.withTheOpenPlan();
        fixture.document.renameCurrent("Plan A 2");
        fixture.recovery.begin(stored);
        for (const char* title : {"Plan A 2", "Plan A 2"}) {
            fixture.discard->trigger();
            QCOMPARE(fixture.document.variantCount(), 1);
            fixture.noticed.back()[1].value<std::vector<NoticeAction>>().front().run();
            QCOMPARE(fixture.document.variantCount(), 2);
            QCOMPARE(fixture.document.variant(1).title(), title);
        }
    }

    /// What its file has took the place of the plan, and goes again: two tabs of one file would refuse to be saved.
    void takingBackLeavesOneTabOfAFile() {
        Fixture fixture;
        QTemporaryDir folder;
        const QString file = folder.filePath("saved.plan.json");
        Document& document = fixture.document;
        write_plan_file(document.loaded().empty_plan, file.toStdString());
        document.current()->setUnsaved(file, fileDigest(file));
        const auto opening = QObject::connect(&fixture.recovery, &RecoveryController::openWanted, &document,
                                              [&] { document.openPlan(readPlan(file)); });
        fixture.recovery.begin(fixture.withTheOpenPlan(file));
        const Plan edited = document.current()->plan();
        fixture.discard->trigger();
        QCOMPARE(document.variantCount(), 2);
        QVERIFY(!document.current()->modified());
        fixture.noticed.back()[1].value<std::vector<NoticeAction>>().front().run();
        QCOMPARE(document.variantCount(), 2);
        QVERIFY(document.current()->plan() == edited && document.current()->modified());
        QCOMPARE(document.current()->filePath(), file);
        // A tab that was there before stays.
        QVERIFY(!document.openPlan(readPlan(file)).modified());
        QVERIFY(QObject::disconnect(opening));
        fixture.discard->trigger();
        QCOMPARE(document.variantCount(), 2);
        fixture.noticed.back()[1].value<std::vector<NoticeAction>>().front().run();
        QCOMPARE(document.variantCount(), 3);
    }

    void takingBackKeepsTheOrderOfTabs() {
        Fixture fixture;
        QTemporaryDir folder;
        const QString file = folder.filePath("saved.plan.json");
        Document& document = fixture.document;
        write_plan_file(document.loaded().empty_plan, file.toStdString());
        document.current()->setUnsaved(file, fileDigest(file));
        StoredSession stored = fixture.withTheOpenPlan(file);
        for (const char* name : {"B", "saved", "C", "D"}) {
            document.addCopyOfCurrent();
            document.renameCurrent(name);
            if (document.current()->title() == "saved")
                document.current()->setSaved(folder.filePath("other.plan.json"));
            else
                stored.recovered.push_back({document.loaded().path, sessionVariant(*document.current())});
        }
        const auto titles = [&] {
            QStringList all;
            for (int i = 1; i < document.variantCount(); ++i) all.append(document.variant(i).title());
            return all;
        };
        const QStringList before = titles();
        QCOMPARE(before, (QStringList{"Plan A", "B", "saved", "C", "D"}));
        connect(&fixture.recovery, &RecoveryController::openWanted, &document,
                [&] { document.openPlan(readPlan(file)); });
        SessionDocument elsewhere;
        elsewhere.graph = "/elsewhere/other.graph.json";
        for (const char* plan : {"{1}", "{2}", "{3}"}) {
            elsewhere.variants.push_back({plan, {}, true});
            stored.recovered.push_back({elsewhere.graph, elsewhere.variants.back()});
        }
        elsewhere.variants.insert(elsewhere.variants.begin() + 1, {"{saved}", "/elsewhere/saved.plan.json", false});
        fixture.session.state().put(elsewhere);

        fixture.recovery.begin(stored);
        fixture.discard->trigger();
        QCOMPARE(document.variantCount(), 3);
        QCOMPARE(fixture.session.state().document(elsewhere.graph)->variants.size(), 1u);
        fixture.noticed.back()[1].value<std::vector<NoticeAction>>().front().run();
        QCOMPARE(titles(), before);
        QVERIFY(fixture.session.state().document(elsewhere.graph)->variants == elsewhere.variants);
        QCOMPARE(fixture.recovery.plans().size(), stored.recovered.size());
        QVERIFY(fixture.recovery.plans().front().variant == stored.recovered.front().variant);
    }

    /// The session has closed plans with the places of their tabs.
    void whatWasDiscardedIsTakenBackWhenAnotherGraphIsOpen() {
        Fixture fixture;
        fixture.recovery.begin(fixture.withTheOpenPlan());
        const LoadedGraph first = fixture.document.loaded();
        fixture.discard->trigger();
        QCOMPARE(fixture.document.variantCount(), 1);
        fixture.document.setGraph(loadGraph(other_graph));
        fixture.noticed.back()[1].value<std::vector<NoticeAction>>().front().run();
        QCOMPARE(fixture.lastTold(), "Recovered plans are back: 1");
        const SessionDocument* kept = fixture.session.state().document(first.path);
        QVERIFY(kept && kept->closed.empty());
        QCOMPARE(kept->variants.size(), 1u);
        QCOMPARE(kept->variants.front().place, 0);
        fixture.document.setGraph(first);
        QCOMPARE(fixture.document.variantCount(), 2);
        QCOMPARE(fixture.document.variant(1).title(), "Plan A");
        QVERIFY(fixture.discard->isEnabled());
        fixture.discard->trigger();
        QCOMPARE(fixture.document.variantCount(), 1);
    }

    /// Where the plan's name is taken by a plan with other edits, and a copy of it is made.
    void aCopyOfWhatCameBackUnderAnotherNameStays() {
        Fixture fixture;
        Document& document = fixture.document;
        const StoredSession stored = fixture.withTheOpenPlan();
        document.renameCurrent("Plan A 2");
        fixture.recovery.begin(stored);
        document.addCopyOfCurrent();
        document.renameCurrent("Copy");
        fixture.discard->trigger();
        QCOMPARE(document.variantCount(), 2);
        QCOMPARE(document.variant(1).title(), "Copy");
        fixture.noticed.back()[1].value<std::vector<NoticeAction>>().front().run();
        QCOMPARE(document.variantCount(), 3);
        QCOMPARE(document.variant(1).title(), "Plan A 2");
        fixture.discard->trigger();
        QCOMPARE(document.variantCount(), 2);
        QCOMPARE(document.variant(1).title(), "Copy");
    }

    void whatCameBackUnderAnotherNameIsDiscardedWhenAnotherGraphIsOpen() {
        Fixture fixture;
        const StoredSession stored = fixture.withTheOpenPlan();
        const LoadedGraph first = fixture.document.loaded();
        fixture.document.renameCurrent("Plan A 2");
        fixture.recovery.begin(stored);
        fixture.document.addCopyOfCurrent();
        fixture.document.renameCurrent("Copy");
        fixture.document.setGraph(loadGraph(other_graph));
        fixture.discard->trigger();
        const SessionDocument* kept = fixture.session.state().document(first.path);
        QVERIFY2(kept && kept->closed.size() == 1, qPrintable(fixture.lastTold()));
        QCOMPARE(kept->variants.size(), 1u);
        fixture.document.setGraph(first);
        QCOMPARE(fixture.document.variantCount(), 2);
        QCOMPARE(fixture.document.variant(1).title(), "Copy");
    }

    void aPlanThatWasEditedSinceStays() {
        Fixture fixture;
        fixture.recovery.begin(fixture.withTheOpenPlan());
        BucketCommands(fixture.document).addText("layers.1");
        fixture.discard->trigger();
        QCOMPARE(fixture.document.variantCount(), 2);
        QVERIFY2(fixture.lastTold().startsWith("Nothing was discarded"), qPrintable(fixture.lastTold()));
    }

    void plansOfGraphsThatAreNotOpenAreDiscardedInTheSession() {
        Fixture fixture;
        StoredSession stored = fixture.withTheOpenPlan();
        stored.recovered.front().graph = "/elsewhere/other.graph.json";
        SessionDocument kept;
        kept.graph = stored.recovered.front().graph;
        kept.variants = {stored.recovered.front().variant};
        fixture.session.state().put(kept);
        fixture.recovery.begin(stored);
        fixture.discard->trigger();
        QCOMPARE(fixture.document.variantCount(), 2);
        const SessionDocument* left = fixture.session.state().document(kept.graph);
        QVERIFY(left && left->variants.empty());
        QCOMPARE(left->closed.size(), 1u);
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::RecoveryControllerTest)
#include "recovery_controller_test.moc"
