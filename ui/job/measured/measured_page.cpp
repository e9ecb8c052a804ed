#include "ui/job/measured/measured_page.h"

#include <QHeaderView>
#include <QLabel>
#include <QVBoxLayout>

#include "ui/job/measured/measured_model.h"
#include "ui/job/measured/measured_words.h"
#include "ui/job/tables/job_table.h"
#include "ui/theme/harmless_text.h"

namespace overlap::ui {

MeasuredPage::MeasuredPage(OpenJob& job, QWidget* parent)
    : QWidget(parent),
      job_(job),
      model_(new MeasuredModel(this)),
      table_(makeJobTable(tr("Measured ranks of the job"), model_)),
      notes_(new QLabel) {
    table_->setObjectName("jobMeasured");
    notes_->setObjectName("jobMeasuredNotes");
    notes_->setProperty("role", "dim");
    notes_->setWordWrap(true);
    notes_->setContentsMargins(12, 4, 12, 4);
    notes_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(notes_);
    layout->addWidget(table_, 1);
    setFocusProxy(table_);
    connect(&job, &OpenJob::opened, this, &MeasuredPage::update);
    connect(&job, &OpenJob::evaluated, this, &MeasuredPage::update);
    connect(table_, &QTreeView::activated, this, [this](const QModelIndex& row) {
        if (const quint32 reference = model_->mostDifferent(row.row()); reference != no_reference)
            emit activated(reference);
    });
}

QString MeasuredPage::notes() const {
    return notes_->text();
}

void MeasuredPage::update() {
    const std::shared_ptr<const job::JobPicture>& picture = job_.picture();
    model_->show(picture);
    QStringList notes;
    if (picture && picture->measured) notes = measuredNotes(*picture) << measuredStepText(*picture);
    notes_->setText(shownLines(notes.join(QStringLiteral(" · "))));
}

}  // namespace overlap::ui
