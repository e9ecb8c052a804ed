#include "ui/widgets/empty_note.h"

#include <QHeaderView>
#include <QLabel>
#include <QListView>
#include <QScrollBar>
#include <QStandardItemModel>
#include <QStringListModel>
#include <QTreeView>
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

    /// Columns may be wider than the table.
    void staysInSightWhenTheTableScrolls() {
        QStandardItemModel model(0, 3);
        QTreeView view;
        view.setModel(&model);
        sayWhenEmpty(view, [] { return QString("Nothing was read yet"); });
        view.resize(300, 200);
        view.header()->setStretchLastSection(false);
        for (int column = 0; column < 3; ++column) view.header()->resizeSection(column, 250);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        QVERIFY(view.horizontalScrollBar()->maximum() > 0);
        view.horizontalScrollBar()->setValue(view.horizontalScrollBar()->maximum());
        QCOMPARE(view.findChild<QLabel*>("emptyNote")->geometry(), view.viewport()->rect());
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::EmptyNoteTest)
#include "empty_note_test.moc"
