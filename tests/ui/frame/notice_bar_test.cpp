#include "ui/frame/notices/notice_bar.h"

#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QScrollBar>
#include <QToolButton>
#include <QVBoxLayout>
#include <QtTest>

namespace overlap::ui {

/// A bar at the top of a window of that width.
struct ShownBar {
    QWidget window;
    NoticeBar bar;
    QLineEdit edit;

    explicit ShownBar(int width) {
        auto* layout = new QVBoxLayout(&window);
        layout->addWidget(&bar);
        layout->addStretch(1);
        layout->addWidget(&edit);
        window.resize(width, 640);
        window.show();
    }

    QPlainTextEdit* text() const { return window.findChild<QPlainTextEdit*>(); }
};

/// A notice takes few lines, whatever it is about.
class NoticeBarTest : public QObject {
    Q_OBJECT

    static QStringList lines(int count) {
        QStringList lines;
        for (int i = 0; i < count; ++i)
            lines.append(QStringLiteral("/home/someone/plans/of_last_week/%1.plan.json was changed on disk").arg(i));
        return lines;
    }

  private slots:
    /// They float over what is below: neither the bar nor anything else moves.
    void detailsAreFoldedAwayAndScroll() {
        ShownBar shown(390);
        NoticeBar& bar = shown.bar;
        bar.showNotice("Unsaved edits are back: 40 plans", {{"Discard recovered edits", [] {}}}, lines(40));
        auto* text = shown.text();
        QVERIFY(!text->isVisible());
        QTest::qWait(0);
        const int folded = bar.height();
        const int line = bar.fontMetrics().lineSpacing();
        QVERIFY2(folded < 4 * line, qPrintable(QString::number(folded)));
        bar.button("Details")->click();
        QVERIFY(text->isVisible());
        QCOMPARE(bar.details(), lines(40));
        QTest::qWait(0);
        QCOMPARE(bar.height(), folded);
        const QWidget* details = text->parentWidget();
        QCOMPARE(details->y(), bar.geometry().bottom() + 1);
        QCOMPARE(details->width(), bar.width());
        QVERIFY2(details->height() < 12 * line, qPrintable(QString::number(details->height())));
        QVERIFY(text->verticalScrollBar()->maximum() > 0);
        bar.button("Details")->click();
        QVERIFY(!text->isVisible());
    }

    /// Details are no higher than what there is to read, and in a low window not all there is.
    void fewDetailsTakeLittle() {
        ShownBar shown(1200);
        shown.bar.showNotice("Plans that came back have changed in 2 ways", {}, lines(2));
        shown.bar.button("Details")->click();
        const int line = shown.bar.fontMetrics().lineSpacing();
        const QWidget* details = shown.text()->parentWidget();
        QTRY_VERIFY2(details->height() < 4 * line, qPrintable(QString::number(details->height())));
        QTRY_COMPARE(shown.text()->verticalScrollBar()->maximum(), 0);
        // Lines that are broken are seen whole.
        shown.window.resize(300, 640);
        QTRY_VERIFY(details->height() > 4 * line);
        QCOMPARE(shown.text()->verticalScrollBar()->maximum(), 0);
        shown.bar.addSentence("A third is gone", lines(40));
        QTRY_VERIFY(details->height() > 8 * line);
        shown.window.resize(300, 180);
        QTRY_VERIFY2(details->height() < 80, qPrintable(QString::number(details->height())));
    }

    /// Whoever reads details by a click goes on where they were.
    void escapeFoldsDetailsAndGivesTheFocusBack() {
        ShownBar shown(700);
        shown.edit.setFocus();
        QVERIFY(QTest::qWaitForWindowActive(&shown.window));
        shown.bar.showNotice("2 plans were changed", {{"Reload", [] {}}}, lines(2));
        QToolButton* button = shown.bar.button("Details");
        QTest::mouseClick(button, Qt::LeftButton);
        QTRY_VERIFY(shown.text()->hasFocus());
        QTest::keyClick(shown.text(), Qt::Key_Escape);
        QVERIFY(!shown.text()->isVisible() && !button->isChecked());
        QVERIFY(shown.edit.hasFocus());
        // So it does from another button of the notice, which keeps the focus.
        QTest::mouseClick(button, Qt::LeftButton);
        QToolButton* reload = shown.bar.button("Reload");
        reload->setFocus();
        QVERIFY(shown.text()->isVisible());
        QTest::keyClick(reload, Qt::Key_Escape);
        QVERIFY(!shown.text()->isVisible() && reload->hasFocus());
        // What is below is reached by a click on it.
        QTest::mouseClick(button, Qt::LeftButton);
        QVERIFY(shown.text()->isVisible());
        shown.edit.setFocus();
        QVERIFY(!shown.text()->isVisible() && shown.edit.hasFocus());
        // The notice takes its details with it.
        QTest::mouseClick(button, Qt::LeftButton);
        QVERIFY(shown.text()->isVisible());
        shown.bar.removeSentence("2 plans were changed");
        QVERIFY(!shown.text()->isVisible() && shown.edit.hasFocus());
    }

