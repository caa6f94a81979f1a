"""Arrow exporters that contradict themselves, fail or were taken: exceptions, no stray read and no panic."""

import ctypes
import os

import numpy as np
import phalanx
import pyarrow as pa
import pytest
from child import child

F = np.float32


class Exporter:
    """The schema of one array and the memory of another."""

    def __init__(self, schema, array):
        self.schema, self.array = schema, array

    def __arrow_c_array__(self, requested_schema=None):
        return self.schema.__arrow_c_array__()[0], self.array.__arrow_c_array__()[1]


def column(n=3):
    return pa.array(np.ones(n, F))


def struct(names, *columns):
    columns = columns or [column() for _ in names]
    return pa.StructArray.from_arrays(columns, list(names))


def lists(each, n=3):
    return pa.FixedSizeListArray.from_arrays(column(each * n), each)


def nested(inner="xyz", *columns):
    return struct(["center", "radius"], struct(inner, *columns), column())


def listed(values):
    return struct(["center", "radius"], values, column())


@pytest.mark.parametrize(
    ("schema", "array"),
    [
        (struct("xyzr"), struct("xyz")),
        (struct("xyzr"), struct("x")),
        (struct("xyzr"), struct("xyzrw")),
        (struct("xyzr"), column()),
        (struct("xyzr"), struct("xyzr", column(), column(), struct("x"), column())),
        (struct("xyzr"), struct("xyzr", column(), column(), pa.array(["a", "b", "c"]), column())),
        (struct("xyzr"), struct("xyzr", column(), column(), pa.nulls(3), column())),
        (nested(), nested("xy")),
        (nested(), nested("xyzw")),
        (nested(), listed(column())),
        (nested(), listed(lists(3))),
        (nested(), struct(["center"], struct("xyz"))),
        (nested(), nested("xyz", column(), column(), lists(3))),
        (listed(lists(3)), listed(column())),
        (listed(lists(3)), listed(struct("xyz"))),
        (listed(lists(3)), listed(lists(2))),
        (listed(lists(3)), struct(["center"], lists(3))),
        (struct("xyzr"), pa.array(["a", "b", "c"])),
        (struct("xyzr"), pa.nulls(3)),
        (struct("xyzr"), pa.array([[1.0], [2.0], [3.0]])),
    ],
)
def test_a_schema_of_another_array_is_a_value_error(schema, array):
    exporter = Exporter(schema, array)
    for extra in ("error", "ignore"):
        with pytest.raises(ValueError):
            phalanx.Spheres.from_arrow(exporter, extra=extra)
    with pytest.raises(ValueError):
        phalanx.arrow.sphere_overlap(exporter, struct("xyzr"))
    assert len(phalanx.Spheres.from_arrow(Exporter(schema, schema))) == 3


class Schema(ctypes.Structure):
    """struct ArrowSchema of the C data interface."""


Schema._fields_ = [
    ("format", ctypes.c_void_p),
    ("name", ctypes.c_void_p),
    ("metadata", ctypes.c_void_p),
    ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("children", ctypes.POINTER(ctypes.POINTER(Schema))),
    ("dictionary", ctypes.POINTER(Schema)),
    ("release", ctypes.c_void_p),
    ("private_data", ctypes.c_void_p),
]


class Array(ctypes.Structure):
    """struct ArrowArray of the C data interface."""


Array._fields_ = [
    ("length", ctypes.c_int64),
    ("null_count", ctypes.c_int64),
    ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(Array))),
    ("dictionary", ctypes.POINTER(Array)),
    ("release", ctypes.c_void_p),
    ("private_data", ctypes.c_void_p),
]


def inside(capsule, kind, name):
    """The struct that a capsule holds."""
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return kind.from_address(pointer(capsule, name))


FORGET = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda _: None)
TEXTS = []


class Edited:
    """An exporter whose structs are edited before they go out, and which are never given back."""

    def __init__(self, array, path, values):
        self.array, self.path, self.values = array, path, values

    def __arrow_c_array__(self, requested_schema=None):
        capsules = self.array.__arrow_c_array__()
        tops = {
            "schema": inside(capsules[0], Schema, b"arrow_schema"),
            "array": inside(capsules[1], Array, b"arrow_array"),
        }
        for top in tops.values():
            top.release = ctypes.cast(FORGET, ctypes.c_void_p)
        which, *children = self.path
        at = tops[which]
        for index in children:
            at = at.children[index].contents
        for name, value in self.values.items():
            if isinstance(value, bytes):
                TEXTS.append(ctypes.create_string_buffer(value))
                value = ctypes.addressof(TEXTS[-1])
            setattr(at, name, type(at.children)() if name == "children" else value)
        return capsules


