#include "ui/memory/kind_bar.h"

#include <QFontMetrics>
#include <QtTest>

#include "ui/theme/theme_manager.h"

namespace overlap::ui {

class KindBarTest : public QObject {
    Q_OBJECT

    static HeldMemory held() {
        HeldMemory held;
        for (std::size_t kind = 0; kind < memory_kind_count; ++kind) {
            held.by_kind[kind] = static_cast<std::int64_t>(kind + 1) << 30;
            held.bytes += held.by_kind[kind];
        }
        return held;
    }

  private slots:
    /// Without them nobody knows what the colours are.
    void aLowBarHasItsNamesToo() {
        KindBar bar;
        bar.setHeld(held());
        const int usual = bar.height();
        bar.setLow(true);
        QVERIFY(bar.height() < usual);
        bar.resize(700, bar.height());
        const QImage image = bar.grab().toImage();
        // Something is written in the line of the names, behind the first one's mark.
        const QFontMetrics metrics(textFont(smallTextPx));
        const QRect name(24, bar.height() - metrics.height(), metrics.horizontalAdvance(bar.legend().front()) - 4,
                         metrics.height() - 2);
        int inked = 0;
        for (int x = name.left(); x <= name.right(); ++x)
            for (int y = name.top(); y <= name.bottom(); ++y)
                inked += image.pixelColor(x, y) != currentTheme().panel ? 1 : 0;
        QVERIFY2(inked > name.width(), qPrintable(QString::number(inked)));
    }

    /// Where there is no room for all, the legend says how many are left out, and none of it is cut.
    void theLegendSaysWhatItLeavesOut() {
        KindBar bar;
        bar.setHeld(held());
        const QFontMetrics metrics(textFont(smallTextPx));
        qsizetype most = 0;
        for (const int width : {100, 240, 400, 700, 1000, 1600}) {
            bar.resize(width, bar.height());
            const QStringList legend = bar.legend();
            int texts = 0;
            for (const QString& text : legend) texts += metrics.horizontalAdvance(text);
            QVERIFY2(texts < width, qPrintable(legend.join(u'|')));
            const bool all = legend.size() == static_cast<qsizetype>(memory_kind_count) &&
                             bar.text() == legend.join(QStringLiteral(", "));
            const qsizetype left = static_cast<qsizetype>(memory_kind_count) - (legend.size() - 1);
            const QString rest = legend.size() == 1 ? QStringLiteral("kinds: %1") : QStringLiteral("and %1 more");
            QVERIFY2(all || legend.back() == rest.arg(left), qPrintable(legend.join(u'|')));
            QVERIFY(legend.size() >= most);
            most = legend.size();
            for (qsizetype index = 0; !all && index + 1 < legend.size(); ++index)
                QVERIFY(bar.text().contains(legend[index]));
        }
        QCOMPARE(most, static_cast<qsizetype>(memory_kind_count));
        for (std::size_t kind = 0; kind < memory_kind_count; ++kind)
            QVERIFY(bar.toolTip().contains(QString::fromStdString(memory_kind_title(static_cast<MemoryKind>(kind)))));
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::KindBarTest)
#include "kind_bar_test.moc"
