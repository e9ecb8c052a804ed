#include <QCheckBox>
#include <QComboBox>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QToolButton>

#include "core/passes/registry/registry.h"
#include "tests/ui/passes/pipeline_document.h"
#include "ui/edits/bucket_commands.h"
#include "ui/edits/memory_commands.h"
#include "ui/passes/option_editor.h"
#include "ui/passes/pass_options_form.h"
#include "ui/passes/passes_panel.h"

namespace overlap::ui {

/// The options of the selected step, and the control of each.
class StepOptionsTest : public QObject {
    Q_OBJECT

    template <typename Control>
    static Control* control(PassesPanel& panel, const char* option) {
        OptionEditor* editor = panel.options().editor(QString::fromLatin1(option));
        return editor ? qobject_cast<Control*>(editor->focusProxy()) : nullptr;
    }

  private slots:
    void optionsOfTheMemorySectionAreThoseOfTheMemoryPanel() {
        const auto document = openWithPresets();
        MemoryCommands(*document).setPolicy("eager");
        const auto& pipeline = document->current()->plan().pipeline;
        const auto step =
            static_cast<int>(std::ranges::find(pipeline, memory_tag_pass, &PassStep::pass) - pipeline.begin());
        PassOptionsForm form(*document);
        form.showStep(step);
        const auto* policy = form.editor("memory_policy")->findChild<QComboBox*>();
        QVERIFY(policy);
        QCOMPARE(policy->currentText(), "eager");
        QVERIFY(form.resetButton("memory_policy")->isVisibleTo(&form));
        // An edit here is one there, and a step that says it itself shows there too.
        QVERIFY(PipelineCommands(*document).setOption(step, "memory_policy", OptionValue("full")).isEmpty());
        QCOMPARE(document->current()->plan().memory->policy, "full");
        QCOMPARE(MemoryCommands(*document).section().policy, "full");
        QCOMPARE(policy->currentText(), "full");
        QVERIFY(PipelineCommands(*document).setOption(step, "memory_policy", std::nullopt).isEmpty());
        QCOMPARE(MemoryCommands(*document).section().policy, "default");
        Plan plan = document->current()->plan();
        plan.memory.reset();
        plan.pipeline[static_cast<std::size_t>(step)].options["memory_policy"] = "eager";
        document->editPlan("own", plan);
        QCOMPARE(policy->currentText(), "eager");
        QCOMPARE(MemoryCommands(*document).section().policy, "eager");
    }

    void everyOptionHasAControl() {
        // Nothing is evaluated: all passes one behind the other make no sense.
        const auto nothing = [](const auto&, const Plan&, std::stop_token, const auto&, const auto&) {
            return std::shared_ptr<const Evaluation>();
        };
        const auto document = openDocument(nothing);
        PassesPanel panel(*document);
        for (const Pass* pass : all_passes()) {
            const int step =
                PipelineCommands(*document).add(QString::fromUtf8(pass->name()), PipelineCommands(*document).count());
            panel.selectStep(step);
            for (const PassOption& option : pass->options()) {
                const OptionEditor* editor = panel.options().editor(QString::fromStdString(option.name));
                QVERIFY2(editor && editor->focusProxy(), option.name.c_str());
                QVERIFY(editor->toolTip().startsWith(QString::fromStdString(option.help)));
                QVERIFY(!editor->focusProxy()->accessibleName().isEmpty());
            }
        }
    }

    void optionsAreSetMarkedAndReset() {
        const auto document = openWithPresets();
        PassesPanel panel(*document);
        panel.show();
        auto* deps = control<QCheckBox>(panel, "insert_overlap_deps");
        auto* mode = control<QComboBox>(panel, "bucket_mode");
        QVERIFY(deps && mode);
        QVERIFY(!deps->isChecked());
        QVERIFY(panel.options().resetButton("insert_overlap_deps")->isHidden());
        deps->click();
        QCOMPARE(optionsOf(*document, 0).at("insert_overlap_deps"), Json(true));
        QVERIFY(!panel.options().resetButton("insert_overlap_deps")->isHidden());
        panel.options().resetButton("insert_overlap_deps")->click();
        QVERIFY(!optionsOf(*document, 0).contains("insert_overlap_deps"));
        QVERIFY(!deps->isChecked());
        QCOMPARE(mode->count(), 5);  // unset and the four modes
        mode->setCurrentIndex(mode->findText("coalesced"));
        emit mode->activated(mode->currentIndex());
        QCOMPARE(optionsOf(*document, 0).at("bucket_mode"), Json("coalesced"));
        document->undoGroup().undo();
        QCOMPARE(mode->currentText(), "unset");
    }

    void bucketsOfAStepAreTyped() {
        const auto document = openWithPresets();
        BucketCommands(*document).addText("norm");
        PassesPanel panel(*document);
        panel.show();
        auto* field = control<QPlainTextEdit>(panel, "module_bucket_plans");
        QVERIFY(field && field->toPlainText().isEmpty());  // those of the plan
        field->setPlainText("layers.[0-1]\nnorm+lm_head");
        QTest::keyClick(field, Qt::Key_Return, Qt::ControlModifier);
        QCOMPARE(optionsOf(*document, 0).at("module_bucket_plans").dump(),
                 std::string(R"(["layers.0","layers.1",["norm","lm_head"]])"));
        QCOMPARE(field->toPlainText(), "layers.0\nlayers.1\nnorm + lm_head");
        // Many in one bucket are spelled out: a range would be read as a bucket of each.
        field->setPlainText("layers.0+layers.1+layers.2+layers.3");
        QTest::keyClick(field, Qt::Key_Return, Qt::ControlModifier);
        QCOMPARE(field->toPlainText(), "layers.0 + layers.1 + layers.2 + layers.3");
        const Plan before = document->current()->plan();
        field->setPlainText("layers.[2-0]");
        QTest::keyClick(field, Qt::Key_Return, Qt::ControlModifier);
        QVERIFY(panel.options().refusal("module_bucket_plans").contains("[0-2]"));
        QVERIFY(document->current()->plan() == before);
        field->clear();
        QTest::keyClick(field, Qt::Key_Return, Qt::ControlModifier);
        QVERIFY(!optionsOf(*document, 0).contains("module_bucket_plans"));
    }

    void wrongTextIsToldAndNotTaken() {
        const auto document = openWithPresets();
        PassesPanel panel(*document);
        panel.show();
        panel.selectStep(PipelineCommands(*document).add("schedule_fsdp_comms_to_dense_regions_pass", 1));
        auto* layers = control<QLineEdit>(panel, "moe_layer_ids");
        QVERIFY(layers);
        layers->setText("1, 2");
        emit layers->editingFinished();
        QCOMPARE(optionsOf(*document, 1).at("moe_layer_ids"), Json({1, 2}));
        layers->setText("1, x");
        emit layers->editingFinished();
        QVERIFY(panel.options().refusal("moe_layer_ids").contains("no list"));
        layers->setText("1, 2.5");
        emit layers->editingFinished();
        QVERIFY(panel.options().refusal("moe_layer_ids").contains("expected a whole number"));
        QCOMPARE(optionsOf(*document, 1).at("moe_layer_ids"), Json({1, 2}));
        QVERIFY(panel.options().resetButton("moe_layer_ids")->isHidden());  // it has no default to return to
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::StepOptionsTest)
#include "step_options_test.moc"
