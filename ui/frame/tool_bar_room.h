#pragma once

#include <QHash>
#include <QObject>

class QToolBar;
class QToolButton;

namespace overlap::ui {

class FiguresBar;
class VariantBar;

/// Shares the room of the toolbar out. Where there is too little, captions of buttons go first, whose tool tips have
/// what they do, then letters of titles of plans, parts of labels of figures, their differences, tabs that the list of
/// all leads to, and then figures and the last tabs alike.
class ToolBarRoom : public QObject {
    Q_OBJECT

  public:
    /// @param bar owns the object, and contains both.
    ToolBarRoom(QToolBar& bar, VariantBar& plans, FiguresBar& figures);

    /// A button of the bar that has icon and caption where there is room for both, and the icon alone elsewhere.
    void addCaptioned(QToolButton* button);

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void share();
    /// Of all that is in the bar but plans and figures.
    int widthOfButtons(bool captions);

    QToolBar& bar_;
    VariantBar& plans_;
    FiguresBar& figures_;
    QHash<QToolButton*, int> captioned_;  ///< width with caption
};

}  // namespace overlap::ui
