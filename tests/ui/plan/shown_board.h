#pragma once

#include <QApplication>
#include <QDragEnterEvent>
#include <QMimeData>
#include <memory>

#include "tests/ui/ui_test_support.h"
#include "ui/edits/bucket_commands.h"
#include "ui/plan/bucket_board.h"
#include "ui/plan/bucket_model.h"
#include "ui/plan/bucket_view.h"

namespace overlap::ui {

/// A board of 360 x 700 with a small real graph, for each test anew.
class ShownBoard : public QObject {
  protected:
    void open() {
        document_ = openDocument();
        board_ = std::make_unique<BucketBoard>(*document_);
        board_->resize(360, 700);
        board_->show();
        QVERIFY(QTest::qWaitForWindowExposed(board_.get()));
    }
    void close() {
        board_.reset();
        document_.reset();
    }

    BucketView& view() { return *board_->view(); }
    QString plan() const {
        QStringList entries;
        for (int i = 0; i < static_cast<int>(document_->buckets().size()); ++i)
            entries.append(
                QString::fromStdString(display_name(document_->buckets()[static_cast<std::size_t>(i)])).remove(u' '));
        return entries.join(u' ');
    }
    void start(const QString& entries) {
        BucketCommands(*document_).addText(entries);
        QVERIFY(waitForEvaluation(*document_));
        QCoreApplication::processEvents();
    }
    QPoint cardCentre(int row) { return view().visualRect(view().buckets().index(row)).center(); }

    /// Drags `data` to a point of the cards and, unless `drop` is false, lets it go there.
    void dragTo(const QMimeData& data, const QPoint& position, bool drop = true) {
        QDragEnterEvent enter(position, Qt::MoveAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(view().viewport(), &enter);
        QVERIFY(enter.isAccepted());
        QDragMoveEvent move(position, Qt::MoveAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(view().viewport(), &move);
        if (!drop) return;
        QDropEvent release(QPointF(position), Qt::MoveAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(view().viewport(), &release);
    }

    std::unique_ptr<Document> document_;
    std::unique_ptr<BucketBoard> board_;
};

}  // namespace overlap::ui
