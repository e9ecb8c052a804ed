#pragma once

#include <QJsonObject>
#include <QSplitter>

namespace overlap::ui {

/// Parts beside one another, or above one another where there is little width. Their sizes are the user's, of either
/// arrangement.
class TurningSplitter : public QSplitter {
    Q_OBJECT

  public:
    /// @param beside, above sizes at first, in pixels.
    TurningSplitter(QList<int> beside, QList<int> above, QWidget* parent = nullptr);

    /// To be called when all parts are in it.
    void complete() { setSizes(wanted()); }
    /// Puts the parts beside one another, or above one another, in the sizes that they had so last.
    void turn(Qt::Orientation orientation);

    /// Both arrangements' sizes, for the session.
    QJsonObject state() const;
    /// Sizes of another number of parts are left alone.
    void restore(const QJsonObject& state);

  private:
    QList<int>& wanted() { return orientation() == Qt::Horizontal ? beside_ : above_; }

    QList<int> beside_, above_;
};

}  // namespace overlap::ui
