#include "ui/widgets/empty_note.h"

#include <QAbstractItemView>
#include <QEvent>
#include <QLabel>
#include <utility>

namespace overlap::ui {
namespace {

constexpr int around_note = 12;

/// Over the view's rows, where there are none.
class EmptyNote : public QLabel {
  public:
    EmptyNote(QAbstractItemView& view, std::function<QString()> sentence)
        : QLabel(view.viewport()), view_(view), sentence_(std::move(sentence)) {
        setObjectName("emptyNote");
        setProperty("role", "dim");
        setAlignment(Qt::AlignHCenter | Qt::AlignTop);
        setMargin(around_note);
        setWordWrap(true);
        setAttribute(Qt::WA_TransparentForMouseEvents);
        view.viewport()->installEventFilter(this);
        const QAbstractItemModel* model = view.model();
        connect(model, &QAbstractItemModel::modelReset, this, &EmptyNote::update);
        connect(model, &QAbstractItemModel::rowsInserted, this, &EmptyNote::update);
        connect(model, &QAbstractItemModel::rowsRemoved, this, &EmptyNote::update);
        connect(model, &QAbstractItemModel::layoutChanged, this, &EmptyNote::update);
        update();
    }

    void update() {
        const QString text = view_.model()->rowCount(view_.rootIndex()) > 0 ? QString() : sentence_();
        setText(text);
        setVisible(!text.isEmpty());
        setGeometry(view_.viewport()->rect());
    }

  protected:
    bool eventFilter(QObject*, QEvent* event) override {
        if (event->type() == QEvent::Resize) setGeometry(view_.viewport()->rect());
        return false;
    }

  private:
    QAbstractItemView& view_;
    std::function<QString()> sentence_;
};

}  // namespace

std::function<void()> sayWhenEmpty(QAbstractItemView& view, std::function<QString()> sentence) {
    auto* note = new EmptyNote(view, std::move(sentence));
    return [note] { note->update(); };
}

}  // namespace overlap::ui
