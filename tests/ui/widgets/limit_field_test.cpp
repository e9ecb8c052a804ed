#include "ui/widgets/limit_field.h"

#include <QLineEdit>
#include <QSignalSpy>
#include <QStyleOptionSpinBox>
#include <QtTest>
#include <tuple>

namespace overlap::ui {

/// What a typed limit of memory means, and a field for one.
class LimitFieldTest : public QObject {
    Q_OBJECT

    static std::vector<NamedBytes> names() {
        return {{QStringLiteral("baseline"), 40ll << 30}, {QStringLiteral("plan"), 36ll << 30}};
    }
    static void type(LimitField& field, const char* text) {
        field.setFocus();
        field.selectAll();
        QTest::keyClicks(&field, QString::fromUtf8(text));
        QTest::keyClick(&field, Qt::Key_Return);
    }

  private slots:
    void textsAreRead_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<double>("gib");
        const auto row = [](const char* text, double gib) { QTest::newRow(text) << QString::fromUtf8(text) << gib; };
        row("31.5", 31.5);
        row("31,5", 31.5);
        row(" 31.5 GiB ", 31.5);
        row("≤ 31.5 gib", 31.5);
        row("512 MiB", 0.5);
        row("2TiB", 2048);
        row("34.359738368 GB", 32);
        row("baseline", 40);
        row("Baseline + 6", 46);
        row("baseline + 6 GiB", 46);
        row("baseline+512MiB", 40.5);
        row("plan - 2 - 1", 33);
        row("plan − 2", 34);
        row("+6 GiB", 46);
        row("-6", 34);
        row("6 + plan", 42);
        row("baseline+10%", 44);
        row("Baseline + 10 %", 44);
        row("baseline + 10\u202f%", 44);
        row("plan − 50 %", 18);
        row("+10 %", 44);
    }
    void textsAreRead() {
        QFETCH(QString, text);
        QFETCH(double, gib);
        const ReadLimit limit = readLimit(text, names());
        QVERIFY2(limit.gib, qPrintable(limit.reason));
        QCOMPARE(*limit.gib, gib);
        QVERIFY(limit.reason.isEmpty());
    }

