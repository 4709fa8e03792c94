"""Makes tflite/networks.json: networks of several operators, many with extents that the file leaves open.

    pip install ai-edge-litert==2.3.0 numpy flatbuffers
    python Tests/Fixtures/make_tflite_network_fixtures.py

signatures.tflite holds two networks, which signatures name, and integers.tflite takes int8.

Inputs are larger than the file's own extents, which are 1 where they are open. The outputs are those of LiteRT's
reference kernels, or of a formula of NumPy.
"""

import json
import pathlib

import flatbuffers
import numpy as np
from ai_edge_litert import schema_py_generated as schema
from ai_edge_litert.interpreter import Interpreter, OpResolverType

from tflite_models import CASES, OPERATORS, OPTIONS, TYPES, Array, add, constant, tensor

TYPES["int4"] = schema.TensorType.INT4
RNG = np.random.default_rng(0)


class Network:
    """A network that grows operator by operator. Extents of inputs that are None are left open."""

    def __init__(self):
        self.root, self.graph = schema.ModelT(), schema.SubGraphT()
        self.root.version, self.root.buffers, self.root.operatorCodes = 3, [schema.BufferT()], []
        self.graph.tensors, self.graph.inputs, self.graph.outputs, self.graph.operators = [], [], [], []
        self.graph.name, self.root.subgraphs = "main", [self.graph]

    def place(self, array, name=None, buffer=0):
        self.graph.tensors.append(tensor(array, name or f"t{len(self.graph.tensors)}", buffer))
        return len(self.graph.tensors) - 1

    def input(self, shape, dtype="float32", scale=None, zero=0):
        index = self.place(Array([extent or 1 for extent in shape], dtype, scale, zero))
        if None in shape:
            self.graph.tensors[index].shapeSignature = [-1 if extent is None else extent for extent in shape]
        self.graph.inputs.append(index)
        return index

    def constant(self, values, dtype="int32", name=None, bits=None, **quantization):
        array = constant(values, "int8" if dtype == "int4" else dtype, **quantization)
        data = array.data
        if dtype == "int4":
            flat = np.append(data.reshape(-1), np.zeros(data.size % 2, np.int8)).astype(np.uint8) & 15
            data, array.dtype = flat[::2] | flat[1::2] << 4, "int4"
        buffer = len(self.root.buffers)
        self.root.buffers.append(schema.BufferT())
        self.root.buffers[-1].data = np.frombuffer(data.tobytes(), np.uint8)
        return self.place(array, name, buffer)

    def add(self, operator, inputs, shape, dtype="float32", options=None, scale=None, zero=0, version=1, count=1):
        call, code = schema.OperatorT(), schema.OperatorCodeT()
        code.builtinCode, code.version = OPERATORS[operator], version
        code.deprecatedBuiltinCode = min(code.builtinCode, 127)
        call.opcodeIndex = len(self.root.operatorCodes)
        self.root.operatorCodes.append(code)
        call.inputs = inputs
        call.outputs = [self.place(Array(shape, dtype, scale, zero)) for _ in range(count)]
        if options:
            call.builtinOptionsType = OPTIONS[options[0]]
            call.builtinOptions = getattr(schema, options[0] + "T")()
            for name, value in options[1].items():
                assert hasattr(call.builtinOptions, name), name
                setattr(call.builtinOptions, name, value)
        self.graph.operators.append(call)
        return call.outputs[0] if count == 1 else call.outputs

    def shape(self, x, rank):
        return self.add("SHAPE", [x], [rank], "int32", ("ShapeOptions", dict(outType=TYPES["int32"])))

    def arithmetic(self, operator, x, values):
        kind = {"ADD": "AddOptions", "SUB": "SubOptions", "MUL": "MulOptions"}[operator]
        return self.add(operator, [x, self.constant(values)], [len(values)], "int32", (kind, {}))

    def part(self, x, first, last):
        ends = [self.constant([first]), self.constant([last]), self.constant([1])]
        return self.add("STRIDED_SLICE", [x] + ends, [last - first], "int32", ("StridedSliceOptions", {}))

    def content(self, outputs):
        self.graph.outputs = list(outputs)
        builder = flatbuffers.Builder(1024)
        builder.Finish(self.root.Pack(builder), b"TFL3")
        return bytes(builder.Output())

    def case(self, name, output, *inputs, formula=None, tolerance=0):
        outputs = output if isinstance(output, list) else [output]
        content = self.content(outputs)
        if formula:
            add(name, content, tolerance, inputs, formula)
            return
        for resolver in [OpResolverType.BUILTIN_REF, OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES]:
            try:
                interpreter = Interpreter(model_content=content, experimental_op_resolver_type=resolver, num_threads=1)
                for detail, value in zip(interpreter.get_input_details(), inputs):
                    interpreter.resize_tensor_input(detail["index"], value.shape)
                interpreter.allocate_tensors()
                for detail, value in zip(interpreter.get_input_details(), inputs):
                    interpreter.set_tensor(detail["index"], value)
                interpreter.invoke()
                break
            except (ValueError, RuntimeError) as error:
                refusal = error
        else:
            raise refusal
        add(name, content, tolerance, inputs,
            [interpreter.get_tensor(detail["index"]) for detail in interpreter.get_output_details()])


