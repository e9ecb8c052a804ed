// Files in a folder that does not answer, as one of a network that has gone: the window does without them.

#include <condition_variable>
#include <mutex>
#include <optional>
#include <semaphore>

#include "core/base/error.h"
#include "tests/ui/ui_test_support.h"
#include "ui/edits/bucket_commands.h"
#include "ui/frame/notices/notice_bar.h"
#include "ui/shell/files/save_controller.h"
#include "ui/shell/main_window.h"
#include "ui/shell/workspace/workspace.h"

namespace overlap::ui {
namespace {

/// A look that hangs in some folders until they answer.
class HangingFolders {
  public:
    FileLooks::Look look() {
        return [state = state_](const QString& path) {
            std::unique_lock lock(state->mutex);
            ++state->looks;
            state->answered.wait(lock, [&] { return state->folder.isEmpty() || !path.startsWith(state->folder); });
        };
    }
    void hang(const QString& folder) {
        const std::lock_guard lock(state_->mutex);
        state_->folder = folder;
    }
    void answer() {
        const std::lock_guard lock(state_->mutex);
        state_->folder.clear();
        state_->answered.notify_all();
    }
    int looks() const {
        const std::lock_guard lock(state_->mutex);
        return state_->looks;
    }

  private:
    struct State {
        std::mutex mutex;
        std::condition_variable answered;
        QString folder;  // guarded by mutex; none hangs where it is empty
        int looks = 0;   // guarded by mutex
    };
    std::shared_ptr<State> state_ = std::make_shared<State>();  // with the looks, which outlive a test that fails
};

}  // namespace

class SilentFolderTest : public QObject {
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> folder_, session_;
    HangingFolders folders_;

    QString graphInFolder() {
        const QString graph = folder_->filePath("graph.json.gz");
        return QFile::exists(graph) || QFile::copy(smallGraphFile(), graph) ? graph : QString();
    }
    std::unique_ptr<MainWindow> window() {
        auto window = std::make_unique<MainWindow>(session_->path());
        window->fileLooks().setLook(folders_.look());
        window->show();
        return window;
    }
    static bool isOpen(MainWindow& window) {
        return QTest::qWaitFor([&] { return window.document().isOpen() && window.idle(); }, 60'000);
    }
    static QString edit(MainWindow& window, const char* bucket) {
        return BucketCommands(window.document()).addText(QString::fromLatin1(bucket));
    }

  private slots:
    void init() {
        folder_ = std::make_unique<QTemporaryDir>();
        session_ = std::make_unique<QTemporaryDir>();
    }
    void cleanup() { folders_.answer(); }

    void aLookIsWaitedForOnceInAFolder() {
        FileLooks looks(std::chrono::milliseconds(50));
        looks.setLook(folders_.look());
        const int before = folders_.looks();
        folders_.hang("/silent");
        QVERIFY(!looks.answers("/silent/a.plan.json"));
        QVERIFY(!looks.answers("/silent/b.plan.json"));
        QTRY_COMPARE(folders_.looks(), before + 1);
        QVERIFY(looks.answers(QString()));
        QVERIFY(looks.answers(":/sample.graph.json.gz"));
        folders_.answer();
        QTRY_VERIFY(looks.answers("/silent/b.plan.json"));
    }

    void aFolderMayStopAnsweringWithinARead() {
        FileLooks looks(std::chrono::milliseconds(50));
        const auto answered = std::make_shared<std::binary_semaphore>(0);
        QCOMPARE(looks.read("/silent/a", [] { return 1; }), std::optional(1));
        QVERIFY(!looks.read("/silent/a", [answered] {
            answered->acquire();
            return 2;
        }));
        QVERIFY(!looks.answers("/silent/b"));  // at once: its folder hangs
        answered->release();
        QTRY_VERIFY(looks.answers("/silent/b"));
        QVERIFY_THROWS_EXCEPTION(
            InputError, looks.read("/silent/a", []() -> int { throw InputError("/silent/a", "", "is no plan"); }));
    }

    void whatIsNotThereAnswers() {
        FileLooks looks(std::chrono::minutes(1));
        QVERIFY(looks.answers(folder_->filePath("missing/graph.json")));
        QVERIFY(looks.answers(folder_->path()));
    }

    void aFileThatDoesNotAnswerIsToldOf() {
        const auto opened = window();
        opened->openFiles({smallGraphFile()});
        QVERIFY(isOpen(*opened));
        folders_.hang(folder_->path());
        opened->openFiles({graphInFolder()});
        QVERIFY2(opened->workspace().notice().text().contains(graphInFolder() +
                                                              " cannot be looked at: its folder does not answer"),
                 qPrintable(opened->workspace().notice().text()));
        QCOMPARE(opened->document().loaded().path, smallGraphFile());
    }

    void aSessionWhoseGraphDoesNotAnswerKeepsItsPlans() {
        {
            const auto first = window();
            first->openFiles({graphInFolder()});
            QVERIFY(isOpen(*first));
            QCOMPARE(edit(*first, "layers.0"), QString());
            QVERIFY(first->close());
        }
        folders_.hang(folder_->path());
        const auto second = window();
        second->openSessionOrSample();
        QVERIFY2(second->workspace().notice().text().contains(
                     "its folder does not answer; its plans are kept and come back with it"),
                 qPrintable(second->workspace().notice().text()));
        QVERIFY(isOpen(*second));
        QVERIFY(second->document().loaded().path.startsWith(":/"));

        folders_.answer();
        QTRY_VERIFY(second->fileLooks().answers(graphInFolder()));
        second->openFiles({graphInFolder()});
        QTRY_COMPARE_WITH_TIMEOUT(second->document().loaded().path, graphInFolder(), 60'000);
        QCOMPARE(second->document().variant(1).plan().buckets.size(), 1u);
        QVERIFY(second->document().variant(1).modified());
    }

    void aPlanWhoseFileDoesNotAnswerIsAsItWas() {
        const QString plan = folder_->filePath("a.plan.json");
        {
            const auto first = window();
            first->openFiles({smallGraphFile()});
            QVERIFY(isOpen(*first));
            QCOMPARE(edit(*first, "layers.0"), QString());
            QVERIFY(first->saves().savePlanAs(plan));
            QCOMPARE(edit(*first, "layers.1"), QString());
            QVERIFY(first->close());
        }
        folders_.hang(folder_->path());
        const auto second = window();
        second->openSessionOrSample();
        QVERIFY(isOpen(*second));
        QVERIFY2(second->workspace().notice().text().contains(
                     plan + " cannot be looked at: its folder does not answer; the plan is "
                            "as it was here"),
                 qPrintable(second->workspace().notice().text()));
        const Variant& variant = second->document().variant(1);
        QCOMPARE(variant.plan().buckets.size(), 2u);
        QVERIFY(variant.modified());
        QCOMPARE(variant.filePath(), plan);
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::SilentFolderTest)
#include "silent_folder_test.moc"
