#pragma once

#include <array>
#include <string>
#include <unordered_map>
#include <vector>

#include "python/fx_values.h"

namespace overlap::python {

/// The dictionary `meta` of nodes, as the fields of a document that come from it. What a `bool` says: see FxValues.
class FxMeta {
  public:
    /// @param document the module overlap_studio.document, which knows what other keys mean.
    FxMeta(FxValues& values, const nb::object& document);

    /// Sorts the fields of a node's `meta`, which has to stay as it is while they are written; false where the encoder
    /// has something to say of one.
    bool take(nb::handle meta);
    /// What the node returns; none where `meta` does not say.
    nb::handle value() const { return fields_[val_key]; }
    /// Whether there is a value in an older form.
    bool has_example_value() const { return static_cast<bool>(fields_[example_value_key]); }
    bool write();
    /// What nodes are compared by: paths of modules, and whether it is of the backward.
    bool write_compared();

  private:
    /// Fields that a document has, in the order in which it has them; behind them those of titan_meta.
    enum Key : unsigned {
        val_key,
        example_value_key,
        nn_module_stack_key,
        fwd_nn_module_stack_key,
        custom_key,
        seq_nr_key,
        partitioner_tag_key,
        manual_bucket_node_type_key,
        autograd_backward_key,
        first_trainer_key,
    };
    static constexpr unsigned meaningless_key = 0xfffe;
    static constexpr unsigned told_key = 0xffff;  ///< the encoder has something to say about it
    static const std::array<const char*, first_trainer_key> names;

    unsigned kind_of(nb::handle key);
    unsigned ask_kind(nb::handle key) const;
    bool write_module_stack(nb::handle stack);
    bool write_trainer_meta();

    FxValues& values_;
    nb::object document_, module_fqn_ = interned("module_fqn");
    KnownTexts class_texts_;
    std::vector<std::string> trainer_names_;
    std::unordered_map<PyObject*, unsigned> kinds_;
    std::vector<nb::object> kept_keys_;
    std::vector<nb::handle> fields_;  ///< of the node at hand, by Key
};

}  // namespace overlap::python