    /// Which file it is and what happened to it is told before where the file is.
    void foldersGoBeforeWords() {
        ShownBar shown(560);
        const QString folder = "/home/someone/experiments/llama3/8b_fsdp128/plans/of_last_week/with_shared_links/";
        const QString sentence =
            folder + "a.plan.json was changed on disk; your unsaved plan and the file's are both open (in " + folder +
            ")";
        shown.bar.showNotice(sentence);
        auto* label = shown.bar.findChild<QLabel*>();
        QTRY_COMPARE(QString(label->text()).replace('\n', ' '),
                     "▲ …/a.plan.json was changed on disk; your unsaved plan and the file's are both open (in "
                     "…/with_shared_links/)");
        QCOMPARE(shown.bar.text(), sentence);
        QVERIFY(QString(label->toolTip()).remove('\n').contains(folder + "a.plan.json"));
        shown.bar.button("More")->click();
        QCOMPARE(shown.text()->toPlainText(), sentence);
        shown.window.resize(2400, 640);
        QTRY_COMPARE(label->text(), "▲ " + sentence);
    }

    /// None of several hides what another is about.
    void eachSentenceIsSeenToBegin() {
        ShownBar shown(420);
        const QString words = QString(" for a reason that takes many words to tell").repeated(4);
        shown.bar.showNotice("a.plan.json was changed" + words);
        shown.bar.addSentence("b.plan.json is gone" + words);
        auto* label = shown.bar.findChild<QLabel*>();
        QTest::qWait(0);
        QStringList seen = label->text().split('\n');
        QCOMPARE(seen.size(), 3);
        QVERIFY2(seen[0].startsWith("▲ a.plan.json was changed") && seen[1].endsWith("…"), qPrintable(label->text()));
        QVERIFY2(seen[2].startsWith("b.plan.json is gone") && seen[2].endsWith("…"), qPrintable(label->text()));
        shown.bar.addSentence("c.plan.json cannot be read" + words);
        shown.bar.addSentence("d.plan.json is older" + words);
        seen = label->text().split('\n');
        QCOMPARE(seen.size(), 3);
        QVERIFY2(seen[1].startsWith("b.plan.json is gone") && seen[2].startsWith("2 more: c.plan.json cannot"),
                 qPrintable(label->text()));
        for (const QString& line : seen) QVERIFY(label->fontMetrics().horizontalAdvance(line) <= label->width());
    }

    /// Nobody is to take one of the second sentence for one of the first.
    void buttonsOfTwoSentencesStandApart() {
        ShownBar shown(1400);
        NoticeBar& bar = shown.bar;
        bar.showNotice("Edits are back", {{"Discard recovered edits", [] {}, "They can be taken back"}});
        bar.addSentence("A search was cut off", {},
                        {{"Search again", [] {}}, {"Forget the search", [] {}, "Its best plan is lost"}});
        const auto* discard = bar.button("Discard recovered edits");
        const auto* again = bar.button("Search again");
        const auto* forget = bar.button("Forget the search");
        QVERIFY(discard && again && forget);
        const auto gap = [](const QToolButton* left, const QToolButton* right) {
            return right->geometry().left() - left->geometry().right();
        };
        QTRY_VERIFY(gap(again, forget) > 0);
        QVERIFY(gap(discard, again) > 2 * gap(again, forget));
        QVERIFY(forget->geometry().right() < forget->parentWidget()->width());
        QCOMPARE(discard->toolTip(), "They can be taken back");
        QCOMPARE(forget->toolTip(), "Its best plan is lost");
        QVERIFY(again->toolTip().isEmpty());
        // Where both have no room in one row, each has its own.
        shown.window.resize(500, 640);
        QTRY_VERIFY(discard->geometry().bottom() < again->geometry().top());
        QCOMPARE(again->y(), forget->y());
        shown.window.resize(150, 640);
        QTRY_VERIFY2(discard->toolTip().startsWith("Discard recovered edits\n"), "it is cut");
    }

