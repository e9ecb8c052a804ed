#pragma once

#include <QCoreApplication>
#include <QString>
#include <QStringList>
#include <string>
#include <vector>

#include "core/plan/bucket_drop.h"

namespace overlap::ui {

class Document;

/// What becomes of modules that are put into a bucket.
struct ModulesPut {
    std::vector<std::string> taken{};  ///< those that the bucket takes
    QString refusal{};                 ///< why it takes none; one sentence
    QString moved{};                   ///< that some come out of other buckets; empty where none does
    QString left_out{};                ///< that some stay where they are, and why; empty where none does

    /// Both of these, a line each.
    QString remark() const;
};

/// Edits of the buckets of the current plan, by mouse, key or menu: one undoable edit each, with a text that says what
/// was done. Functions that can be refused return why, as a sentence without full stop, or nothing. Those that put
/// modules into buckets put what can be put there, and return why the others stay where they are.
class BucketCommands {
    Q_DECLARE_TR_FUNCTIONS(BucketCommands)

  public:
    explicit BucketCommands(Document& document) : document_(document) {}

    /// Puts modules, wherever they are, into bucket `target`.
    QString put(const QStringList& modules, int target);
    /// Puts modules into a new bucket before position `at`; -1 means after the others.
    QString putIntoNew(const QStringList& modules, int at = -1);
    /// Puts modules into new buckets after the others, one for each. It is refused where putIntoNew() is.
    QString putIntoNewEach(const QStringList& modules);
    /// What put() or, with a negative target, putIntoNew() would do.
    ModulesPut whatIsPut(const QStringList& modules, int target) const;
    /// Why they would refuse: nothing could be put there.
    QString refusal(const QStringList& modules, int target) const;
    void takeOut(const QStringList& modules);
    void remove(const std::vector<int>& buckets);
    void merge(const std::vector<int>& buckets);
    void split(int bucket);
    void rename(int bucket, const QString& title);
    /// Moves a bucket so that it ends up at position `to`. Moves of one bucket in a row are undone together.
    void move(int from, int to);
    void moveModule(int bucket, int from, int to);
    /// Adds what the user typed: `layers.[0-3]`, `norm+output`, a list. What a bucket has already stays there.
    QString addText(const QString& text);
    enum class Template { empty, block, blocks };
    /// Replaces all buckets. @param blocks how many blocks make a bucket of Template::blocks.
    void startFrom(Template start, int blocks = 2);

    /// Title of a bucket for display.
    QString title(int bucket) const;

  private:
    QString listed(const std::vector<std::string>& modules) const;
    QString movedText(const std::vector<std::string>& moved) const;
    std::vector<BucketDrop::LeftOut> takeOutOfTyped(Buckets& entries) const;
    QString leftOutText(const std::vector<BucketDrop::LeftOut>& left_out) const;

    Document& document_;
};

}  // namespace overlap::ui
