#include "ui/theme/theme.h"

#include <QApplication>
#include <QCheckBox>
#include <QDialog>
#include <QHeaderView>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QStandardItemModel>
#include <QTreeView>
#include <QtTest>
#include <array>
#include <cmath>
#include <set>

#include "ui/files/resources.h"
#include "ui/theme/counted_text.h"
#include "ui/theme/numbers.h"
#include "ui/theme/theme_manager.h"
#include "ui/theme/times_apart.h"

namespace overlap::ui {
namespace {

using Matrix = std::array<std::array<double, 3>, 3>;

/// How normal, deutan, protan and tritan eyes see linear RGB (Machado, Oliveira, Fernandes 2009, full severity).
constexpr std::array<Matrix, 4> eyes{
    {{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
     {{{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}},
     {{{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}}},
     {{{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}}}}};

double linear(double channel) {
    return channel <= 0.04045 ? channel / 12.92 : std::pow((channel + 0.055) / 1.055, 2.4);
}

/// `colour` in OKLab as `eye` sees it: a space in which distance is difference.
std::array<double, 3> seen(const QColor& colour, const Matrix& eye) {
    const std::array<double, 3> rgb{linear(colour.redF()), linear(colour.greenF()), linear(colour.blueF())};
    std::array<double, 3> view{};
    for (std::size_t row = 0; row < 3; ++row) {
        view[row] = std::clamp(eye[row][0] * rgb[0] + eye[row][1] * rgb[1] + eye[row][2] * rgb[2], 0.0, 1.0);
    }
    const double l = std::cbrt(0.4122214708 * view[0] + 0.5363325363 * view[1] + 0.0514459929 * view[2]);
    const double m = std::cbrt(0.2119034982 * view[0] + 0.6806995451 * view[1] + 0.1073969566 * view[2]);
    const double s = std::cbrt(0.0883024619 * view[0] + 0.2817188376 * view[1] + 0.6299787005 * view[2]);
    return {0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
            1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
            0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s};
}

double difference(const QColor& a, const QColor& b, const Matrix& eye) {
    const auto first = seen(a, eye);
    const auto second = seen(b, eye);
    return std::hypot(first[0] - second[0], first[1] - second[1], first[2] - second[2]);
}

/// WCAG 2.1: text (1.4.3) and what is not text but must be made out (1.4.11).
constexpr double text_contrast = 4.5;
constexpr double mark_contrast = 3.0;

std::array<QColor, 3> surfacesOf(const Theme& theme) {
    return {theme.background, theme.panel, theme.raised};
}

/// What areas, stripes, lines and signs are drawn in where they mean something.
QList<QColor> markColoursOf(const Theme& theme) {
    QList<QColor> colours{theme.accent,  theme.exposed,    theme.hidden, theme.caution,
                          theme.compute, theme.unbucketed, theme.memory};
    for (const QColor& hue : theme.bucketHues) colours.append(hue);
    for (const QColor& half : theme.halves) colours.append(half);
    return colours;
}

void themes() {
    QTest::addColumn<bool>("dark");
    QTest::newRow("dark") << true;
    QTest::newRow("light") << false;
}

/// The theme of the row of `themes`.
const Theme& fetchedTheme() {
    QFETCH(bool, dark);
    return dark ? darkTheme() : lightTheme();
}

}  // namespace

class ThemeTest : public QObject {
    Q_OBJECT

  private slots:
    void spinBoxesHaveABorderInBothThemes() {
        loadResources();
        ThemeManager::instance().apply();
        for (const ThemeMode mode : {ThemeMode::Light, ThemeMode::Dark}) {
            ThemeManager::instance().setMode(mode);
            QWidget panel;
            panel.setAutoFillBackground(true);
            QSpinBox box(&panel);
            box.setValue(5);  // can be stepped both ways
            box.move(10, 10);
            panel.resize(200, 60);
            panel.show();
            const QImage picture = panel.grab().toImage().convertToFormat(QImage::Format_RGB32);
            // The middle of its left edge, from outside to inside: a line that is neither.
            const int y = box.geometry().center().y(), x = box.x();
            QCOMPARE(picture.pixelColor(x, y), currentTheme().line);
            QVERIFY(picture.pixelColor(x - 1, y) != currentTheme().line);
            // Both arrows are drawn.
            for (const int at : {box.y() + box.height() / 4, box.geometry().bottom() - box.height() / 4}) {
                bool drawn = false;
                for (int column = box.geometry().right() - 14; column < box.geometry().right() - 4; ++column)
                    for (int row = at - 2; row <= at + 2; ++row)
                        drawn = drawn || picture.pixelColor(column, row) != picture.pixelColor(x + 3, y);
                QVERIFY(drawn);
            }
        }
    }

    void textIsReadable_data() { themes(); }
    void textIsReadable() {
        const Theme& theme = fetchedTheme();
        for (const QColor& surface : surfacesOf(theme)) {
            QVERIFY(contrastRatio(theme.text, surface) >= 7.0);
            QVERIFY(contrastRatio(theme.dim, surface) >= text_contrast);
        }
        QVERIFY(contrastRatio(theme.text, theme.selection()) >= 7.0);
        // What signals are written in is read on selected rows as well; so is secondary text there.
        for (const QColor& colour : {theme.accent, theme.exposed, theme.hidden, theme.caution, theme.dim}) {
            const QColor written = theme.asText(colour);
            for (const QColor& surface : surfacesOf(theme)) {
                QVERIFY2(contrastRatio(written, surface) >= text_contrast, qPrintable(written.name()));
            }
            QVERIFY2(contrastRatio(written, theme.selection()) >= text_contrast, qPrintable(written.name()));
        }
        QCOMPARE(theme.asText(theme.text), theme.text);
    }

    void textUponFillsIsReadable_data() { themes(); }
    void textUponFillsIsReadable() {
        const Theme& theme = fetchedTheme();
        // What events and chosen controls are filled with; a stall's name stands on a plate of the background.
        QList<QColor> fills{theme.compute, theme.hidden, theme.unbucketed, theme.accent};
        for (const QColor& hue : theme.bucketHues) fills.append(hue);
        for (const QColor& fill : fills) {
            QVERIFY2(contrastRatio(theme.textOn(fill), fill) >= text_contrast, qPrintable(fill.name()));
        }
    }

    /// Events, stripes of boxes and cards, bars and the memory curve lie on any of the surfaces.
    void marksStandOut_data() { themes(); }
    void marksStandOut() {
        const Theme& theme = fetchedTheme();
        for (const QColor& surface : surfacesOf(theme)) {
            for (const QColor& mark : markColoursOf(theme)) {
                QVERIFY2(contrastRatio(mark, surface) >= mark_contrast,
                         qPrintable(mark.name() + QStringLiteral(" on ") + surface.name()));
            }
        }
    }

    /// A ring or an edge in the accent says what is selected or has the focus; it takes the place of a hairline.
    void selectionAndFocusAreSeen_data() { themes(); }
    void selectionAndFocusAreSeen() {
        const Theme& theme = fetchedTheme();
        for (const QColor& surface : surfacesOf(theme)) {
            QVERIFY(contrastRatio(theme.accent, surface) >= mark_contrast);
        }
        QVERIFY(contrastRatio(theme.accent, theme.line) >= mark_contrast);
        QVERIFY(contrastRatio(theme.accent, theme.selection()) >= mark_contrast);
        const QString sheet = styleSheetOf(theme);
        for (QString rule :
             {QStringLiteral("QPushButton:focus, QToolButton:focus { border-color: @accent; }"),
              QStringLiteral("QTextEdit:focus { border-color: @accent; }"),
              QStringLiteral("QTabBar::tab:selected { color: @text; border-bottom: 2px solid @accent; }"),
              QStringLiteral("border-bottom: 1px solid @accent; }")}) {
            rule.replace(QStringLiteral("@accent"), theme.accent.name());
            rule.replace(QStringLiteral("@text"), theme.text.name());
            QVERIFY2(sheet.contains(rule), qPrintable(rule));
        }
    }

    void bucketsDifferForAllEyes_data() { themes(); }
    void bucketsDifferForAllEyes() {
        const Theme& theme = fetchedTheme();
        for (const Matrix& eye : eyes) {
            for (std::size_t i = 0; i < theme.bucketHues.size(); ++i) {
                QVERIFY(difference(theme.bucketHues[i], theme.exposed, eye) > 0.07);
                for (std::size_t j = 0; j < i; ++j) {
                    QVERIFY(difference(theme.bucketHues[i], theme.bucketHues[j], eye) > 0.07);
                }
            }
        }
    }

    void contrastIsThatOfTheStandard() {
        QVERIFY(std::abs(contrastRatio(Qt::black, Qt::white) - 21.0) < 1e-9);
        QCOMPARE(contrastRatio(Qt::red, Qt::red), 1.0);
        QVERIFY(std::abs(contrastRatio(QColor(0x777777), Qt::white) - 4.478) < 0.001);
    }

    void styleSheetHasNoTokenLeft() {
        for (const Theme* theme : {&darkTheme(), &lightTheme()}) {
            const QString sheet = styleSheetOf(*theme);
            QVERIFY(!sheet.contains(QLatin1Char('@')));
            QVERIFY(!sheet.contains(QStringLiteral(": ;")));
            QVERIFY(sheet.contains(theme->accent.name()));
        }
    }

    /// What cannot be used must not look as if it could, and the button that Enter presses shows that it has the keys.
    void disabledControlsAreSeenToBe_data() { themes(); }
    void disabledControlsAreSeenToBe() {
        QFETCH(bool, dark);
        ThemeManager::instance().setMode(dark ? ThemeMode::Dark : ThemeMode::Light);
        ThemeManager::instance().apply();
        const auto coloursOf = [](QWidget& widget) {
            const QImage picture = widget.grab().toImage();
            std::set<QRgb> colours;
            for (int x = 0; x < picture.width(); ++x)
                for (int y = 0; y < picture.height(); ++y) colours.insert(picture.pixel(x, y));
            return colours;
        };
        QDialog dialog;
        QPushButton button(QStringLiteral("OK"), &dialog);
        button.setDefault(true);
        QCheckBox box(QStringLiteral("choice"), &dialog);
        dialog.show();
        dialog.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&dialog));
        button.clearFocus();
        box.setFocus();
        const QRgb accent = currentTheme().accent.rgb(), text = currentTheme().text.rgb();
        QVERIFY(coloursOf(button).contains(accent) && !coloursOf(button).contains(text));
        button.setFocus();
        QVERIFY(coloursOf(button).contains(accent) && coloursOf(button).contains(text));
        QVERIFY(coloursOf(box).contains(text));
        button.setEnabled(false);
        box.setEnabled(false);
        QVERIFY(!coloursOf(button).contains(accent));
        QVERIFY(!coloursOf(box).contains(text));
    }

