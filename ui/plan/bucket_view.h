#pragma once

#include <QListView>
#include <QPointer>
#include <QStringList>
#include <optional>
#include <string>
#include <vector>

namespace overlap::ui {

class BucketDelegate;
class DropFigures;
class BucketModel;
class Document;
class DropPreview;

/// Type of dragged cards: a JSON list of bucket indices. Dragged cards carry their modules as well.
inline const QString bucket_mime_type = QStringLiteral("application/x-overlap-buckets+json");

/// The cards of the current plan: modules are dropped on them and between them, cards and modules are dragged out.
/// Everything that the mouse does is also a function here, so that keys and menus do the same.
class BucketView : public QListView {
    Q_OBJECT

  public:
    BucketView(Document& document, BucketModel& model, DropPreview& preview, QWidget* parent = nullptr);

    BucketModel& buckets() const { return model_; }
    const DropPreview& preview() const { return preview_; }
    /// The chip of the current card that keys act upon, or -1 for the card itself.
    int currentChip() const { return chip_; }
    std::vector<int> selectedBuckets() const;
    /// Modules of the current chip, else of the selected cards.
    QStringList selectedModules() const;

    void removeSelected();
    void renameCurrent();
    void mergeSelected();
    void splitCurrent();
    /// Moves the current card up (-1) or down (1).
    void moveCurrent(int step);
    void copySelected();
    /// Puts the modules on the clipboard into the current card, or into a new one where there is none.
    void paste();
    void pasteIntoNew();

    /// Where something that is dragged would land.
    struct DropPlace {
        enum class Kind { none, onto, before } kind = Kind::none;
        int row = -1;
    };
    DropPlace dropPlace(const QPoint& position, bool cards) const;

    /// Scrolls to the card that is current, where it is selected.
    void revealSelection();

    /// Whether an empty list says how cards are made.
    void setHintShown(bool shown);

  signals:
    /// Why an edit was refused, or left modules out; one sentence without full stop.
    void refused(const QString& reason);

  protected:
    void startDrag(Qt::DropActions actions) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dragMoveEvent(QDragMoveEvent* event) override;
    void dragLeaveEvent(QDragLeaveEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void scrollContentsBy(int by_x, int by_y) override;
    void rowsInserted(const QModelIndex& parent, int first, int last) override;
    void currentChanged(const QModelIndex& current, const QModelIndex& previous) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    /// The card of what is selected becomes the current one and is brought into view.
    void followSelection();
    void followModules(const QStringList& modules);
    void setChip(int chip);
    /// Makes a card the current and the only selected one, and brings it into view; the last one for a row behind it.
    void makeCurrent(int row);
    /// Puts what can be put there, which the selection follows, and tells why the others stay where they are.
    void put(const QStringList& modules, int target);
    void putIntoNew(const QStringList& modules, int at);
    void showBucketOf(const std::vector<std::string>& modules);
    void showDropPlace(const DropPlace& place);
    /// Shows what would become of what is dragged. @returns whether something would.
    bool showDragged();
    void endDrop();
    void tell(const QString& reason);
    void paintHint(QPainter& painter);
    /// Where `before` of dropPlace() is, in the viewport.
    int gapY() const;
    /// What a drop into the gap would do, or why it is refused.
    QString gapText() const;
    QRect gapPlate() const;
    void paintGap(QPainter& painter);
    /// Where cards and gap have no room for what the drop would do, it is shown over the window.
    void showFigures();

    Document& document_;
    BucketModel& model_;
    DropPreview& preview_;
    BucketDelegate* delegate_;
    QPointer<DropFigures> figures_;  ///< of the window, while they are needed
    bool hint_shown_ = true;
    int chip_ = -1;
    DropPlace place_;
    /// What is dragged over the cards, and where its pointer was last.
    struct Dragged {
        QStringList modules;
        bool are_cards = false;
        std::vector<int> cards;
        QPoint position;
    };
    std::optional<Dragged> dragged_;
    QString graph_;  ///< that is shown, by its file
    bool following_ = false;
    bool follows_release_ = false;  ///< of the mouse, whose press has selected something
};

}  // namespace overlap::ui
