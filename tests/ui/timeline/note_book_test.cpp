#include "ui/timeline/notes/note_book.h"

#include <QSignalSpy>
#include <QTreeWidget>
#include <QtTest>

#include "tests/timeline/synthetic_timeline.h"
#include "ui/timeline/notes/note_editor.h"
#include "ui/timeline/notes/notes_panel.h"

namespace overlap::ui {

/// Notes of a known step, on a plain widget that scrolls.
class NoteBookTest : public QObject {
    Q_OBJECT

  private slots:
    void init() {
        view_ = std::make_unique<QAbstractScrollArea>();
        view_->setFrameShape(QFrame::NoFrame);
        view_->resize(1000, 400);
        view_->show();
        QVERIFY(QTest::qWaitForWindowExposed(view_.get()));
        scene_.timeline = test::synthetic_step(16);
        scene_.geometry =
            TimelineGeometry::of(*scene_.timeline, LaneRows::of(*scene_.timeline), QSize(1000, 400), 120, 0);
        scene_.range = scene_.timeline->range();
        edits_ = std::make_unique<TimelineEdits>();
        book_ = std::make_unique<NoteBook>(scene_, *edits_, *view_);
        goneTo_.clear();
        connect(book_.get(), &NoteBook::goneTo, this,
                [this](const PlacedNote& place) { goneTo_.push_back(place.time.begin_ns); });
    }
    void cleanup() {
        book_.reset();
        edits_.reset();
        view_.reset();
    }

    void whatIsTypedBecomesANote() {
        QSignalSpy closed(book_.get(), &NoteBook::closed);
        book_->write(at(5'000'000));
        QTest::keyClicks(&editor(), QStringLiteral("late"));
        QTest::keyClick(&editor(), Qt::Key_Return);
        QCOMPARE(edits_->notes().size(), std::size_t{1});
        QCOMPARE(edits_->notes()[0].text, QStringLiteral("late"));
        QCOMPARE(edits_->notes()[0].time.begin_ns, 5'000'000);
        QCOMPARE(book_->places().size(), std::size_t{1});
        QCOMPARE(closed.count(), 1);
    }

    void aNoteIsEditedInItsPlace() {
        setNotes({at(1'000'000, QStringLiteral("one")), at(2'000'000, QStringLiteral("two"))});
        book_->edit(1);
        QCOMPARE(editor().text(), QStringLiteral("two"));
        QTest::keyClicks(&editor(), QStringLiteral("second"));
        QTest::keyClick(&editor(), Qt::Key_Return);
        QCOMPARE(edits_->notes()[1].text, QStringLiteral("second"));
        QCOMPARE(edits_->notes().size(), std::size_t{2});
    }

    void whatIsTypedIsKeptThoughItsNoteIsGone() {
        setNotes({at(1'000'000, QStringLiteral("one"))});
        book_->edit(0);
        edits_->undoStack().undo();
        QTest::keyClicks(&editor(), QStringLiteral("still here"));
        QTest::keyClick(&editor(), Qt::Key_Return);
        QCOMPARE(edits_->notes().size(), std::size_t{1});
        QCOMPARE(edits_->notes()[0].text, QStringLiteral("still here"));
    }

    void removingIsAnEdit() {
        setNotes({at(1'000'000), at(2'000'000)});
        book_->remove(0);
        QCOMPARE(edits_->notes().size(), std::size_t{1});
        QCOMPARE(book_->places()[0].time.begin_ns, 2'000'000);
        edits_->undoStack().undo();
        QCOMPARE(book_->places().size(), std::size_t{2});
    }

    void stepsGoByTimeAroundTheEnds() {
        setNotes({at(3'000'000), at(1'000'000), at(2'000'000)});
        for (int step = 0; step < 4; ++step) book_->step(+1);
        QCOMPARE(goneTo_, (std::vector<std::int64_t>{1'000'000, 2'000'000, 3'000'000, 1'000'000}));
        book_->step(-1);
        QCOMPARE(goneTo_.back(), 3'000'000);
    }

    void withoutNotesThereIsNoStep() {
        book_->step(+1);
        QVERIFY(goneTo_.empty());
    }

    void aNoteIsWhereItsEventIsInTheTimeline() {
        TimelineNote note = at(1);
        note.event = QStringLiteral("all_gather layers.3");
        setNotes({note});
        QCOMPARE(book_->places()[0].location, (EventLocation{1, 3}));
        scene_.timeline = test::synthetic_trace(100, 2);
        book_->placeNotes();
        QVERIFY(!book_->places()[0].location.valid());
    }

    void theFlagOnTheRulerIsTheNote() {
        setNotes({at(5'000'000)});
        const double y = scene_.geometry.ruler.center().y();
        QCOMPARE(book_->at({scene_.xOf(5'000'000) + 1, y}), 0);
        QCOMPARE(book_->at({scene_.xOf(50'000'000), y}), -1);
    }

    void theListFollowsTheNotesAndStaysBelowTheRuler() {
        setNotes({at(1'000'000)});
        book_->list();
        auto* panel = view_->findChild<NotesPanel*>();
        QVERIFY(panel->isVisible());
        QVERIFY(panel->geometry().top() > scene_.geometry.ruler.bottom());
        QVERIFY(panel->geometry().right() < view_->viewport()->width());
        setNotes({at(1'000'000), at(2'000'000)});
        QCOMPARE(panel->list().topLevelItemCount(), 2);
        QTest::keyClick(&panel->list(), Qt::Key_Return);
        QCOMPARE(goneTo_, std::vector<std::int64_t>{1'000'000});
    }

  private:
    static TimelineNote at(std::int64_t time_ns, const QString& text = {}) { return {{}, {time_ns, time_ns}, text}; }
    void setNotes(std::vector<TimelineNote> notes) { edits_->setNotes(QStringLiteral("set"), std::move(notes)); }
    NoteEditor& editor() { return *view_->findChild<NoteEditor*>(); }

    TimelineScene scene_;
    std::unique_ptr<QAbstractScrollArea> view_;
    std::unique_ptr<TimelineEdits> edits_;
    std::unique_ptr<NoteBook> book_;
    std::vector<std::int64_t> goneTo_;
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::NoteBookTest)
#include "note_book_test.moc"
