#include "ui/widgets/elided_box.h"

#include <QtTest>

namespace overlap::ui {

class ElidedBoxTest : public QObject {
    Q_OBJECT

  private slots:
    void whatIsCutEndsInAnEllipsis() {
        ElidedBox box;
        box.addItem(QStringLiteral("Normal: 1500 plans"));
        box.resize(400, box.sizeHint().height());
        box.show();
        QCOMPARE(box.shownText(), box.currentText());
        box.resize(84, box.height());
        QVERIFY2(box.shownText().endsWith(u'…') && box.shownText().startsWith(u'N'), qPrintable(box.shownText()));
        // What is drawn is that text: as a box has it that has no other.
        ElidedBox same;
        same.addItem(box.shownText());
        same.resize(box.size());
        same.show();
        QCOMPARE(same.shownText(), box.shownText());
        QCOMPARE(box.grab().toImage(), same.grab().toImage());
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::ElidedBoxTest)
#include "elided_box_test.moc"
