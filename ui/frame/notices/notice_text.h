#pragma once

#include <QLabel>

namespace overlap::ui {

/// The sentence of a notice in at most two lines, which break within words where a path is wider than the window. It
/// never widens its window. What is longer ends in an ellipsis, and is whole in the tool tip.
class NoticeText : public QLabel {
    Q_OBJECT

  public:
    explicit NoticeText(QWidget* parent = nullptr);

    /// @param sentence as it can be shown, see shownName().
    void setSentence(const QString& sentence);
    /// Whether it ends in an ellipsis.
    bool isCut() const { return is_cut_; }

    QSize minimumSizeHint() const override;
    int heightForWidth(int width) const override;

  signals:
    /// isCut() is another one.
    void cutChanged();

  protected:
    void resizeEvent(QResizeEvent* event) override;

  private:
    void fill();

    QString sentence_;
    bool is_cut_ = false;
};

}  // namespace overlap::ui
