#pragma once

#include <QLabel>
#include <QStringList>

namespace overlap::ui {

/// The sentences of a notice in a few lines: two of one sentence, three of several. It never widens its window. Where
/// they have no room, folders of files go first, then each sentence has lines of its own and ends in an ellipsis, so
/// that what it begins with is seen of each. The tool tip has all of it.
class NoticeText : public QLabel {
    Q_OBJECT

  public:
    explicit NoticeText(QWidget* parent = nullptr);

    /// @param sentences as they can be shown, see shownName().
    void setSentences(const QStringList& sentences);
    /// All of them in one line.
    QString whole() const;
    /// Whether anything of them is left out.
    bool isCut() const { return is_cut_; }

    QSize minimumSizeHint() const override;
    int heightForWidth(int width) const override;

  signals:
    /// isCut() is another one.
    void cutChanged();

  protected:
    void resizeEvent(QResizeEvent* event) override;

  private:
    /// The lines that are shown in that width.
    struct Shown {
        QStringList lines;
        bool is_cut = false;
    };
    Shown shownIn(int width) const;
    QStringList ownLines(const QStringList& sentences, int width) const;
    void fill();

    QStringList sentences_;
    bool is_cut_ = false;
};

}  // namespace overlap::ui
