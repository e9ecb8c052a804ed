#include "ui/frame/figures_bar.h"

#include "tests/ui/ui_test_support.h"

namespace overlap::ui {

class FiguresBarTest : public QObject {
    Q_OBJECT

  private slots:
    void outlivesItsDocument() {
        auto document = openDocument();
        QVERIFY(waitForEvaluation(*document));
        FiguresBar bar(*document);
        QVERIFY(!bar.figures().empty());
        bar.show();
        document.reset();  // also while the bound is being found
        QTest::qWait(50);  // whatever is delivered late
        bar.showInstead(std::vector<Figure>{{QStringLiteral("measured"), QStringLiteral("1 ms"), {}, 0, {}}});
        QCOMPARE(bar.figures().size(), 1);
        bar.showInstead({});
        QVERIFY(bar.figures().empty());
        QVERIFY(!bar.grab().isNull());
    }

    void lessDetailIsNarrower() {
        auto document = openDocument();
        QVERIFY(waitForEvaluation(*document));
        const FiguresBar bar(*document);
        const QList<int> widths = bar.wantedWidths();
        QVERIFY(std::is_sorted(widths.rbegin(), widths.rend()));
        QCOMPARE(bar.sizeHint().width(), widths.front());
        QCOMPARE(bar.minimumSizeHint().width(), widths.back());
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::FiguresBarTest)
#include "figures_bar_test.moc"
