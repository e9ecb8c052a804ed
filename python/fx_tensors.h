#pragma once

#include "python/fx_values.h"

namespace overlap::python {

/// What nodes return, as the field `outputs` of a document. What a `bool` says: see FxValues.
class FxTensors {
  public:
    /// @param encoder the NodeEncoder that numbers storages.
    /// @param torch_names names of torch's types, which arguments have, too.
    FxTensors(FxValues& values, KnownTexts& torch_names, nb::handle encoder);

    /// What of a tensor is written: all, or type, sizes and strides, by which nodes are compared.
    enum class Extent { whole, compared };
    /// @param value a tensor, None, or a sequence of both; of other values the encoder has more to say.
    bool write_outputs(nb::handle value, Extent extent = Extent::whole);

  private:
    bool is_tensor(nb::handle value) const { return is_exactly(value, fake_tensor_) || is_exactly(value, tensor_); }
    bool write_tensor(nb::handle tensor, Extent extent);
    bool write_sizes(const char* field, const nb::object& sizes);
    bool write_device(const nb::object& device);
    bool write_storage(nb::handle tensor);

    FxValues& values_;
    KnownTexts& torch_names_;
    nb::object torch_ = nb::module_::import_("torch");
    nb::object strided_ = torch_.attr("strided"), tensor_ = torch_.attr("Tensor"),
               fake_tensor_ = nb::module_::import_("torch._subclasses.fake_tensor").attr("FakeTensor");
    nb::object storage_number_;
    nb::object shape_ = interned("shape"), stride_ = interned("stride"), layout_ = interned("layout"),
               is_nested_ = interned("is_nested"), dtype_ = interned("dtype"), device_ = interned("device"),
               type_ = interned("type"), index_ = interned("index"), storage_offset_ = interned("storage_offset"),
               untyped_storage_ = interned("untyped_storage"), nbytes_ = interned("nbytes");
};

}  // namespace overlap::python
