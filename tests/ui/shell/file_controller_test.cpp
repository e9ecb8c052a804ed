#include "ui/shell/files/file_controller.h"

#include <QSignalSpy>
#include <atomic>
#include <memory>
#include <semaphore>

#include "core/io/plan/plan_file.h"
#include "tests/ui/ui_test_support.h"
#include "ui/edits/bucket_commands.h"
#include "ui/files/file_looks.h"
#include "ui/files/resources.h"
#include "ui/frame/actions.h"
#include "ui/measure/measurements.h"
#include "ui/mesh/mesh_connection.h"
#include "ui/mesh/mesh_view.h"
#include "ui/panels/graph_chooser.h"
#include "ui/session/graph_finder.h"
#include "ui/session/recent_files.h"
#include "ui/session/session_state.h"

namespace overlap::ui {

/// Opening files without a window: what opens, what waits, what is told and refused.
class FileControllerTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    QString plan_;

    struct Fixture {
        Document document;
        Measurements measurements;
        MeshView mesh_view;
        MeshConnection mesh{document, mesh_view};
        SessionState state;
        RecentFiles recent{state};
        FileLooks looks;
        QWidget window;
        FileController files{{document, measurements, mesh, state, recent, looks, window}};
        QSignalSpy told{&files, &NoticeSource::told};
        QSignalSpy warned{&files, &NoticeSource::warned};

        Fixture() { QObject::connect(&document, &Document::graphChanged, &files, &FileController::graphOpened); }
        ~Fixture() {
            document.disconnect();
            document.loader().disconnect();
        }

        /// Opens files, and waits until those that are no traces are open.
        void open(const QStringList& paths) {
            files.open(paths);
            QTRY_VERIFY_WITH_TIMEOUT(!document.loading(), 30'000);
            QCoreApplication::sendPostedEvents();  // plans open after their graph
        }
        QString lastWarning() const { return warned.isEmpty() ? QString() : warned.back()[0].toString(); }
    };

    QString write(const QString& name, const QByteArray& content) {
        QFile file(folder_.filePath(name));
        if (!file.open(QIODevice::WriteOnly) || file.write(content) < 0) qFatal("no file");
        return file.fileName();
    }

  private slots:
    void initTestCase() {
        loadResources();
        const auto document = openDocument();
        BucketCommands(*document).addText("layers.0");
        plan_ = write("one.plan.json", QByteArray::fromStdString(write_plan_text(document->current()->plan())));
    }

