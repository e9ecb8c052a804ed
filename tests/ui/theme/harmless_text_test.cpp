#include "ui/theme/harmless_text.h"

#include <QLabel>
#include <QMenu>
#include <QStandardItemModel>
#include <QTextDocument>
#include <QToolTip>
#include <QTreeView>
#include <QtTest>

#include "ui/theme/tool_tip_lines.h"

namespace overlap::ui {

const QString html_name = QStringLiteral("<img src='file:///etc/hostname'> & <b>x</b>");

class HarmlessTextTest : public QObject {
    Q_OBJECT

    /// What a tool tip shows, after its HTML has been taken as such.
    static QString shownToolTip() {
        QTextDocument document;
        Qt::mightBeRichText(QToolTip::text()) ? document.setHtml(QToolTip::text())
                                              : document.setPlainText(QToolTip::text());
        return document.toPlainText();
    }

    static void hover(QWidget& widget, QPoint at) {
        QToolTip::hideText();
        QHelpEvent help(QEvent::ToolTip, at, widget.mapToGlobal(at));
        QCoreApplication::sendEvent(&widget, &help);
    }

  private slots:
    void initTestCase() {
        keepTextPlain();
        keepTextPlain();
    }

    void labelsShowNamesAsTheyAre() {
        QLabel label(html_name);
        const QSize plain = QFontMetrics(label.font()).size(0, html_name);
        label.show();
        QCOMPARE(label.textFormat(), Qt::PlainText);
        QVERIFY(label.sizeHint().width() >= plain.width());
        QLabel meant(QStringLiteral("<b>x</b>"));
        meant.setTextFormat(Qt::RichText);
        meant.show();
        QCOMPARE(meant.textFormat(), Qt::RichText);
    }

    /// Qt breaks none of them: they would be as wide as the screen.
    void longToolTipsHaveLines() {
        const QString words =
            QStringLiteral("what a step of a job holds in its memory at the peak ").repeated(8).trimmed();
        const QString path = "/home/someone" + QStringLiteral("/folder").repeated(30);
        const QString lines = toolTipLines("short\n" + words + "\n" + path + " is there");
        for (const QString& line : lines.split('\n')) QVERIFY2(line.size() <= 100 || line == path, qPrintable(line));
        QCOMPARE(QString(lines).replace('\n', ' '), "short " + words + ' ' + path + " is there");
        QVERIFY(lines.startsWith("short\n"));
        QCOMPARE(toolTipLines(QString()), QString());
        QWidget widget;
        widget.setToolTip(words);
        widget.show();
        hover(widget, {1, 1});
        QCOMPARE(QToolTip::text(), toolTipLines(words));
    }

    void richToolTipsHaveLines() {
        const QString words = QStringLiteral("what a step &amp; its <i>job</i> hold ").repeated(12).trimmed();
        const QString lines = richToolTipLines(QStringLiteral("<b>short</b><br>") + words);
        for (const QString& line : lines.split(QStringLiteral("<br>"))) {
            QTextDocument seen;
            seen.setHtml(line);
            QVERIFY2(seen.toPlainText().size() <= 100, qPrintable(line));
        }
        QVERIFY(lines.count(QStringLiteral("<br>")) >= 3);
        QCOMPARE(QString(lines).replace(QStringLiteral("<br>"), QStringLiteral(" ")),
                 QStringLiteral("<b>short</b> ") + words);
        const QString path = "/home/someone" + QStringLiteral("/folder").repeated(30);
        QCOMPARE(richToolTipLines(path), path);
        QCOMPARE(richToolTipLines(QStringLiteral("a & b < c")), QStringLiteral("a & b < c"));
        // As they are shown, whatever Qt would make of them.
        QWidget widget;
        widget.show();
        showToolTip({40, 40}, QStringLiteral("<b>wide</b> ") + words, &widget);
        QVERIFY2(QToolTip::text().contains(richToolTipLines(QStringLiteral("<b>wide</b> ") + words)),
                 qPrintable(QToolTip::text()));
        showToolTip({40, 40}, QString(words).remove(u'<'), &widget);
        QCOMPARE(QToolTip::text(), toolTipLines(QString(words).remove(u'<')));
    }

    void toolTipsShowNamesAsTheyAre_data() {
        QTest::addColumn<QString>("name");
        QTest::newRow("HTML") << html_name;
        QTest::newRow("a marker of HTML") << "<qt><img src='x'>";
        QTest::newRow("nothing special") << "layers.0 < layers.1";
    }
    void toolTipsShowNamesAsTheyAre() {
        QFETCH(QString, name);
        QWidget widget;
        widget.setToolTip(name);
        widget.show();
        hover(widget, {1, 1});
        QCOMPARE(shownToolTip(), name);

        QStandardItemModel model(1, 1);
        model.setData(model.index(0, 0), "row");
        model.setData(model.index(0, 0), name, Qt::ToolTipRole);
        QTreeView view;
        view.setModel(&model);
        view.show();
        hover(*view.viewport(), view.visualRect(model.index(0, 0)).center());
        QCOMPARE(shownToolTip(), name);

        QMenu menu;
        menu.setToolTipsVisible(true);
        QAction* action = menu.addAction("open");
        action->setToolTip(name);
        menu.popup({0, 0});
        hover(menu, menu.actionGeometry(action).center());
        QCOMPARE(shownToolTip(), name);
        menu.hide();
    }

    void signsStandForWhatCannotBeSeen() {
        const QString ordinary = QStringLiteral("layers.0.attention — café 😀 \"x\" <b>");
        QCOMPARE(shownName(ordinary), ordinary);
        QCOMPARE(shownName("a\nb\tc\x1b"), QStringLiteral("a⏎b⇥c⟨U+001B⟩"));
        QCOMPARE(shownName(QStringLiteral("\u202eevil\u2066\u200b")), QStringLiteral("⟨U+202E⟩evil⟨U+2066⟩⟨U+200B⟩"));
        QCOMPARE(shownName(QString(QChar(0))), QStringLiteral("⟨U+0000⟩"));
        QCOMPARE(shownName(QStringLiteral("a\U000e0041")), QStringLiteral("a⟨U+E0041⟩"));
        QCOMPARE(shownLines(QStringLiteral("a\u202e\nb\t")), QStringLiteral("a⟨U+202E⟩\nb⇥"));
        QCOMPARE(shownInMenu("a & b\n"), QStringLiteral("a && b⏎"));
        const QString shown = shownName(QString(1 << 20, u'x'));
        QVERIFY(shown.size() < 1100);
        QVERIFY(shown.endsWith(QStringLiteral("x… (1048576 characters)")));
        // A cut never leaves half a character.
        QVERIFY(shownName(QString(999, u'x') + QStringLiteral("😀y")).contains(u'…'));
        QVERIFY(!shownName(QString(999, u'x') + QStringLiteral("😀y")).contains(QChar(0xd83d)));
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::HarmlessTextTest)
#include "harmless_text_test.moc"
