"""Makes small networks in the idioms of exporters whose shapes depend on values, with the answers of onnxruntime.

    python3 -m venv environment && environment/bin/pip install onnx==1.20.1 onnxruntime==1.31.1 numpy
    environment/bin/python Tests/Fixtures/make_dynamic_fixtures.py

Each folder of Tests/Fixtures/dynamic is laid out as ONNX's own tests are.
"""

import pathlib
import shutil

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

FOLDER = pathlib.Path(__file__).parent / "dynamic"
FLOAT, INT64, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL
random = np.random.default_rng(5)


def node(op, inputs, outputs, **attributes):
    return helper.make_node(op, inputs.split() if isinstance(inputs, str) else inputs, outputs.split(), **attributes)


def value(name, kind, shape):
    return helper.make_tensor_value_info(name, kind, shape)


def arrays(**values):
    return [numpy_helper.from_array(np.asarray(array), name) for name, array in values.items()]


def save(name, nodes, inputs, outputs, initializers, data, opset=17, functions=(), domains=()):
    graph = helper.make_graph(nodes, name, inputs, outputs, initializers)
    imports = [helper.make_opsetid("", opset)] + [helper.make_opsetid(domain, 1) for domain in domains]
    model = helper.make_model(graph, opset_imports=imports, ir_version=10, functions=list(functions))
    onnx.checker.check_model(model)
    folder = FOLDER / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    onnx.save(model, folder / "model.onnx")
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    for number, arrays_ in enumerate(data):
        feeds = {info.name: array for info, array in zip(inputs, arrays_)}
        answers = session.run(None, feeds)
        place = folder / f"test_data_set_{number}"
        place.mkdir()
        for kind, infos, values in (("input", inputs, arrays_), ("output", outputs, answers)):
            for index, (info, array) in enumerate(zip(infos, values)):
                tensor = numpy_helper.from_array(np.asarray(array), info.name)
                (place / f"{kind}_{index}.pb").write_bytes(tensor.SerializeToString())
        print(name, number, [answer.shape for answer in answers])


def boxes(count, size=64):
    corner = random.uniform(0, size * 0.7, (count, 2))
    extent = random.uniform(4, size * 0.3, (count, 2))
    return np.concatenate([corner, corner + extent], 1).astype(np.float32)


def detector_with_nms():
    """Ultralytics with nms=True: a head, the boxes' centres to corners, NMS, gathered, and the best few of them."""
    nodes = [
        node("Conv", "x w", "features", kernel_shape=[3, 3], pads=[1, 1, 1, 1], strides=[4, 4]),
        node("Reshape", "features flat", "rows"),
        node("Split", "rows parts", "raw logits", axis=1),
        node("Sigmoid", "logits", "scores"),
        node("Mul", "raw scale", "scaled"),
        node("Abs", "scaled", "positive"),
        node("Transpose", "positive", "centred", perm=[0, 2, 1]),
        node("NonMaxSuppression", "centred scores most overlap least", "chosen", center_point_box=1),
        node("Gather", "chosen column_2", "box_column", axis=1),
        node("Squeeze", "box_column axis_1", "box_index"),
        node("Gather", "chosen column_1", "class_column", axis=1),
        node("Squeeze", "class_column axis_1", "class_index"),
        node("Squeeze", "centred axis_0", "all_boxes"),
        node("Gather", "all_boxes box_index", "boxes", axis=0),
        node("GatherND", "scores chosen_order", "chosen_scores"),
        node("Gather", "chosen order", "chosen_order", axis=1),
        node("Shape", "chosen_scores", "count"),
        node("Concat", "count limit", "bounds", axis=0),
        node("ReduceMin", "bounds", "k", keepdims=1),
        node("TopK", "chosen_scores k", "best_scores best"),
        node("Gather", "boxes best", "best_boxes", axis=0),
        node("Gather", "class_index best", "best_classes", axis=0),
    ]
    nodes.insert(14, nodes.pop(15))
    initializers = arrays(
        w=random.normal(0, 0.5, (7, 3, 3, 3)).astype(np.float32), flat=np.array([0, 7, -1]),
        parts=np.array([4, 3]), scale=np.float32(6), most=np.array([20]), overlap=np.array([0.45], np.float32),
        least=np.array([0.6], np.float32), column_2=np.array([2]), column_1=np.array([1]), axis_1=np.array([1]),
        axis_0=np.array([0]), order=np.array([0, 1, 2]), limit=np.array([10]))
    data = [[random.normal(0, 1, (1, 3, size, size)).astype(np.float32)] for size in (32, 48, 32)]
    data.append([np.full((1, 3, 32, 32), -0.0, np.float32)])
    save("detector_with_nms", nodes, [value("x", FLOAT, [1, 3, "height", "width"])],
         [value("best_boxes", FLOAT, ["n", 4]), value("best_scores", FLOAT, ["n"]), value("best_classes", INT64, ["n"])],
         initializers, data)