CONTRADICTIONS = [
    (struct("xyzr"), ["schema"], {"n_children": 3}),
    (struct("xyzr"), ["schema"], {"n_children": 0}),
    (struct("xyzr"), ["schema"], {"n_children": -1}),
    (struct("xyzr"), ["schema"], {"n_children": 0, "children": None}),
    (struct("xyzr"), ["schema"], {"children": None}),
    (struct("xyzr"), ["schema"], {"format": None}),
    (struct("xyzr"), ["schema"], {"format": b"\xff"}),
    (struct("xyzr"), ["schema"], {"format": b"+l"}),
    (struct("xyzr"), ["schema", 1], {"format": b"+l"}),
    (struct("xyzr"), ["schema", 1], {"format": b"+L"}),
    (struct("xyzr"), ["schema", 1], {"format": b"+vl"}),
    (struct("xyzr"), ["schema", 1], {"format": b"+m"}),
    (struct("xyzr"), ["schema", 1], {"format": b"+r"}),
    (struct("xyzr"), ["schema", 1], {"format": b"+w:3"}),
    (struct("xyzr"), ["schema", 1], {"format": b"+ud:0"}),
    (struct("xyzr"), ["schema", 1], {"format": b"+us:0"}),
    (struct("xyzr"), ["schema", 1], {"format": b"w:-1"}),
    (struct("xyzr"), ["schema", 1], {"format": None}),
    (struct("xyzr"), ["schema", 1], {"name": b"\xff"}),
    (struct("xyzr"), ["schema", 1], {"n_children": 1}),
    (struct("xyzr"), ["schema", 1], {"n_children": -1}),
    (listed(lists(3)), ["schema", 0], {"n_children": 0}),
    (listed(lists(3)), ["schema", 0], {"children": None}),
    (listed(lists(3)), ["schema", 0], {"format": b"+w:-3"}),
    (struct("xyzr"), ["array"], {"n_children": 3}),
    (struct("xyzr"), ["array"], {"n_children": -1}),
    (struct("xyzr"), ["array"], {"children": None}),
    (struct("xyzr"), ["array"], {"length": -1}),
    (struct("xyzr"), ["array"], {"offset": -1}),
    (struct("xyzr"), ["array"], {"offset": 2**62}),
    (struct("xyzr"), ["array"], {"length": 2**63 - 1, "offset": 2**63 - 1}),
    (struct("xyzr"), ["array"], {"length": 4}),
    (struct("xyzr"), ["array"], {"offset": 1}),
    (struct("xyzr"), ["array", 3], {"length": 2}),
    (struct("xyzr"), ["array", 3], {"length": -1}),
    (struct("xyzr"), ["array", 3], {"offset": -1}),
    (struct("xyzr"), ["array", 3], {"n_buffers": 0}),
    (struct("xyzr"), ["array", 3], {"n_buffers": 1}),
    (struct("xyzr"), ["array", 3], {"n_buffers": -1}),
    (struct("xyzr"), ["array", 3], {"n_children": 1}),
    (struct("xyzr"), ["array", 3], {"n_children": -1}),
    (nested(), ["array", 0], {"n_children": 2}),
    (nested(), ["array", 0], {"length": 2}),
    (nested(), ["array", 0, 2], {"length": 2}),
    (listed(lists(3)), ["array", 0], {"n_children": 0}),
    (listed(lists(3)), ["array", 0], {"children": None}),
    (listed(lists(3)), ["array", 0, 0], {"length": 8}),
    (listed(lists(3)), ["array", 0], {"length": 2**62}),
]


