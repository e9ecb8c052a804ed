#include <QToolButton>
#include <algorithm>

#include "core/plan/expert_overlap.h"
#include "core/plan/presets.h"
#include "tests/ui/shell/opened_window.h"
#include "tests/ui/ui_test_support.h"
#include "ui/edits/pipeline_commands.h"
#include "ui/frame/notices/notice_bar.h"
#include "ui/shell/workspace/workspace.h"

namespace overlap::ui {

/// What the window offers when an edit makes a plan that is refused.
class RefusalNoticeTest : public QObject {
    Q_OBJECT

    static void refuse(MainWindow& window) {
        window.document().editBuckets("overlap", {{{"layers.0"}, false, {}}, {{"layers.0.attention"}, false, {}}});
        QVERIFY(waitUntilIdle(window));
        QVERIFY(window.document().evaluation()->refused);
    }

    /// A model with experts, planned as its job does by itself.
    static void openGraphWithExperts(MainWindow& window) {
        open(window,
             {QStringLiteral(OVERLAP_TEST_DATA
                             "/graphs/deepseek_v3_debugmodel_fsdp8_ep4_epo_graph_moe_batch.prebucket.graph.json.gz")});
        PipelineCommands(window.document()).startFrom(pipeline_presets(*window.document().graph()).front());
    }

  private slots:
    void theEditIsTakenBack() {
        MainWindow window;
        open(window, {smallGraphFile()});
        Document& document = window.document();
        NoticeBar& notice = window.workspace().notice();
        refuse(window);
        QVERIFY2(notice.text().startsWith("overlap: the plan is refused: "), qPrintable(notice.text()));
        notice.button("Undo the edit")->click();
        QVERIFY(document.buckets().empty());
        QCOMPARE(notice.text(), QString());
        QVERIFY(waitUntilIdle(window));
        QVERIFY(!document.evaluation()->refused);
    }

    /// It goes with what it is about, however that went, and no other notice does.
    void itGoesWithTheRefusal() {
        MainWindow window;
        open(window, {smallGraphFile()});
        Document& document = window.document();
        NoticeBar& notice = window.workspace().notice();
        refuse(window);
        document.current()->undoStack().undo();
        QVERIFY(waitUntilIdle(window));
        QCOMPARE(notice.text(), QString());
        // Where an edit is taken back, to take back the one before is no remedy for it.
        refuse(window);
        document.editBuckets("nothing", {});
        QVERIFY(waitUntilIdle(window));
        document.current()->undoStack().undo();
        QVERIFY(waitUntilIdle(window));
        QVERIFY(document.evaluation()->refused);
        QCOMPARE(notice.text(), QString());
        document.current()->undoStack().undo();
        QVERIFY(waitUntilIdle(window));
        refuse(window);
        QVERIFY(!notice.text().isEmpty());
        document.setCurrentIndex(0);
        QCOMPARE(notice.text(), QString());
        document.setCurrentIndex(1);
        QVERIFY(waitUntilIdle(window));
        document.current()->undoStack().undo();
        QVERIFY(waitUntilIdle(window));
        refuse(window);
        notice.showNotice("another");
        document.current()->undoStack().undo();
        QVERIFY(waitUntilIdle(window));
        QCOMPARE(notice.text(), "another");
    }

    /// What a button cannot do any more is not offered.
    void buttonsAreThereWhileTheyDoWhatTheySay() {
        MainWindow window;
        open(window, {smallGraphFile()});
        Document& document = window.document();
        NoticeBar& notice = window.workspace().notice();
        refuse(window);
        QToolButton* undo = notice.button("Undo the edit");
        QVERIFY(undo->isEnabled());
        // The plan is as it was for the refusal, but the button would take back something else.
        Plan named = document.current()->plan();
        named.notes = "a note";
        document.editPlan("Note", named);
        QVERIFY(waitUntilIdle(window));
        QVERIFY(document.evaluation()->refused);
        QCOMPARE(notice.button("Undo the edit"), undo);
        QVERIFY(!undo->isEnabled());
        document.current()->undoStack().undo();
        QVERIFY(undo->isEnabled());
        // After another edit that is refused it is that one's, and until that is known neither's.
        document.editBuckets("once more", {{{"layers.1"}, false, {}}, {{"layers.1.attention"}, false, {}}});
        QVERIFY(!notice.button("Undo the edit")->isEnabled());
        QVERIFY(waitUntilIdle(window));
        QVERIFY(document.evaluation()->refused);
        QVERIFY2(notice.text().startsWith("once more: "), qPrintable(notice.text()));
        QVERIFY(notice.button("Undo the edit")->isEnabled());
        // Taken back, the notice of the edit after it has nothing to offer.
        document.current()->undoStack().undo();
        QVERIFY(waitUntilIdle(window));
        QVERIFY(document.evaluation()->refused);
        QCOMPARE(notice.text(), QString());
    }