def numbers(*shape):
    return RNG.uniform(-3, 3, shape).astype(np.float32)


def integers(*shape):
    return RNG.integers(-128, 128, shape).astype(np.int8)


def resizing():
    for kind, dtype in [("BILINEAR", "float32"), ("BILINEAR", "int8"), ("NEAREST_NEIGHBOR", "float32")]:
        network = Network()
        scale = 0.05 if dtype == "int8" else None
        x = network.input([1, None, None, 3], dtype, scale, 3 if scale else 0)
        size = network.arithmetic("MUL", network.part(network.shape(x, 4), 1, 3), [2, 3])
        name = "ResizeBilinearOptions" if kind == "BILINEAR" else "ResizeNearestNeighborOptions"
        y = network.add(f"RESIZE_{kind}", [x, size], [1, 2, 3, 3], dtype,
                        (name, dict(halfPixelCenters=True)), scale, 3 if scale else 0, version=3)
        values = integers(1, 9, 7, 3) if scale else numbers(1, 9, 7, 3)
        network.case(f"resize_{kind.lower()}_{dtype}", y, values, tolerance=0 if scale else 1e-5)


def slices():
    network = Network()
    x = network.input([1, None, None, 3])
    ends = network.arithmetic("SUB", network.shape(x, 4), [0, 1, 2, 0])
    y = network.add("STRIDED_SLICE", [x, network.constant([0, 1, 1, 0]), ends, network.constant([1, 1, 1, 1])],
                    [1, 1, 1, 3], options=("StridedSliceOptions", {}))
    network.case("strided_slice_ends", y, numbers(1, 9, 7, 3))
    network = Network()
    x = network.input([None, 5])
    ends = network.shape(x, 2)
    y = network.add("STRIDED_SLICE", [x, network.constant([1, 0]), ends, network.constant([1, 1])], [0, 5],
                    options=("StridedSliceOptions", {}))
    network.case("strided_slice_batch", y, numbers(3, 5))
    network = Network()
    x = network.input([1, None, 3])
    begins = network.arithmetic("SUB", network.shape(x, 3), [1, 1, 3])
    y = network.add("STRIDED_SLICE", [x, begins, network.constant([1, 1, 3]), network.constant([1, 1, 1])], [1, 3],
                    options=("StridedSliceOptions", dict(shrinkAxisMask=2, endMask=5)))
    network.case("strided_slice_last", y, numbers(1, 9, 3))
    network = Network()
    x = network.input([1, None, 3])
    sizes = network.arithmetic("SUB", network.shape(x, 3), [0, 2, 0])
    y = network.add("SLICE", [x, network.constant([0, 1, 0]), sizes], [1, 1, 3], options=("SliceOptions", {}))
    values = numbers(1, 9, 3)
    network.case("slice_sizes", y, values, formula=[values[:, 1:-1]])


def padding():
    network = Network()
    x = network.input([1, None, 3])
    ends = network.arithmetic("ADD", network.arithmetic("MUL", network.shape(x, 3), [0, -1, 0]), [0, 12, 0])
    pairs = network.add("PACK", [network.constant([0, 0, 0]), ends], [3, 2], "int32",
                        ("PackOptions", dict(valuesCount=2, axis=1)))
    y = network.add("PAD", [x, pairs], [1, 12, 3], options=("PadOptions", {}))
    network.case("pad_to_size", y, numbers(1, 9, 3))
    network = Network()
    x = network.input([1, None])
    count = network.arithmetic("SUB", network.part(network.shape(x, 2), 1, 2), [1])
    count = network.add("RESHAPE", [count, network.constant(np.zeros(0))], [], "int32",
                        ("ReshapeOptions", dict(newShape=[])))
    parts = network.add("TOPK_V2", [x, count], [1, 0], options=("TopKV2Options", {}), count=2)
    network.graph.tensors[parts[1]].type = TYPES["int32"]
    network.case("top_but_one", parts, numbers(1, 9))


