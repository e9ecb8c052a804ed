#include <QtTest>
#include <algorithm>

#include "tests/ui/ui_test_support.h"
#include "ui/document/document.h"
#include "ui/frame/figures_bar.h"

namespace overlap::ui {

/// How much of the labels of figures is shown.
class FigureLabelsTest : public QObject {
    Q_OBJECT

    static std::vector<Figure> figures() {
        const auto figure = [](const char* label, const char* value, const char* difference) {
            return Figure{QString::fromUtf8(label), QString::fromUtf8(value), QString::fromUtf8(difference), 1, {}};
        };
        std::vector<Figure> all{figure("step · links shared", "24 ms", "-3 ms"),
                                figure("above bound · order kept", "10.4 %", ""),
                                figure("exposed", "1962.4 ms", "-316.4 ms"), figure("peak", "27.83 GiB", "-3.1 GiB"),
                                figure("collectives", "686", "-101")};
        all.front().difference_stays = true;
        return all;
    }
    static qsizetype wholeIn(const FiguresBar& bar) {
        return std::ranges::count_if(bar.labels(), [](const QString& label) { return label.contains(u'·'); });
    }

  private slots:
    /// What is left of a label goes with the first difference that has no room, and not before.
    void theyAreWholeWhereAllDifferencesHaveRoom() {
        const auto document = openDocument();
        FiguresBar bar(*document);
        bar.showInstead(figures());
        bar.show();
        QVERIFY(bar.labelledWidth() < bar.wantedWidths().front());
        QVERIFY(bar.labelledWidth() > bar.wantedWidths().back());
        for (int width = bar.labelledWidth(); width <= bar.wantedWidths().front(); ++width) {
            bar.resize(width, bar.height());
            QVERIFY2(wholeIn(bar) == 2, qPrintable(bar.labels().join(u'|')));
            QCOMPARE(bar.differences().size(), 5);
        }
        bar.resize(bar.labelledWidth() - 1, bar.height());
        QVERIFY2(wholeIn(bar) < 2, qPrintable(bar.labels().join(u'|')));
    }

    /// Also where not all of them have any.
    void theyTakeTheRoomThatDifferencesLeave() {
        const auto document = openDocument();
        FiguresBar bar(*document);
        bar.showInstead(figures());
        bar.show();
        bool one = false;
        for (int width = bar.wantedWidths().back(); width < bar.labelledWidth(); ++width) {
            bar.resize(width, bar.height());
            one = one || wholeIn(bar) == 1;
            QVERIFY(bar.left(0) >= 0);
        }
        QVERIFY(one);
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::FigureLabelsTest)
#include "figure_labels_test.moc"
