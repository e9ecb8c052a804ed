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
        const QImage whole = box.grab().toImage();
        box.resize(84, box.height());
        QVERIFY2(box.shownText().endsWith(u'…') && box.shownText().startsWith(u'N'), qPrintable(box.shownText()));
        QVERIFY(box.grab().toImage() != whole.copy(0, 0, 84, whole.height()));
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::ElidedBoxTest)
#include "elided_box_test.moc"