def products():
    weights = RNG.uniform(-1, 1, (6, 5))
    network = Network()
    x = network.input([1, None, None, 5])
    y = network.add("FULLY_CONNECTED", [x, network.constant(weights, "float32"), -1], [1, 1, 1, 6],
                    options=("FullyConnectedOptions", dict(keepNumDims=True)))
    network.case("rows_float32", y, numbers(1, 3, 4, 5), tolerance=1e-5)
    for kind in ["int8", "int4"]:
        limit = 127 if kind == "int8" else 7
        network = Network()
        x = network.input([1, None, None, 5], "int8", 0.05, 3)
        w = network.constant(np.round(weights * limit), kind, scale=0.5 / limit)
        y = network.add("FULLY_CONNECTED", [x, w, -1], [1, 1, 1, 6], "int8",
                        ("FullyConnectedOptions", dict(keepNumDims=True)), 0.1, -4, version=7)
        network.case(f"rows_{kind}", y, integers(1, 3, 4, 5))
    for operator, options in [("CONV_2D", "Conv2DOptions"), ("DEPTHWISE_CONV_2D", "DepthwiseConv2DOptions")]:
        network = Network()
        x = network.input([1, 5, 6, 4], "int8", 0.05, 3)
        isDepthwise = operator != "CONV_2D"
        shape, axis = ([1, 3, 3, 4], 3) if isDepthwise else ([4, 3, 3, 4], 0)
        w = network.constant(RNG.integers(-7, 8, shape), "int4", scale=RNG.uniform(0.05, 0.1, 4), axis=axis)
        values = dict(padding=0, strideW=1, strideH=1, dilationWFactor=1, dilationHFactor=1)
        if isDepthwise:
            values["depthMultiplier"] = 1
        bias = network.constant(RNG.integers(-300, 300, 4), "int32")
        y = network.add(operator, [x, w, bias], [1, 5, 6, 4], "int8", (options, values), 0.1, -4, version=7)
        network.case(f"{operator.lower()}_int4", y, integers(1, 5, 6, 4))


def means():
    for name, shape, axes, given in [
        ("inner", [1, None, None, 3], [1, 2], [1, 9, 7, 3]), ("all", [None, 4, 4, 3], [0, 1, 2], [3, 4, 4, 3]),
    ]:
        network = Network()
        x = network.input(shape, "int8", 0.05, 3)
        y = network.add("MEAN", [x, network.constant(axes)], [given[0], 3][len(axes) - 2:], "int8",
                        ("ReducerOptions", {}), 0.03, -2, version=2)
        network.case(f"mean_{name}", y, integers(*given))


def transposed_convolutions():
    weights = RNG.uniform(-1, 1, (4, 3, 3, 3))
    for name, shape, padding, factor, term, given in [
        ("batch", [None, 9, 7, 3], 0, 2, 0, [3, 9, 7, 3]), ("same", [1, None, None, 3], 0, 2, 0, [1, 9, 7, 3]),
        ("valid", [1, None, None, 3], 1, 2, 1, [1, 9, 7, 3]), ("odd", [1, None, None, 3], 0, 2, -1, [1, 9, 7, 3]),
    ]:
        for dtype in ["float32", "int8"]:
            network = Network()
            isInteger = dtype == "int8"
            x = network.input(shape, dtype, 0.05 if isInteger else None, 3 if isInteger else 0)
            size = network.arithmetic("MUL", network.shape(x, 4), [1, factor, factor, 1])
            size = network.arithmetic("ADD", size, [0, term, term, 1])
            w = network.constant(np.round(weights * 127), "int8", scale=0.008) if isInteger else (
                network.constant(weights, "float32"))
            y = network.add("TRANSPOSE_CONV", [size, w, x], [1, 2, 2, 4], dtype,
                            ("TransposeConvOptions", dict(padding=padding, strideW=2, strideH=2)),
                            0.1 if isInteger else None, -4 if isInteger else 0, version=2)
            network.case(f"transposed_{name}_{dtype}", y, integers(*given) if isInteger else numbers(*given),
                         tolerance=0 if isInteger else 1e-5)


