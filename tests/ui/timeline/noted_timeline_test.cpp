#include <QClipboard>
#include <QJsonArray>
#include <QJsonObject>
#include <QTreeWidget>
#include <QtTest>

#include "tests/timeline/synthetic_timeline.h"
#include "tests/ui/timeline/shown_timeline.h"
#include "ui/timeline/notes/note_editor.h"
#include "ui/timeline/notes/notes_panel.h"
#include "ui/timeline/timeline_view.h"

namespace overlap::ui {

/// Notes on a timeline: typed, listed, gone to, kept and undone.
class NotedTimelineTest : public QObject {
    Q_OBJECT

  private slots:
    void init() { view_ = shownTimeline(); }
    void cleanup() { view_.reset(); }

    void notesAreTypedKeptAndUndone() {
        view_->selectReference(test::first_gather + 3);
        QTest::keyClick(view_.get(), Qt::Key_N);
        auto* editor = view_->findChild<NoteEditor*>();
        QVERIFY(editor && editor->isVisible());
        QTest::keyClicks(editor, QStringLiteral("too late"));
        QTest::keyClick(editor, Qt::Key_Return);
        QCOMPARE(view_->edits().notes().size(), std::size_t{1});
        QCOMPARE(view_->edits().notes()[0].event, QStringLiteral("all_gather layers.3"));
        QCOMPARE(view_->edits().notes()[0].text, QStringLiteral("too late"));
        // Escape drops what is typed.
        QTest::keyClick(view_.get(), Qt::Key_N);
        QTest::keyClicks(editor, QStringLiteral("no"));
        QTest::keyClick(editor, Qt::Key_Escape);
        QCOMPARE(view_->edits().notes().size(), std::size_t{1});

        const QJsonObject json = view_->edits().toJson();
        TimelineEdits restored;
        restored.restore(json);
        QCOMPARE(restored.notes(), view_->edits().notes());
        QVERIFY(!restored.undoStack().canUndo());

        // In another timeline it is where its event is; without it, where it was.
        const auto places = placed(view_->edits().notes(), *test::synthetic_step(24));
        QVERIFY(places[0].location.valid());
        const auto away = placed(view_->edits().notes(), *test::synthetic_trace(100, 2));
        QVERIFY(!away[0].location.valid());
        QCOMPARE(away[0].time, view_->edits().notes()[0].time);

        view_->edits().undoStack().undo();
        QVERIFY(view_->edits().notes().empty());
    }

    void everyMeasurementHasNotesOfItsOwn() {
        TimelineEdits& edits = view_->edits();
        edits.setNotes(QStringLiteral("add"), {{{}, {1, 1}, QStringLiteral("plan")}});
        edits.setStep(QStringLiteral("rank0.json"));
        QVERIFY(edits.notes().empty());
        edits.setNotes(QStringLiteral("add"), {{{}, {2, 2}, QStringLiteral("job")}});
        TimelineEdits restored;
        restored.restore(edits.toJson());
        QCOMPARE(restored.notes().size(), std::size_t{1});
        QCOMPARE(restored.notes()[0].text, QStringLiteral("plan"));
        restored.setStep(QStringLiteral("rank0.json"));
        QCOMPARE(restored.notes()[0].text, QStringLiteral("job"));
        edits.setStep({});
        edits.undoStack().undo();
        QCOMPARE(edits.notes()[0].text, QStringLiteral("plan"));
    }

    void bookmarksAreWalked() {
        view_->edits().setNotes(QStringLiteral("add"),
                                {{{}, {5'000'000, 5'000'000}, {}}, {{}, {1'000'000, 3'000'000}, {}}});
        view_->setVisibleRange({60'000'000, 61'000'000});
        QTest::keyClick(view_.get(), Qt::Key_B);
        QVERIFY(view_->visibleRange().begin_ns <= 1'000'000);
        QCOMPARE(*view_->measured(), (TimeRange{1'000'000, 3'000'000}));
        QTest::keyClick(view_.get(), Qt::Key_B);
        QVERIFY(view_->visibleRange().begin_ns <= 5'000'000 && view_->visibleRange().end_ns >= 5'000'000);
        view_->viewport()->grab();
    }

    void notesAreListedGoneToAndRemoved() {
        const std::string_view name = view_->timeline()->event_name({2, 4});
        view_->edits().setNotes(
            QStringLiteral("add"),
            {{{}, {50'000'000, 50'000'000}, QStringLiteral("late")},
             {QString::fromUtf8(name.data(), qsizetype(name.size())), view_->timeline()->event({2, 4}), {}},
             {QStringLiteral("gone"), {1'000'000, 2'000'000}, {}}});
        QTest::keyClick(view_.get(), Qt::Key_L);
        auto* panel = view_->findChild<NotesPanel*>();
        QVERIFY(panel && panel->isVisible());
        QTreeWidget& list = panel->list();
        QCOMPARE(list.topLevelItemCount(), 3);
        QVERIFY(list.topLevelItem(0)->text(2).contains(QStringLiteral("not in this timeline")));

        const auto rowOf = [&](const QString& text, int column) {
            for (int row = 0; row < list.topLevelItemCount(); ++row)
                if (list.topLevelItem(row)->text(column) == text) return list.topLevelItem(row);
            return static_cast<QTreeWidgetItem*>(nullptr);
        };
        list.setCurrentItem(rowOf(view_->edits().notes()[1].event, 2));
        QTest::keyClick(&list, Qt::Key_Return);
        QCOMPARE(view_->selection(), (EventLocation{2, 4}));
        QTest::keyClick(&list, Qt::Key_C, Qt::ControlModifier);
        QCOMPARE(QGuiApplication::clipboard()->text().count(u'\n'), 4);

        list.setCurrentItem(rowOf(QStringLiteral("late"), 1));
        QTest::keyClick(&list, Qt::Key_Delete);
        QCOMPARE(view_->edits().notes().size(), std::size_t{2});
        QCOMPARE(list.topLevelItemCount(), 2);
        view_->edits().undoStack().undo();
        QCOMPARE(list.topLevelItemCount(), 3);
        QTest::keyClick(&list, Qt::Key_Escape);
        QVERIFY(!panel->isVisible());
    }

    void badKeepsakesAreLeftOut() {
        TimelineEdits edits;
        edits.restore({{"lanes", 3},
                       {"notes", QJsonArray{QJsonObject{{"begin_ns", "x"}}, QJsonObject{{"begin_ns", 9}, {"end_ns", 3}},
                                            QJsonObject{{"begin_ns", 1}, {"end_ns", 1}, {"text", "kept"}}}}});
        QCOMPARE(edits.notes().size(), std::size_t{1});
        QCOMPARE(edits.notes()[0].text, QStringLiteral("kept"));
    }

  private:
    std::unique_ptr<TimelineView> view_;
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::NotedTimelineTest)
#include "noted_timeline_test.moc"
