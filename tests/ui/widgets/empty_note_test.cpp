#include "ui/widgets/empty_note.h"

#include <QLabel>
#include <QListView>
#include <QStringListModel>
#include <QtTest>

namespace overlap::ui {

/// Nobody is left before an empty area without a word.
class EmptyNoteTest : public QObject {
    Q_OBJECT

  private slots:
    void isThereWhileThereAreNoRows() {
        QStringListModel model;
        QListView view;
        view.setModel(&model);
        QString why = "Nothing was read yet";
        const auto say_again = sayWhenEmpty(view, [&] { return why; });
        view.resize(300, 200);
        view.show();
        const auto* note = view.findChild<QLabel*>();
        QVERIFY(note && note->isVisible());
        QCOMPARE(note->text(), why);
        QCOMPARE(note->size(), view.viewport()->size());
        model.setStringList({"a", "b"});
        QVERIFY(!note->isVisible());
        model.removeRows(0, 1);
        QVERIFY(!note->isVisible());
        why = "All was taken away";
        model.removeRows(0, 1);
        QVERIFY(note->isVisible());
        QCOMPARE(note->text(), why);
        view.resize(200, 300);
        QCOMPARE(note->size(), view.viewport()->size());
        why.clear();
        say_again();
        QVERIFY(!note->isVisible());
        why = "For another reason";
        say_again();
        QVERIFY(note->isVisible());
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::EmptyNoteTest)
#include "empty_note_test.moc"
