// Files of the open job that other programs write: what the window tells of them and what its buttons do.

#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>

#include "tests/ui/job/job_files.h"
#include "tests/ui/shell/job_window.h"
#include "ui/edits/bucket_commands.h"
#include "ui/files/write_file.h"
#include "ui/frame/actions.h"
#include "ui/frame/notices/notice_bar.h"
#include "ui/shell/files/job_controller.h"

namespace overlap::ui {

class JobFilesWindowTest : public QObject {
    Q_OBJECT

    QString sentence_;
    QStringList details_;
    std::vector<NoticeAction> actions_;

    void listen(MainWindow& window) {
        actions_.clear();
        connect(&window.jobs(), &NoticeSource::warnedAlso, this,
                [this](const QString& sentence, const QStringList& details, const std::vector<NoticeAction>& actions) {
                    sentence_ = sentence;
                    details_ = details;
                    actions_ = actions;
                });
    }

  private slots:
    void readingAgainIsOfAllFilesThatChanged() {
        QTemporaryDir folder;
        MainWindow window;
        openSample(window);
        QVERIFY(window.jobs().saveAs(folder.filePath("mine.job.json")));
        QVERIFY(waitUntilIdle(window));
        openStage(window, 7);
        const QString first = jobOf(window).graphOf(0), middle = jobOf(window).graphOf(3),
                      last = jobOf(window).graphOf(7);
        QCOMPARE(window.document().loaded().path, last);
        listen(window);
        QVERIFY(QFile::remove(last) && QFile::copy(first, last));
        QTRY_COMPARE(actions_.size(), 1u);
        const QString one = sentence_;
        QVERIFY2(one.startsWith(last), qPrintable(one));
        actions_.clear();
        QVERIFY(QFile::remove(middle) && QFile::copy(first, middle));
        QTRY_COMPARE(actions_.size(), 1u);
        QVERIFY2(sentence_.startsWith("2 files of the job's stages"), qPrintable(sentence_));
        QCOMPARE(details_, (QStringList{last, middle}));
        QVERIFY(!window.workspace().notice().shows(one));
        QSignalSpy read(&window.document(), &Document::graphChanged);
        actions_.front().run();
        QTRY_COMPARE(read.size(), 1);
        QVERIFY(waitUntilIdle(window));
        QVERIFY(!window.workspace().notice().shows(sentence_));
    }

    void filesThatAreAsBeforeAreToldOfNoLonger() {
        QTemporaryDir folder;
        MainWindow window;
        openSample(window);
        const QString file = folder.filePath("mine.job.json"), kept = folder.filePath("kept");
        QVERIFY(window.jobs().saveAs(file));
        QVERIFY(waitUntilIdle(window));
        listen(window);
        // What is put back before the system's word of the change has settled is seen at the next look alone.
        const auto settle = [] { QTest::qWait(1000); };
        settle();
        for (const QString& changed : {jobOf(window).graphOf(7), file}) {
            QVERIFY(QFile::rename(changed, kept) && QFile::copy(jobOf(window).graphOf(0), changed));
            QTRY_VERIFY(sentence_.startsWith(changed) && window.workspace().notice().shows(sentence_));
            settle();
            QVERIFY(QFile::remove(changed) && QFile::rename(kept, changed));
            QTRY_VERIFY(!window.workspace().notice().shows(sentence_));
        }
    }

    void whatIsEditedAfterTheNoticeIsNotLostWithoutAWord() {
        QTemporaryDir folder;
        MainWindow window;
        openSample(window);
        const QString file = folder.filePath("mine.job.json");
        QVERIFY(window.jobs().saveAs(file));
        QVERIFY(waitUntilIdle(window));
        listen(window);
        QFile written(file);
        QVERIFY(written.open(QIODevice::Append) && written.write("\n") == 1);
        written.close();
        QTRY_COMPARE(actions_.size(), 1u);
        QCOMPARE(actions_.front().text, "Read again");
        job::JobChanges changes;
        changes.microbatches = 24;
        jobOf(window).change("24 microbatches", changes);
        const NoticeAction harmless = actions_.front();
        harmless.run();
        QVERIFY(waitUntilIdle(window));
        QVERIFY(jobOf(window).modified());
        QCOMPARE(actions_.front().text, "Read again, without my changes");
        QVERIFY(window.workspace().notice().shows(sentence_));
        const NoticeAction harmful = actions_.front();
        harmful.run();
        QTRY_VERIFY(!jobOf(window).modified());
        QVERIFY(waitUntilIdle(window));
    }

    /// Its tab was closed with the graph of its stage.
    void aPlanOfAStageWhoseGraphIsNotOpenIsWatched() {
        QTemporaryDir folder;
        const QString file = folder.filePath("mine.job.json"), plan = folder.filePath("mine.stage3.plan.json");
        MainWindow window;
        openSample(window);
        openStage(window, 3);
        QCOMPARE(BucketCommands(window.document()).addText("layers.12\nlayers.13"), QString());
        QVERIFY(waitUntilIdle(window));
        QVERIFY(window.jobs().saveAs(file));
        QVERIFY(waitUntilIdle(window));
        QSignalSpy told(&jobOf(window), &OpenJob::filesChanged);
        const auto rename = [&](const QByteArray& from, const QByteArray& to) {
            QFile read(plan);
            QVERIFY(read.open(QIODevice::ReadOnly));
            QByteArray content = read.readAll();
            QVERIFY(content.contains(from));
            QCOMPARE(writeFile(plan, content.replace(from, to)), QString());
        };
        // Its tab is open, and watches it.
        rename("layers.13", "layers.14");
        QTest::qWait(500);
        QVERIFY(told.isEmpty());
        rename("layers.14", "layers.13");
        QTest::qWait(500);
        openStage(window, 0);
        QVERIFY(jobOf(window).graphOf(0) != jobOf(window).graphOf(3));
        QTest::qWait(500);
        QVERIFY(told.isEmpty());
        rename("layers.13", "layers.14");
        QTRY_COMPARE(told.size(), 1);
        QCOMPARE(told[0][0].toStringList(), QStringList{plan});
        const double before_ms = jobOf(window).figures()->step_ms;
        jobOf(window).readFilesAgain();
        QVERIFY(waitUntilIdle(window));
        QCOMPARE(jobOf(window).figures()->step_ms, *simulatedJob(file).step_ms);
        QVERIFY(jobOf(window).figures()->step_ms != before_ms);
    }

    void aPlanThatDoesNothingAnyMoreIsNoChange() {
        QTemporaryDir folder;
        MainWindow window;
        openSample(window);
        openStage(window, 3);
        QCOMPARE(BucketCommands(window.document()).addText("layers.12\nlayers.13"), QString());
        QVERIFY(waitUntilIdle(window));
        QVERIFY(window.jobs().saveAs(folder.filePath("mine.job.json")));
        window.actions().find("edit.undo")->trigger();
        window.actions().find("file.save")->trigger();
        QTRY_VERIFY(!window.document().current()->modified());
        QVERIFY(waitUntilIdle(window));
        QVERIFY(!jobOf(window).modified() && !jobOf(window).planOf(3));
        QSignalSpy told(&jobOf(window), &OpenJob::filesChanged);
        openStage(window, 0);
        window.jobs().lookAtFiles();
        QTest::qWait(500);
        QVERIFY(told.isEmpty());
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::JobFilesWindowTest)
#include "job_files_window_test.moc"
