#pragma once

#include <QObject>

class QTreeView;

namespace overlap::ui {

/// Two columns of a table share the room that its others leave: each is as wide as its texts, and the first has what is
/// left then. Where that is too much each has half, or what the other leaves of its own.
class SharedColumns : public QObject {
    Q_OBJECT

  public:
    /// @param table has its model; owns the object.
    SharedColumns(QTreeView& table, int first, int second);

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void fit();
    /// After all that happens now.
    void fitSoon();

    QTreeView& table_;
    int first_, second_;
    bool fits_soon_ = false;
};

}  // namespace overlap::ui
