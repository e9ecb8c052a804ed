#pragma once

#include <functional>
#include <random>

#include "ui/document/document.h"

namespace overlap::ui {

/// Edits plans as a person does in a day's work, the same edits in every run.
class ScriptedPerson {
  public:
    explicit ScriptedPerson(Document& document) : document_(document) {}

    /// Any edit of a plan's buckets, a step back, or another plan.
    void edit();
    /// An edit of one bucket that changes the plan. There must be two buckets or more.
    void edit_bucket();

  private:
    int buckets() const { return static_cast<int>(document_.buckets().size()); }
    int below(int count) { return std::uniform_int_distribution(0, count - 1)(random_); }

    Document& document_;
    std::mt19937 random_{1};
    int name_ = 0;
};

/// Eight hours of edits, one every three seconds, and what they leave behind: prints one JSON object with their count
/// and the resident memory, without what the allocator keeps for later, after the first tenth and at the end, in
/// megabytes.
/// @param edit makes the edit of that number, and waits for what follows from it.
void edit_and_print_memory(const std::function<void(int number)>& edit);

}  // namespace overlap::ui
