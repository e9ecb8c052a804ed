#include "ui/files/program_question.h"

#include <QPointer>
#include <QProcess>
#include <QRegularExpression>
#include <QtTest>
#include <memory>

namespace overlap::ui {

class ProgramQuestionTest : public QObject {
    Q_OBJECT

  private slots:
    /// Qt warns of a process that is deleted before it is gone.
    void init() { QTest::failOnWarning(QRegularExpression("Destroyed while process")); }

    void whatAProgramPrintsIsItsAnswer() {
        ProgramQuestion question;
        QSignalSpy answered(&question, &ProgramQuestion::answered);
        question.ask("/bin/sh", {"-c", "echo 3 devices"});
        QVERIFY(answered.wait(10'000));
        QCOMPARE(answered[0][0].toByteArray(), "3 devices\n");
        QCOMPARE(answered[0][1].toString(), QString());
    }

    void aProgramThatDoesNotAnswerIsEnded() {
        ProgramQuestion question;
        question.setPatience(100);
        QSignalSpy answered(&question, &ProgramQuestion::answered);
        question.ask("/bin/sh", {"-c", "exec sleep 60"});
        const QPointer<QProcess> process = question.findChild<QProcess*>();
        QVERIFY(process);
        QVERIFY(answered.wait(10'000));
        QCOMPARE(answered[0][1].toString(), "sh gives no answer");
        QTRY_VERIFY(!process);
    }

    void whoClosesTheWindowEndsTheProgram() {
        auto question = std::make_unique<ProgramQuestion>();
        question->ask("/bin/sh", {"-c", "exec sleep 60"});
        question.reset();
        ProgramQuestion missing;
        QSignalSpy answered(&missing, &ProgramQuestion::answered);
        missing.ask("/there/is/none", {});
        QTRY_COMPARE(answered.count(), 1);
        QCOMPARE(answered[0][1].toString(), "none is not installed");
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::ProgramQuestionTest)
#include "program_question_test.moc"