    /// A sentence that has no line beside its buttons has the whole width above them, and no narrow column.
    void buttonsAreBelowALongSentence() {
        ShownBar shown(700);
        NoticeBar& bar = shown.bar;
        const QString sentence = QStringLiteral("The plan is refused, for a reason that takes some words to tell");
        bar.showNotice(sentence, {{"Set this option to another value", [] {}}, {"Undo the edit", [] {}}});
        auto* label = bar.findChild<QLabel*>();
        auto* button = bar.button("Undo the edit");
        const auto top = [&] { return button->mapTo(&bar, QPoint()).y(); };
        QTRY_VERIFY(top() >= label->geometry().bottom());
        QVERIFY2(label->width() > 600, qPrintable(QString::number(label->width())));
        shown.window.resize(1400, 640);
        QTRY_VERIFY(top() < label->geometry().bottom());
        shown.window.resize(700, 640);
        QTRY_VERIFY(top() >= label->geometry().bottom());
        bar.showNotice("Short", {{"Undo the edit", [] {}}});
        button = bar.button("Undo the edit");
        QTRY_VERIFY(top() < label->geometry().bottom());
    }

    /// However much there is to say, and however long a path or a button is.
    void aLongNoticeTakesFewLinesAndNoWidth() {
        ShownBar shown(390);
        NoticeBar& bar = shown.bar;
        const QString path = "/home/someone" + QString("/a_folder_with_a_long_name").repeated(12) + "/a.plan.json";
        const QString reason = QString("for a reason that takes many words to tell, ").repeated(8);
        bar.showNotice(path + " cannot be opened " + reason + "and that is all");
        bar.addSentence("The plan is refused", {},
                        {{"Set " + QString("optimize_grad_live_out_").repeated(4), [] {}}, {"Undo the edit", [] {}}});
        QTest::qWait(0);
        QCOMPARE(shown.window.width(), 390);
        QVERIFY2(shown.window.minimumSizeHint().width() <= 390,
                 qPrintable(QString::number(shown.window.minimumSizeHint().width())));
        const int line = bar.fontMetrics().lineSpacing();
        QVERIFY2(bar.height() < 3 * line + 2 * 2 * line + 16, qPrintable(QString::number(bar.height())));
        QVERIFY(bar.text().contains("that is all. The plan is refused"));  // for whoever asks for all of it
        const auto* label = bar.findChild<QLabel*>();
        QVERIFY2(label->text().contains("…\nThe plan is refused"), qPrintable(label->text()));
        QVERIFY(QString(label->toolTip()).remove('\n').contains("that is all"));
        // Both buttons are inside, one below the other.
        const QToolButton* undo = bar.button("Undo the edit");
        QVERIFY(bar.rect().contains(QRect(undo->mapTo(&bar, QPoint()), undo->size())));
        auto* text = shown.text();
        QVERIFY(!text->isVisible());
        QVERIFY(bar.button("More"));
        bar.button("More")->click();
        QVERIFY(text->isVisible() && text->toPlainText().contains("and that is all"));
        QVERIFY(bar.details().isEmpty());
        // Where there is room, there is nothing to unfold.
        bar.showNotice("The plan is refused, for a reason");
        QVERIFY(!bar.button("More") && !text->isVisible() && label->toolTip().isEmpty());
        QCOMPARE(label->text(), "▲ The plan is refused, for a reason");
    }

