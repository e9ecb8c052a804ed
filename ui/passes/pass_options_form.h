#pragma once

#include <QScrollArea>
#include <memory>
#include <vector>

#include "core/passes/pass.h"

class QLabel;
class QToolButton;
class QVBoxLayout;

namespace overlap::ui {

class Document;
class OptionEditor;
class OptionHelp;

/// Every option of one step as a control, with its help and its default. What differs from the default is marked and
/// can be returned to it. All of it comes from the options that the pass declares.
class PassOptionsForm : public QScrollArea {
    Q_OBJECT

  public:
    explicit PassOptionsForm(Document& document, QWidget* parent = nullptr);

    /// Shows the options of a step; -1 for none.
    void showStep(int step);
    /// The control of an option; null where the step has no option of this name.
    OptionEditor* editor(const QString& option) const;
    /// The button that returns an option to its default; null where there is none.
    QToolButton* resetButton(const QString& option) const;
    /// Why the value that was typed last for an option is refused; empty where it is not.
    QString refusal(const QString& option) const;

  private:
    struct Row {
        const PassOption* option;
        QLabel* mark;
        OptionEditor* editor;
        QToolButton* reset;
        OptionHelp* help;
    };

    void rebuild();
    void addRow(QVBoxLayout& layout, const PassOption& option);
    void readPlan();
    void change(const Row& row, std::optional<OptionValue> value);
    const Row* row(const QString& option) const;

    Document& document_;
    int step_ = -1;
    const Pass* pass_ = nullptr;  ///< that the rows are for
    bool editable_ = false;
    std::vector<std::unique_ptr<Row>> rows_;
};

/// Whether an option of a step has another value than its default.
bool differsFromDefault(const PassOption& option, const Options& options);

}  // namespace overlap::ui
