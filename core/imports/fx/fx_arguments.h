#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "core/graph/graph_builder.h"
#include "core/imports/untyped/python_expression.h"

namespace overlap {

/// Turns expressions into argument values of a graph, as the overlap-graph format has them: tuples are lists.
class FxArguments {
  public:
    /// The value that a bare name refers to. Throws InputError at `offset` where it refers to none.
    using Resolve = std::function<Value(std::string_view name, std::size_t offset)>;

    FxArguments(GraphBuilder& builder, const PythonTokens& tokens, const PythonExpressions& expressions,
                Resolve resolve)
        : builder_(builder), tokens_(tokens), expressions_(expressions), resolve_(std::move(resolve)) {}

    /// @throws InputError for what is no constant, such as arithmetic inside an argument.
    Value value(PythonExpressionId id);
    /// The positional arguments of a call, from child `from` on, and its keyword arguments.
    Value positional(PythonExpressionId call, std::size_t from, std::vector<Value> before = {});
    Value keywords(PythonExpressionId call);

  private:
    Value number(PythonExpressionId id, bool negative);
    Value constant(PythonExpressionId id, std::string_view dotted);
    Value called(PythonExpressionId id);
    Value object(PythonExpressionId id, std::string_view class_name);
    Value children(PythonExpressionId id, ValueKind kind);
    Value dictionary(PythonExpressionId id);

    GraphBuilder& builder_;
    const PythonTokens& tokens_;
    const PythonExpressions& expressions_;
    Resolve resolve_;
};

}  // namespace overlap