    /// A table's figures stand below their headings: Qt leaves room for the arrow beside the text of a heading, also
    /// where a style sheet puts the arrow above it.
    void headingsEndWhereFiguresDo() {
        ThemeManager::instance().setMode(ThemeMode::Light);
        ThemeManager::instance().apply();
        QStandardItemModel model(1, 2);
        model.setHorizontalHeaderLabels({QStringLiteral("HH"), QStringLiteral("last")});
        model.horizontalHeaderItem(0)->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
        model.setItem(0, 0, new QStandardItem(QStringLiteral("HH")));
        model.item(0, 0)->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
        QTreeView table;
        table.setModel(&model);
        table.setRootIsDecorated(false);
        table.resize(400, 200);
        table.setColumnWidth(0, 200);
        table.show();
        const int margin = 8;  // of tables' cells
        // Where the text ends in a picture of one colour otherwise.
        const auto endOf = [](QWidget* widget, const QRect& part) {
            const QImage picture = widget->grab(part).toImage();
            const QColor ground = picture.pixelColor(2, 2);
            int end = picture.width() - 1;
            const auto isEmpty = [&](int x) {
                for (int y = 0; y < picture.height(); ++y)
                    if (picture.pixelColor(x, y) != ground) return false;
                return true;
            };
            while (end > 0 && isEmpty(end)) --end;
            return end;
        };
        const int heading = endOf(table.header()->viewport(), QRect(0, 0, 200, table.header()->height() - 2));
        const QRect cell = table.visualRect(model.index(0, 0)).adjusted(0, 2, 0, -2);
        QCOMPARE(cell.right(), 199);
        const int figure = endOf(table.viewport(), QRect(0, cell.top(), 200, cell.height()));
        QVERIFY2(std::abs(heading - figure) <= 1, qPrintable(QStringLiteral("%1, %2").arg(heading).arg(figure)));
        QVERIFY2(figure > 100 && figure < 199 - margin / 2, qPrintable(QString::number(figure)));
        // A heading of the width that it asks for is whole.
        const int wanted = table.header()->sectionSizeHint(0);
        QVERIFY(wanted >= table.header()->fontMetrics().horizontalAdvance(QStringLiteral("HH")) + 2 * margin);
    }

