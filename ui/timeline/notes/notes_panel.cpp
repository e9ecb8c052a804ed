#include "ui/timeline/notes/notes_panel.h"

#include <QKeyEvent>
#include <QTreeWidget>
#include <algorithm>
#include <numeric>

#include "ui/theme/harmless_model.h"
#include "ui/theme/harmless_text.h"
#include "ui/theme/theme.h"

namespace overlap::ui {
namespace {

constexpr int noteRole = Qt::UserRole;

}  // namespace

NotesPanel::NotesPanel(QWidget* parent) : ListPanel(parent) {
    setObjectName("notesPanel");
    setAccessibleName(tr("Notes and bookmarks"));
    list_->setAccessibleName(tr("Notes and bookmarks"));
    list_->setHeaderLabels({tr("Time"), tr("Note"), tr("On")});
    connect(list_, &QTreeWidget::itemActivated, this,
            [this](QTreeWidgetItem* item) { emit chosen(item->data(0, noteRole).toInt()); });
}

void NotesPanel::showNotes(const std::vector<TimelineNote>& notes, const std::vector<PlacedNote>& places) {
    std::vector<int> order(notes.size());
    std::iota(order.begin(), order.end(), 0);
    const auto begin = [&](int note) { return places[static_cast<std::size_t>(note)].time.begin_ns; };
    std::ranges::stable_sort(order, {}, begin);
    const int row = list_->indexOfTopLevelItem(list_->currentItem());
    list_->clear();
    for (const int index : order) {
        const TimelineNote& note = notes[static_cast<std::size_t>(index)];
        const bool is_gone = !note.event.isEmpty() && !places[static_cast<std::size_t>(index)].location.valid();
        auto* item = new QTreeWidgetItem(
            list_, {noteTime(begin(index)), note.text.isEmpty() ? tr("Bookmark") : note.text,
                    is_gone ? tr("%1, which is not in this timeline").arg(note.event) : note.event});
        for (int column = 0; column < list_->columnCount(); ++column) {
            item->setData(column, true_text_role, item->text(column));
            item->setText(column, shownName(item->text(column)));
        }
        item->setData(0, noteRole, index);
        item->setTextAlignment(0, Qt::AlignRight | Qt::AlignVCenter);
        item->setFont(0, numberFont(smallTextPx));
        item->setFont(2, codeFont(smallTextPx));
    }
    // Where one was removed, the next one is in its place.
    if (row >= 0 && !notes.empty())
        list_->setCurrentItem(list_->topLevelItem(std::min(row, list_->topLevelItemCount() - 1)));
    open(notes.empty() ? tr("No notes yet: N adds one") : tr("%n note(s) and bookmarks", nullptr, int(notes.size())));
}

QString NotesPanel::text() const {
    QString text = QStringLiteral("time\tnote\ton\n");
    for (int row = 0; row < list_->topLevelItemCount(); ++row) {
        const QTreeWidgetItem& item = *list_->topLevelItem(row);
        const auto cell = [&](int column) { return item.data(column, true_text_role).toString(); };
        text += QStringLiteral("%1\t%2\t%3\n").arg(cell(0), cell(1), cell(2));
    }
    return text;
}

void NotesPanel::keyPressEvent(QKeyEvent* event) {
    const QTreeWidgetItem* item = list_->currentItem();
    if (item && event->key() == Qt::Key_Delete) {
        event->accept();
        return emit removeWanted(item->data(0, noteRole).toInt());
    }
    if (item && event->key() == Qt::Key_F2) {
        event->accept();
        return emit editWanted(item->data(0, noteRole).toInt());
    }
    ListPanel::keyPressEvent(event);
}

}  // namespace overlap::ui
