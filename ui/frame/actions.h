#pragma once

#include <QAction>
#include <QKeySequence>
#include <QObject>
#include <functional>
#include <vector>

class QMenu;
class QWidget;

namespace overlap::ui {

/// Every action of the application, registered once: menus, the command palette, the list of shortcuts and the tests
/// all read this registry.
class Actions : public QObject {
    Q_OBJECT

  public:
    struct Entry {
        QString id;    ///< stable, such as `file.open`
        QString menu;  ///< title of its menu, such as `File`; also the heading in the list of shortcuts
        QAction* action;
    };
    /// A key that a view handles itself, only for the list of shortcuts.
    struct ViewKey {
        QString view, keys, what;
    };

    /// @param host the window that the shortcuts work in.
    explicit Actions(QWidget* host);

    /// Registers an action. `text` is what menus show; `help` a sentence for the palette and the status bar.
    QAction* add(const QString& id, const QString& menu, const QString& text, const QString& help,
                 const QList<QKeySequence>& shortcuts, std::function<void()> run);
    /// Registers an action that exists already, such as one of an undo group.
    QAction* adopt(const QString& id, const QString& menu, QAction* action, const QString& help);
    void addViewKey(const QString& view, const QString& keys, const QString& what);

    const std::vector<Entry>& entries() const { return entries_; }
    const std::vector<ViewKey>& viewKeys() const { return view_keys_; }
    /// The action called `id`, or nullptr.
    QAction* find(const QString& id) const;

  private:
    QWidget* host_;
    std::vector<Entry> entries_;
    std::vector<ViewKey> view_keys_;
};

/// How well `query` matches `text` as a subsequence, case-insensitively: 0 for not at all, higher for better.
/// Beginnings of words and runs of characters count more.
int fuzzyScore(const QString& query, const QString& text);

}  // namespace overlap::ui
