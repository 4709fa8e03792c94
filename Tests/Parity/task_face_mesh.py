"""Writes the points that MediaPipe's own graph finds in crops of faces, as JSON: run in an environment of its own.

    python Tests/Parity/task_face_mesh.py PICTURE…

The region of interest is the whole crop, of 192 × 192 pixels.
"""

import json
import pathlib
import sys

import mediapipe
import numpy as np
from mediapipe.calculators.core import constant_side_packet_calculator_pb2  # noqa: F401, options of the graph below
from mediapipe.framework.formats import rect_pb2
from mediapipe.python._framework_bindings import resource_util
from mediapipe.python._framework_bindings.calculator_graph import CalculatorGraph
from PIL import Image

GRAPH = """
input_stream: "image"
input_stream: "region"
output_stream: "landmarks"
node {
  calculator: "ConstantSidePacketCalculator"
  output_side_packet: "PACKET:attention"
  options: { [mediapipe.ConstantSidePacketCalculatorOptions.ext]: { packet { bool_value: true } } }
}
node {
  calculator: "FaceLandmarkCpu"
  input_stream: "IMAGE:image"
  input_stream: "ROI:region"
  input_side_packet: "WITH_ATTENTION:attention"
  output_stream: "LANDMARKS:landmarks"
}
"""

resource_util.set_resource_dir(str(pathlib.Path(mediapipe.__file__).parents[1]))
graph, points = CalculatorGraph(graph_config=GRAPH), []
graph.observe_output_stream(
    "landmarks", lambda _, packet: points.append(
        [[point.x, point.y, point.z] for point in mediapipe.packet_getter.get_proto(packet).landmark]))
graph.start_run()
region = rect_pb2.NormalizedRect(x_center=0.5, y_center=0.5, width=1, height=1, rotation=0)
for time, path in enumerate(sys.argv[1:]):
    pixels = np.ascontiguousarray(Image.open(path).convert("RGB"))
    frame = mediapipe.ImageFrame(image_format=mediapipe.ImageFormat.SRGB, data=pixels)
    graph.add_packet_to_input_stream("image", mediapipe.packet_creator.create_image_frame(frame).at(time))
    graph.add_packet_to_input_stream("region", mediapipe.packet_creator.create_proto(region).at(time))
graph.wait_until_idle()
json.dump({"version": mediapipe.__version__, "points": points}, sys.stdout)
