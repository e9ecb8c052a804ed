#include "ui/frame/notice_bar.h"

#include <QLabel>
#include <QPlainTextEdit>
#include <QToolButton>
#include <QVBoxLayout>
#include <QtTest>

namespace overlap::ui {

/// A bar at the top of a window of that width.
struct ShownBar {
    QWidget window;
    NoticeBar bar;

    explicit ShownBar(int width) {
        auto* layout = new QVBoxLayout(&window);
        layout->addWidget(&bar);
        layout->addStretch(1);
        window.resize(width, 640);
        window.show();
    }
};

/// A notice takes few lines, whatever it is about.
class NoticeBarTest : public QObject {
    Q_OBJECT

    static QStringList lines(int count) {
        QStringList lines;
        for (int i = 0; i < count; ++i) lines.append(QStringLiteral("/home/someone/plans/%1.plan.json").arg(i));
        return lines;
    }

  private slots:
    void detailsAreFoldedAwayAndScroll() {
        ShownBar shown(390);
        NoticeBar& bar = shown.bar;
        bar.showNotice("Unsaved edits are back: 40 plans", {{"Discard them", [] {}}}, lines(40));
        auto* text = bar.findChild<QPlainTextEdit*>();
        QVERIFY(!text->isVisible());
        QTest::qWait(0);
        const int folded = bar.height();
        QVERIFY2(folded < 4 * bar.fontMetrics().lineSpacing(), qPrintable(QString::number(folded)));
        bar.button("Details")->click();
        QVERIFY(text->isVisible());
        QCOMPARE(bar.details(), lines(40));
        QTest::qWait(0);
        QVERIFY2(bar.height() < folded + 8 * bar.fontMetrics().lineSpacing(),
                 qPrintable(QString::number(bar.height())));
        bar.button("Details")->click();
        QVERIFY(!text->isVisible());
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

    /// Its buttons are there beside those of the notice, which outlive them.
    void aFurtherSentenceAddsItsButtons() {
        NoticeBar bar;
        QStringList done;
        const auto action = [&](const char* text) { return NoticeAction{text, [&done, text] { done.append(text); }}; };
        bar.showNotice("The first", {action("a")});
        bar.addSentence("the second", {}, {action("b"), action("c")});
        bar.button("c")->click();
        QCOMPARE(done, QStringList{"c"});
        QVERIFY(!bar.button("b") && !bar.button("c"));
        QCOMPARE(bar.text(), "The first. the second");
        bar.button("a")->click();
        QCOMPARE(done, QStringList({"c", "a"}));
        QCOMPARE(bar.text(), QString());
        // Alone it goes with its buttons, as any notice.
        bar.addSentence("the third", {}, {action("d")});
        bar.button("d")->click();
        QCOMPARE(bar.text(), QString());
        bar.showNotice("The fourth");
        QVERIFY(!bar.button("d"));
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::NoticeBarTest)
#include "notice_bar_test.moc"
