#pragma once

#include <QLabel>

namespace overlap::ui {

/// The help of an option below its control, and in its place why what was typed is refused. It is as high as the help,
/// so that what stands below does not move; a longer reason ends in an ellipsis, and is whole in the tool tip.
class OptionHelp : public QLabel {
    Q_OBJECT

  public:
    explicit OptionHelp(const QString& help, QWidget* parent = nullptr);

    /// @param reason empty: the help is shown.
    void setRefusal(const QString& reason);
    const QString& refusal() const { return refusal_; }

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;
    int heightForWidth(int width) const override;

  protected:
    void resizeEvent(QResizeEvent* event) override;

  private:
    void showText();

    QString help_, refusal_;
};

}  // namespace overlap::ui
