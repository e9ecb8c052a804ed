#include "ui/plan/bucket_board.h"

#include <QAbstractItemView>
#include <QAction>
#include <QCompleter>
#include <QDragEnterEvent>
#include <QHBoxLayout>
#include <QInputDialog>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QMenu>
#include <QPainter>
#include <QPushButton>
#include <QStyledItemDelegate>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "core/pipeline/manual_start.h"
#include "core/plan/automatic_plan.h"
#include "ui/document/document.h"
#include "ui/document/graph_reading.h"
#include "ui/document/module_mime.h"
#include "ui/edits/automatic_commands.h"
#include "ui/edits/bucket_commands.h"
#include "ui/plan/bucket_model.h"
#include "ui/plan/bucket_view.h"
#include "ui/plan/drop_preview.h"
#include "ui/plan/module_paths.h"
#include "ui/plan/uncovered_model.h"
#include "ui/plan/untaken_cards.h"
#include "ui/theme/counted_text.h"
#include "ui/theme/harmless_text.h"
#include "ui/theme/numbers.h"
#include "ui/theme/theme_manager.h"
#include "ui/widgets/availability.h"
#include "ui/widgets/fitting_scroll_area.h"

namespace overlap::ui {
namespace {

constexpr int uncovered_height = 132;
constexpr int fewest_cards_height = 48, lowest_cards_height = 34;
constexpr int low_height = 170;  ///< of a board that says what a pass finds by itself
constexpr int height_for_words_and_cards = 300;
constexpr int hint_height = 104;
constexpr int uncovered_title_padding = 13;  ///< with the border, of the style sheet

/// A line of the list of what no bucket covers: module at the left, figures at the right.
class UncoveredDelegate : public QStyledItemDelegate {
  public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        QStyledItemDelegate::paint(painter, option, index);
        painter->save();
        painter->setFont(numberFont(smallTextPx));
        painter->setPen(currentTheme().dim);
        painter->drawText(option.rect.adjusted(0, 0, -12, 0), Qt::AlignRight | Qt::AlignVCenter,
                          index.data(UncoveredModel::figures_role).toString());
        painter->restore();
    }
};

}  // namespace

