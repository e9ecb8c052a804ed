#include "ui/modules/module_rule_form.h"

#include <QCheckBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QSpinBox>
#include <limits>

#include "ui/theme/standard_strings.h"

namespace overlap::ui {
namespace {

using Kind = ModuleRule::Kind;

QString joined(const std::vector<std::string>& names) {
    return textsOf(names).join(QStringLiteral(", "));
}

std::vector<std::string> splitNames(const std::string& text) {
    std::vector<std::string> names;
    for (const QString& name : QString::fromStdString(text).split(u',', Qt::SkipEmptyParts))
        if (!name.trimmed().isEmpty()) names.push_back(name.trimmed().toStdString());
    return names;
}

}  // namespace

ModuleRuleForm::ModuleRuleForm(QWidget* parent) : QWidget(parent), fields_(new QFormLayout(this)) {
    fields_->setContentsMargins(0, 0, 0, 0);
    fields_->setFieldGrowthPolicy(QFormLayout::ExpandingFieldsGrow);
}

void ModuleRuleForm::show(const ModuleRule* rule) {
    // What the user types comes back as the same rule: the field must keep its cursor.
    if (rule && shown_ && *rule == rule_) return;
    while (fields_->rowCount() > 0) fields_->removeRow(0);
    shown_ = rule != nullptr;
    if (!rule) return;
    rule_ = *rule;
    addFields(*rule);
}

void ModuleRuleForm::addFields(const ModuleRule& rule) {
    const auto module_field = [&](const QString& example) {
        addText(tr("Module"), example, rule.module,
                [](ModuleRule& edited, const std::string& text) { edited.module = text; });
    };
    switch (rule.kind) {
        case Kind::parameters:
            addText(tr("Parameter names"), QStringLiteral("layers.{n}.attention.{part*}.weight"), rule.pattern,
                    [](ModuleRule& edited, const std::string& text) { edited.pattern = text; });
            module_field(QStringLiteral("layers.{n}.attention.{part}"));
            break;
        case Kind::source:
            addText(tr("File"), QStringLiteral("*/model.py"), rule.file,
                    [](ModuleRule& edited, const std::string& text) { edited.file = text; });
            addNumber(tr("First line"), rule.first_line, 0,
                      [](ModuleRule& edited, std::int64_t line) { edited.first_line = line; });
            addNumber(tr("Last line"), rule.last_line, 0,
                      [](ModuleRule& edited, std::int64_t line) { edited.last_line = line; });
            addText(tr("Function"), tr("any"), rule.function,
                    [](ModuleRule& edited, const std::string& text) { edited.function = text; });
            module_field(QStringLiteral("layers.{n}.attention"));
            break;
        case Kind::repetition:
            addText(tr("First node"), {}, rule.first,
                    [](ModuleRule& edited, const std::string& text) { edited.first = text; });
            addText(tr("Last node"), {}, rule.last,
                    [](ModuleRule& edited, const std::string& text) { edited.last = text; });
            addNumber(tr("How often"), rule.count, 1,
                      [](ModuleRule& edited, std::int64_t count) { edited.count = static_cast<std::uint32_t>(count); });
            addNumber(tr("Lowest number"), rule.begin, 0, [](ModuleRule& edited, std::int64_t number) {
                edited.begin = static_cast<std::uint32_t>(number);
            });
            addFlag(tr("Numbers fall, as in backward"), rule.backward,
                    [](ModuleRule& edited, bool backward) { edited.backward = backward; });
            module_field(QStringLiteral("layers.{n}"));
            break;
        case Kind::nodes:
            addText(tr("Nodes"), tr("names, with commas between"), joined(rule.nodes).toStdString(),
                    [](ModuleRule& edited, const std::string& text) { edited.nodes = splitNames(text); });
            module_field(QStringLiteral("layers.0.attention"));
            break;
        case Kind::neighbours: {
            auto* explanation = new QLabel(
                tr("A node without a module gets the deepest module that the nodes before and behind it share. "
                   "Between two numbered blocks it belongs to the first."));
            explanation->setWordWrap(true);
            fields_->addRow(explanation);
            return;
        }
    }
    addFlag(tr("Also nodes that have a module in the graph"), rule.override_own,
            [](ModuleRule& edited, bool override_own) { edited.override_own = override_own; });
}

void ModuleRuleForm::addText(const QString& name, const QString& example, const std::string& value,
                             std::function<void(ModuleRule&, const std::string&)> put) {
    auto* field = new QLineEdit(QString::fromStdString(value));
    field->setPlaceholderText(example);
    field->setAccessibleName(name);
    field->setCursorPosition(0);
    connect(field, &QLineEdit::textEdited, this, [this, put = std::move(put)](const QString& text) {
        put(rule_, text.trimmed().toStdString());
        emit edited(rule_);
    });
    fields_->addRow(name, field);
}

void ModuleRuleForm::addNumber(const QString& name, std::int64_t value, std::int64_t least,
                               std::function<void(ModuleRule&, std::int64_t)> put) {
    auto* field = new QSpinBox;
    field->setRange(static_cast<int>(least), std::numeric_limits<int>::max());
    field->setValue(static_cast<int>(value));
    field->setAccessibleName(name);
    connect(field, &QSpinBox::valueChanged, this, [this, put = std::move(put)](int number) {
        put(rule_, number);
        emit edited(rule_);
    });
    fields_->addRow(name, field);
}

void ModuleRuleForm::addFlag(const QString& name, bool value, std::function<void(ModuleRule&, bool)> put) {
    auto* field = new QCheckBox(name);
    field->setChecked(value);
    connect(field, &QCheckBox::toggled, this, [this, put = std::move(put)](bool on) {
        put(rule_, on);
        emit edited(rule_);
    });
    fields_->addRow(QString(), field);
}

}  // namespace overlap::ui
