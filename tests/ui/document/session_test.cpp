#include "ui/document/session.h"

#include <QJsonArray>

#include "core/io/plan_file.h"
#include "tests/ui/ui_test_support.h"
#include "ui/document/bucket_commands.h"

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
                   {{"closed", "", true}},
                   {"/traces/a.json"},
                   "h200-sxm",
                   true,
                   {{"notes", QJsonArray{"a note"}}}});
        state.putRecent("/one");
        state.putRecent("/two");
        state.putRecent("/one");
        QCOMPARE(state.recent_files, QStringList({"/one", "/two"}));
        state.theme = "light";
        state.geometry = QByteArray("\0\1\2", 3);
        state.layout = "layout";
        state.views["tree"] = "x";
        {
            const Session session(folder.path());
            QCOMPARE(session.save(state), QString());
        }
        const Session again(folder.path());
        QVERIFY(again.load() == state);
    }

    void nothingIsThereAtFirst() {
        QTemporaryDir folder;
        QString problem;
        QVERIFY(Session(folder.filePath("new/folder")).load(&problem) == SessionState());
        QVERIFY(problem.isEmpty());
    }

    void anUnreadableSessionIsPutAside_data() {
        QTest::addColumn<QByteArray>("content");
        QTest::newRow("half a file") << QByteArray("{\"format\": \"overlap-session\", \"ver");
        QTest::newRow("of the future") << QByteArray(R"({"format": "overlap-session", "version": 99})");
        QTest::newRow("something else") << QByteArray("[1, 2]");
    }
    void anUnreadableSessionIsPutAside() {
        QFETCH(QByteArray, content);
        QTemporaryDir folder;
        const Session session(folder.path());
        QFile file(session.file());
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(content);
        file.close();
        QString problem;
        QVERIFY(session.load(&problem) == SessionState());
        const QString aside = folder.filePath("session-not-read-1.json");
        QVERIFY(problem.contains(aside));
        QFile kept(aside);
        QVERIFY(kept.open(QIODevice::ReadOnly));
        QCOMPARE(kept.readAll(), content);
    }

    void aSecondInstanceHasItsOwnFile() {
        QTemporaryDir folder;
        const Session first(folder.path());
        const Session second(folder.path());
        QVERIFY(first.file() != second.file());
        SessionState state;
        state.open = "second";
        second.save(state);
        QCOMPARE(first.load().open, QString());
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
        int adopted = 0;
        SessionState state = running.load(nullptr, &adopted);
        QCOMPARE(adopted, 1);
        QCOMPARE(state.documents.size(), 1u);
        QCOMPARE(state.document("graph")->variants.size(), 2u);
        QCOMPARE(state.document("graph")->variants[1].plan, "two");
        QCOMPARE(QDir(folder.path()).entryList({"*.json"}), QStringList("session.json"));
        // It is in this instance's file before the other's goes.
        QVERIFY(running.load() == state);
        const Session other(folder.path());
        QVERIFY2(other.load() == SessionState(), "the file of a running instance is its own");
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
        QCOMPARE(Session(folder.path()).load().documents.size(), 12u);
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
