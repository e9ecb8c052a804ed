// Session files while any call of the system fails: what was stored, or was there before, is there at the next start.

#include <QDir>
#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <memory>
#include <new>

#include "tests/faults/each_fault.h"
#include "ui/session/session.h"
#include "ui/session/session_writer.h"

namespace overlap::ui {
namespace {

using test::Call;

const QString graph = QStringLiteral("/graphs/a.graph.json");

/// The session with one more plan, which has unsaved edits.
SessionState withPlan(SessionState state, const QByteArray& plan) {
    SessionDocument document;
    if (const SessionDocument* kept = state.document(graph)) document = *kept;
    document.graph = graph;
    document.variants.push_back({plan, QString(), true, {}});
    state.put(document);
    return state;
}

QByteArrayList plansIn(const SessionState& state) {
    QByteArrayList plans;
    for (const SessionDocument& document : state.documents)
        for (const SessionVariant& variant : document.variants) plans.append(variant.plan);
    return plans;
}

/// A run of the window that reads the session, edits twice, and ends; and the next one.
class Runs {
  public:
    QString folder() const { return folder_.path(); }

    Runs() {
        const SessionState first = withPlan({}, "plan 1");
        before_ = sessionText(first);
        newest_ = sessionText(withPlan(first, "plan 2"));
    }

    void prepare() {
        QDir(folder()).removeRecursively();
        QDir().mkpath(folder());
        put("session.json", newest_);
        put("session.json~", before_);
    }

    void run() {
        kept_ = {"plan 1", "plan 2"};
        told_.clear();
        const Session session(folder());
        const StoredSession stored = session.load();
        told_ = stored.problems;
        SessionState state = stored.state;
        for (const char* plan : {"plan 3", "plan 4"}) {
            state = withPlan(state, plan);
            const QString problem = session.save(state);
            if (problem.isEmpty()) {
                kept_.append(plan);
            } else {
                told_.append(problem);
            }
        }
    }

    void check(const std::string& failed) {
        QFile::remove(path("session.lock"));  // it is of a process that has ended
        const Session session(folder());
        const StoredSession stored = session.load();
        QByteArrayList shown = plansIn(stored.state), there = shown;
        for (const QString& file : QDir(folder()).entryList({"session-not-read-*"}))
            there.append(plansIn(readState(path(file))));
        const QByteArray what =
            QByteArray::fromStdString(failed) + ": " + (told_ + stored.problems).join(", ").toUtf8();
        for (const QByteArray& plan : kept_) {
            QVERIFY2(there.contains(plan), what + ": lost: " + plan);
            QVERIFY2(shown.contains(plan) || !(told_ + stored.problems).isEmpty(),
                     what + ": nothing is said of " + plan);
        }
        const QStringList strange = QDir(folder()).entryList({"*.json.*", "*~.*"});
        QVERIFY2(strange.isEmpty(), what + ": left: " + strange.join(", ").toUtf8());
    }

  private:
    QString path(const QString& name) const { return QDir(folder()).filePath(name); }
    void put(const QString& name, const QByteArray& content) const {
        QFile file(path(name));
        QVERIFY(file.open(QIODevice::WriteOnly));
        QCOMPARE(file.write(content), content.size());
    }
    static SessionState readState(const QString& path) {
        QFile file(path);
        if (!file.open(QIODevice::ReadOnly)) return {};
        return readSessionText(file.readAll()).state.value_or(SessionState());
    }

    const QTemporaryDir folder_;
    QByteArray before_, newest_;
    QByteArrayList kept_;
    QStringList told_;
};

int faultsOf(std::initializer_list<Call> calls) {
    Runs runs;
    return test::each_fault(
        runs.folder().toStdString(), calls, [&] { runs.prepare(); }, [&] { runs.run(); },
        [&](const std::string& failed) { runs.check(failed); });
}

}  // namespace

class SessionFaultsTest : public QObject {
    Q_OBJECT

  private slots:
    void whatWasStoredIsThereWhateverFails() { QVERIFY(faultsOf(test::file_calls) > 50); }

    void sessionsThatCannotBeListedAreToldOfAndStay() {
        const QTemporaryDir folder;
        QVERIFY(Session(folder.path()).save(withPlan({}, "plan 1")).isEmpty());
        // Another window has left it.
        QVERIFY(QFile::rename(folder.filePath("session.json"), folder.filePath("session-2.json")));
        const std::string below = folder.path().toStdString();
        {
            const Session session(folder.path());
            test::begin_faults({Call::list, 1, EIO, true, below.c_str()});
            const StoredSession stored = session.load();
            test::end_faults();
            QVERIFY(test::has_failed());
            QCOMPARE(plansIn(stored.state), QByteArrayList());
            QCOMPARE(stored.problems.size(), 1);
            QVERIFY2(stored.problems.front().startsWith("The last session could not be read: the folder ") &&
                         stored.problems.front().contains("Input/output error"),
                     qPrintable(stored.problems.front()));
            QVERIFY(QFile::exists(folder.filePath("session-2.json")));
        }
        const StoredSession stored = Session(folder.path()).load();
        QCOMPARE(plansIn(stored.state), QByteArrayList{"plan 1"});
        QCOMPARE(stored.problems, QStringList());
    }

    void aSessionForWhichThereIsNoMemoryIsToldOf() {
        const QTemporaryDir folder;
        const auto session = std::make_shared<Session>(folder.path());
        SessionWriter writer(session);
        writer.write({withPlan({}, "plan 1"), {}});
        QCOMPARE(writer.flush(), QString());
        QSignalSpy told(&writer, &SessionWriter::problemChanged);
        SessionSnapshot snapshot{withPlan({}, QByteArray(1 << 20, 'x')), {}};
        // Of the calls some are of this thread, and what they are for is made anyway.
        bool has_failed = false;
        for (unsigned long at = 1; at < 200 && !has_failed; ++at) {
            SessionSnapshot copy = snapshot;
            test::begin_faults({Call::memory, at, ENOMEM, false, "/"});
            try {
                writer.write(std::move(copy));
            } catch (const std::bad_alloc&) {
                test::end_faults();
                continue;
            }
            const QString problem = writer.flush();
            test::end_faults();
            has_failed = !problem.isEmpty();
            if (has_failed) QVERIFY2(problem.contains("memory"), qPrintable(problem));
        }
        QVERIFY(has_failed);
        writer.write({withPlan({}, "plan 2"), {}});
        QCOMPARE(writer.flush(), QString());
        QCOMPARE(plansIn(session->load().state), QByteArrayList{"plan 2"});
    }
};

}  // namespace overlap::ui

QTEST_GUILESS_MAIN(overlap::ui::SessionFaultsTest)
#include "session_faults_test.moc"