def proposals():
    """torchvision's region proposals: the best of a level but small ones, NMS per level by an offset, the first few."""
    nodes = [
        node("Shape", "scores", "shape"),
        node("Gather", "shape zero", "count", axis=0),
        node("Unsqueeze", "count first", "count_1"),
        node("Min", "count_1 most", "k"),
        node("TopK", "scores k", "top_scores top", axis=0),
        node("Gather", "boxes top", "top_boxes", axis=0),
        node("Clip", "top_boxes low high", "clipped"),
        node("Slice", "clipped s2 e4 axis_1", "ends"),
        node("Slice", "clipped s0 e2 axis_1", "starts"),
        node("Sub", "ends starts", "sizes"),
        node("GreaterOrEqual", "sizes least", "wide"),
        node("Cast", "wide", "wide_int", to=TensorProto.INT32),
        node("ReduceMin", "wide_int", "keep_int", axes=[1], keepdims=0),
        node("Cast", "keep_int", "keep", to=BOOL),
        node("NonZero", "keep", "kept"),
        node("Squeeze", "kept first", "kept_1"),
        node("Gather", "clipped kept_1", "big_boxes", axis=0),
        node("Gather", "top_scores kept_1", "big_scores", axis=0),
        node("Gather", "levels top", "top_levels", axis=0),
        node("Gather", "top_levels kept_1", "big_levels", axis=0),
        node("ReduceMax", "big_boxes", "largest", keepdims=0),
        node("Add", "largest one", "offset"),
        node("Mul", "big_levels offset", "offsets"),
        node("Unsqueeze", "offsets axis_1", "offsets_1"),
        node("Add", "big_boxes offsets_1", "apart"),
        node("Unsqueeze", "apart first", "apart_1"),
        node("Unsqueeze", "big_scores two_axes", "scores_1"),
        node("NonMaxSuppression", "apart_1 scores_1 all overlap", "selected"),
        node("Slice", "selected last end axis_1", "column"),
        node("Squeeze", "column axis_1", "index"),
        node("Slice", "index s0 few first", "first_index"),
        node("Gather", "big_boxes first_index", "result_boxes", axis=0),
        node("Gather", "big_scores first_index", "result_scores", axis=0),
    ]
    initializers = arrays(
        zero=np.array(0), first=np.array([0]), most=np.array([40]), low=np.float32(0), high=np.float32(60),
        s2=np.array([2]), e4=np.array([4]), s0=np.array([0]), e2=np.array([2]), axis_1=np.array([1]),
        least=np.float32(5), one=np.float32(1), two_axes=np.array([0, 1]), all=np.array([9223372036854775807]),
        overlap=np.array([0.5], np.float32), last=np.array([2]), end=np.array([3]), few=np.array([12]))
    data = [
        [boxes(count), random.uniform(0, 1, count).astype(np.float32), random.integers(0, 3, count).astype(np.float32)]
        for count in (100, 30, 100)
    ]
    save("proposals", nodes, [value("boxes", FLOAT, ["n", 4]), value("scores", FLOAT, ["n"]), value("levels", FLOAT, ["n"])],
         [value("result_boxes", FLOAT, ["m", 4]), value("result_scores", FLOAT, ["m"])], initializers, data, opset=13)


