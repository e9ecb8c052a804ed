#include "ui/passes/option_editor.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QPainter>
#include <QPlainTextEdit>
#include <QSignalBlocker>
#include <QStyleOptionButton>
#include <cmath>

#include "core/base/error.h"
#include "core/io/plan/option_json.h"
#include "core/plan/plan.h"
#include "ui/passes/number_slider.h"
#include "ui/theme/theme_manager.h"

namespace overlap::ui {
namespace {

constexpr int text_field_lines = 4;
constexpr int narrowest_control = 80;
constexpr int widest_control = 320;
/// Whole numbers up to here are exact as floating-point numbers.
constexpr double largest_whole = 9007199254740992.0;

QString jsonText(const OptionValue& value, int indent = -1) {
    return QString::fromStdString(option_json(value).dump(indent, ' ', false, Json::error_handler_t::replace));
}

/// Puts the control into the editor and stands in for it where focus, names and tool tips are concerned.
void adopt(OptionEditor& editor, QWidget* control) {
    auto* layout = new QHBoxLayout(&editor);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(control, 100);
    layout->addStretch(1);
    control->setMinimumWidth(narrowest_control);
    control->setMaximumWidth(widest_control);
    editor.setFocusProxy(control);
}

/// A box with a tick: a rule of a style sheet that fills the box takes the style's own tick away.
class TickBox : public QCheckBox {
  protected:
    void paintEvent(QPaintEvent* event) override {
        QCheckBox::paintEvent(event);
        if (!isChecked()) return;
        QStyleOptionButton option;
        initStyleOption(&option);
        const QRectF box = style()->subElementRect(QStyle::SE_CheckBoxIndicator, &option, this);
        const Theme& theme = currentTheme();
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(QPen(theme.textOn(theme.accent), 1.8, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
        const auto at = [&](double x, double y) {
            return QPointF(box.left() + x * box.width(), box.top() + y * box.height());
        };
        painter.drawPolyline(QPolygonF({at(0.24, 0.52), at(0.43, 0.71), at(0.77, 0.29)}));
    }
};

class BooleanEditor : public OptionEditor {
  public:
    explicit BooleanEditor(QWidget* parent) : OptionEditor(parent), box_(new TickBox) {
        adopt(*this, box_);
        connect(box_, &QCheckBox::clicked, this, [this](bool checked) {
            update(checked);
            emit edited(OptionValue(checked));
        });
    }
    void showValue(const OptionValue& value) override {
        const bool checked = value == OptionValue(true);
        box_->setChecked(checked);
        update(checked);
    }

  private:
    void update(bool checked) { box_->setText(checked ? tr("on") : tr("off")); }

    QCheckBox* box_;
};

/// One of a few values: those of a text, or true, false and null.
class ChoiceEditor : public OptionEditor {
  public:
    ChoiceEditor(const std::vector<std::pair<QString, OptionValue>>& choices, QWidget* parent)
        : OptionEditor(parent), box_(new QComboBox) {
        adopt(*this, box_);
        for (const auto& [title, value] : choices) {
            box_->addItem(title);
            values_.push_back(value);
        }
        connect(box_, &QComboBox::activated, this,
                [this](int index) { emit edited(values_[static_cast<std::size_t>(index)]); });
    }
    void showValue(const OptionValue& value) override {
        const auto found = std::ranges::find(values_, value);
        box_->setCurrentIndex(found == values_.end() ? -1 : static_cast<int>(found - values_.begin()));
    }

  private:
    QComboBox* box_;
    std::vector<OptionValue> values_;
};

/// A number box that writes numbers as short as they are.
class NumberBox : public QDoubleSpinBox {
  public:
    explicit NumberBox(const PassOption& option) : whole_(option.type == PassOption::Type::integer) {
        setDecimals(whole_ ? 0 : 9);
        setRange(std::max(option.minimum, -largest_whole), std::min(option.maximum, largest_whole));
        setStepType(whole_ ? DefaultStepType : AdaptiveDecimalStepType);
        setKeyboardTracking(false);
        setGroupSeparatorShown(false);
    }
    QString textFromValue(double value) const override {
        return whole_ ? QString::number(std::llround(value)) : QString::number(value, 'g', 12);
    }

  private:
    bool whole_;
};

class NumberEditor : public OptionEditor {
  public:
    NumberEditor(const PassOption& option, QWidget* parent) : OptionEditor(parent), box_(new NumberBox(option)) {
        adopt(*this, box_);
        const bool whole = option.type == PassOption::Type::integer;
        connect(box_, &QDoubleSpinBox::valueChanged, this, [this, whole](double value) {
            emit edited(whole ? OptionValue(std::int64_t{std::llround(value)}) : OptionValue(value));
        });
    }
    void showValue(const OptionValue& value) override {
        const QSignalBlocker blocker(box_);
        box_->setValue(number_of(value).value_or(0));
    }

  private:
    NumberBox* box_;
};

/// A value as one line of text.
class LineEditor : public OptionEditor {
  public:
    LineEditor(const PassOption& option, QWidget* parent)
        : OptionEditor(parent), option_(option), field_(new QLineEdit) {
        adopt(*this, field_);
        if (option.nullable || option.type == PassOption::Type::text) field_->setPlaceholderText(tr("unset"));
        if (option.type == PassOption::Type::integer_list) field_->setPlaceholderText(tr("none, such as 0, 1, 2"));
        if (!option.choices.empty()) {
            field_->setPlaceholderText(tr("unset; %1").arg(QString::fromStdString(option.choices.front())));
        }
        connect(field_, &QLineEdit::editingFinished, this, &LineEditor::read);
    }
    void showValue(const OptionValue& value) override {
        QString text;
        if (const auto* word = std::get_if<std::string>(&value)) {
            text = QString::fromStdString(*word);
        } else if (const auto* list = std::get_if<IntegerList>(&value)) {
            QStringList items;
            for (const std::int64_t item : *list) items.append(QString::number(item));
            text = items.join(QStringLiteral(", "));
        } else if (!is_null(value)) {
            text = jsonText(value);
        }
        shown_ = text;
        field_->setText(text);
        field_->setCursorPosition(0);
    }

  private:
    void read() {
        const QString text = field_->text().trimmed();
        if (text == shown_) return;
        using Type = PassOption::Type;
        const bool list = option_.type == Type::integer_list;
        if (text.isEmpty() && !list) return emit edited(OptionValue());
        // A name needs no quotes to be understood.
        const bool name = option_.type == Type::text || (option_.type == Type::integer_map && !text.startsWith(u'{'));
        if (name) return emit edited(OptionValue(text.toStdString()));
        try {
            const QString source = list && !text.startsWith(u'[') ? u'[' + text + u']' : text;
            if (const auto value = parse_option_value(option_, option_.name, source.toStdString()))
                return emit edited(*value);
        } catch (const InputError& error) {
            return emit mistyped(QString::fromStdString(error.problem()));
        }
        emit mistyped(list ? tr("\"%1\" is no list of whole numbers, such as 0, 1, 2").arg(text)
                      : option_.type == Type::integer_map
                          ? tr("\"%1\" is no object from whole numbers to whole numbers, such as {\"0\": 1}").arg(text)
                          : tr("\"%1\" is no number").arg(text));
    }

    const PassOption& option_;  ///< of the pass, which lives as long as the program
    QLineEdit* field_;
    QString shown_;
};

/// A number with a slider beside it: whatever of the two is used, the other follows.
class SliderEditor : public OptionEditor {
  public:
    SliderEditor(const PassOption& option, OptionEditor* number, QWidget* parent)
        : OptionEditor(parent), number_(number), slider_(new NumberSlider(option)) {
        auto* layout = new QHBoxLayout(this);
        layout->setContentsMargins(0, 0, 0, 0);
        layout->setSpacing(8);
        layout->addWidget(number_, 2);
        layout->addWidget(slider_, 3);
        const QString name = QString::fromStdString(option.name);
        slider_->setObjectName(name + QStringLiteral("Slider"));
        slider_->setAccessibleName(tr("%1, slider").arg(name));
        setFocusProxy(number_->focusProxy());
        connect(number_, &OptionEditor::edited, this, &OptionEditor::edited);
        connect(number_, &OptionEditor::emptied, this, &OptionEditor::emptied);
        connect(number_, &OptionEditor::mistyped, this, &OptionEditor::mistyped);
        connect(slider_, &NumberSlider::moved, this, [this](const OptionValue& value) {
            number_->showValue(value);
            emit edited(value);
        });
    }
    void showValue(const OptionValue& value) override {
        number_->showValue(value);
        slider_->showValue(value);
    }

  private:
    OptionEditor* number_;
    NumberSlider* slider_;
};

/// A field of several lines that is read when it is left, or with Ctrl+Enter.
class TextField : public QPlainTextEdit {
  public:
    explicit TextField(std::function<void()> read) : read_(std::move(read)) {
        setFont(codeFont(smallTextPx));
        setTabChangesFocus(true);
        setLineWrapMode(NoWrap);
        setFixedHeight(fontMetrics().lineSpacing() * text_field_lines + 16);
    }

  protected:
    void focusOutEvent(QFocusEvent* event) override {
        QPlainTextEdit::focusOutEvent(event);
        if (event->reason() != Qt::PopupFocusReason) read_();
    }
    void keyPressEvent(QKeyEvent* event) override {
        const bool enter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
        enter && event->modifiers().testFlag(Qt::ControlModifier) ? read_() : QPlainTextEdit::keyPressEvent(event);
    }

  private:
    std::function<void()> read_;
};

/// Bucket entries as users type them, or an object as JSON.
class TextEditor : public OptionEditor {
  public:
    TextEditor(const PassOption& option, QWidget* parent)
        : OptionEditor(parent),
          option_(option),
          buckets_(option.type == PassOption::Type::module_lists),
          field_(new TextField([this] { read(); })) {
        adopt(*this, field_);
        field_->setPlaceholderText(buckets_ ? tr("The plan's buckets; or your own:\nlayers.[0-3]\nnorm+lm_head")
                                            : tr("unset; or an object such as\n{\"layers.0\": 0, \"layers.1\": 1}"));
    }
    void showValue(const OptionValue& value) override {
        const auto* lists = std::get_if<ModuleLists>(&value);
        shown_ = is_null(value) ? QString() : lists ? entryLines(*lists) : jsonText(value, 2);
        if (field_->toPlainText() != shown_) field_->setPlainText(shown_);
    }

  private:
    static QString entryLines(const ModuleLists& lists) {
        QStringList lines;
        for (const ModuleList& list : lists) {
            // Every module, since it is read again: ranges would make a bucket of each.
            QStringList modules;
            for (const std::string& module : list.modules) modules.append(QString::fromStdString(typed_name(module)));
            lines.append(modules.join(QStringLiteral(" + ")));
        }
        return lines.join(u'\n');
    }

    void read() {
        const QString text = field_->toPlainText();
        if (text == shown_) return;
        if (text.trimmed().isEmpty()) return emit emptied();
        try {
            if (buckets_) return emit edited(OptionValue(module_lists(parse_bucket_entries(text.toStdString()))));
            const auto value = parse_option_value(option_, option_.name, text.toStdString());
            value ? emit edited(*value) : emit mistyped(tr("This is no JSON object"));
        } catch (const InputError& error) {
            emit mistyped(QString::fromStdString(error.place().empty() ? error.problem()
                                                                       : error.place() + ": " + error.problem()));
        }
    }

    const PassOption& option_;  ///< of the pass, which lives as long as the program
    bool buckets_;
    TextField* field_;
    QString shown_;
};

std::vector<std::pair<QString, OptionValue>> textChoices(const PassOption& option) {
    std::vector<std::pair<QString, OptionValue>> choices{{OptionEditor::tr("unset"), OptionValue()}};
    for (const std::string& choice : option.choices)
        choices.emplace_back(QString::fromStdString(choice), OptionValue(choice));
    return choices;
}

OptionEditor* makeNumberEditor(const PassOption& option, QWidget* parent) {
    if (option.nullable) return new LineEditor(option, parent);
    return new NumberEditor(option, parent);
}

}  // namespace

OptionEditor* makeOptionEditor(const PassOption& option, QWidget* parent) {
    switch (option.type) {
        case PassOption::Type::boolean:
            if (!option.nullable) return new BooleanEditor(parent);
            return new ChoiceEditor({{OptionEditor::tr("unset"), OptionValue()},
                                     {OptionEditor::tr("on"), OptionValue(true)},
                                     {OptionEditor::tr("off"), OptionValue(false)}},
                                    parent);
        case PassOption::Type::text:
            if (!option.choices.empty()) return new ChoiceEditor(textChoices(option), parent);
            return new LineEditor(option, parent);
        case PassOption::Type::integer:
        case PassOption::Type::number:
            if (!NumberSlider::fits(option)) return makeNumberEditor(option, parent);
            return new SliderEditor(option, makeNumberEditor(option, nullptr), parent);
        case PassOption::Type::integer_list:
        case PassOption::Type::integer_map:
            return new LineEditor(option, parent);
        case PassOption::Type::module_lists:
        case PassOption::Type::module_order:
            break;
    }
    return new TextEditor(option, parent);
}

}  // namespace overlap::ui
