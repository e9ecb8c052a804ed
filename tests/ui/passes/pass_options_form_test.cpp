#include "ui/passes/pass_options_form.h"

#include <QCheckBox>
#include <QLineEdit>
#include <QToolButton>

#include "tests/ui/ui_test_support.h"
#include "ui/edits/pipeline_commands.h"
#include "ui/passes/option_editor.h"
#include "ui/passes/option_help.h"

namespace overlap::ui {

/// What an edit of an option does to the form around it.
class PassOptionsFormTest : public QObject {
    Q_OBJECT

    /// Where each control is, by its name.
    static QHash<QString, QRect> places(PassOptionsForm& form) {
        // What an edit asks for is laid out before anybody sees it.
        QCoreApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);
        QHash<QString, QRect> places;
        for (const OptionEditor* editor : form.findChildren<OptionEditor*>())
            places.insert(editor->focusProxy()->objectName(), QRect(editor->mapTo(&form, QPoint()), editor->size()));
        return places;
    }

  private slots:
    void editsMoveNothing() {
        const auto document = openDocument();
        PassOptionsForm form(*document);
        form.resize(300, 800);
        form.show();
        QVERIFY(QTest::qWaitForWindowExposed(&form));
        form.showStep(PipelineCommands(*document).add("schedule_fsdp_comms_to_dense_regions_pass", 1));
        const QHash<QString, QRect> before = places(form);
        QVERIFY(before.size() > 1);
        auto* layers = static_cast<QLineEdit*>(form.editor("moe_layer_ids")->focusProxy());
        layers->setText(
            "1, x, which is no number, nor a list of any, and much longer than the help of this option, which "
            "is told all the same, in as much room as the help has, and in the tool tip as a whole");
        emit layers->editingFinished();
        QVERIFY(!form.refusal("moe_layer_ids").isEmpty());
        QCOMPARE(places(form), before);
        layers->setText("1, 2");
        emit layers->editingFinished();
        QCOMPARE(form.refusal("moe_layer_ids"), QString());
        QCOMPARE(places(form), before);
    }

    void aButtonThatAppearsMovesNothing() {
        const auto document = openDocument();
        PassOptionsForm form(*document);
        form.resize(300, 800);
        form.show();
        QVERIFY(QTest::qWaitForWindowExposed(&form));
        form.showStep(0);
        const QHash<QString, QRect> before = places(form);
        QVERIFY(before.size() > 1);
        form.findChild<QCheckBox*>("insert_overlap_deps")->click();
        QVERIFY(form.resetButton("insert_overlap_deps")->isVisible());
        QCOMPARE(places(form), before);
    }

    void aLongReasonIsWholeInTheToolTip() {
        OptionHelp help(QStringLiteral("A help of two lines, or of three, where the form is narrow."));
        help.resize(150, help.heightForWidth(150));
        help.show();
        const int height = help.heightForWidth(150);
        const QString reason = QStringLiteral("a word that is no number ").repeated(20).trimmed();
        help.setRefusal(reason);
        QCOMPARE(help.heightForWidth(150), height);
        QVERIFY2(help.text().endsWith(u'…') && help.text().size() < reason.size(), qPrintable(help.text()));
        QCOMPARE(help.toolTip(), reason);
        help.setRefusal(QStringLiteral("no number"));
        QCOMPARE(help.text(), QStringLiteral("no number"));
        help.setRefusal({});
        QVERIFY(help.text().startsWith("A help") && help.toolTip().isEmpty());
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::PassOptionsFormTest)
#include "pass_options_form_test.moc"
