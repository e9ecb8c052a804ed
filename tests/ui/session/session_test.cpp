#include "ui/session/session.h"

#include <sys/stat.h>

#include <QJsonArray>
#include <future>

#include "core/io/plan/plan_file.h"
#include "tests/support/faults.h"
#include "tests/ui/ui_test_support.h"
#include "ui/edits/bucket_commands.h"
#include "ui/session/session_writer.h"

namespace overlap::ui {

class SessionTest : public QObject {
    Q_OBJECT

  private slots:
    void everythingComesBack() {
        QTemporaryDir folder;
        SessionState state;
        state.open = "/graphs/a.graph.json";
        state.put({state.open,
                   {{R"({"format":"overlap-plan"})", "/plans/a.plan.json", true, "0123"}},
                   1,
                   10.5,
                   20.25,
                   {{"closed", "", true, {}, {}, 2}},
                   {"/traces/a.json"},
                   "h200-sxm",
                   true,
                   {{"notes", QJsonArray{"a note"}}}});
        state.document(state.open)->compared = {{"before", QJsonObject{{"plan", 0}, {"title", "Baseline"}}}};
        state.document(state.open)->found = {{"packed", "x"}, {"chosen", 2}};
        state.putRecent("/one");
        state.putRecent("/two");
        state.putRecent("/one");
        QCOMPARE(state.recent_files, QStringList({"/one", "/two"}));
        state.theme = "light";
        state.share_links = true;
        state.geometry = QByteArray("\0\1\2", 3);
        state.layout = "layout";
        state.views["tree"] = "x";
        {
            const Session session(folder.path());
            QCOMPARE(session.save(state), QString());
        }
        const Session again(folder.path());
        QVERIFY(again.load().state == state);
    }

    void nothingIsThereAtFirst() {
        QTemporaryDir folder;
        const StoredSession stored = Session(folder.filePath("new/folder")).load();
        QVERIFY(stored.state == SessionState());
        QCOMPARE(stored.problems, QStringList());
        QVERIFY(stored.recovered.empty());
    }

    void anUnreadableSessionIsPutAside_data() {
        QTest::addColumn<QByteArray>("content");
        QTest::addColumn<QString>("told");
        QTest::newRow("half a file") << QByteArray("{\"format\": \"overlap-session\", \"ver")
                                     << "could not be read and was kept as";
        QTest::newRow("of the future") << QByteArray(R"({"format": "overlap-session", "version": 99})")
                                       << "version 99 of the format, this one reads up to 1";
        QTest::newRow("something else") << QByteArray("[1, 2]") << "could not be read and was kept as";
    }
    void anUnreadableSessionIsPutAside() {
        QFETCH(QByteArray, content);
        QFETCH(QString, told);
        QTemporaryDir folder;
        const Session session(folder.path());
        QFile file(session.file());
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(content);
        file.close();
        const StoredSession stored = session.load();
        QVERIFY(stored.state == SessionState());
        const QString aside = folder.filePath("session-not-read-1.json");
        QCOMPARE(stored.problems.size(), 1);
        QVERIFY2(stored.problems[0].contains(aside) && stored.problems[0].contains(told),
                 qPrintable(stored.problems[0]));
        QFile kept(aside);
        QVERIFY(kept.open(QIODevice::ReadOnly));
        QCOMPARE(kept.readAll(), content);
    }

    void aSessionOfEachVersionIsRead() {
        QTemporaryDir folder;
        const Session session(folder.path());
        QVERIFY(QFile::copy(QStringLiteral(OVERLAP_TEST_DATA "/versions/session.v1.json"), session.file()));
        const StoredSession stored = session.load();
        QCOMPARE(stored.problems, QStringList());
        QCOMPARE(stored.state.open, "/graphs/a.graph.json");
        QCOMPARE(stored.state.documents.at(0).variants.size(), 1u);
        QCOMPARE(stored.state.theme, "dark");
        QVERIFY2(stored.recovered.empty(), "it does not say whether its run was cut off");
    }

    void aSecondInstanceHasItsOwnFile() {
        QTemporaryDir folder;
        const Session first(folder.path());
        const Session second(folder.path());
        QVERIFY(first.file() != second.file());
        SessionState state;
        state.open = "second";
        second.save(state);
        QCOMPARE(first.load().state.open, QString());
    }