def test_structs_that_contradict_themselves_are_exceptions():
    # In a child: a contradiction that is missed may read any memory.
    said = child(f"""
import itertools, os, sys
sys.path.insert(0, {os.path.dirname(__file__)!r})
import phalanx
from test_exporters import CONTRADICTIONS, Edited
for case, extra in itertools.product(CONTRADICTIONS, ("error", "ignore")):
    print(case[1:], extra, end=" ", flush=True)
    try:
        print("made", phalanx.Spheres.from_arrow(Edited(*case), extra=extra), flush=True)
    except (TypeError, ValueError) as error:
        print(type(error).__name__, error, flush=True)
    except BaseException as error:
        print("panic", error, flush=True)
os._exit(0)
""")
    lines = said.splitlines()
    assert len(lines) == 2 * len(CONTRADICTIONS)
    assert not [line for line in lines if "TypeError" not in line and "ValueError" not in line]


def test_capsules_that_were_taken_are_a_value_error():
    class Again:
        def __init__(self, *capsules):
            self.capsules = capsules

        def __arrow_c_array__(self, requested_schema=None):
            return self.capsules

    schema, array = struct("xyzr").__arrow_c_array__()
    assert len(phalanx.Spheres.from_arrow(Again(schema, array))) == 3
    with pytest.raises(ValueError, match="the Arrow data have been taken already"):
        phalanx.Spheres.from_arrow(Again(schema, array))
    stream = pa.chunked_array([struct("xyzr")]).__arrow_c_stream__()
    pa.ChunkedArray._import_from_c_capsule(stream)

    class Stream:
        def __arrow_c_stream__(self, requested_schema=None):
            return stream

    with pytest.raises(ValueError, match="the Arrow data have been taken already"):
        phalanx.Spheres.from_arrow(Stream())


def test_a_schema_that_was_taken_is_a_value_error():
    # In a child: the memory of its format is gone.
    said = child(f"""
import os, sys
sys.path.insert(0, {os.path.dirname(__file__)!r})
import phalanx, pyarrow as pa
from test_exporters import struct
schema, array = struct("xyzr").__arrow_c_array__()
pa.Array._import_from_c_capsule(schema, array)
class Again:
    def __arrow_c_array__(self, requested_schema=None):
        return schema, struct("xyzr").__arrow_c_array__()[1]
try:
    print("made", phalanx.Spheres.from_arrow(Again()))
except ValueError as error:
    print(error)
""")
    assert said == "the Arrow data have been taken already\n"


def reader(batches):
    return pa.RecordBatchReader.from_batches(batch().schema, batches)


def batch(names="xyzr"):
    return pa.RecordBatch.from_struct_array(struct(names))


def test_an_error_within_a_stream_keeps_its_text():
    def failing():
        yield batch()
        raise ValueError("the disk is full of sand")

    with pytest.raises(ValueError, match="chunk 1 of the Arrow stream failed: .*the disk is full of sand"):
        phalanx.Spheres.from_arrow(reader(failing()))
    with pytest.raises(ValueError, match="chunk 0 of the Arrow stream failed: .*no such thing"):
        phalanx.arrow.sphere_overlap(reader(no_such_thing()), struct("xyzr"))


def no_such_thing():
    yield from ()
    raise KeyError("no such thing")


def test_a_stream_without_a_schema_keeps_the_text_of_its_error():
    numbers, texts = [], []

    class Stream(ctypes.Structure):
        """struct ArrowArrayStream of the C stream interface."""

    get = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
    text_of = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)
    free = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
    Stream._fields_ = [
        ("get_schema", get),
        ("get_next", get),
        ("get_last_error", text_of),
        ("release", free),
        ("private_data", ctypes.c_void_p),
    ]
    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    text = ctypes.create_string_buffer(b"no schema \xff today")

    def release(at):
        Stream.from_address(at).release = free()

    for last_error in (lambda _: ctypes.addressof(text), lambda _: None):
        stream = Stream(get(lambda *_: 5), get(lambda *_: 5), text_of(last_error), free(release))

        class Source:
            def __arrow_c_stream__(self, requested_schema=None, stream=stream):
                return new(ctypes.addressof(stream), b"arrow_array_stream", None)

        with pytest.raises(ValueError) as raised:
            phalanx.Spheres.from_arrow(Source())
        texts.append(str(raised.value))
        numbers.append(stream)
    assert texts[0] == "the schema of the Arrow stream failed: no schema \ufffd today (error 5)"
    assert texts[1] == "the schema of the Arrow stream failed: error 5"


def test_a_stream_whose_chunks_have_another_schema_is_a_value_error():
    for names in ("xyz", "xyzrw", "x"):
        with pytest.raises(ValueError):
            phalanx.Spheres.from_arrow(reader(iter([batch(), batch(names)])))