    void aGraphsFileThatAnotherProgramChangedCanBeReadAgain() {
        Fixture fixture;
        const QString path = folder_.filePath("changing.graph.json.gz");
        QVERIFY(QFile::copy(smallGraphFile(), path));
        fixture.open({path});
        QStringList told;
        std::vector<NoticeAction> actions;
        connect(&fixture.files, &NoticeSource::warnedAlso, this,
                [&](const QString& sentence, const QStringList&, const std::vector<NoticeAction>& offered) {
                    told.append(sentence);
                    actions = offered;
                });
        QSignalSpy withdrawn(&fixture.files, &NoticeSource::withdrawn);
        const QString other = OVERLAP_TEST_DATA "/graphs/llama3_debugmodel_fsdp4_tp2.prebucket.graph.json.gz";
        QVERIFY(QFile::remove(path) && QFile::copy(other, path));
        QTRY_COMPARE(told, QStringList{path + " was changed on disk since it was read; the graph is shown as it was"});
        fixture.files.lookAtGraph();
        QTest::qWait(300);
        QCOMPARE(told.size(), 1);
        QCOMPARE(withdrawn.count(), 0);
        const std::size_t nodes = fixture.document.graph()->node_count();
        QCOMPARE(actions.size(), 1u);
        actions[0].run();
        QTRY_VERIFY_WITH_TIMEOUT(!fixture.document.loading(), 30'000);
        QVERIFY(fixture.document.graph()->node_count() != nodes);
        QCOMPARE(withdrawn.count(), 1);
        QCOMPARE(withdrawn[0][0].toString(), told[0]);
    }

    void aGraphIsToldAndRecent() {
        Fixture fixture;
        fixture.open({smallGraphFile()});
        QVERIFY(fixture.document.isOpen());
        QVERIFY(fixture.told.back()[0].toString().startsWith("Read llama3_debugmodel_fsdp8.prebucket: "));
        QCOMPARE(fixture.state.recent_files, QStringList{smallGraphFile()});
    }

    void errorsAreTakenBackWhenTheNextOpeningSucceeds() {
        Fixture fixture;
        QSignalSpy outlived(&fixture.files, &FileController::outlived);
        const QString first = write("first.txt", "no graph"), second = write("second.txt", "no graph either");
        fixture.open({first});
        QCOMPARE(fixture.warned.count(), 1);
        QCOMPARE(outlived.count(), 0);
        fixture.open({second, smallGraphFile()});
        QCOMPARE(outlived.count(), 1);  // that of the same opening stays
        QCOMPARE(outlived[0][0], fixture.warned[0][0]);
        QVERIFY(fixture.lastWarning().contains("second.txt"));
        fixture.open({plan_});
        QCOMPARE(outlived.count(), 2);
        QCOMPARE(outlived[1][0], fixture.warned[1][0]);
        fixture.document.openGraph(memorySampleGraph());  // not by way of files
        QTRY_VERIFY_WITH_TIMEOUT(!fixture.document.loading(), 30'000);
        QCOMPARE(outlived.count(), 2);
    }

    void anErrorThatIsMadeAgainStays() {
        Fixture fixture;
        QSignalSpy outlived(&fixture.files, &FileController::outlived);
        const QString bad = write("bad.txt", "no graph");
        fixture.open({bad});
        fixture.open({bad, smallGraphFile()});
        QCOMPARE(fixture.warned.count(), 2);
        QCOMPARE(fixture.warned[0][0], fixture.warned[1][0]);
        QCOMPARE(outlived.count(), 0);
        fixture.open({plan_});
        QCOMPARE(outlived.count(), 1);
        QCOMPARE(outlived[0][0], fixture.warned[0][0]);
    }

    void errorsStayWhenAPlanDoesNotAnswer() {
        Fixture fixture;
        fixture.open({smallGraphFile()});
        fixture.open({write("bad.txt", "no graph")});
        QCOMPARE(fixture.warned.count(), 1);
        QSignalSpy outlived(&fixture.files, &FileController::outlived);
        // Its kind is read, and then its folder hangs.
        const auto looks = std::make_shared<std::atomic<int>>(0);
        const auto answer = std::make_shared<std::binary_semaphore>(0);
        fixture.looks.setLook([looks, answer](const QString&) {
            if (++*looks == 2) answer->acquire();
        });
        fixture.open({plan_});
        answer->release();
        QCOMPARE(fixture.warned.count(), 2);
        QCOMPARE(fixture.lastWarning(), FileLooks::silence(plan_));
        QCOMPARE(outlived.count(), 0);
    }

    /// Notes on an import are not all of what could be told.
    void whatIsOnlyNotedIsNotAskedFor() {
        Fixture fixture;
        Actions actions(&fixture.window);
        fixture.files.registerActions(actions);
        const QString text = write("noted.py",
                                   "def forward(self, x: \"f32[4, 4]\"):\n"
                                   "    y: \"f32[4, 4]\" = torch.ops.aten.relu.default(x);  x = None\n"
                                   "    return (y,)\n");
        fixture.open({text});
        QVERIFY(!fixture.document.loaded().notes.empty());
        QVERIFY2(!actions.find("file.tell")->isEnabled(), qPrintable(actions.find("file.tell")->toolTip()));
    }

    /// Only texts and logs leave something out.
    void whatATextLeavesOutIsAskedFor() {
        Fixture fixture;
        Actions actions(&fixture.window);
        fixture.files.registerActions(actions);
        const QAction& tell = *actions.find("file.tell");
        QVERIFY(!tell.isEnabled());
        fixture.open({smallGraphFile()});
        QVERIFY(!tell.isEnabled());
        QVERIFY2(tell.toolTip().contains("leaves nothing out"), qPrintable(tell.toolTip()));
        fixture.open({QStringLiteral(OVERLAP_TEST_DATA "/fx_text/step.untyped.py")});
        QVERIFY(tell.isEnabled());
        actions.find("file.tell")->trigger();
        const auto dialog = [&] { return fixture.window.findChild<GraphChooser*>(); };
        QTRY_VERIFY_WITH_TIMEOUT(dialog(), 30'000);
        QVERIFY2(dialog()->standing().contains("ranks not known"), qPrintable(dialog()->standing()));
        dialog()->groups().setText("0=0-3");
        dialog()->accept();
        QTRY_VERIFY_WITH_TIMEOUT(fixture.document.graph()->header().process_group("0"), 30'000);
        QTRY_VERIFY(!dialog());
    }

    void aPlanWaitsForItsGraphAndTakesTheEmptyPlansPlace() {
        Fixture fixture;
        fixture.open({plan_, smallGraphFile()});
        QCOMPARE(fixture.document.variantCount(), 2);
        QCOMPARE(fixture.document.current()->filePath(), plan_);
        QCOMPARE(fixture.state.recent_files, (QStringList{plan_, smallGraphFile()}));
    }

    void aPlanAloneOpensTheGraphThatWasOpenedBefore() {
        Fixture fixture;
        fixture.state.recent_files = {smallGraphFile()};
        fixture.open({plan_});
        QCOMPARE(fixture.document.loaded().path, smallGraphFile());
        QCOMPARE(fixture.document.current()->filePath(), plan_);
    }

    void aPlanWhoseGraphIsNotFoundWaitsForIt() {
        Fixture fixture;
        fixture.open({plan_});
        QVERIFY(!fixture.document.isOpen());
        QVERIFY2(fixture.lastWarning().contains("open that graph, and the plan opens with it"),
                 qPrintable(fixture.lastWarning()));
        fixture.open({smallGraphFile()});
        QCOMPARE(fixture.document.current()->filePath(), plan_);
    }

    void whatIsCancelledLeavesNoPlanBehind() {
        Fixture fixture;
        fixture.files.open({plan_, smallGraphFile()});
        fixture.document.loader().cancel();
        QVERIFY(fixture.told.back()[0].toString().endsWith("was cancelled"));
        fixture.open({smallGraphFile()});
        QVERIFY(fixture.document.isOpen());
        QVERIFY(fixture.document.current()->filePath().isEmpty());
    }

    void anOpenPlanIsShownAgain() {
        Fixture fixture;
        fixture.open({plan_, smallGraphFile()});
        fixture.document.addCopyOfCurrent();
        fixture.open({plan_});
        QCOMPARE(fixture.document.variantCount(), 3);
        QCOMPARE(fixture.document.currentIndex(), 1);
    }

    void anEditedPlanStaysBesideItsFile() {
        Fixture fixture;
        fixture.open({plan_, smallGraphFile()});
        BucketCommands(fixture.document).addText("layers.1");
        fixture.open({plan_});
        QVERIFY2(fixture.lastWarning().contains("unsaved edits"), qPrintable(fixture.lastWarning()));
        QCOMPARE(fixture.document.variantCount(), 3);
        QCOMPARE(fixture.document.variant(1).plan().buckets.size(), 2u);
        QCOMPARE(fixture.document.current()->plan().buckets.size(), 1u);
    }

    void aFileOfAnotherKindIsWarnedOf() {
        Fixture fixture;
        fixture.open({write("letter.txt", "Dear reader"), smallGraphFile()});
        QCOMPARE(fixture.warned.count(), 1);
        QVERIFY2(fixture.lastWarning().contains("letter.txt"), qPrintable(fixture.lastWarning()));
        QVERIFY(fixture.document.isOpen());
    }

    void aStartOpensTheGraphOfTheSession() {
        Fixture fixture;
        fixture.state.open = smallGraphFile();
        fixture.files.openSessionOrSample();
        QTRY_COMPARE_WITH_TIMEOUT(fixture.document.loaded().path, smallGraphFile(), 30'000);
    }

    void aStartWithoutTheSessionsGraphOpensTheSample() {
        Fixture fixture;
        fixture.state.open = "/nowhere/gone.graph.json";
        fixture.files.openSessionOrSample();
        QVERIFY2(fixture.lastWarning().startsWith("/nowhere/gone.graph.json is gone"),
                 qPrintable(fixture.lastWarning()));
        QCOMPARE(fixture.document.loader().path(), sampleGraph());
        fixture.document.loader().cancel();
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::FileControllerTest)
#include "file_controller_test.moc"