    void whatEndedInstancesLeftIsTakenOver() {
        QTemporaryDir folder;
        const auto edited = [](const char* plan) {
            SessionState state;
            state.open = "graph";
            state.put({"graph", {{plan, "", true}}, 1, 0, 0});
            return state;
        };
        {
            const Session first(folder.path());
            const Session second(folder.path());
            const Session third(folder.path());
            first.save(edited("one"));
            second.save(edited("two"));
            third.save(edited("two"));
        }
        const Session running(folder.path());
        const StoredSession stored = running.load();
        const SessionState& state = stored.state;
        QCOMPARE(stored.adopted, 1);
        QCOMPARE(stored.recovered.size(), 3u);
        QCOMPARE(state.documents.size(), 1u);
        QCOMPARE(state.document("graph")->variants.size(), 2u);
        QCOMPARE(state.document("graph")->variants[1].plan, "two");
        QCOMPARE(QDir(folder.path()).entryList({"*.json"}), QStringList("session.json"));
        // It is in this instance's file before the other's goes.
        QVERIFY(running.load().state == state);
        const Session other(folder.path());
        QVERIFY2(other.load().state == SessionState(), "the file of a running instance is its own");
    }

    void anUntouchedPlanMakesRoomForAnEditedOne() {
        SessionState mine, theirs;
        mine.put({"graph", {{"empty", "", false}}, 1, 0, 0});
        theirs.put({"graph", {{"edited", "", true}, {"saved", "/file", false}}, 1, 0, 0, {{"closed", "", true}}});
        QCOMPARE(mine.adopt(theirs), 1);
        QCOMPARE(mine.document("graph")->variants, theirs.document("graph")->variants);
        QCOMPARE(mine.document("graph")->closed, theirs.document("graph")->closed);
        QCOMPARE(mine.adopt(theirs), 0);
        QCOMPARE(mine.document("graph")->variants.size(), 2u);
    }

    void notesOfBothInstancesAreKept() {
        SessionState mine, theirs;
        const QJsonObject first{{"text", "first"}}, second{{"text", "second"}};
        mine.put({"graph", {}, 1, 0, 0, {}, {}, {}, false, {{"notes", QJsonArray{first}}, {"lanes", "mine"}}});
        theirs.put(
            {"graph", {}, 1, 0, 0, {}, {}, {}, false, {{"notes", QJsonArray{second, first}}, {"lanes", "theirs"}}});
        mine.adopt(theirs);
        QCOMPARE(mine.document("graph")->timeline["notes"].toArray(), (QJsonArray{first, second}));
        QCOMPARE(mine.document("graph")->timeline["lanes"].toString(), "mine");
        // A graph with notes is not forgotten, however many others come after it.
        for (int other = 0; other < 60; ++other) mine.put({QString::number(other), {}, 1, 0, 0});
        QVERIFY(mine.document("graph"));
        QVERIFY(!mine.document("0"));
    }

    void noTwoInstancesShareAFile() {
        QTemporaryDir folder;
        std::vector<std::unique_ptr<Session>> sessions;
        QSet<QString> files;
        for (int i = 0; i < 12; ++i) {
            sessions.push_back(std::make_unique<Session>(folder.path()));
            files.insert(sessions.back()->file());
            SessionState state;
            state.put({QString::number(i), {{"edited", "", true}}, 1, 0, 0});
            sessions.back()->save(state);
        }
        QCOMPARE(files.size(), 12);
        sessions.clear();
        QCOMPARE(Session(folder.path()).load().state.documents.size(), 12u);
    }

    void oldDocumentsAreForgottenButNeverUnsavedOnes() {
        SessionState state;
        state.put({"unsaved", {{"{}", "", true}}, 1, 0, 0});
        for (int i = 0; i < 50; ++i) state.put({QString::number(i), {{"{}", "f", false}}, 1, 0, 0});
        QVERIFY(state.documents.size() <= 21);
        QVERIFY(state.document("unsaved"));
        QVERIFY(state.document("49"));
        QVERIFY(!state.document("3"));
    }

    void unsavedEditsAreInTheSession() {
        const auto document = openDocument();
        BucketCommands(*document).addText("layers.0+layers.1");
        const SessionDocument kept = sessionDocument(*document);
        QCOMPARE(kept.graph, smallGraphFile());
        QCOMPARE(kept.variants.size(), 1u);
        QVERIFY(kept.variants[0].modified);
        const Plan plan = read_plan_text(kept.variants[0].plan.toStdString(), "session");
        QVERIFY(plan.buckets == document->buckets());
    }

