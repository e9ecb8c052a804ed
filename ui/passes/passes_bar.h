#pragma once

#include <QWidget>

class QLabel;
class QMenu;
class QToolButton;

namespace overlap::ui {

/// The buttons above the steps of a pipeline, and what stands beside them. Where it is too narrow for all of them,
/// presets and expert overlap are in a menu of their own at its end.
class PassesBar : public QWidget {
    Q_OBJECT

  public:
    /// Why things cannot be done now, as sentences without full stop; empty where they can.
    struct Refusals {
        QString add, start, experts, up, down, remove;
    };

    /// @param presets replaces the steps, `experts` chooses the expert overlap; both outlive the bar.
    PassesBar(QMenu& presets, QMenu& experts, QWidget* parent = nullptr);

    /// Buttons can be used where nothing refuses them; the others say why not.
    void setRefusals(const Refusals& refusals);
    /// @param summary stands at the end where there is room for all of it.
    void setSummary(const QString& summary);
    /// Opens the menu of presets, wherever it is.
    void openPresets();
    /// On the screen: what adding a pass opens is best seen there.
    QPoint belowAdd() const;
    QSize minimumSizeHint() const override;

  signals:
    /// A pass is to be chosen and added behind the selected step.
    void addWanted();
    /// By how many places the selected step is to run later.
    void moveWanted(int by);
    /// The selected step is to be removed.
    void removeWanted();

  protected:
    void resizeEvent(QResizeEvent* event) override;

  private:
    void fitRoom();
    int widthOf(const QList<QToolButton*>& buttons) const;

    QMenu& presets_menu_;
    QMenu& experts_menu_;
    QToolButton* add_;
    QToolButton* presets_button_;
    QToolButton* experts_button_;
    QToolButton* up_;
    QToolButton* down_;
    QToolButton* remove_;
    QToolButton* more_;  ///< in place of `presets_button_` and `experts_button_`
    QLabel* summary_;
};

}  // namespace overlap::ui
