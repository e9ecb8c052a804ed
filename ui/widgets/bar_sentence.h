#pragma once

#include <QObject>
#include <QString>

class QLabel;
class QWidget;

namespace overlap::ui {

/// A sentence beside the controls of a panel's bar. Where it does not fit there it stands below the bar, in as many
/// lines as it takes: the reason for something is never cut off.
class BarSentence : public QObject {
    Q_OBJECT

  public:
    /// @param name for screen readers. @param parent the panel.
    BarSentence(const QString& name, QWidget* parent);

    /// The owner puts the one into the bar, where it takes the room that is left, and the other below the bar.
    QLabel* beside() { return beside_; }
    QLabel* below() { return below_; }
    /// @param elided it ends in an ellipsis where it does not fit and takes no further line, as figures may.
    void setText(const QString& text, bool elided = false);
    const QString& text() const { return text_; }

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void place();

    QString text_;
    bool stays_beside_ = false;
    QLabel *beside_, *below_;
};

}  // namespace overlap::ui
