"""Small networks for the tests, as the bytes of ONNX files."""

import onnx
from onnx import TensorProto, helper

FLOAT, BFLOAT16 = TensorProto.FLOAT, TensorProto.BFLOAT16


def network(nodes, inputs, outputs, constants=()) -> bytes:
    """The bytes of a network, from nodes and (name, type, shape)."""
    graph = helper.make_graph(
        nodes, "network", [helper.make_tensor_value_info(*value) for value in inputs],
        [helper.make_tensor_value_info(*value) for value in outputs], list(constants))
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    return model.SerializeToString()


def doubling() -> bytes:
    """y = x + x, for [N, 2]."""
    return network(
        [helper.make_node("Add", ["x", "x"], ["y"])], [("x", FLOAT, ["N", 2])], [("y", FLOAT, ["N", 2])])


def identity() -> bytes:
    """y = x, for [N, 2]."""
    return network([helper.make_node("Identity", ["x"], ["y"])], [("x", FLOAT, ["N", 2])], [("y", FLOAT, ["N", 2])])


def arithmetic() -> bytes:
    """The sum and the difference of a and b, for [N, 3]."""
    return network(
        [helper.make_node("Add", ["a", "b"], ["sum"]), helper.make_node("Sub", ["a", "b"], ["difference"])],
        [("a", FLOAT, ["N", 3]), ("b", FLOAT, ["N", 3])],
        [("sum", FLOAT, ["N", 3]), ("difference", FLOAT, ["N", 3])])


def unknown() -> bytes:
    """A network with a node, "strange", of an operator that does not exist."""
    return network(
        [helper.make_node("Nothing", ["x"], ["y"], name="strange")], [("x", FLOAT, ["N", 2])], [("y", FLOAT, ["N", 2])])


def cast(source: int, target: int) -> bytes:
    """y is x in another element type, for [N]."""
    return network([helper.make_node("Cast", ["x"], ["y"], to=target)], [("x", source, ["N"])], [("y", target, ["N"])])


def endless() -> bytes:
    """A loop that goes round until it is ended: y is x + n × 1."""
    body = helper.make_graph(
        [
            helper.make_node("Identity", ["condition"], ["again"]),
            helper.make_node("Add", ["value", "one"], ["next"]),
        ],
        "body",
        [
            helper.make_tensor_value_info("iteration", TensorProto.INT64, []),
            helper.make_tensor_value_info("condition", TensorProto.BOOL, []),
            helper.make_tensor_value_info("value", FLOAT, [2]),
        ],
        [
            helper.make_tensor_value_info("again", TensorProto.BOOL, []),
            helper.make_tensor_value_info("next", FLOAT, [2]),
        ],
        [helper.make_tensor("one", FLOAT, [2], [1.0, 1.0])])
    return network(
        [helper.make_node("Loop", ["count", "true", "x"], ["y"], body=body)], [("x", FLOAT, [2])],
        [("y", FLOAT, [2])],
        [
            helper.make_tensor("count", TensorProto.INT64, [], [1 << 40]),
            helper.make_tensor("true", TensorProto.BOOL, [], [True]),
        ])


def collecting() -> bytes:
    """A loop of n iterations: all of them as numbers, and x once for each of them."""
    body = helper.make_graph(
        [
            helper.make_node("Identity", ["condition"], ["again"]),
            helper.make_node("Identity", ["iteration"], ["number"]),
            helper.make_node("Identity", ["x"], ["copy"]),
        ],
        "body",
        [
            helper.make_tensor_value_info("iteration", TensorProto.INT64, []),
            helper.make_tensor_value_info("condition", TensorProto.BOOL, []),
        ],
        [
            helper.make_tensor_value_info("again", TensorProto.BOOL, []),
            helper.make_tensor_value_info("number", TensorProto.INT64, []),
            helper.make_tensor_value_info("copy", FLOAT, ["M"]),
        ])
    return network(
        [helper.make_node("Loop", ["n", ""], ["numbers", "copies"], body=body)],
        [("n", TensorProto.INT64, []), ("x", FLOAT, ["M"])],
        [("numbers", TensorProto.INT64, ["n"]), ("copies", FLOAT, ["n", "M"])])


def scanning() -> bytes:
    """The rows of x, [N, 2], in reverse order as columns."""
    body = helper.make_graph(
        [helper.make_node("Identity", ["row"], ["column"])], "body",
        [helper.make_tensor_value_info("row", FLOAT, [2])], [helper.make_tensor_value_info("column", FLOAT, [2])])
    return network(
        [helper.make_node(
            "Scan", ["x"], ["y"], body=body, num_scan_inputs=1, scan_output_axes=[1], scan_output_directions=[1])],
        [("x", FLOAT, ["N", 2])], [("y", FLOAT, [2, "N"])])


assert onnx.checker.check_model(doubling()) is None


def pairs() -> bytes:
    """The difference of the means of two pictures, times a factor."""
    picture = ["N", 3, 8, 8]
    return network(
        [
            helper.make_node("Sub", ["first", "second"], ["pixels"]),
            helper.make_node("GlobalAveragePool", ["pixels"], ["means"]),
            helper.make_node("Mul", ["means", "factor"], ["difference"]),
        ],
        [("first", FLOAT, picture), ("second", FLOAT, picture), ("factor", FLOAT, [1])],
        [("difference", FLOAT, ["N", 3, 1, 1])])