def pasted_masks():
    """torchvision's masks in the picture: a loop over detections, each resized to its box and padded to the picture."""
    body = helper.make_graph(
        [
            node("Gather", "boxes i", "box", axis=0),
            node("Cast", "box", "box_int", to=INT64),
            node("Slice", "box_int s0 s2 first", "start"),
            node("Slice", "box_int s2 s4 first", "stop"),
            node("Sub", "stop start", "length"),
            node("Max", "length one", "extent"),
            node("Gather", "masks i", "mask", axis=0),
            node("Unsqueeze", "mask two_axes", "mask_4"),
            node("Concat", "ones extent", "sizes", axis=0),
            node("Resize", ["mask_4", "", "", "sizes"], "resized", mode="linear", coordinate_transformation_mode="half_pixel"),
            node("Squeeze", "resized two_axes", "resized_2"),
            node("Sub", "picture start", "rest"),
            node("Sub", "rest extent", "after"),
            node("Concat", "start after", "pads", axis=0),
            node("Pad", "resized_2 pads", "padded"),
            node("Unsqueeze", "padded first", "padded_1"),
            node("Concat", "pasted padded_1", "pasted_out", axis=0),
            node("Identity", "condition", "condition_out"),
        ],
        "paste",
        [value("i", INT64, []), value("condition", BOOL, []), value("pasted", FLOAT, ["k", 64, 64])],
        [value("condition_out", BOOL, []), value("pasted_out", FLOAT, ["k1", 64, 64])])
    nodes = [
        node("Shape", "masks", "shape"),
        node("Gather", "shape zero", "count", axis=0),
        node("Loop", "count yes nothing", "result", body=body),
    ]
    initializers = arrays(
        zero=np.array(0), yes=np.array(True), nothing=np.zeros((0, 64, 64), np.float32), s0=np.array([0]),
        s2=np.array([2]), s4=np.array([4]), first=np.array([0]), one=np.array([1]), ones=np.array([1, 1]),
        two_axes=np.array([0, 1]), picture=np.array([64, 64]))
    data = [[random.uniform(0, 1, (count, 14, 14)).astype(np.float32), boxes(count)] for count in (3, 5, 0, 3)]
    save("pasted_masks", nodes, [value("masks", FLOAT, ["n", 14, 14]), value("boxes", FLOAT, ["n", 4])],
         [value("result", FLOAT, ["n", 64, 64])], initializers, data)


def nothing_found():
    """A branch on whether anything was found, with weights of the enclosing graph, and different shapes."""
    found = helper.make_graph(
        [
            node("Gather", "x index", "rows", axis=0), node("MatMul", "rows weights", "product"),
            node("Relu", "product", "found"),
        ], "found", [], [value("found", FLOAT, None)])
    nothing = helper.make_graph(
        [node("ConstantOfShape", "empty", "nothing")], "nothing", [], [value("nothing", FLOAT, None)],
        arrays(empty=np.array([0, 5])))
    nodes = [
        node("ReduceMax", "x", "peaks", axes=[1], keepdims=0),
        node("Greater", "peaks threshold", "is_above"),
        node("NonZero", "is_above", "position"),
        node("Squeeze", "position first", "index"),
        node("Size", "index", "count"),
        node("Greater", "count zero", "any"),
        node("If", "any", "y", then_branch=found, else_branch=nothing),
        node("Shape", "y", "y_shape"),
    ]
    initializers = arrays(
        threshold=np.float32(1.5), first=np.array([0]), zero=np.array(0),
        weights=random.normal(0, 1, (8, 5)).astype(np.float32))
    data = [[random.normal(0, 1, (count, 8)).astype(np.float32)] for count in (12, 9)] + [[np.zeros((4, 8), np.float32)]]
    save("nothing_found", nodes, [value("x", FLOAT, ["n", 8])],
         [value("y", FLOAT, ["m", 5]), value("y_shape", INT64, [2])], initializers, data, opset=13)


def static_branches():
    """torch.jit's squeeze: a branch on an extent, which the shape of the input decides; and a loop of fixed length."""
    squeeze = helper.make_graph([node("Squeeze", "x axis_1", "squeezed")], "one", [], [value("squeezed", FLOAT, None)])
    keep = helper.make_graph([node("Identity", "x", "kept")], "more", [], [value("kept", FLOAT, None)])
    body = helper.make_graph(
        [
            node("Unsqueeze", "i first", "start"), node("Add", "start step", "stop"),
            node("Slice", "table start stop first", "row"), node("Add", "sum row", "sum_out"),
            node("ReduceSum", "sum_out", "total", keepdims=0), node("Identity", "condition", "condition_out"),
        ], "body", [value("i", INT64, []), value("condition", BOOL, []), value("sum", FLOAT, None)],
        [value("condition_out", BOOL, []), value("sum_out", FLOAT, None), value("total", FLOAT, [])])
    nodes = [
        node("Shape", "x", "shape"),
        node("Gather", "shape one", "extent", axis=0),
        node("Equal", "extent one", "is_one"),
        node("If", "is_one", "y", then_branch=squeeze, else_branch=keep),
        node("Loop", "three yes y", "summed totals", body=body),
        node("Reshape", "summed minus", "z"),
    ]
    initializers = arrays(
        minus=np.array([-1]), one=np.array(1), axis_1=np.array([1]), three=np.array(3), yes=np.array(True), first=np.array([0]),
        step=np.array([1]), table=random.normal(0, 1, (3, 4)).astype(np.float32))
    data = [[random.normal(0, 1, shape).astype(np.float32)] for shape in ((2, 1, 4), (2, 3, 4))]
    save("static_branches", nodes, [value("x", FLOAT, ["n", "c", 4])],
         [value("z", FLOAT, ["k"]), value("totals", FLOAT, [3])], initializers, data)


