"""Makes two networks whose classes are the means of a picture's channels.

Tests/Fixtures/tflite/labelled.tflite has metadata that normalizes pictures and names the classes in a file of the
appended archive. parameters.tflite has the parameters of Silicon Labs' MLTK, which standardize each picture and name
the classes.

    pip install ai-edge-litert==2.3.0 numpy flatbuffers
    python Tests/Fixtures/make_tflite_metadata.py

Reference: https://ai.google.dev/edge/litert/models/metadata and mltk/core/tflite_model_parameters of
https://github.com/SiliconLabs/mltk
"""

import io
import pathlib
import zipfile

import flatbuffers
from ai_edge_litert import schema_py_generated as schema

from tflite_models import Array, constant, model

LABELS = "red\ngreen\nblue\n"
# Fields by their numbers in metadata_schema.fbs.
SUBGRAPHS, INPUTS, OUTPUTS, STEPS, FILES = 3, 2, 3, 4, 6
NORMALIZATION, AXIS_LABELS = 1, 2


def table(builder, field_count, **fields):
    """A table of offsets, and of bytes where a field's name begins with byte."""
    builder.StartObject(field_count)
    for name, value in fields.items():
        slot = int(name.split("_")[1])
        if name.startswith("byte"):
            builder.PrependUint8Slot(slot, value, 0)
        else:
            builder.PrependUOffsetTRelativeSlot(slot, value, 0)
    return builder.EndObject()


def vector(builder, offsets):
    builder.StartVector(4, len(offsets), 4)
    for offset in reversed(offsets):
        builder.PrependUOffsetTRelative(offset)
    return builder.EndVector()


def floats(builder, numbers):
    builder.StartVector(4, len(numbers), 4)
    for number in reversed(numbers):
        builder.PrependFloat32(number)
    return builder.EndVector()


def metadata():
    builder = flatbuffers.Builder(256)
    normalization = table(builder, 2, offset_0=floats(builder, [127.5]), offset_1=floats(builder, [127.5]))
    step = table(builder, 2, byte_0=NORMALIZATION, offset_1=normalization)
    picture = table(builder, 7, **{f"offset_{STEPS}": vector(builder, [step])})
    file = table(builder, 3, offset_0=builder.CreateString("labels.txt"), byte_2=AXIS_LABELS)
    classes = table(builder, 7, **{f"offset_{FILES}": vector(builder, [file])})
    inputs, outputs = vector(builder, [picture]), vector(builder, [classes])
    graph = table(builder, 4, **{f"offset_{INPUTS}": inputs, f"offset_{OUTPUTS}": outputs})
    builder.Finish(table(builder, 4, **{f"offset_{SUBGRAPHS}": vector(builder, [graph])}), b"M001")
    return bytes(builder.Output())


def parameters():
    """A dictionary: entries with a key, the kind of their value, and a table whose only field is the value."""
    boolean, number, text, texts = 1, 11, 12, 13
    builder = flatbuffers.Builder(256)
    entries = []

    def entry(key, kind, add):
        key = builder.CreateString(key)
        builder.StartObject(1)
        add()
        value = builder.EndObject()
        entries.append(table(builder, 3, offset_0=key, byte_1=kind, offset_2=value))

    name = builder.CreateString("means")
    names = vector(builder, [builder.CreateString(label) for label in LABELS.split()])
    entry("name", text, lambda: builder.PrependUOffsetTRelativeSlot(0, name, 0))
    entry("classes", texts, lambda: builder.PrependUOffsetTRelativeSlot(0, names, 0))
    entry("samplewise_norm.rescale", number, lambda: builder.PrependFloat64Slot(0, 0.5, 0.0))
    entry("samplewise_norm.mean_and_std", boolean, lambda: builder.PrependBoolSlot(0, True, False))
    builder.Finish(table(builder, 2, byte_0=1, offset_1=vector(builder, entries)))
    return bytes(builder.Output())


def network(name, description):
    """The network with an entry in its metadata."""
    content = model("MEAN", [Array([1, 4, 4, 3]), constant([1, 2])], [Array([1, 3])],
                    ("ReducerOptions", {"keepDims": False}))
    root = schema.ModelT.InitFromPackedBuf(content, 0)
    buffer, entry = schema.BufferT(), schema.MetadataT()
    buffer.data = list(description)
    entry.name, entry.buffer = name, len(root.buffers)
    root.buffers.append(buffer)
    root.metadata = [entry]
    builder = flatbuffers.Builder(1024)
    builder.Finish(root.Pack(builder), b"TFL3")
    return bytes(builder.Output())


def labelled():
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_STORED) as file:
        file.writestr(zipfile.ZipInfo("labels.txt"), LABELS)
    return network("TFLITE_METADATA", metadata()) + archive.getvalue()


if __name__ == "__main__":
    folder = pathlib.Path(__file__).parent / "tflite"
    (folder / "labelled.tflite").write_bytes(labelled())
    (folder / "parameters.tflite").write_bytes(network("SL_PARAMSv1", parameters()))
