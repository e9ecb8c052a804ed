#include "ui/search/result_area.h"

#include <QApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

namespace overlap::ui {
namespace {

constexpr int narrowest_result = 200;
constexpr int narrowest_columns = 480;  ///< of sentences and the table beside one another
constexpr int height_for_both = 400;    ///< of sentences and the table below them

}  // namespace

ResultArea::ResultArea(const std::vector<QPushButton*>& buttons, const std::vector<QLabel*>& sentences, QWidget* table)
    : table_(table), columns_(new QHBoxLayout(this)), column_(new QVBoxLayout) {
    auto* row = new QHBoxLayout;
    row->setContentsMargins(8, 4, 8, 0);
    row->setSpacing(8);
    for (QPushButton* button : buttons) row->addWidget(button);
    row->addStretch(1);
    auto* side = new QWidget;
    side->setLayout(column_);
    column_->setContentsMargins(8, 4, 8, 4);
    column_->setSpacing(6);
    for (QLabel* sentence : sentences) column_->addWidget(sentence);
    column_->addStretch();  // while there is no table, sentences stay at the top
    // Where there is little height it scrolls.
    auto* area = new QScrollArea;
    area->setFrameShape(QFrame::NoFrame);
    area->setWidgetResizable(true);
    area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    area->setFocusPolicy(Qt::NoFocus);
    area->setMinimumSize(narrowest_result, 1);  // buttons above it stay whole
    area->setWidget(side);
    // Sentences come and go, and are of any length: above them, and without scrolling, buttons stay where they are.
    auto* left = new QVBoxLayout;
    left->setSpacing(0);
    left->addLayout(row);
    left->addWidget(area, 1);
    columns_->setContentsMargins(0, 0, 0, 0);
    columns_->setSpacing(0);
    columns_->addLayout(left, 1);
    columns_->addWidget(table_, 1);
}

bool ResultArea::isBeside() const {
    return columns_->indexOf(table_) >= 0;
}

void ResultArea::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    const bool beside = width() >= narrowest_columns && height() < height_for_both;
    if (beside == isBeside()) return;
    // Another parent takes the focus from the table.
    QWidget* focused = QApplication::focusWidget();
    const bool has_focus = focused && (focused == table_ || table_->isAncestorOf(focused));
    if (beside) {
        column_->removeWidget(table_);
        columns_->addWidget(table_, 1);
    } else {
        columns_->removeWidget(table_);
        column_->insertWidget(column_->count() - 1, table_, 1);
    }
    if (!has_focus) return;
    table_->show();  // the layout does so only later
    focused->setFocus();
}

}  // namespace overlap::ui