    void switchingIsLive() {
        ThemeManager& manager = ThemeManager::instance();
        manager.setMode(ThemeMode::Dark);
        manager.apply();
        QCOMPARE(qApp->palette().color(QPalette::Window), darkTheme().panel);
        QSignalSpy changed(&manager, &ThemeManager::changed);
        manager.setMode(ThemeMode::Light);
        QCOMPARE(changed.count(), 1);
        QCOMPARE(qApp->palette().color(QPalette::Window), lightTheme().panel);
        QVERIFY(!currentTheme().dark);
        manager.setMode(ThemeMode::Light);
        QCOMPARE(changed.count(), 1);
        manager.setMode(ThemeMode::System);
    }

    void figuresOfOneLengthAreEquallyWide() {
        const QFontMetricsF metrics(numberFont());
        QCOMPARE(metrics.horizontalAdvance(QStringLiteral("111.1")),
                 metrics.horizontalAdvance(QStringLiteral("888.8")));
    }

    void unitsStayWithTheirNumbers() {
        const QString sentence = QStringLiteral("waits 2.3 ms before 5 sends of 3 MiB");
        const QString unbroken = QStringLiteral("waits 2.3_ms before 5 sends of 3_MiB").replace(u'_', thinSpace);
        QCOMPARE(withUnbrokenUnits(sentence), unbroken);
    }