BucketBoard::BucketBoard(Document& document, QWidget* parent)
    : QWidget(parent),
      document_(document),
      model_(new BucketModel(document, this)),
      preview_(new DropPreview(document, this)),
      uncovered_(new UncoveredModel(document, this)),
      header_(new QWidget),
      entry_(new QLineEdit),
      message_(new QLabel),
      automatic_(new FittingScrollArea(new QWidget)),
      automatic_text_(new QLabel),
      manual_(new QToolButton),
      manual_refusal_(new QLabel),
      repair_(new QToolButton),
      view_(new BucketView(document, *model_, *preview_)),
      uncovered_title_(new QPushButton),
      uncovered_list_(new QListView) {
    makeHeader();
    entry_->setPlaceholderText(tr("Type layers.[0-3] or norm+lm_head ↵"));
    entry_->setAccessibleName(tr("Buckets to add"));
    entry_->setObjectName("bucketEntry");
    message_->setWordWrap(true);
    message_->setProperty("role", "caution");
    message_->setContentsMargins(0, 4, 0, 0);
    message_->hide();
    automatic_->setObjectName("automaticBuckets");
    automatic_text_->setWordWrap(true);
    automatic_text_->setProperty("role", "dim");
    manual_refusal_->setObjectName("manualRefusal");
    manual_refusal_->setWordWrap(true);
    manual_refusal_->setProperty("role", "caution");
    manual_->setFocusPolicy(Qt::StrongFocus);
    auto* automatic_layout = new QVBoxLayout(automatic_->widget());
    automatic_layout->setContentsMargins(0, 8, 0, 0);
    automatic_layout->setSpacing(6);
    automatic_layout->addWidget(automatic_text_);
    automatic_layout->addWidget(manual_, 0, Qt::AlignLeft);
    automatic_layout->addWidget(manual_refusal_);
    auto* completer = new QCompleter(this);
    auto* paths = new ModulePaths(completer);
    completer->setModel(paths);
    completer->setCaseSensitivity(Qt::CaseInsensitive);
    completer->setModelSorting(QCompleter::CaseInsensitivelySortedModel);
    completer->popup()->setObjectName("completions");
    entry_->setCompleter(completer);

    uncovered_title_->setObjectName("uncoveredTitle");
    uncovered_title_->setCheckable(true);
    uncovered_title_->setFlat(true);
    uncovered_title_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    uncovered_list_->setModel(uncovered_);
    uncovered_list_->setItemDelegate(new UncoveredDelegate(uncovered_list_));
    uncovered_list_->setObjectName("uncovered");
    uncovered_list_->setAccessibleName(tr("Collectives in no bucket"));
    uncovered_list_->setFrameShape(QFrame::NoFrame);
    uncovered_list_->setUniformItemSizes(true);
    uncovered_list_->setSelectionMode(QAbstractItemView::ExtendedSelection);
    uncovered_list_->setDragEnabled(true);
    uncovered_list_->setFixedHeight(uncovered_height);
    uncovered_list_->hide();
    for (QWidget* area : {static_cast<QWidget*>(uncovered_title_), uncovered_list_->viewport()}) {
        area->setAcceptDrops(true);
        area->installEventFilter(this);
    }

    auto* entry_column = new QVBoxLayout;
    entry_column->setContentsMargins(8, 8, 8, 6);
    entry_column->setSpacing(0);
    entry_column->addWidget(entry_);
    entry_column->addWidget(message_);
    entry_column->addWidget(automatic_);
    entry_column->addWidget(new UntakenCards(document));
    entry_column->addSpacing(4);
    entry_column->addWidget(repair_, 0, Qt::AlignLeft);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(entry_column);
    layout->addWidget(view_, 1);
    layout->addWidget(uncovered_title_);
    layout->addWidget(uncovered_list_);

    connect(entry_, &QLineEdit::returnPressed, this, &BucketBoard::addTyped);
    connect(entry_, &QLineEdit::textEdited, message_, &QWidget::hide);
    connect(view_, &BucketView::refused, this, &BucketBoard::tell);
    connect(uncovered_title_, &QPushButton::toggled, this, &BucketBoard::showUncovered);
    connect(uncovered_, &QAbstractItemModel::modelReset, this, &BucketBoard::updateUncovered);
    connect(uncovered_list_, &QListView::clicked, this, [this](const QModelIndex& index) {
        document_.selection().selectNode(index.data(UncoveredModel::node_role).toString());
    });
    const auto complete_modules = [this, paths] { paths->setModules(document_.sharedModules()); };
    connect(&document, &Document::graphChanged, this, complete_modules);
    connect(&document, &Document::graphChanged, this, [this] {  // what was typed names modules of another graph
        entry_->setText({});
        message_->hide();
    });
    connect(&document, &Document::modulesChanged, this, complete_modules);
    complete_modules();
    auto update_editable = [this] {
        const QString refusal = document_.editable() ? QString()
                                : document_.isOpen() ? tr("The baseline has no buckets: add a plan")
                                                     : noGraphOpen(document_);
        setAvailable(*entry_, refusal);
        if (header_)
            for (auto* button : header_->findChildren<QToolButton*>()) setAvailable(*button, refusal);
        view_->viewport()->update();
    };
    connect(&document, &Document::currentChanged, this, update_editable);
    whenReadingChanges(document, this, update_editable);
    // It is of an edit of the plan that was shown.
    connect(&document, &Document::currentChanged, message_, &QWidget::hide);
    repair_->setObjectName("repairModules");
    repair_->setText(tr("Repair modules…"));
    repair_->setToolTip(tr("Give modules to nodes that have none, by rules"));
    repair_->setFocusPolicy(Qt::StrongFocus);
    connect(repair_, &QToolButton::clicked, this, &BucketBoard::repairWanted);
    connect(&document, &Document::planChanged, this, &BucketBoard::updateRepair);
    connect(&document, &Document::planChanged, this, &BucketBoard::forgetUnknown);
    connect(&document, &Document::modulesChanged, this, &BucketBoard::updateRepair);
    updateRepair();
    connect(&document, &Document::planChanged, this, &BucketBoard::updateAutomatic);
    connect(&document, &Document::evaluationChanged, this, &BucketBoard::updateAutomatic);
    updateAutomatic();
    update_editable();
    updateUncovered();
}

