// What a person sees of a plan whose folder does not answer. A pipe that nobody reads hangs as such a folder does.

#include <sys/stat.h>

#include <QAction>
#include <QToolButton>
#include <future>

#include "core/io/plan/plan_file.h"
#include "tests/ui/ui_test_support.h"
#include "ui/edits/bucket_commands.h"
#include "ui/frame/actions.h"
#include "ui/frame/notices/notice_bar.h"
#include "ui/shell/files/save_controller.h"
#include "ui/shell/main_window.h"
#include "ui/shell/workspace/workspace.h"
#include "ui/timeline/timeline_view.h"

namespace overlap::ui {

class LateSaveTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    std::unique_ptr<MainWindow> window_;

    /// A plan's file that takes nothing until it is read.
    QString hangingFile(const char* name) {
        const QString path = folder_.filePath(QString::fromLatin1(name));
        return mkfifo(path.toLocal8Bit().constData(), 0600) == 0 ? path : QString();
    }
    /// Lets the folder answer.
    static std::future<QByteArray> read(const QString& path) {
        return std::async(std::launch::async, [path] {
            QFile file(path);
            return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
        });
    }
    bool isTold(const char* words) const {
        return window_->workspace().notice().text().contains(QString::fromLatin1(words));
    }
    void edit(const char* bucket) {
        QCOMPARE(BucketCommands(window_->document()).addText(QString::fromLatin1(bucket)), QString());
    }

  private slots:
    void init() {
        window_ = std::make_unique<MainWindow>();
        window_->show();
        window_->openFiles({smallGraphFile()});
        QTRY_VERIFY_WITH_TIMEOUT(window_->document().isOpen() && window_->idle(), 60'000);
        edit("layers.0");
    }
    void cleanup() { window_.reset(); }

    void aPlanIsSavedWhenItsFolderAnswers() {
        const QString file = hangingFile("late.plan.json");
        QVERIFY(!file.isEmpty());
        QVERIFY(!window_->saves().savePlanAs(file, true));
        QVERIFY(window_->document().current()->modified());
        QVERIFY(!window_->saves().savePlanAs(file, true));
        QVERIFY2(isTold("is still being saved: its folder has not answered yet"),
                 qPrintable(window_->workspace().notice().text()));

        const Plan saved = window_->document().current()->plan();
        std::future<QByteArray> content = read(file);
        QTRY_COMPARE(window_->document().current()->filePath(), file);
        QVERIFY(!window_->document().current()->modified());
        QVERIFY(read_plan_text(content.get().toStdString(), "late") == saved);
    }

    void anEditMeanwhileStaysUnsaved() {
        const QString file = hangingFile("edited.plan.json");
        QVERIFY(!window_->saves().savePlanAs(file, true));
        edit("layers.1");
        std::future<QByteArray> content = read(file);
        QTRY_COMPARE(window_->document().current()->filePath(), file);
        QVERIFY(window_->document().current()->modified());
        QCOMPARE(read_plan_text(content.get().toStdString(), "edited").buckets.size(), 1u);
    }

    void closingIsRefusedWhereThePlanWouldBeLost() {
        const QString file = hangingFile("closed.plan.json");
        QVERIFY(!window_->saves().savePlanAs(file, true));
        QVERIFY(!window_->close());
        QVERIFY2(isTold("Close the window once more to leave it to itself"),
                 qPrintable(window_->workspace().notice().text()));
        // Nor is it in a session: this window keeps none.
        QVERIFY(!window_->close());
        QVERIFY2(isTold("close the window once more to lose them"), qPrintable(window_->workspace().notice().text()));
        // Who works on instead is told of what would be lost now; who only looks around is not.
        edit("layers.1");
        QVERIFY(!window_->close());
        window_->document().setCurrentIndex(0);
        QVERIFY(window_->close());
        window_.reset();
        QVERIFY(!read(file).get().isEmpty());  // the thread goes on without the window
    }

    void aPlanThatCouldBeReopenedIsNotLostEither() {
        window_->actions().find("plan.close")->trigger();
        QCOMPARE(window_->document().variantCount(), 1);
        QVERIFY(!window_->close());
        QVERIFY2(isTold("close the window once more to lose them"), qPrintable(window_->workspace().notice().text()));
        QVERIFY(window_->close());
    }

    void notesAreNotLostEither() {
        window_->actions().find("plan.close")->trigger();
        TimelineNote note;
        note.text = "why is this exposed?";
        window_->workspace().timeline().edits().setNotes("Add note", {note});
        QVERIFY(!window_->close());
        QVERIFY2(isTold("There are unsaved edits or notes"), qPrintable(window_->workspace().notice().text()));
        QVERIFY(window_->close());
    }

    void thePlanThatWasAskedAboutIsReplaced() {
        const QString file = folder_.filePath("theirs.plan.json");
        QFile theirs(file);
        QVERIFY(theirs.open(QIODevice::WriteOnly) && theirs.write("theirs") > 0);
        theirs.close();
        const Plan asked = window_->document().current()->plan();
        QVERIFY(!window_->saves().savePlanAs(file));
        QToolButton* replace = window_->workspace().notice().button("Replace");
        QVERIFY(replace);
        window_->document().addCopyOfCurrent();
        edit("layers.1");
        replace->click();
        QTRY_COMPARE(window_->document().variant(1).filePath(), file);
        QCOMPARE(window_->document().currentIndex(), 1);
        QVERIFY(read_plan_file(file.toStdString()) == asked);
        QVERIFY(window_->document().variant(2).modified());
    }

    void aPlanThatWasClosedIsNotReplacedByAnother() {
        const QString file = folder_.filePath("others.plan.json");
        QFile theirs(file);
        QVERIFY(theirs.open(QIODevice::WriteOnly) && theirs.write("theirs") > 0);
        theirs.close();
        QVERIFY(!window_->saves().savePlanAs(file));
        QToolButton* replace = window_->workspace().notice().button("Replace");
        QVERIFY(replace);
        window_->document().addCopyOfCurrent();
        window_->document().closeVariant(1);
        replace->click();
        QVERIFY2(isTold("The plan has been closed"), qPrintable(window_->workspace().notice().text()));
        QVERIFY(theirs.open(QIODevice::ReadOnly));
        QCOMPARE(theirs.readAll(), QByteArray("theirs"));
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::LateSaveTest)
#include "late_save_test.moc"