    void numbers_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("expected");
        const auto row = [](const char* name, const QString& text, const char* expected) {
            QTest::newRow(name) << text << QString::fromUtf8(expected).replace(QLatin1Char(' '), thinSpace);
        };
        row("ms", formatTime(218.4), "218.4 ms");
        row("five digits from a second on", formatTime(1671.53), "1671.5 ms");
        row("rounds up a digit", formatTime(999.96), "1000 ms");
        row("two decimals", formatTime(31.2345), "31.23 ms");
        row("no trailing zero", formatTime(31.2), "31.2 ms");
        row("three decimals", formatTime(2.0514), "2.051 ms");
        row("small", formatTime(0.3114), "0.311 ms");
        row("us", formatTime(0.0952), "95.2 µs");
        row("ns", formatTime(0.000052), "52 ns");
        row("seconds", formatTime(12345.6), "12.346 s");
        row("exact", formatExactTime(12345.6), "12345.600 ms");
        row("exact, negative", formatExactTime(-0.5), "−0.500 ms");
        row("zero", formatTime(0), "0 ms");
        row("negative", formatTime(-2.5), "−2.5 ms");
        row("bytes", formatBytes(512), "512 B");
        row("whole bytes", formatBytes(1023), "1023 B");
        row("KiB", formatBytes(1536), "1.5 KiB");
        row("MiB", formatBytes(436.2 * 1024 * 1024), "436.2 MiB");
        row("MiB to GiB", formatBytes(1002.0 * 1024 * 1024), "0.979 GiB");
        row("GiB", formatBytes(31.58 * 1024 * 1024 * 1024), "31.58 GiB");
        row("percent", formatPercent(-0.402), "−40.2 %");
        row("count", formatCount(9939), "9 939");
        row("million", formatCount(1234567), "1 234 567");
        row("difference", formatDifference(-12.1, Unit::Time), "−12.1 ms");
        row("difference of bytes", formatDifference(0.4 * 1024 * 1024 * 1024, Unit::Bytes), "+409.6 MiB");
        row("difference of counts", formatDifference(-332, Unit::Count), "−332");
        row("no difference", formatDifference(0, Unit::Time), "±0 ms");
        row("no time that can be told", formatDifference(-4e-10, Unit::Time), "±0 ms");
        row("no percentage", formatDifference(-0.0001, Unit::Percent), "±0.0 %");
    }
    void countsHaveAWordForOne() {
        const auto nodes = [](auto count) { return countedText(count, "%1 node", "%1 nodes"); };
        QCOMPARE(nodes(1), "1 node");
        QCOMPARE(nodes(std::size_t{0}), "0 nodes");
        QCOMPARE(nodes(9939), "9" + QString(thinSpace) + "939 nodes");
    }
    void numbers() {
        QFETCH(QString, text);
        QFETCH(QString, expected);
        QCOMPARE(text, expected);
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::ThemeTest)
#include "theme_test.moc"
