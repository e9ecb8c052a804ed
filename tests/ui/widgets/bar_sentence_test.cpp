#include "ui/widgets/bar_sentence.h"

#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>
#include <QtTest>

namespace overlap::ui {

class BarSentenceTest : public QObject {
    Q_OBJECT

  private slots:
    void whatDoesNotFitStandsBelowTheBar() {
        QWidget panel;
        auto* layout = new QVBoxLayout(&panel);
        auto* bar = new QHBoxLayout;
        bar->addWidget(new QPushButton("a control"));
        auto* sentence = new BarSentence("Reason", &panel);
        bar->addWidget(sentence->beside(), 1);
        layout->addLayout(bar);
        layout->addWidget(sentence->below());
        layout->addStretch();
        sentence->setText(
            "This graph is of what comes after the trainer's memory passes, so nothing is left to choose");
        panel.resize(1200, 200);
        panel.show();
        QVERIFY(QTest::qWaitForWindowExposed(&panel));
        QTRY_VERIFY(sentence->below()->isHidden());
        panel.resize(360, 200);
        QTRY_VERIFY(sentence->below()->isVisible());
        QCOMPARE(sentence->below()->text(), sentence->text());
        // In as many lines as it takes.
        QTRY_VERIFY(sentence->below()->height() >= sentence->below()->heightForWidth(sentence->below()->width()));
        QVERIFY(sentence->below()->height() > 2 * panel.fontMetrics().height());
        sentence->setText(sentence->text(), true);
        QTRY_VERIFY(sentence->below()->isHidden());
        sentence->setText("short");
        QTRY_VERIFY(sentence->below()->isHidden());
        QCOMPARE(sentence->text(), "short");
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::BarSentenceTest)
#include "bar_sentence_test.moc"