    void whatMendsThePlanIsOffered() {
        MainWindow window;
        openGraphWithExperts(window);
        Document& document = window.document();
        NoticeBar& notice = window.workspace().notice();
        QVERIFY(waitUntilIdle(window));
        QVERIFY(!document.evaluation()->refused);
        PipelineCommands(document).setExpertOverlap(
            ExpertOverlap{HalvedBy::pass, "layers.*.moe.routed_experts", "batch"}, "Expert overlap");
        QVERIFY(waitUntilIdle(window));
        QVERIFY(document.evaluation()->refused);
        QVERIFY2(notice.text().startsWith("Expert overlap: the plan is refused: "), qPrintable(notice.text()));
        QVERIFY(notice.button("Undo the edit"));
        QToolButton* mend = notice.button("Set optimize_grad_live_out to false");
        QVERIFY(mend);
        mend->click();
        QCOMPARE(document.current()->undoStack().undoText(), "Plan refused: set optimize_grad_live_out to false");
        QVERIFY(waitUntilIdle(window));
        QVERIFY(!document.evaluation()->refused);
        QCOMPARE(notice.text(), QString());
    }

    /// Of a refusal whose problem has no fix, a change that mends the plan is found by trying.
    void whatMendsThePlanIsFound() {
        MainWindow window;
        open(window,
             {QStringLiteral(OVERLAP_TEST_DATA
                             "/graphs/deepseek_v3_debugmodel_fsdp8_ep4_epo_graph_moe_batch.prebucket.graph.json.gz")});
        Document& document = window.document();
        NoticeBar& notice = window.workspace().notice();
        PipelineCommands(document).startFrom(pipeline_presets(*document.graph()).front());
        const auto stepOf = [&](std::string_view pass) {
            const std::vector<PassStep>& steps = document.current()->plan().pipeline;
            return static_cast<int>(std::ranges::find(steps, pass, &PassStep::pass) - steps.begin());
        };
        QVERIFY(waitUntilIdle(window));
        PipelineCommands(document).move(stepOf("ep_overlap_schedule_pass"), stepOf("ep_overlap_chunk_pass"));
        QVERIFY(waitUntilIdle(window));
        QVERIFY(document.evaluation()->refused);
        QVERIFY2(notice.text().contains("the plan is refused: "), qPrintable(notice.text()));
        QVERIFY(notice.button("Undo the edit"));
        const QString label = "Move ep_overlap_schedule_pass behind ep_overlap_chunk_pass";
        QTRY_VERIFY_WITH_TIMEOUT(notice.button(label), 30'000);
        QVERIFY(notice.button(label)->isEnabled());
        // It is a change of what the plan did then.
        Plan other = document.current()->plan();
        other.pipeline.back().enabled = !other.pipeline.back().enabled;
        document.editPlan("Switch", other);
        QVERIFY(!notice.button(label)->isEnabled());
        document.current()->undoStack().undo();
        QVERIFY(notice.button(label)->isEnabled());
        // A note changes nothing of that, and stays.
        Plan noted = document.current()->plan();
        noted.notes = "a note";
        document.editPlan("Note", noted);
        QVERIFY(notice.button(label)->isEnabled());
        notice.button(label)->click();
        QCOMPARE(document.current()->plan().notes, "a note");
        QVERIFY(waitUntilIdle(window));
        QVERIFY(!document.evaluation()->refused);
        QVERIFY(stepOf("ep_overlap_schedule_pass") > stepOf("ep_overlap_chunk_pass"));
        QCOMPARE(document.current()->undoStack().undoText(),
                 "Plan refused: move ep_overlap_schedule_pass behind ep_overlap_chunk_pass");
        QCOMPARE(notice.text(), QString());
    }

    /// An edit that is merged with the one before it leaves nothing else to be taken back, and yet is another plan.
    void whatMendsThePlanIsNotOfferedForAMergedEdit() {
        MainWindow window;
        openGraphWithExperts(window);
        Document& document = window.document();
        NoticeBar& notice = window.workspace().notice();
        QVERIFY(waitUntilIdle(window));
        Plan moved = document.current()->plan();
        const auto stepOf = [&](std::string_view pass) {
            return std::ranges::find(moved.pipeline, pass, &PassStep::pass);
        };
        const auto chunk = stepOf("ep_overlap_chunk_pass"), schedule = stepOf("ep_overlap_schedule_pass");
        QVERIFY(chunk < schedule && schedule != moved.pipeline.end());
        std::rotate(chunk, schedule, schedule + 1);
        document.editPlan("Move", moved, "one edit");
        QVERIFY(waitUntilIdle(window));
        QVERIFY(document.evaluation()->refused);
        const QString label = "Move ep_overlap_schedule_pass behind ep_overlap_chunk_pass";
        QTRY_VERIFY_WITH_TIMEOUT(notice.button(label), 30'000);
        QVERIFY(notice.button(label)->isEnabled());
        const int edits = document.current()->undoStack().index();
        moved.pipeline.back().enabled = !moved.pipeline.back().enabled;
        document.editPlan("Move", moved, "one edit");
        QCOMPARE(document.current()->undoStack().index(), edits);
        QVERIFY(notice.button("Undo the edit")->isEnabled());
        QVERIFY(!notice.button(label)->isEnabled());
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::RefusalNoticeTest)
#include "refusal_notice_test.moc"
