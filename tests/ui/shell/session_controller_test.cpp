#include "ui/shell/session_controller.h"

#include <QComboBox>
#include <QSignalSpy>

#include "core/io/plan/plan_file.h"
#include "tests/ui/shell/session_fixture.h"
#include "tests/ui/ui_test_support.h"
#include "ui/edits/bucket_commands.h"
#include "ui/measure/compare_panel.h"
#include "ui/measure/compared_sides.h"
#include "ui/memory/memory_panel.h"
#include "ui/search/search_controls.h"
#include "ui/search/search_panel.h"
#include "ui/timeline/timeline_view.h"
#include "ui/widgets/limit_field.h"

namespace overlap::ui {

/// What is kept of a workspace, and what comes back.
class SessionControllerTest : public QObject {
    Q_OBJECT

    LoadedGraph graph_;

    static QString lastOf(const QSignalSpy& spy) { return spy.isEmpty() ? QString() : spy.back()[0].toString(); }

  private slots:
    void initTestCase() { graph_ = loadGraph(smallGraphFile()); }

    void editsComeBackWithTheirGraph() {
        QTemporaryDir folder;
        {
            SessionFixture fixture;
            fixture.session.open(folder.path());
            fixture.document.setGraph(graph_);
            BucketCommands(fixture.document).addText("layers.0");
            fixture.document.addCopyOfCurrent();
            fixture.document.setCurrentIndex(1);
            QCOMPARE(fixture.session.store(), QString());
        }
        SessionFixture fixture;
        fixture.session.open(folder.path());
        fixture.document.setGraph(graph_);
        QCOMPARE(fixture.document.variantCount(), 3);
        QCOMPARE(fixture.document.currentIndex(), 1);
        QCOMPARE(fixture.document.current()->plan().buckets.size(), 1u);
        QVERIFY(fixture.document.current()->modified());
    }

