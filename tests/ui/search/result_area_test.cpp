#include "ui/search/result_area.h"

#include <QLabel>
#include <QPushButton>
#include <QTableWidget>
#include <QtTest>

namespace overlap::ui {

/// What a search found, in areas of any height.
class ResultAreaTest : public QObject {
    Q_OBJECT

  private slots:
    void theTableKeepsTheFocusWhereverItIs() {
        auto* button = new QPushButton("Keep");
        auto* table = new QTableWidget(3, 2);
        ResultArea area({button}, {new QLabel("It was found")}, table);
        area.resize(800, 600);
        area.show();
        QVERIFY(QTest::qWaitForWindowActive(&area));
        QVERIFY(!area.isBeside());
        table->setFocus();
        QVERIFY(table->hasFocus());
        area.resize(800, 300);
        QVERIFY(area.isBeside());
        QVERIFY(table->hasFocus());
        area.resize(800, 600);
        QVERIFY(!area.isBeside());
        QVERIFY(table->hasFocus() && table->isVisible());
        button->setFocus();
        area.resize(800, 300);
        QVERIFY(button->hasFocus());
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::ResultAreaTest)
#include "result_area_test.moc"
