#pragma once

#include <QFrame>
#include <QPointer>
#include <QStringList>
#include <functional>
#include <vector>

class QHBoxLayout;
class QTimer;
class QToolButton;
class QVBoxLayout;

namespace overlap::ui {

class ButtonRows;
class NoticeDetails;
class NoticeText;

/// What the user can do about a notice.
struct NoticeAction {
    QString text;
    std::function<void()> run;
    QString help{};  ///< what it does, in the button's tool tip
};

/// A line above the timeline for what the user must not miss, such as a file that could not be opened. Never modal.
/// What is of many places is one sentence, whose places unfold with the button *Details*, and scroll; so does, with
/// *More*, what of the sentences has no room. They float over what is below the bar; Escape folds them away. Buttons
/// are beside what has one line there, and else below it.
class NoticeBar : public QFrame {
    Q_OBJECT

  public:
    explicit NoticeBar(QWidget* parent = nullptr);
    ~NoticeBar() override;

    /// Replaces all that is shown.
    /// @param actions buttons behind the sentence; each takes the sentence away, with its buttons and details, and then
    /// runs.
    /// @param details lines that are folded away at first; *Details* is there where there are any.
    void showNotice(const QString& sentence, const std::vector<NoticeAction>& actions = {},
                    const QStringList& details = {});
    /// The same behind what is shown, which keeps its buttons and details; or alone.
    void addSentence(const QString& sentence, const QStringList& details = {},
                     const std::vector<NoticeAction>& actions = {});
    /// Puts one more button in front of those of a sentence, where it is shown.
    void addAction(const QString& sentence, const NoticeAction& action);
    /// Takes a sentence away with what belongs to it, where it is shown; without others the bar goes.
    void removeSentence(const QString& sentence);
    /// Whether that sentence is shown, alone or among others.
    bool shows(const QString& sentence) const;
    /// All sentences, however much of them has room; empty where none is shown.
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
    void keyPressEvent(QKeyEvent* event) override;

  private:
    /// One sentence and what belongs to it.
    struct Part {
        quint64 number;    ///< no other has it
        QString sentence;  ///< as it is shown
        QStringList details;
        std::vector<QToolButton*> buttons;
    };

    QToolButton* makeButton(const NoticeAction& action, quint64 part);
    void append(const QString& sentence, const std::vector<NoticeAction>& actions, const QStringList& details);
    /// @param part of `parts_`.
    void remove(std::vector<Part>::iterator part);
    void removeButtons(const std::vector<QToolButton*>& buttons);
    QStringList sentences() const;
    QString joined() const;
    /// Shows the sentences as they are now.
    void refresh();
    /// What unfolds is as it has to be now.
    void updateFolded();
    void place();

    NoticeText* label_;
    QHBoxLayout* layout_;  ///< of the line
    QVBoxLayout* rows_;
    ButtonRows* actions_;
    QToolButton* unfold_;
    QPointer<NoticeDetails> details_;  ///< its parent may be deleted first
    QTimer* settling_;                 ///< runs while buttons that have moved take no click
    std::vector<Part> parts_;
    quint64 last_number_ = 0;
};

}  // namespace overlap::ui
