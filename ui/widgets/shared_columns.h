#pragma once

#include <QJsonArray>
#include <QObject>
#include <map>

class QTreeView;

namespace overlap::ui {

/// Columns of a table are as wide as their texts until the user gives one another width, which it keeps; a double click
/// on its end gives it back. Two columns share the room that the others leave: each is as wide as its texts, and the
/// first has what is left then. Where that is too much each has half, or what the other leaves of its own.
class SharedColumns : public QObject {
    Q_OBJECT

  public:
    /// @param table has its model; owns the object.
    SharedColumns(QTreeView& table, int first, int second);

    /// How wide the table is with all texts whole.
    int wholeWidth() const;
    /// The widths that the user has given, for the session: 0 for a column that is as wide as its texts. Empty where
    /// there are none.
    QJsonArray widths() const;
    void setWidths(const QJsonArray& widths);

  signals:
    /// The user gave a column another width.
    void widthsChanged();

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    int widthOf(int column) const;
    void fit();
    /// After all that happens now.
    void fitSoon();
    void keep(int column, int width);

    QTreeView& table_;
    int first_, second_;
    std::map<int, int> kept_;  ///< by column
    bool fits_soon_ = false, fits_ = false;
};

}  // namespace overlap::ui
