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

QString jsonText(const Json& value, int indent = -1) {
    return QString::fromStdString(value.dump(indent, ' ', false, Json::error_handler_t::replace));
}

/// Puts the control into the editor and stands in for it where focus, names and tool tips are concerned.
void adopt(OptionEditor& editor, QWidget* control) {
    auto* layout = new QHBoxLayout(&editor);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(control, 100);
    layout->addStretch(1);
    control->setMinimumWidth(narrowest_control);
    control->setMaximumWidth(widest_control);
    control->setFocusPolicy(Qt::StrongFocus);  // a wheel that scrolls the form must not change a value
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
            emit edited(checked);
        });
    }
    void showValue(const Json& value) override {
        const bool checked = value.is_boolean() && value.get<bool>();
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
    ChoiceEditor(const std::vector<std::pair<QString, Json>>& choices, QWidget* parent)
        : OptionEditor(parent), box_(new QComboBox) {
        adopt(*this, box_);
        for (const auto& [title, value] : choices) {
            box_->addItem(title);
            values_.push_back(value);
        }
        connect(box_, &QComboBox::activated, this,
                [this](int index) { emit edited(values_[static_cast<std::size_t>(index)]); });
    }
    void showValue(const Json& value) override {
        const auto found = std::ranges::find(values_, value);
        box_->setCurrentIndex(found == values_.end() ? -1 : static_cast<int>(found - values_.begin()));
    }

  private:
    QComboBox* box_;
    std::vector<Json> values_;
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

  protected:
    void wheelEvent(QWheelEvent* event) override { hasFocus() ? QDoubleSpinBox::wheelEvent(event) : event->ignore(); }

  private:
    bool whole_;
};

class NumberEditor : public OptionEditor {
  public:
    NumberEditor(const PassOption& option, QWidget* parent) : OptionEditor(parent), box_(new NumberBox(option)) {
        adopt(*this, box_);
        const bool whole = option.type == PassOption::Type::integer;
        connect(box_, &QDoubleSpinBox::valueChanged, this, [this, whole](double value) {
            emit edited(whole ? Json(static_cast<std::int64_t>(std::llround(value))) : Json(value));
        });
    }
    void showValue(const Json& value) override {
        const QSignalBlocker blocker(box_);
        box_->setValue(value.is_number() ? value.get<double>() : 0);
    }

  private:
    NumberBox* box_;
};

/// A value as one line of text.
class LineEditor : public OptionEditor {
  public:
    LineEditor(const PassOption& option, QWidget* parent)
        : OptionEditor(parent), type_(option.type), field_(new QLineEdit) {
        adopt(*this, field_);
        if (option.nullable || option.type == PassOption::Type::text) field_->setPlaceholderText(tr("unset"));
        if (option.type == PassOption::Type::integer_list) field_->setPlaceholderText(tr("none, such as 0, 1, 2"));
        if (!option.choices.empty()) {
            field_->setPlaceholderText(tr("unset; %1").arg(QString::fromStdString(option.choices.front())));
        }
        connect(field_, &QLineEdit::editingFinished, this, &LineEditor::read);
    }
    void showValue(const Json& value) override {
        QString text;
        if (value.is_string()) {
            text = QString::fromStdString(value.get<std::string>());
        } else if (value.is_array()) {
            QStringList items;
            for (const Json& item : value) items.append(jsonText(item));
            text = items.join(QStringLiteral(", "));
        } else if (!value.is_null()) {
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
        if (type_ == PassOption::Type::text) return emit edited(text.isEmpty() ? Json() : Json(text.toStdString()));
        const bool list = type_ == PassOption::Type::integer_list;
        if (text.isEmpty() && !list) return emit edited(Json());
        const QString source = list && !text.startsWith(u'[') ? u'[' + text + u']' : text;
        Json value = Json::parse(source.toStdString(), nullptr, false);
        // A name that needs no quotes to be understood.
        if (value.is_discarded() && type_ == PassOption::Type::integer_map && !text.startsWith(u'{'))
            value = text.toStdString();
        if (!value.is_discarded()) return emit edited(value);
        emit mistyped(list ? tr("\"%1\" is no list of whole numbers, such as 0, 1, 2").arg(text)
                      : type_ == PassOption::Type::integer_map
                          ? tr("\"%1\" is no object from whole numbers to whole numbers, such as {\"0\": 1}").arg(text)
                          : tr("\"%1\" is no number").arg(text));
    }

    PassOption::Type type_;
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
        connect(slider_, &NumberSlider::moved, this, [this](const Json& value) {
            number_->showValue(value);
            emit edited(value);
        });
    }
    void showValue(const Json& value) override {
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
          buckets_(option.type == PassOption::Type::module_lists),
          field_(new TextField([this] { read(); })) {
        adopt(*this, field_);
        field_->setPlaceholderText(buckets_ ? tr("The plan's buckets; or your own:\nlayers.[0-3]\nnorm+lm_head")
                                            : tr("unset; or an object such as\n{\"layers.0\": 0, \"layers.1\": 1}"));
    }
    void showValue(const Json& value) override {
        shown_ = value.is_null() ? QString() : buckets_ ? entryLines(value) : jsonText(value, 2);
        if (field_->toPlainText() != shown_) field_->setPlainText(shown_);
    }

  private:
    static QString entryLines(const Json& lists) {
        QStringList lines;
        for (const Json& item : lists) {
            BucketEntry entry;
            entry.modules =
                item.is_array() ? item.get<std::vector<std::string>>() : std::vector{item.get<std::string>()};
            lines.append(QString::fromStdString(display_name(entry)));
        }
        return lines.join(u'\n');
    }

    void read() {
        const QString text = field_->toPlainText();
        if (text == shown_) return;
        if (text.trimmed().isEmpty()) return emit emptied();
        if (!buckets_) {
            const Json value = Json::parse(text.toStdString(), nullptr, false);
            return value.is_discarded() ? emit mistyped(tr("This is no JSON object")) : emit edited(value);
        }
        try {
            emit edited(module_lists(parse_bucket_entries(text.toStdString())));
        } catch (const InputError& error) {
            emit mistyped(QString::fromStdString(error.place().empty() ? error.problem()
                                                                       : error.place() + ": " + error.problem()));
        }
    }

    bool buckets_;
    TextField* field_;
    QString shown_;
};

std::vector<std::pair<QString, Json>> textChoices(const PassOption& option) {
    std::vector<std::pair<QString, Json>> choices{{OptionEditor::tr("unset"), Json()}};
    for (const std::string& choice : option.choices) choices.emplace_back(QString::fromStdString(choice), Json(choice));
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
            return new ChoiceEditor({{OptionEditor::tr("unset"), Json()},
                                     {OptionEditor::tr("on"), Json(true)},
                                     {OptionEditor::tr("off"), Json(false)}},
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