    void whatACutOffRunLeftIsRecovered() {
        QTemporaryDir folder;
        SessionState state;
        state.put({"graph", {{"saved", "/a.plan.json", false}, {"edited", "", true}}, 1, 0, 0});
        Session(folder.path()).save(state);
        StoredSession stored = Session(folder.path()).load();
        QCOMPARE(stored.recovered.size(), 1u);
        QCOMPARE(stored.recovered[0].graph, "graph");
        QCOMPARE(stored.recovered[0].variant.plan, "edited");
        // A run that ended as usual leaves unsaved edits too, and they come back without a word.
        state.ended = true;
        Session(folder.path()).save(state);
        stored = Session(folder.path()).load();
        QVERIFY(stored.recovered.empty());
        QCOMPARE(stored.state.documents.size(), 1u);
        QVERIFY2(!stored.state.ended, "it is of the run before, not of this one");
    }

    /// Nobody is asked to discard what the run that was cut off did not touch.
    void whatThatRunFoundIsNotRecovered() {
        QTemporaryDir folder;
        SessionState state;
        state.put({"one graph", {{"kept", "", true}, {"to be edited", "", true}}, 1, 0, 0});
        state.ended = true;
        Session(folder.path()).save(state);
        SessionState run = Session(folder.path()).load().state;
        run.documents[0].variants[1].plan = "edited";
        run.put({"another graph", {{"kept", "", true}}, 1, 0, 0});
        Session(folder.path()).save(run);
        for (int start = 0; start < 2; ++start) {  // the first of them is cut off as well
            const StoredSession stored = Session(folder.path()).load();
            QCOMPARE(stored.recovered.size(), 2u);
            QCOMPARE(stored.recovered[0].graph, "another graph");
            QCOMPARE(stored.recovered[1].variant.plan, "edited");
            Session(folder.path()).save(stored.state);
        }
    }

    void theVersionBeforeStandsInForADamagedOne() {
        QTemporaryDir folder;
        const Session session(folder.path());
        SessionState state;
        state.put({"graph", {{"one", "", true}}, 1, 0, 0});
        session.save(state);
        state.documents[0].variants[0].plan = "two";
        session.save(state);
        QFile file(session.file());
        QVERIFY(file.resize(20));
        const StoredSession stored = session.load();
        QCOMPARE(stored.problems.size(), 1);
        QCOMPARE(stored.state.documents.at(0).variants.at(0).plan, "one");
        QCOMPARE(stored.recovered.size(), 1u);
    }

    void theWriterWritesTheNewestAndAllOfIt() {
        QTemporaryDir folder;
        const auto session = std::make_shared<const Session>(folder.path());
        const auto document = openDocument();
        BucketCommands commands(*document);
        SharedPlans plans;
        {
            SessionWriter writer(session);
            for (int edit = 0; edit < 30; ++edit) {
                commands.addText(QStringLiteral("norm"));
                SessionSnapshot snapshot;
                snapshot.state.put(sessionDocument(*document, sessionVariantOutline));
                snapshot.plans = plans.of(*document);
                writer.write(snapshot);
                if (edit % 10 != 9) continue;
                QCOMPARE(writer.flush(), QString());
                const SessionState state = session->load().state;
                QVERIFY2(state.documents.at(0) == sessionDocument(*document), "all that was asked for is written");
            }
            commands.addText(QStringLiteral("output"));
            SessionSnapshot snapshot;
            snapshot.state.put(sessionDocument(*document, sessionVariantOutline));
            snapshot.plans = plans.of(*document);
            writer.write(snapshot);
        }
        QVERIFY2(session->load().state.documents.at(0) == sessionDocument(*document), "also what waited at the end");
    }