    void whatIsNoLimitSaysWhy_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("reason");
        const auto row = [](const char* text, const char* reason) {
            QTest::newRow(text) << QString::fromUtf8(text) << QString::fromUtf8(reason);
        };
        row("basline + 6", "basline");
        row("baseline + six", "six");
        row("baseline 6", "baseline 6");
        row("baseline +", "missing");
        row("6 miles", "miles");
        row("plan - 50", "is below 0");
        row("5 TiB", "more than 4");
        row("0", "“0” leaves nothing");
        row("0.4 B", "leaves nothing");
        row("baseline - 100 %", "“baseline - 100 %” leaves nothing");
        row("-50", "is below 0");
        row("nan", "nan");
        row("e3", "e3");
        row("1,024", "1,024");
        row("", "blank");
        row("10 %", "It is not said of what");
    }
    void whatIsNoLimitSaysWhy() {
        QFETCH(QString, text);
        QFETCH(QString, reason);
        const ReadLimit limit = readLimit(text, names());
        QVERIFY(!limit.gib);
        QVERIFY2(limit.reason.contains(reason), qPrintable(limit.reason));
    }

    void aSignNeedsSomethingToCountFrom() {
        QVERIFY(!readLimit(QStringLiteral("+6"), {}).gib);
        QCOMPARE(readLimit(QStringLiteral("6"), {}).gib, std::optional<double>(6));
    }

    /// In the field, and when the session comes back; its value is exact.
    void whatWasTypedStaysAsTyped() {
        std::vector<NamedBytes> now{{QStringLiteral("baseline"), 62'251'234'567}};
        LimitField field;
        field.setAffixes(QStringLiteral("≤ "), QStringLiteral(" GiB"));
        field.setNames([&] { return now; });
        field.show();
        type(field, "baseline+10%");
        QCOMPARE(field.text(), QStringLiteral("≤ baseline+10%"));
        QCOMPARE(field.bytes(), 68'476'358'024);
        QCOMPARE(field.typed(), QStringLiteral("baseline+10%"));
        LimitField again;
        again.setAffixes(QStringLiteral("≤ "), QStringLiteral(" GiB"));
        again.restore(field.typed(), field.value());
        QCOMPARE(again.text(), QStringLiteral("≤ 63.774 GiB"));  // the name is not known yet
        again.setNames([&] { return now; });
        again.namesChanged();
        QCOMPARE(again.text(), QStringLiteral("≤ baseline+10%"));
        QCOMPARE(again.bytes(), 68'476'358'024);
        // It is no promise that the limit follows the name.
        now[0].second *= 2;
        field.namesChanged();
        QCOMPARE(field.text(), QStringLiteral("≤ 63.774 GiB"));
        QCOMPARE(field.bytes(), 68'476'358'024);
        field.selectAll();
        QTest::keyClick(&field, Qt::Key_Return);  // read again, the number has fewer digits
        QCOMPARE(field.bytes(), 68'476'358'024);
    }

    void unitsAreExact_data() {
        QTest::addColumn<QString>("typed");
        QTest::addColumn<QString>("shown");
        QTest::addColumn<qint64>("bytes");
        QTest::newRow("5 MiB") << "5 MiB"
                               << "5 MiB" << qint64(5) * 1024 * 1024;
        QTest::newRow("1 B") << "1 B"
                             << "1 B" << qint64(1);
        QTest::newRow("32 GB") << "32 GB"
                               << "32 GB" << qint64(32'000'000'000);
        QTest::newRow("2 TiB") << "2 TiB"
                               << "2 TiB" << (qint64(2) << 40);
        QTest::newRow("31.5 GiB") << "31.5 GiB"
                                  << "31.5 GiB" << qint64(limitBytes(31.5));
        QTest::newRow("63.773") << "63.773"
                                << "63.773 GiB" << qint64(limitBytes(63.773));
    }
    void unitsAreExact() {
        QFETCH(QString, typed);
        QFETCH(QString, shown);
        QFETCH(qint64, bytes);
        LimitField field;
        field.setAffixes({}, QStringLiteral(" GiB"));
        field.show();
        type(field, typed.toUtf8().constData());
        QCOMPARE(field.text(), shown);
        QCOMPARE(field.bytes(), bytes);
        LimitField again;
        again.setAffixes({}, QStringLiteral(" GiB"));
        again.restore(field.typed(), field.value());
        QCOMPARE(again.text(), shown);
        QCOMPARE(again.bytes(), bytes);
        // Another limit is a number, and the least is not shown as none.
        again.setValue(0.0001);
        QCOMPARE(again.text(), QStringLiteral("0.0001 GiB"));
        QCOMPARE(again.typed(), QString());
    }

    void aFieldShowsASum() {
        LimitField field;
        field.setAffixes(QStringLiteral("≤ "), QStringLiteral(" GiB"));
        field.setPlaceholderText(QStringLiteral("≤ device"));
        field.setNames(names);
        field.show();
        field.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&field));
        QSignalSpy refused(&field, &LimitField::refused);
        type(field, "baseline + 6 GiB");
        QCOMPARE(field.value(), 46.0);
        QCOMPARE(field.text(), QStringLiteral("≤ baseline + 6 GiB"));
        QVERIFY(refused.isEmpty());
        // What is no limit stays, to be mended.
        type(field, "base + 7");
        QCOMPARE(field.value(), 46.0);
        QCOMPARE(field.text(), QStringLiteral("base + 7"));
        QCOMPARE(refused.count(), 1);
        QVERIFY(refused[0][0].toString().contains(QStringLiteral("base")));
        type(field, "0");
        QCOMPARE(field.value(), 46.0);
        QCOMPARE(refused.count(), 2);
        // What was said of it is taken back with the next one that is a limit.
        type(field, "baseline + 6 GiB");
        QCOMPARE(refused.count(), 3);
        QCOMPARE(refused[2][0].toString(), QString());
        type(field, "baseline + 6 GiB");
        QCOMPARE(refused.count(), 3);
        type(field, "base + 7");
        // Who leaves the field has the former one back.
        field.clearFocus();
        QCOMPARE(field.value(), 46.0);
        QCOMPARE(field.text(), QStringLiteral("≤ baseline + 6 GiB"));
        field.selectAll();
        QTest::keyClick(&field, Qt::Key_Delete);
        QTest::keyClick(&field, Qt::Key_Return);
        QCOMPARE(field.value(), 0.0);
        QCOMPARE(field.text(), QString());
        QTest::keyClick(&field, Qt::Key_Up);
        QCOMPARE(field.value(), 1.0);
    }

    /// A number below 0 is no limit: a sign counts from something, and the field says from what.
    void whatASignCountsFromIsWrittenOut() {
        LimitField field;
        field.setAffixes({}, QStringLiteral(" GiB"));
        field.setNames(names);
        field.show();
        for (const auto& [typed, shown, gib] :
             {std::tuple("-5GiB", "baseline - 5GiB", 35.0), std::tuple("+ 10 %", "baseline + 10 %", 44.0),
              std::tuple("-6", "baseline - 6", 34.0)}) {
            type(field, typed);
            QCOMPARE(field.text(), QString::fromUtf8(shown));
            QCOMPARE(field.typed(), field.text());
            QCOMPARE(field.value(), gib);
        }
    }

    /// Who clicks into it and types replaces what is there, and finds nothing to delete first.
    void typingReplacesWhatIsThere() {
        QWidget around;
        auto* layout = new QHBoxLayout(&around);
        auto* before = new QLineEdit;
        auto* field = new LimitField;
        field->setAffixes({}, QStringLiteral(" GiB"));
        field->setPlaceholderText(QStringLiteral("no limit, or baseline + 6"));
        field->setNames(names);
        layout->addWidget(before);
        layout->addWidget(field);
        around.show();
        around.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&around));
        auto* line = field->findChild<QLineEdit*>();
        QCOMPARE(line->text(), QString());
        QCOMPARE(line->placeholderText(), QStringLiteral("no limit, or baseline + 6"));
        const auto clickInto = [&] {
            before->setFocus();
            QTest::mouseClick(line, Qt::LeftButton, {}, QPoint(8, line->height() / 2));
            QVERIFY(field->hasFocus());
        };
        const auto typeBehind = [&](const char* text) {
            QTest::keyClicks(field, QString::fromLatin1(text));
            QTest::keyClick(field, Qt::Key_Return);
            return field->text();
        };
        clickInto();
        QCOMPARE(typeBehind("baseline + 6"), QStringLiteral("baseline + 6"));
        clickInto();
        QCOMPARE(line->selectedText(), QStringLiteral("baseline + 6"));
        QCOMPARE(typeBehind("31.5"), QStringLiteral("31.5 GiB"));
        // A second click is for a place in it.
        QTest::mouseClick(line, Qt::LeftButton, {}, QPoint(3, line->height() / 2));
        QCOMPARE(line->selectedText(), QString());
        before->setFocus();
        field->setFocus(Qt::ShortcutFocusReason);
        QCOMPARE(line->selectedText(), QStringLiteral("31.5 GiB"));
        QTest::keyClick(field, Qt::Key_Delete);
        QTest::keyClick(field, Qt::Key_Return);
        QCOMPARE(field->value(), 0.0);
        QCOMPARE(line->text(), QString());
    }

    /// The focus came from a click that is over.
    void aClickIntoTheLineBehindOneOnTheArrowsPutsTheCaret() {
        QWidget around;
        auto* layout = new QHBoxLayout(&around);
        auto* before = new QLineEdit;
        auto* field = new LimitField;
        field->setValue(31.5);
        layout->addWidget(before);
        layout->addWidget(field);
        around.show();
        around.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&around));
        before->setFocus();
        QStyleOptionSpinBox option;
        option.initFrom(field);
        option.subControls = QStyle::SC_All;
        option.buttonSymbols = field->buttonSymbols();
        const QRect up = field->style()->subControlRect(QStyle::CC_SpinBox, &option, QStyle::SC_SpinBoxUp, field);
        QVERIFY(!up.isEmpty());
        QTest::mouseClick(field, Qt::LeftButton, {}, up.center());
        QVERIFY(field->hasFocus());
        QCOMPARE(field->value(), 32.5);
        auto* line = field->findChild<QLineEdit*>();
        line->deselect();
        QTest::mouseClick(line, Qt::LeftButton, {}, QPoint(3, line->height() / 2));
        QCOMPARE(line->selectedText(), QString());
    }

    void aLongPlaceholderTakesNoRoomThatThereIsNot() {
        LimitField field;
        field.setPlaceholderText(QStringLiteral("no limit, or baseline + 6"), QStringLiteral("no limit"));
        const auto width = [&](const char* text) {
            return field.fontMetrics().horizontalAdvance(QString::fromLatin1(text));
        };
        QVERIFY(field.sizeHint().width() > width("no limit, or baseline + 6"));
        QVERIFY(field.minimumSizeHint().width() > width("no limit"));
        QVERIFY(field.sizePolicy().horizontalPolicy() & QSizePolicy::ShrinkFlag);
        QCOMPARE(field.sizeHint().width() - field.minimumSizeHint().width(),
                 width("no limit, or baseline + 6") - width("no limit"));
    }

    /// What stands beside a field stays where it is when the field is emptied or filled.
    void anEmptyFieldIsAsWideAsAFilledOne() {
        LimitField field;
        field.setAffixes({}, QStringLiteral(" GiB"));
        field.setPlaceholderText(QStringLiteral("no limit, or baseline + 6"), QStringLiteral("no limit"));
        const int width = field.sizeHint().width();
        for (const double gib : {31.5, 0.0, 6.0}) {
            field.setValue(gib);
            QCOMPARE(field.sizeHint().width(), width);
        }
    }

    void whatStandsInAFieldIsNeverCut() {
        QWidget around;
        auto* layout = new QHBoxLayout(&around);
        auto* field = new LimitField;
        field->setAffixes(QStringLiteral("≤ "), QStringLiteral(" GiB"));
        field->setPlaceholderText(QStringLiteral("within the device"));
        layout->addWidget(field);
        around.show();
        const auto* line = field->findChild<QLineEdit*>();
        for (const double gib : {0.0, 6.0, 123.456, 4096.0, 0.0}) {
            field->setValue(gib);
            QCoreApplication::sendPostedEvents();
            around.resize(1, 60);  // as narrow as it can be
            const QString shown = field->text().isEmpty() ? line->placeholderText() : field->text();
            QTRY_VERIFY2(line->width() >= line->fontMetrics().horizontalAdvance(shown), qPrintable(shown));
        }
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::LimitFieldTest)
#include "limit_field_test.moc"
