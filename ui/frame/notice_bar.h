#pragma once

#include <QFrame>
#include <functional>
#include <vector>

class QHBoxLayout;
class QLabel;
class QPlainTextEdit;
class QToolButton;
class QVBoxLayout;

namespace overlap::ui {

/// What the user can do about a notice.
struct NoticeAction {
    QString text;
    std::function<void()> run;
};

/// A line above the timeline for what the user must not miss, such as a file that could not be opened. Never modal.
/// What is of many places is one sentence, whose places unfold with the button *Details*, and scroll. Buttons are
/// beside a sentence that has one line there, and else below it.
class NoticeBar : public QFrame {
    Q_OBJECT

  public:
    explicit NoticeBar(QWidget* parent = nullptr);

    /// Replaces the notice that is shown.
    /// @param actions buttons behind the sentence; each dismisses the notice and then runs.
    /// @param details lines that are folded away at first; *Details* is there where there are any.
    void showNotice(const QString& sentence, const std::vector<NoticeAction>& actions = {},
                    const QStringList& details = {});
    /// Appends a sentence to the notice that is shown, which keeps its buttons and details; or shows it alone.
    /// @param actions buttons of this sentence alone: where it was appended, a click on one takes only these away.
    void addSentence(const QString& sentence, const QStringList& details = {},
                     const std::vector<NoticeAction>& actions = {});
    /// The sentence; empty where none is shown.
    QString text() const;
    /// The button of an action of the shown notice, or nullptr.
    QToolButton* button(const QString& text) const;

    /// The lines behind *Details*, folded away or not.
    QStringList details() const;

  signals:
    /// A notice, or one more sentence of it, is there to be seen.
    void noticeShown();

  protected:
    void resizeEvent(QResizeEvent* event) override;

  private:
    void setDetails(const QStringList& details);
    void setSentence(const QString& sentence);
    void place();
    QToolButton* addButton(const NoticeAction& action);
    /// @param buttons a copy, since they go from `buttons_`.
    void removeButtons(std::vector<QToolButton*> buttons);
    void unfold(bool unfolded);

    QLabel* label_;
    QHBoxLayout* layout_;  ///< of the line
    QVBoxLayout* rows_;
    QWidget* actions_;  ///< has the buttons of actions
    QToolButton* unfold_;
    QPlainTextEdit* details_;
    std::vector<QToolButton*> buttons_;
};

}  // namespace overlap::ui