    void aSessionThatCannotBeWrittenIsToldOnceUntilItCan() {
        QTemporaryDir folder;
        const QString place = folder.filePath("session");
        const auto session = std::make_shared<const Session>(place);
        QVERIFY(QDir(place).removeRecursively());  // a network folder that is gone
        SessionWriter writer(session);
        QSignalSpy told(&writer, &SessionWriter::problemChanged);
        SessionState state;
        state.put({"graph", {{"edited", "", true}}, 1, 0, 0});
        for (int i = 0; i < 3; ++i) {
            writer.write({state, {}});
            QVERIFY(writer.flush().contains("No such file or directory"));
        }
        QVERIFY(QDir().mkpath(place));
        writer.write({state, {}});
        QCOMPARE(writer.flush(), QString());
        QTRY_COMPARE(told.size(), 2);
        QVERIFY(told[0][0].toString().startsWith("The session could not be stored: "));
        QCOMPARE(told[1][0].toString(), QString());
        QCOMPARE(session->load().state.documents.size(), 1u);
    }

    void aFolderThatHangsIsWaitedForNoLongerThanSaid() {
        QTemporaryDir folder;
        const auto session = std::make_shared<const Session>(folder.path());
        // A pipe that nobody reads hangs as a folder of a network that has gone does.
        QCOMPARE(mkfifo(session->file().toLocal8Bit().constData(), 0600), 0);
        SessionState state;
        state.open = "hangs";
        {
            SessionWriter writer(session, nullptr, std::chrono::milliseconds(50));
            writer.write({state, {}});
            const QString problem = writer.flush();
            QVERIFY2(problem.contains(folder.path() + " has not answered"), qPrintable(problem));
        }
        const auto content = [&] {
            QFile file(session->file());
            return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
        };
        QCOMPARE(std::async(std::launch::async, content).get(), sessionText(state));  // it is written when it answers
    }

    void whatAKillLeftIsReadWhereNothingCanBeWritten() {
        QTemporaryDir folder;
        SessionState state;
        state.open = "graph";
        state.put({"graph", {{"edited", "", true}}, 1, 0, 0});
        QCOMPARE(Session(folder.path()).save(state), QString());
        QCOMPARE(chmod(folder.path().toLocal8Bit().constData(), 0555), 0);
        {
            const test::OrdinaryUser user;
            const Session session(folder.path());
            const StoredSession stored = session.load();
            QCOMPARE(stored.state.open, "graph");
            QCOMPARE(stored.recovered.size(), 1u);
            QCOMPARE(stored.recovered[0].variant.plan, "edited");
            QVERIFY(!session.save(stored.state).isEmpty());
        }
        QCOMPARE(chmod(folder.path().toLocal8Bit().constData(), 0755), 0);
        QCOMPARE(Session(folder.path()).load().recovered.size(), 1u);  // for a start that can write, it is there still
    }

    void unsavedPlansOfAnotherHostAreToldOf() {
        QTemporaryDir folder;
        SessionState state;
        state.put({"graph", {{"edited", "", true}}, 1, 0, 0});
        QCOMPARE(Session(folder.path()).save(state), QString());
        QFile lock(folder.filePath("session.lock"));
        QVERIFY(lock.open(QIODevice::WriteOnly));
        lock.write("4711\noverlap-studio\nnode17\n00112233445566778899aabbccddeeff\nboot\n");
        lock.close();
        const StoredSession stored = Session(folder.path()).load();
        QCOMPARE(stored.recovered.size(), 0u);
        QCOMPARE(stored.problems.size(), 1);
        QVERIFY2(stored.problems[0].contains("node17") && stored.problems[0].contains(lock.fileName()),
                 qPrintable(stored.problems[0]));
        QVERIFY(lock.remove());  // as the sentence says
        QCOMPARE(Session(folder.path()).load().recovered.size(), 1u);
    }

    void theNameThatANewerSessionIsToGetIsFree() {
        QTemporaryDir folder;
        const Session session(folder.path());
        QFile file(session.file());
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(R"({"format": "overlap-session", "version": 99})");
        file.close();
        const StoredSession stored = session.load();
        QCOMPARE(stored.problems.size(), 1);
        QVERIFY(stored.problems[0].contains("rename it to " + folder.filePath("session-of-newer-1.json")));
    }

    void aPlanThatCannotBeRestoredIsKept() {
        QTemporaryDir folder;
        const Session session(folder.path());
        const QString first = session.keepAside("one");
        const QString second = session.keepAside("two");
        QVERIFY(first != second);
        QFile file(first);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(file.readAll(), "one");
    }
};

}  // namespace overlap::ui

QTEST_GUILESS_MAIN(overlap::ui::SessionTest)
#include "session_test.moc"