void BucketBoard::updateRepair() {
    repair_->setVisible(document_.isOpen() && document_.editable() && !document_.modules().exists());
    view_->viewport()->update();
}

BucketBoard::~BucketBoard() {
    if (header_ && !header_->parentWidget()) delete header_;
}

void BucketBoard::makeHeader() {
    auto* start = new QToolButton;
    start->setObjectName("startFrom");
    start->setText(tr("Start from ▾"));
    start->setAutoRaise(true);
    start->setPopupMode(QToolButton::InstantPopup);
    start->setToolTip(tr("Replace the buckets by a template; can be undone"));
    auto* menu = new QMenu(start);
    using Template = BucketCommands::Template;
    menu->addAction(tr("One bucket a block"), this, [this] { BucketCommands(document_).startFrom(Template::block); });
    menu->addAction(tr("One bucket every 2 blocks"), this,
                    [this] { BucketCommands(document_).startFrom(Template::blocks, 2); });
    menu->addAction(tr("One bucket every 4 blocks"), this,
                    [this] { BucketCommands(document_).startFrom(Template::blocks, 4); });
    menu->addAction(tr("One bucket every … blocks"), this, &BucketBoard::startFromEveryBlocks);
    menu->addSeparator();
    menu->addAction(tr("Empty"), this, [this] { BucketCommands(document_).startFrom(Template::empty); });
    start->setMenu(menu);
    auto* add = new QToolButton;
    add->setObjectName("newBucket");
    add->setText(QStringLiteral("+"));
    add->setAutoRaise(true);
    add->setToolTip(tr("Type a new bucket"));
    add->setAccessibleName(tr("New bucket"));
    connect(add, &QToolButton::clicked, this, [this] { entry_->setFocus(); });
    auto* layout = new QHBoxLayout(header_);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(2);
    layout->addWidget(start);
    layout->addWidget(add);
}

void BucketBoard::startFromEveryBlocks() {
    bool accepted = false;
    const int blocks = QInputDialog::getInt(this, tr("Start from"), tr("Blocks in a bucket"), 3, 1, 1000, 1, &accepted);
    if (accepted) BucketCommands(document_).startFrom(BucketCommands::Template::blocks, blocks);
}

void BucketBoard::addTyped() {
    if (entry_->text().trimmed().isEmpty()) return;
    const std::size_t before = document_.buckets().size();
    const QString reason = BucketCommands(document_).addText(entry_->text());
    if (document_.buckets().size() == before) return tell(reason);
    message_->hide();
    tellAdded(before, reason);
    entry_->setText({});  // begins anew: undo is the plan's from here on, and brings no old text back
    view_->setCurrentIndex(model_->index(model_->rowCount() - 1));
    view_->scrollToBottom();
}

void BucketBoard::updateUncovered() {
    const std::size_t gathers = uncovered_->count(CollectiveKind::all_gather);
    const std::size_t others = static_cast<std::size_t>(uncovered_->rowCount()) - gathers;
    QString text = tr("not in a bucket: ");
    if (uncovered_->rowCount() == 0) {
        // Without buckets either, there is none that a bucket could take.
        const bool any = document_.isOpen() && !document_.current()->plan().buckets.empty();
        text = any                  ? tr("no collective is left to bucket")
               : document_.isOpen() ? tr("no collective of a module to bucket")
                                    : QString();
    } else {
        QStringList parts;
        if (gathers > 0) parts.append(countedText(gathers, tr("%1 gather"), tr("%1 gathers")));
        if (others > 0) parts.append(countedText(others, tr("%1 reduction"), tr("%1 reductions")));
        text += parts.join(QStringLiteral(", "));
    }
    const bool shown = !uncovered_title_->isHidden() && uncovered_title_->isChecked() && uncovered_->rowCount() > 0;
    uncovered_text_ = (uncovered_->rowCount() == 0 ? QString()
                       : shown                     ? QStringLiteral("▾ ")
                                                   : QStringLiteral("▸ ")) +
                      text;
    elideUncoveredTitle();
    uncovered_title_->setAccessibleName(text.isEmpty() ? tr("Collectives in no bucket") : text);
    const QString help = tr("Collectives in no bucket, %1 in all; drop modules here to take them out")
                             .arg(formatBytes(static_cast<double>(uncovered_->bytes())));
    uncovered_title_->setToolTip(text.isEmpty() ? help : text + u'\n' + help);
    uncovered_list_->setVisible(shown);
}

