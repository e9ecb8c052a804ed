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

    /// Where the value and its difference are as wide, that costs no room; it is cut before it goes, and what is said
    /// of how far the model is right goes first.
    void theNameOfTheCostModelStaysLongest() {
        const auto document = openDocument();
        FiguresBar bar(*document);
        std::vector<Figure> named = figures();
        named.front().label = QStringLiteral("step · a-cost-model-with-a-name, checked to 3.2 %");
        named.front().named_label = QStringLiteral("step · a-cost-model-with-a-name");
        named.front().value = QStringLiteral("2451.3 ms");
        bar.showInstead(named);
        bar.show();
        bool cut = false, whole_name = false, whole = false;
        for (int width = bar.minimumSizeHint().width(); width <= bar.wantedWidths().front(); ++width) {
            bar.resize(width, bar.height());
            const QString label = bar.labels().front();
            cut = cut || (label.startsWith(QStringLiteral("step · a-co")) && label.endsWith(u'…'));
            whole_name = whole_name || label == named.front().named_label;
            whole = whole || label == named.front().label;
            QVERIFY2(!label.endsWith(u'…') || label.size() > 11, qPrintable(label));
            QVERIFY(bar.left(0) >= 0);
            // From where the first figure has its difference on, the name is known.
            if (!bar.differences().isEmpty()) QVERIFY2(label != QStringLiteral("step"), qPrintable(label));
            if (width >= bar.labelledWidth()) QVERIFY2(label.startsWith(named.front().named_label), qPrintable(label));
        }
        QVERIFY(cut);
        QVERIFY(whole_name && whole);
    }

    /// It has no name; whose times they are is told, as it is for a trace's.
    void aModelOfTheGraphsOwnIsTold() {
        const auto document = openDocument();
        QVERIFY(waitForEvaluation(*document));
        const FiguresBar bar(*document);
        const Figure& step = bar.figures().front();
        QCOMPARE(step.label, QStringLiteral("step · graph's times"));
        QCOMPARE(step.named_label, step.label);
        const std::string& device = document->graph()->header().cost->device_name;
        QVERIFY2(step.help.contains(QString::fromStdString("the graph's own times, of " + device)),
                 qPrintable(step.help));
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::FigureLabelsTest)
#include "figure_labels_test.moc"
