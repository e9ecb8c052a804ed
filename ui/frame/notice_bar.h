#pragma once

#include <QFrame>
#include <functional>
#include <vector>

class QHBoxLayout;
class QLabel;
class QToolButton;

namespace overlap::ui {

/// What the user can do about a notice.
struct NoticeAction {
    QString text;
    std::function<void()> run;
};

/// A line above the timeline for what the user must not miss, such as a file that could not be opened. Never modal.
class NoticeBar : public QFrame {
    Q_OBJECT

  public:
    explicit NoticeBar(QWidget* parent = nullptr);

    /// Replaces the notice that is shown.
    /// @param actions buttons behind the sentence; each dismisses the notice and then runs.
    void showNotice(const QString& sentence, const std::vector<NoticeAction>& actions = {});
    /// Appends a sentence to the notice that is shown, which keeps its buttons; or shows it alone.
    void addSentence(const QString& sentence);
    /// The sentence; empty where none is shown.
    QString text() const;
    /// The button of an action of the shown notice, or nullptr.
    QToolButton* button(const QString& text) const;

  private:
    QLabel* label_;
    QHBoxLayout* layout_;
    std::vector<QToolButton*> buttons_;
};

}  // namespace overlap::ui