def until_small():
    """A loop without a number of iterations, which ends by its condition, around a branch, around a loop."""
    inner = helper.make_graph(
        [node("Mul", "inner half", "inner_out"), node("Identity", "inner_condition", "inner_condition_out")], "inner",
        [value("j", INT64, []), value("inner_condition", BOOL, []), value("inner", FLOAT, ["n"])],
        [value("inner_condition_out", BOOL, []), value("inner_out", FLOAT, ["n"])])
    big = helper.make_graph(
        [node("Loop", ["two", "", "v"], "halved", body=inner)], "big", [], [value("halved", FLOAT, ["n"])])
    small = helper.make_graph([node("Sub", "v bias", "less")], "small", [], [value("less", FLOAT, ["n"])])
    body = helper.make_graph(
        [
            node("ReduceMax", "v", "peak", keepdims=0), node("Greater", "peak four", "is_big"),
            node("If", "is_big", "next", then_branch=big, else_branch=small),
            node("ReduceMax", "next", "next_peak", keepdims=0), node("Greater", "next_peak zero", "go_on"),
        ], "body", [value("i", INT64, []), value("condition", BOOL, []), value("v", FLOAT, ["n"])],
        [value("go_on", BOOL, []), value("next", FLOAT, ["n"]), value("next_peak", FLOAT, [])])
    nodes = [node("Loop", ["", "yes", "x"], "y peaks", body=body)]
    initializers = arrays(
        yes=np.array(True), two=np.array(2), four=np.float32(4), zero=np.float32(0), bias=np.float32(0.75),
        half=np.float32(0.5))
    data = [[np.array(row, np.float32)] for row in ([100, 3, -2], [1, 2], [1000, 5, 6])]
    save("until_small", nodes, [value("x", FLOAT, ["n"])],
         [value("y", FLOAT, ["n"]), value("peaks", FLOAT, ["k"])], initializers, data)


def scanned():
    """A recurrent cell as a Scan, forwards and backwards, with weights of the enclosing graph."""
    def body(name):
        return helper.make_graph(
            [
                node("MatMul", f"{name}_state recurrent", f"{name}_r"), node("Add", f"{name}_r {name}_slice", f"{name}_sum"),
                node("Tanh", f"{name}_sum", f"{name}_next"), node("Identity", f"{name}_next", f"{name}_y"),
            ], name, [value(f"{name}_state", FLOAT, [1, 6]), value(f"{name}_slice", FLOAT, [1, 6])],
            [value(f"{name}_next", FLOAT, [1, 6]), value(f"{name}_y", FLOAT, [1, 6])])
    nodes = [
        node("MatMul", "x weights", "projected"),
        node("Scan", "begin projected", "last forwards", body=body("forward"), num_scan_inputs=1),
        node("Scan", "begin projected", "first backwards", body=body("backward"), num_scan_inputs=1,
             scan_input_directions=[1], scan_output_directions=[1], scan_output_axes=[1]),
        node("Transpose", "backwards", "turned", perm=[1, 0, 2]),
        node("Concat", "forwards turned", "y", axis=2),
    ]
    initializers = arrays(
        weights=random.normal(0, 1, (4, 6)).astype(np.float32), begin=np.zeros((1, 6), np.float32),
        recurrent=random.normal(0, 0.5, (6, 6)).astype(np.float32))
    data = [[random.normal(0, 1, (count, 1, 4)).astype(np.float32)] for count in (5, 9)]
    save("scanned", nodes, [value("x", FLOAT, ["t", 1, 4])], [value("y", FLOAT, ["t", 1, 12]), value("last", FLOAT, [1, 6])],
         initializers, data)