    void manyEditsAreReadBesideTheGraph() {
        const QTemporaryDir folder;
        constexpr int count = 150;
        {
            SessionFixture fixture;
            fixture.session.open(folder.path());
            fixture.document.setGraph(graph_);
            for (int number = 0; number < count; ++number) {
                Plan plan = fixture.document.current()->plan();
                plan.notes = std::to_string(number);
                fixture.document.editPlan(QString::number(number), std::move(plan));
            }
            QCOMPARE(fixture.session.store(), QString());
        }
        SessionFixture fixture;
        QStringList looked;
        fixture.looks.setLook([&](const QString& path) { looked.append(path); });
        fixture.session.open(folder.path());
        fixture.document.openGraph(smallGraphFile());
        QTRY_VERIFY_WITH_TIMEOUT(fixture.document.isOpen(), 30'000);
        QCOMPARE(fixture.document.current()->undoStack().count(), count);
        QVERIFY2(!looked.contains(folder.path()), "the window waited for the folder of histories");
    }

    /// Whatever made them: a plan that a search found has no edits, and is in no file either.
    void whoQuitsIsToldOfPlansInNoFile() {
        QTemporaryDir folder;
        Plan found = graph_.empty_plan;
        found.buckets.push_back({{"layers.0"}, false, {}});
        found.name = "Found";
        {
            SessionFixture nothing_kept;
            nothing_kept.document.setGraph(graph_);
            nothing_kept.document.addNew(found);
            QCOMPARE(nothing_kept.session.partingWords(), QString());
        }
        SessionFixture fixture;
        fixture.session.open(folder.path());
        fixture.document.setGraph(graph_);
        QCOMPARE(fixture.session.partingWords(), QString());  // an empty plan is as it always begins
        fixture.document.addNew(found);
        const QString words = "Found is in no file as it is now; it is kept, and opens again at the next start";
        QCOMPARE(fixture.session.partingWords(), words);
        QSignalSpy logged(&fixture.session, &SessionController::logged);
        QVERIFY(!fixture.session.refusesClosing());
        QCOMPARE(lastOf(logged), words);
        for (const char* name : {"A & B", "C", "D"}) {
            found.name = name;
            fixture.document.addNew(found);
        }
        QVERIFY2(fixture.session.partingWords().startsWith("Found, A & B, C and 1 more are in no file"),
                 qPrintable(fixture.session.partingWords()));
        fixture.document.closeVariant(fixture.document.variantCount() - 1);
        QVERIFY2(fixture.session.partingWords().startsWith("Found, A & B and C are in no file"),
                 qPrintable(fixture.session.partingWords()));
        fixture.document.closeVariant(fixture.document.variantCount() - 1);
        fixture.document.current()->setSaved(folder.filePath("a.plan.json"));
        QCOMPARE(fixture.session.partingWords(), words);
    }

    void whatIsComparedComesBackWithItsGraph() {
        QTemporaryDir folder;
        const auto sides = [](SessionFixture& fixture) {
            ComparedSides& compared = fixture.workspace.compare().sides();
            return compared.before()->currentText() + " > " + compared.after()->currentText();
        };
        const LoadedGraph other =
            loadGraph(QStringLiteral(OVERLAP_TEST_DATA "/graphs/llama3_debugmodel_fsdp4_tp2.prebucket.graph.json.gz"));
        {
            SessionFixture fixture;
            fixture.session.open(folder.path());
            fixture.document.setGraph(graph_);
            BucketCommands(fixture.document).addText("layers.0");
            fixture.document.addCopyOfCurrent();
            fixture.document.addCopyOfCurrent();
            QCOMPARE(sides(fixture), "Plan B > Plan C");
            fixture.workspace.compare().sides().choosePlans(3, 1);
            fixture.document.setGraph(other);
            QCOMPARE(sides(fixture), "Baseline > Plan A");
            fixture.document.setGraph(graph_);
            QCOMPARE(sides(fixture), "Plan C > Plan A");
            QVERIFY(!fixture.session.refusesClosing());
        }
        SessionFixture fixture;
        fixture.session.open(folder.path());
        fixture.document.setGraph(graph_);
        QCOMPARE(sides(fixture), "Plan C > Plan A");
        fixture.document.setCurrentIndex(2);
        QCOMPARE(sides(fixture), "Plan C > Plan A");
    }

    void theLimitOfMemoryComesBackWithItsGraph() {
        QTemporaryDir folder;
        const auto limit_of = [](SessionFixture& fixture) { return fixture.workspace.memory().limit()->value(); };
        const LoadedGraph other =
            loadGraph(QStringLiteral(OVERLAP_TEST_DATA "/graphs/llama3_debugmodel_fsdp4_tp2.prebucket.graph.json.gz"));
        {
            SessionFixture fixture;
            fixture.session.open(folder.path());
            fixture.document.setGraph(graph_);
            fixture.workspace.memory().setLimit(31.2);
            fixture.document.setGraph(other);
            QCOMPARE(limit_of(fixture), 0.0);
            QCOMPARE(fixture.session.store(), QString());
        }
        SessionFixture fixture;
        fixture.session.open(folder.path());
        fixture.document.setGraph(other);
        QCOMPARE(limit_of(fixture), 0.0);
        fixture.document.setGraph(graph_);
        QCOMPARE(limit_of(fixture), 31.2);
        QCOMPARE(fixture.workspace.search().controls().limitBytes(), std::optional(limitBytes(31.2)));
    }

    /// What of the plan it is, is known only when the plan has been evaluated.
    void theLimitOfASearchComesBackAsItWasChosen() {
        QTemporaryDir folder;
        constexpr int of_plan = static_cast<int>(SearchControls::Limit::current);
        {
            SessionFixture fixture;
            fixture.session.open(folder.path());
            fixture.document.setGraph(graph_);
            QVERIFY(waitForEvaluation(fixture.document));
            fixture.workspace.search().controls().limit()->setCurrentIndex(of_plan);
            QCOMPARE(fixture.session.store(), QString());
        }
        SessionFixture fixture;
        fixture.session.open(folder.path());
        fixture.document.setGraph(graph_);
        QVERIFY(waitForEvaluation(fixture.document));
        QCOMPARE(fixture.workspace.search().controls().limit()->currentIndex(), of_plan);
        QCOMPARE(fixture.workspace.memory().limit()->bytes(),
                 fixture.document.evaluation()->corrected_memory.peak_bytes);
    }

    /// Older versions had a limit in Memory beside one in Search.
    void aLimitOfMemoryIsKeptBesideASearchWithAnyPeak() {
        QTemporaryDir folder;
        {
            SessionFixture fixture;
            fixture.session.open(folder.path());
            fixture.document.setGraph(graph_);
            fixture.workspace.search().controls().effort()->setCurrentIndex(2);
            fixture.workspace.search().controls().blockSignals(true);
            fixture.workspace.memory().setLimit(31.2);
            fixture.workspace.search().controls().setLimit(std::nullopt);
            QCOMPARE(fixture.session.store(), QString());
        }
        SessionFixture fixture;
        fixture.session.open(folder.path());
        fixture.document.setGraph(graph_);
        QCOMPARE(fixture.workspace.memory().limit()->value(), 31.2);
        QCOMPARE(fixture.workspace.search().controls().limitBytes(), std::optional(limitBytes(31.2)));
    }

    void anEditIsWrittenWithoutBeingAsked() {
        QTemporaryDir folder;
        SessionFixture fixture;
        fixture.session.open(folder.path());
        fixture.document.setGraph(graph_);
        QCOMPARE(fixture.session.store(), QString());
        BucketCommands(fixture.document).addText("layers.3");
        const auto isWritten = [&] {
            QFile file(folder.filePath("session.json"));
            return file.open(QIODevice::ReadOnly) && file.readAll().contains("layers.3");
        };
        QTRY_VERIFY(isWritten());
    }

    void aClosedWindowIsNoRunThatWasCutOff() {
        QTemporaryDir folder;
        for (const bool is_closed : {false, true}) {
            {
                SessionFixture fixture;
                fixture.session.open(folder.path());
                fixture.document.setGraph(graph_);
                BucketCommands(fixture.document).addText("layers.0");
                QCOMPARE(fixture.session.store(), QString());
                if (is_closed) QVERIFY(!fixture.session.refusesClosing());
            }
            SessionFixture next;
            QCOMPARE(next.session.open(folder.path()).recovered.empty(), is_closed);
        }
    }

    void closingIsRefusedOnceWhereEditsAreKeptNowhere() {
        SessionFixture fixture;
        QSignalSpy warned(&fixture.session, &NoticeSource::warned);
        fixture.document.setGraph(graph_);
        QVERIFY2(!fixture.session.refusesClosing(), "there is nothing to lose");
        BucketCommands(fixture.document).addText("layers.0");
        QVERIFY(fixture.session.refusesClosing());
        QVERIFY2(lastOf(warned).startsWith("Nothing of this window is kept"), qPrintable(lastOf(warned)));
        QVERIFY(!fixture.session.refusesClosing());
        BucketCommands(fixture.document).addText("layers.1");
        QVERIFY2(fixture.session.refusesClosing(), "these edits have not been warned of");
    }

    void aPlanThatFitsNoMoreIsKeptAside() {
        QTemporaryDir folder;
        SessionFixture fixture;
        fixture.session.open(folder.path());
        QSignalSpy warned(&fixture.session, &NoticeSource::warnedAlso);
        const LoadedGraph other =
            loadGraph(QStringLiteral(OVERLAP_TEST_DATA "/graphs/llama3_debugmodel_fsdp4_tp2.prebucket.graph.json.gz"));
        const QByteArray plan = QByteArray::fromStdString(write_plan_text(other.empty_plan));
        SessionDocument kept;
        kept.graph = graph_.path;
        kept.variants = {{plan, {}, true}};
        fixture.session.state().put(kept);
        fixture.document.setGraph(graph_);
        QVERIFY2(lastOf(warned).startsWith("A plan of the last session was kept as "), qPrintable(lastOf(warned)));
        QVERIFY(fixture.document.current()->plan().buckets.empty());
        int copies = 0;
        for (const QString& name : QDir(folder.path()).entryList(QDir::Files)) {
            QFile file(folder.filePath(name));
            if (lastOf(warned).contains(file.fileName()) && file.open(QIODevice::ReadOnly))
                copies += file.readAll() == plan;
        }
        QCOMPARE(copies, 1);
    }

    void theVisibleRangeComesBackWithItsGraph() {
        QTemporaryDir folder;
        {
            SessionFixture fixture;
            fixture.session.open(folder.path());
            QSignalSpy shown(&fixture.workspace, &Workspace::timelineShown);
            fixture.document.setGraph(graph_);
            QTRY_VERIFY_WITH_TIMEOUT(!shown.isEmpty() && !fixture.workspace.busy(), 30'000);
            fixture.workspace.timeline().setVisibleRange({1'000'000, 3'000'000});
            QCOMPARE(fixture.session.store(), QString());
        }
        SessionFixture fixture;
        fixture.session.open(folder.path());
        fixture.document.setGraph(graph_);
        QTRY_COMPARE_WITH_TIMEOUT(fixture.workspace.timeline().visibleRange(), (TimeRange{1'000'000, 3'000'000}),
                                  30'000);
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::SessionControllerTest)
#include "session_controller_test.moc"