def blocks():
    network = Network()
    x = network.input([None, 8, 6, 3])
    y = network.add("SPACE_TO_BATCH_ND", [x, network.constant([2, 2]), network.constant([[2, 2], [0, 2]])],
                    [4, 6, 4, 3], options=("SpaceToBatchNDOptions", {}))
    network.case("space_to_batch", y, numbers(3, 8, 6, 3))
    z = network.add("BATCH_TO_SPACE_ND", [y, network.constant([2, 2]), network.constant([[1, 0], [0, 3]])],
                    [1, 11, 5, 3], options=("BatchToSpaceNDOptions", {}))
    network.case("batch_to_space", z, numbers(3, 8, 6, 3))


def extremes():
    x = np.array([[1e10, -5.3, 6, -6, 5, np.inf, -7.5, 0.3, -2]], np.float32)
    y = np.array([[3, 0.1, np.inf, np.inf, -3, 2, np.inf, 0.1, 2]], np.float32)
    network = Network()
    a, b = network.input([1, 9]), network.input([1, 9])
    result = network.add("FLOOR_MOD", [a, b], [1, 9], options=("FloorModOptions", {}), version=2)
    finite = [index for index in range(9) if index != 5]
    network.graph.tensors[a].shape = network.graph.tensors[b].shape = [1, 8]
    network.graph.tensors[result].shape = [1, 8]
    network.case("floor_mod", result, x[:, finite], y[:, finite])
    network = Network()
    a = network.input([None, 4])
    result = network.add("ZEROS_LIKE", [a], [1, 4], options=("ZerosLikeOptions", {}))
    network.case("zeros_like", result, np.array([[np.nan, np.inf, -np.inf, 2], [1, 2, 3, np.nan]], np.float32))


def outputs():
    network = Network()
    x = network.input([1, 4])
    y = network.add("ABS", [x], [1, 4], options=("AbsOptions", {}))
    values = numbers(1, 4)
    network.case("computed_twice", [y, y], values, formula=[np.abs(values), np.abs(values)])
    network = Network()
    x = network.input([1, 4])
    fixed = network.constant([[1.5, 2.5]], "float32", name="t1")
    network.add("ABS", [x], [1, 4], options=("AbsOptions", {}))
    network.case("twice", [fixed, fixed], values, formula=[np.array([[1.5, 2.5]], np.float32)] * 2)
    network = Network()
    x = network.input([1, 4])
    y = network.add("ABS", [x], [1, 4], options=("AbsOptions", {}))
    fixed = network.constant([[1.5, 2.5]], "float32", name="fixed")
    network.case("constant", [fixed, y], values, formula=[np.array([[1.5, 2.5]], np.float32), np.abs(values)])


def signatures():
    """A file of two networks, whose signatures name them, their inputs and their outputs."""
    first, second = Network(), Network()
    x, z = first.input([1, 4]), second.input([1, 4])
    first.graph.outputs = [first.add("ABS", [x], [1, 4], options=("AbsOptions", {}))]
    second.graph.outputs = [second.add("NEG", [z], [1, 4], options=("NegOptions", {}))]
    second.graph.operators[0].opcodeIndex = 1
    first.root.operatorCodes += second.root.operatorCodes
    first.root.subgraphs.append(second.graph)
    first.root.signatureDefs = []
    for index, (name, given, made) in enumerate([("encode", "features", "code"), ("decode", "code", "t1")]):
        signature = schema.SignatureDefT()
        signature.signatureKey, signature.subgraphIndex = name, index
        graph = first.root.subgraphs[index]
        for side, label, tensor_index in [("inputs", given, graph.inputs[0]), ("outputs", made, graph.outputs[0])]:
            entry = schema.TensorMapT()
            entry.name, entry.tensorIndex = label, tensor_index
            setattr(signature, side, [entry])
        first.root.signatureDefs.append(signature)
    path = pathlib.Path(__file__).parent / "tflite" / "signatures.tflite"
    path.write_bytes(first.content(first.graph.outputs))
    network = Network()
    x = network.input([1, 4], "int8", 0.05, 3)
    y = network.add("RELU", [x], [1, 4], "int8", scale=0.05, zero=3, version=2)
    (path.parent / "integers.tflite").write_bytes(network.content([y]))


if __name__ == "__main__":
    for make in [
        resizing, slices, padding, products, means, transposed_convolutions, blocks, extremes, outputs, signatures,
    ]:
        make()
    path = pathlib.Path(__file__).parent / "tflite" / "networks.json"
    path.write_text(json.dumps(CASES, indent=1) + "\n")
    print(f"{len(CASES)} cases, {path.stat().st_size} bytes")