def functions():
    """Functions that a model defines: with references to attributes, with a call of another, with a branch."""
    scaled = helper.make_function(
        "local", "Scaled", ["x"], ["y"],
        [
            helper.make_node("Constant", [], ["factor"]), node("Mul", "x factor", "product"),
            helper.make_node("LeakyRelu", ["product"], ["y"]),
        ], [helper.make_opsetid("", 17)], ["factor", "alpha"])
    for index, (attribute, reference) in ((0, ("value_float", "factor")), (2, ("alpha", "alpha"))):
        message = scaled.node[index].attribute.add()
        message.name, message.ref_attr_name, message.type = attribute, reference, onnx.AttributeProto.FLOAT
    twice = helper.make_function(
        "local", "Twice", ["x", "bias"], ["y", "middle"],
        [
            helper.make_node("Scaled", ["x"], ["middle"], domain="local", factor=2.0, alpha=0.5),
            node("Add", "middle bias", "sum"),
            helper.make_node("Scaled", ["sum"], ["y"], domain="local", factor=3.0, alpha=0.25),
        ], [helper.make_opsetid("", 17), helper.make_opsetid("local", 1)])
    positive = helper.make_graph([node("Sqrt", "x", "root")], "positive", [], [value("root", FLOAT, None)])
    negative = helper.make_graph([node("Neg", "x", "opposite")], "negative", [], [value("opposite", FLOAT, None)])
    chosen = helper.make_function(
        "local", "Chosen", ["x"], ["y"],
        [
            node("ReduceMin", "x", "least", keepdims=0), node("Constant", "", "zero", value_float=0.0),
            node("Greater", "least zero", "is_positive"),
            node("If", "is_positive", "y", then_branch=positive, else_branch=negative),
        ], [helper.make_opsetid("", 17)])
    nodes = [
        helper.make_node("Twice", ["x", "b"], ["t", "m"], domain="local", name="first"),
        helper.make_node("Twice", ["t", "b"], ["u", ""], domain="local", name="second"),
        helper.make_node("Chosen", ["u"], ["y"], domain="local"),
    ]
    data = [[np.array(row, np.float32)] for row in ([1, 2, 3], [-1, -2, 5])]
    save("functions", nodes, [value("x", FLOAT, [3])], [value("y", FLOAT, [3]), value("m", FLOAT, [3])],
         arrays(b=np.array([0.5, 1, -0.25], np.float32)), data, functions=[scaled, twice, chosen], domains=["local"])


def computed_shapes():
    """Shapes from values: Range, Reshape, Expand, Slice and Tile with numbers that are computed or given."""
    nodes = [
        node("ReduceSum", "numbers", "n", keepdims=0),
        node("Range", "zero n one", "counted"),
        node("Unsqueeze", "n first", "n_1"),
        node("Concat", "n_1 minus", "shape", axis=0),
        node("Expand", "column shape_1", "expanded"),
        node("Concat", "one_1 n_1", "shape_1", axis=0),
        node("Slice", "expanded first n_1 axis_1", "sliced"),
        node("Tile", "sliced repeats", "tiled"),
        node("Reshape", "tiled shape", "reshaped"),
        node("Compress", "reshaped mask", "compressed", axis=1),
        node("Unique", "flat_values", "unique index inverse counts", sorted=1),
        node("Flatten", "numbers", "flat_values", axis=0),
    ]
    nodes.insert(4, nodes.pop(5))
    nodes.insert(10, nodes.pop(11))
    initializers = arrays(
        zero=np.array(0), one=np.array(1), first=np.array([0]), minus=np.array([-1]), one_1=np.array([1]),
        axis_1=np.array([1]), column=random.normal(0, 1, (3, 1)).astype(np.float32), repeats=np.array([2, 2]))
    data = [
        [np.array(numbers), np.array(mask)] for numbers, mask in
        (([1, 2, 1], [True, False, True, True]), ([3, 2], [False, False, True]), ([2, 0, 2], [True]))
    ]
    save("computed_shapes", nodes, [value("numbers", INT64, ["k"]), value("mask", BOOL, ["m"])],
         [value("counted", INT64, ["n"]), value("compressed", FLOAT, ["a", "b"]), value("unique", INT64, ["u"]),
          value("counts", INT64, ["u"])], initializers, data)


detector_with_nms()
proposals()
pasted_masks()
nothing_found()
static_branches()
until_small()
scanned()
functions()
computed_shapes()
