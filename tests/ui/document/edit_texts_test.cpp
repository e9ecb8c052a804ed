#include <QTest>

#include "tests/ui/ui_test_support.h"
#include "ui/document/stack_move.h"
#include "ui/edits/bucket_commands.h"
#include "ui/edits/pipeline_commands.h"

namespace overlap::ui {

/// Who looks for the edit to go back to reads in History what each has set.
class EditTextsTest : public QObject {
    Q_OBJECT

    static QString newest(Document& document) { return document.current()->undoStack().undoText(); }

  private slots:
    void anOptionIsNamedWithItsValue() {
        const auto document = openDocument();
        PipelineCommands commands(*document);
        const int step = commands.add(QStringLiteral("schedule_overlap_bucketing"), 0);
        QCOMPARE(commands.setOption(step, "max_off_bucket_gb", 0.25), QString());
        QCOMPARE(newest(*document), QStringLiteral("Set max_off_bucket_gb to 0.25"));
        // Of a drag over several values the last one is told.
        QCOMPARE(commands.setOption(step, "max_off_bucket_gb", 1.5), QString());
        QCOMPARE(newest(*document), QStringLiteral("Set max_off_bucket_gb to 1.5"));
        QCOMPARE(commands.setOption(step, "collective_bucketing", true), QString());
        QCOMPARE(newest(*document), QStringLiteral("Set collective_bucketing to true"));
        QCOMPARE(commands.setOption(step, "collective_estimator", std::string("benchmark")), QString());
        QCOMPARE(newest(*document), QStringLiteral("Set collective_estimator to \"benchmark\""));
        QCOMPARE(commands.setOption(step, "max_off_bucket_gb", std::nullopt), QString());
        QCOMPARE(newest(*document), QStringLiteral("Reset max_off_bucket_gb"));
    }

    void aBucketIsNamedWithItsNewName() {
        const auto document = openDocument();
        BucketCommands commands(*document);
        commands.addText("layers.0");
        commands.rename(0, "first");
        QCOMPARE(newest(*document), QStringLiteral("Rename layers.0 to first"));
        commands.rename(0, "");
        QCOMPARE(newest(*document), QStringLiteral("Remove the name of first"));
    }

    /// What several edits do together is not told as what one of them does.
    void aJumpOverSeveralEditsIsNotNamedAfterOne() {
        const auto document = openDocument();
        BucketCommands commands(*document);
        for (const char* module : {"layers.0", "layers.1", "norm"}) commands.addText(module);
        QUndoStack& stack = document->current()->undoStack();
        const auto moved = [&](int index) {
            const int before = stack.index();
            stack.setIndex(index);
            return stackMove(stack, before);
        };
        QCOMPARE(moved(1).text, QStringLiteral("2 edits undone, back to Add layers.0"));
        QCOMPARE(moved(0).text, QStringLiteral("Undone: Add layers.0"));
        QCOMPARE(moved(3).text, QStringLiteral("3 edits redone, up to Add norm"));
        const StackMove all = moved(0);
        QCOMPARE(all.text, QStringLiteral("3 edits undone"));
        QVERIFY(all.undone);
        const StackMove one = moved(1);
        QCOMPARE(one.text, QStringLiteral("Add layers.0"));
        QVERIFY(!one.undone);
        QCOMPARE(textOf({one}), one.text);
        QCOMPARE(textOf({all, one}), QStringLiteral("4 edits, the last one Add layers.0"));
        QCOMPARE(textOf({one, all}), QStringLiteral("4 edits, at last 3 edits undone"));
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::EditTextsTest)
#include "edit_texts_test.moc"
