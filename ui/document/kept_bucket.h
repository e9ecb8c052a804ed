#pragma once

#include <QObject>
#include <QtGlobal>
#include <string>
#include <vector>

namespace overlap::ui {

class Document;

/// Keeps a bucket selected while the plan is edited: it is selected by its index, and an edit before it moves it. When
/// its modules are in one bucket no more and there are more or fewer buckets than before, it is gone, and nothing is
/// selected; when it comes back, as by undo, it is selected again, unless something else was selected meanwhile.
class KeptBucket : public QObject {
  public:
    /// @param document tells the object of an edit before it tells views.
    /// @param parent owns the object.
    KeptBucket(Document& document, QObject* parent);

  private:
    void remember();
    void follow();
    void comeBack();

    Document& document_;
    std::vector<std::string> modules_;  ///< of the selected bucket
    std::size_t count_ = 0;             ///< of all buckets when it was selected, or followed last
    quint64 gone_from_ = 0;             ///< key of the variant where it is gone and may come back; 0: there is none
};

}  // namespace overlap::ui
