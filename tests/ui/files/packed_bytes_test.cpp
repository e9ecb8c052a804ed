#include "ui/files/packed_bytes.h"

#include <QRegularExpression>
#include <QtTest>

namespace overlap::ui {

class PackedBytesTest : public QObject {
    Q_OBJECT

  private slots:
    void whatWasPackedComesBack() {
        const QByteArray text("plans that were found, plans that were found, plans that were found");
        QCOMPARE(unpacked(qCompress(text)), std::optional(text));
        QVERIFY(unpacked(qCompress(text), static_cast<quint32>(text.size())));
    }

    void whatIsDamagedIsRefusedWithoutAWord() {
        QTest::failOnWarning(QRegularExpression(".*"));
        const QByteArray packed = qCompress(QByteArray("plans that were found"));
        for (const QByteArray& wrong :
             {QByteArray(), QByteArray("abc"), QByteArray(4, '\0'), packed.chopped(3), packed.mid(4),
              QByteArray(packed).replace(8, 2, "xx"), QByteArray(4, '\x7f') + packed.mid(4)})
            QVERIFY2(!unpacked(wrong), wrong.toHex());
        QVERIFY(!unpacked(packed, 5));  // more than is wanted
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::PackedBytesTest)
#include "packed_bytes_test.moc"