void BucketBoard::elideUncoveredTitle() {
    const int room = uncovered_title_->width() - 2 * uncovered_title_padding;
    uncovered_title_->setText(uncovered_title_->fontMetrics().elidedText(uncovered_text_, Qt::ElideRight, room));
}

void BucketBoard::setManualStart(QAction* action) {
    manual_->setDefaultAction(action);
    manual_->setAccessibleName(action->text().remove(u'&'));
}

/// Cards are for passes that take them; what other passes merge is shown in a sentence.
void BucketBoard::updateAutomatic() {
    const Variant* current = document_.current();
    const auto& steps = current ? current->plan().pipeline : std::vector<PassStep>();
    const auto runs = [&](auto&& wanted) {
        return std::ranges::find_if(steps, [&](const PassStep& step) { return step.enabled && wanted(step.pass); });
    };
    const auto deciding = runs(decides_buckets);
    const bool shown = deciding != steps.end() && runs(takes_buckets) == steps.end();
    finds_itself_ = shown;
    useRoom();
    // What entries do not cover is no matter where no pass takes them.
    uncovered_title_->setHidden(shown);
    updateUncovered();
    view_->setHintShown(!shown);
    if (!shown) return;
    const QString pass = shownName(QString::fromStdString(deciding->pass));
    // While an edit is evaluated, what was shown last stays, so that nothing jumps under a slider that is moved.
    if (!current->stale()) {
        const QString refusal = AutomaticCommands(document_).manualRefusal();
        manual_refusal_->setText(shownName(refusal));
        manual_refusal_->setHidden(refusal.isEmpty());
    }
    const auto evaluation = document_.evaluation();
    if (evaluation && evaluation->refused) {
        automatic_text_->setText(tr("%1 finds buckets by itself, once the plan is no longer refused.").arg(pass));
        return;
    }
    const std::vector<FinalBucket> buckets = evaluation ? final_buckets(*evaluation) : std::vector<FinalBucket>();
    std::size_t members = 0;
    for (const FinalBucket& bucket : buckets) members += bucket.members.size();
    automatic_text_->setText(buckets.empty() ? tr("%1 has made no buckets.").arg(pass)
                                             : tr("%1 finds buckets by itself: it merged %2 collectives into %3.")
                                                   .arg(pass, formatCount(static_cast<std::int64_t>(members)),
                                                        formatCount(static_cast<std::int64_t>(buckets.size()))));
}

void BucketBoard::useRoom() {
    const bool cards = !document_.buckets().empty(), low = height() < low_height;
    automatic_->setVisible(finds_itself_ && !(cards && height() < height_for_words_and_cards));
    view_->setMinimumHeight(!cards                 ? (finds_itself_ ? 1 : hint_height)
                            : finds_itself_ && low ? lowest_cards_height
                                                   : fewest_cards_height);
    // Without cards all room is for the words.
    view_->setSizePolicy(QSizePolicy::Expanding,
                         finds_itself_ && !cards ? QSizePolicy::Ignored : QSizePolicy::Expanding);
}

void BucketBoard::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    useRoom();
}

void BucketBoard::showUncovered(bool) {
    updateUncovered();
}

bool BucketBoard::eventFilter(QObject* watched, QEvent* event) {
    if (watched == uncovered_title_ && event->type() == QEvent::Resize) elideUncoveredTitle();
    const bool drag =
        event->type() == QEvent::DragEnter || event->type() == QEvent::DragMove || event->type() == QEvent::Drop;
    if (!drag) return QWidget::eventFilter(watched, event);
    auto* drop = static_cast<QDropEvent*>(event);
    const QStringList modules = modulesOf(drop->mimeData());
    if (modules.isEmpty() || !document_.editable()) {
        drop->ignore();
        return true;
    }
    drop->acceptProposedAction();
    if (event->type() == QEvent::Drop) BucketCommands(document_).takeOut(modules);
    return true;
}

}  // namespace overlap::ui