    /// Neither below the first notice of a window, nor when a wider window has room for a sentence that was unfolded.
    void aShortSentenceHasNothingBelowIt() {
        ShownBar shown(700);
        NoticeBar& bar = shown.bar;
        auto* text = shown.text();
        bar.showNotice("The file was changed");
        QVERIFY(!text->isVisible());
        QTest::qWait(0);
        const int line = bar.fontMetrics().lineSpacing();
        QVERIFY2(bar.height() < 3 * line, qPrintable(QString::number(bar.height())));
        bar.showNotice(QString("The file was changed, ").repeated(12) + "and that is all");
        QTRY_VERIFY(bar.button("More"));
        bar.button("More")->click();
        QVERIFY(text->isVisible());
        QVERIFY2(
            text->toPlainText().startsWith("The file was changed, ") && text->toPlainText().endsWith("and that is all"),
            "the sentence is whole there");
        QTest::qWait(0);
        QCOMPARE(text->verticalScrollBar()->value(), 0);  // and read from its beginning
        shown.window.resize(4000, 640);
        QTRY_VERIFY(!bar.button("More"));
        QVERIFY(!text->isVisible());
    }

    void aNoticeWithoutDetailsHasNoButtonForThem() {
        NoticeBar bar;
        bar.showNotice("Many", {}, lines(3));
        QVERIFY(bar.button("Details"));
        bar.showNotice("One");
        QVERIFY(!bar.button("Details"));
        QVERIFY(bar.details().isEmpty());
    }

    void aFurtherSentenceAddsItsDetails() {
        NoticeBar bar;
        bar.showNotice("The first", {}, {"a"});
        bar.addSentence("the second", {"b"});
        bar.addSentence("the third");
        QCOMPARE(bar.details(), QStringList({"a", "b"}));
    }

    /// A button takes away what it belongs to, and nothing else.
    void aSentenceGoesWithItsButtons() {
        NoticeBar bar;
        QStringList done;
        const auto action = [&](const char* text) { return NoticeAction{text, [&done, text] { done.append(text); }}; };
        bar.showNotice("The first", {action("a")}, {"of the first"});
        bar.addSentence("The second", {"of the second"}, {action("b"), action("c")});
        bar.addSentence("The third", {}, {action("d")});
        QCOMPARE(bar.text(), "The first. The second. The third");
        bar.button("a")->click();
        QCOMPARE(done, QStringList{"a"});
        QVERIFY(!bar.button("a") && bar.button("b") && bar.button("d"));
        QCOMPARE(bar.text(), "The second. The third");
        QCOMPARE(bar.details(), QStringList{"of the second"});
        bar.button("c")->click();
        QCOMPARE(done, QStringList({"a", "c"}));
        QVERIFY(!bar.button("b") && !bar.button("c") && bar.button("d"));
        QCOMPARE(bar.text(), "The third");
        QVERIFY(!bar.button("Details"));
        bar.addAction("The third", {"e", [&done] { done.append("e"); }});
        bar.addAction("The second", {"f", [] {}});  // it is gone
        QVERIFY(!bar.button("f"));
        QTRY_VERIFY2(bar.button("e")->x() < bar.button("d")->x(), "in front of those that it has");
        bar.removeSentence("The second");
        QVERIFY(bar.shows("The third") && !bar.shows("The second"));
        bar.button("d")->click();
        QCOMPARE(bar.text(), QString());
        done.clear();
        // Alone it goes as any notice, and a notice takes the place of all of them.
        bar.addSentence("The fourth", {}, {action("d")});
        bar.addSentence("The fifth", {}, {action("e")});
        bar.showNotice("The sixth");
        QVERIFY(!bar.button("d") && !bar.button("e"));
        QCOMPARE(bar.text(), "The sixth");
        bar.removeSentence("The sixth");
        QVERIFY(bar.isHidden());
    }

    /// What moves under the pointer when a sentence goes may close plans.
    void theSecondClickOfADoubleClickMeetsNoOtherButton() {
        ShownBar shown(1400);
        NoticeBar& bar = shown.bar;
        bar.showNotice("A search was cut off", {{"Forget the search", [] {}}});
        bar.addSentence("Edits are back", {}, {{"Discard recovered edits", [] {}}});
        const auto is_hit = [&bar] {
            QToolButton* button = bar.button("Discard recovered edits");
            return bar.childAt(button->mapTo(&bar, button->rect().center())) == button;
        };
        QTRY_VERIFY(is_hit());
        bar.button("Forget the search")->click();
        QVERIFY(!is_hit());
        QTRY_VERIFY(is_hit());
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::NoticeBarTest)
#include "notice_bar_test.moc"
