"""Arrow in and out: shapes from structs, nulls, and functions for query engines."""

import datafusion
import numpy as np
import phalanx
import polars
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from shapes import KERNELS, KINDS, STORES, arguments, random_shapes

CORNERS = ["ax", "ay", "az", "bx", "by", "bz", "cx", "cy", "cz"]
NORMAL = ["normal_x", "normal_y", "normal_z"]
POINT = pa.struct([(name, pa.float32()) for name in ("x", "y", "z", "separation")] + [("feature", pa.uint8())])
# As SQL has it.
CONTACT = pa.struct(
    [("hit", pa.bool_())]
    + [(name, pa.float32()) for name in (*NORMAL, "separation")]
    + [("points", pa.list_(pa.field("item", POINT)))]
)


def names_of(axes):
    return list("xyzw"[:axes]) if axes < 9 else CORNERS


def struct_of(shapes, how="flat"):
    """Shapes as a struct array: with flat fields, structs within, or lists of a fixed size."""
    fields = {}
    for name, axes in arguments(shapes.kind).items():
        columns = [np.ascontiguousarray(shapes.values[name][:, k]) for k in range(axes)]
        if axes == 1:
            fields[name] = pa.array(columns[0])
        elif how == "flat":
            fields |= {f"{name}_{axis}": pa.array(column) for axis, column in zip(names_of(axes), columns, strict=True)}
        elif how == "nested":
            fields[name] = pa.StructArray.from_arrays([pa.array(column) for column in columns], names_of(axes))
        else:
            flat = pa.array(np.ascontiguousarray(shapes.values[name]).ravel())
            fields[name] = pa.FixedSizeListArray.from_arrays(flat, axes)
    return pa.StructArray.from_arrays(list(fields.values()), list(fields))


def shapes_of(kind, seed=0, n=200, **how):
    return random_shapes(kind, n, np.random.default_rng([seed, KINDS.index(kind)]), **how)


def same_shapes(store, shapes):
    for name in arguments(shapes.kind):
        columns = getattr(store, name)
        for k, column in enumerate(columns if isinstance(columns, tuple) else (columns,)):
            np.testing.assert_array_equal(column, shapes.values[name][:, k])


@pytest.mark.parametrize("how", ["flat", "nested", "lists"])
@pytest.mark.parametrize("kind", KINDS)
def test_stores_from_arrow(kind, how):
    shapes = shapes_of(kind, strange=True)
    array = struct_of(shapes, how)
    same_shapes(STORES[kind].from_arrow(array), shapes)
    batch = pa.RecordBatch.from_struct_array(array)
    same_shapes(STORES[kind].from_arrow(batch), shapes)
    chunked = pa.chunked_array([array[:70], array[70:71], array[71:]])
    same_shapes(STORES[kind].from_arrow(chunked), shapes)
    same_shapes(STORES[kind].from_arrow(pa.Table.from_batches([batch[:9], batch[9:]])), shapes)
    part = STORES[kind].from_arrow(array[50:60])
    np.testing.assert_array_equal(part.displacement[0], shapes.values["displacement"][50:60, 0])


# The columns of each kind as SQL names them, in the order of the core.
SQL = {
    "point": "x y z",
    "sphere": "x y z r",
    "capsule": "x y z ax ay az r",
    "aabb": "min_x min_y min_z max_x max_y max_z",
    "obb": "x y z hx hy hz qx qy qz qw",
    "plane": "nx ny nz d",
    "half_space": "nx ny nz d",
    "triangle": "ax ay az bx by bz cx cy cz",
}


@pytest.mark.parametrize("kind", KINDS)
def test_names_of_sql(kind):
    shapes = shapes_of(kind)
    names = [*SQL[kind].split(), "dx", "dy", "dz"]
    turn = ["turn_x", "turn_y", "turn_z"] if kind == "obb" else []
    array = pa.StructArray.from_arrays([pa.array(column) for column in shapes.columns()], names + turn)
    same_shapes(STORES[kind].from_arrow(array), shapes)
    same_shapes(STORES[kind].from_arrow(pa.RecordBatch.from_struct_array(array), extra="ignore"), shapes)
    # Each argument has short names or full ones.
    mixed = pa.table(
        dict(
            zip(
                [*names[:-3], "displacement_x", "displacement_y", "displacement_z"],
                array.flatten()[: len(names)],
                strict=True,
            )
        )
    )
    np.testing.assert_array_equal(STORES[kind].from_arrow(mixed).displacement, shapes.values["displacement"].T)


def test_structs_are_read_where_they_are():
    x = np.arange(5, dtype=np.float32)
    spheres = phalanx.Spheres.from_arrow(pa.StructArray.from_arrays([pa.array(x)] * 4, list("xyzr")))
    assert spheres.is_view and spheres.displacement is None
    address = np.frombuffer(pa.array(x).buffers()[1], np.float32).ctypes.data
    assert spheres.center[0].ctypes.data == spheres.radius.ctypes.data == address
    array = pa.StructArray.from_arrays([pa.array(x)] * 4, list("xyzr"))
    sliced = phalanx.Spheres.from_arrow(array[2:])
    assert sliced.center[0].tolist() == [2, 3, 4]


def test_an_empty_stream_is_an_empty_store():
    fields = pa.struct([(name, pa.float32()) for name in "xyzr"])
    assert len(phalanx.Spheres.from_arrow(pa.chunked_array([], type=fields))) == 0
    assert len(phalanx.Spheres.from_arrow(pa.array([], type=fields))) == 0


def test_memory_that_is_not_aligned():
    x = pa.py_buffer(b"\0" + np.arange(5, dtype=np.float32).tobytes())[1:]
    column = pa.Array.from_buffers(pa.float32(), 5, [None, x])
    spheres = phalanx.Spheres.from_arrow(pa.StructArray.from_arrays([column] * 4, list("xyzr")))
    assert spheres.radius.tolist() == [0, 1, 2, 3, 4]


def with_nulls(kind, seed, how):
    """A struct array with nulls at all levels, and which rows have one."""
    rng = np.random.default_rng(seed)
    array = struct_of(shapes_of(kind, seed), how)
    is_null = rng.random(len(array)) < 0.1
    fields = []
    for field in array.flatten():
        own = rng.random(len(array)) < 0.02
        fields.append(pa.array(field.to_pylist(), field.type, mask=own))
        is_null |= own
    rows = rng.random(len(array)) < 0.05
    names = [field.name for field in array.type]
    array = pa.StructArray.from_arrays(fields, names, mask=pa.array(is_null & rows))
    return array, np.array([any_null(row) for row in array.to_pylist()])


def any_null(value):
    if isinstance(value, dict):
        return any(any_null(inner) for inner in value.values())
    if isinstance(value, list):
        return any(any_null(inner) for inner in value)
    return value is None


@pytest.mark.parametrize("how", ["flat", "nested", "lists"])
@pytest.mark.parametrize("kind", KINDS)
def test_nulls_have_null_results(kind, how):
    array, is_null = with_nulls(kind, 1, how)
    assert 0 < is_null.sum() < 150
    points = shapes_of("sphere" if kind == "point" else "point", 2)
    asked = STORES[points.kind], struct_of(points)
    overlaps = phalanx.Detector().overlap(STORES[kind].from_arrow(array), asked[0].from_arrow(asked[1]), phalanx.zip())
    np.testing.assert_array_equal(overlaps.invalid, is_null)
    answer = pa.array(overlaps.to_arrow())
    assert answer.type == pa.bool_() and answer.null_count == is_null.sum()
    np.testing.assert_array_equal(np.array(answer.is_null()), is_null)
    function = getattr(phalanx.arrow, f"{kind}_{points.kind}_overlap")
    assert pa.array(function(array, asked[1])).equals(answer)


@pytest.mark.parametrize(("verb", "first", "second"), [kernel for kernel in KERNELS if kernel[0] != "distance"])
def test_functions_return_the_results_of_detectors(verb, first, second):
    for one, other in {(first, second), (second, first)}:
        a, b = shapes_of(one, 3, strange=True), shapes_of(other, 4, strange=True)
        more = {"tolerance": 1e-3} if verb == "impact" else {}
        arrays = struct_of(a, "nested"), struct_of(b, "lists")
        said = pa.array(getattr(phalanx.arrow, f"{one}_{other}_{verb}")(*arrays, margin=0.25, **more))
        detector = phalanx.Detector(margin=0.25)
        answers = getattr(detector, verb)(a.copied(), b.copied(), phalanx.zip(), **more)
        assert said.equals(pa.array(answers.to_arrow()))
        said.validate(full=True)
        np.testing.assert_array_equal(np.array(said.is_null()), answers.invalid)
        assert answers.invalid_count > 0 and answers.count > 0
        known = ~answers.invalid
        if verb == "overlap":
            assert said.fill_null(False).to_pylist() == answers.mask.tolist()
            continue
        rows = said.to_pylist()
        assert [row["hit"] for row in rows if row is not None] == answers.mask[known].tolist()
        if verb == "contact":
            rows = [row for row in rows if row is not None and row["hit"]]
            assert [[row[f"normal_{axis}"] for axis in "xyz"] for row in rows] == answers.normal.tolist()
            assert [row["separation"] for row in rows] == answers.separation.tolist()
            assert [len(row["points"]) for row in rows] == answers.counts.tolist()
            for k, row in enumerate(rows):
                n = answers.counts[k]
                assert [[it[axis] for axis in "xyz"] for it in row["points"]] == answers.points[k, :n].tolist()
                assert [it["separation"] for it in row["points"]] == answers.point_separation[k, :n].tolist()
                assert [it["feature"] for it in row["points"]] == answers.features[k, :n].tolist()
            assert said.type == CONTACT
            missed = said.filter(pc.invert(said.field("hit").fill_null(False)))
            for name in (*NORMAL, "separation", "points"):
                assert missed.field(name).null_count == len(missed)
        for name in {"sweep": ["enter", "exit"], "impact": ["time"]}.get(verb, []):
            column = said.field(name)
            assert column.null_count == answers.invalid_count
            assert column.drop_null().to_pylist() == getattr(answers, name)[known].tolist()


@pytest.mark.parametrize(("first", "second"), [kernel[1:] for kernel in KERNELS if kernel[0] == "distance"])
def test_distance_functions_return_the_bounds_of_detectors(first, second):
    for one, other in {(first, second), (second, first)}:
        a, b = shapes_of(one, 3, strange=True), shapes_of(other, 4, strange=True)
        function = getattr(phalanx.arrow, f"{one}_{other}_distance")
        said = pa.array(function(struct_of(a, "nested"), struct_of(b, "lists")))
        distances = phalanx.Detector().distance(a.copied(), b.copied(), phalanx.zip())
        assert said.equals(pa.array(distances.to_arrow())) and distances.invalid_count > 0
        said.validate(full=True)
        np.testing.assert_array_equal(np.array(said.is_null()), distances.invalid)
        assert said.type == pa.struct({"lower": pa.float32(), "upper": pa.float32(), "settled": pa.bool_()})
        for name in ("lower", "upper", "settled"):
            column = said.field(name)
            assert column.null_count == distances.invalid_count
            assert column.drop_null().to_pylist() == getattr(distances, name)[~distances.invalid].tolist()
        with pytest.raises(ValueError, match="no margin, but the detector's is 0.5"):
            function(struct_of(a), struct_of(b), margin=0.5)


def test_one_row_meets_all():
    a, b = struct_of(shapes_of("sphere", 5)), struct_of(shapes_of("obb", 6))
    one, rows = b[7:8], pa.array(phalanx.arrow.sphere_obb_overlap(a, pa.chunked_array([b[7:8]] * 200)))
    assert pa.array(phalanx.arrow.sphere_obb_overlap(a, one)).equals(rows)
    assert pa.array(phalanx.arrow.obb_sphere_overlap(one, a)).equals(rows)
    assert 0 < sum(rows.to_pylist()) < 200
    rows = pa.array(phalanx.arrow.sphere_obb_distance(a, pa.chunked_array([b[7:8]] * 200)))
    assert pa.array(phalanx.arrow.sphere_obb_distance(a, one)).equals(rows)
    with pytest.raises(ValueError, match="a has 200 rows, but b has 2"):
        phalanx.arrow.sphere_obb_overlap(a, b[:2])


def with_extra(array):
    """A table of a struct array among columns of other types."""
    n = len(array)
    table = pa.Table.from_batches([pa.RecordBatch.from_struct_array(array)])
    extra = {
        "frame": pa.array(range(n), pa.int64()),
        "label": pa.array(["car", None, "van"] * n, pa.string())[:n],
        "kind": pa.array(["a", "b"] * n)[:n].dictionary_encode(),
        "tags": pa.array([["x", "y"], []] * n)[:n],
        "score": pa.array([0.5] * n, pa.float64()),
        "none": pa.nulls(n),
        "when": pa.array([0] * n, pa.timestamp("us", "UTC")),
    }
    for place, (name, column) in enumerate(extra.items()):
        table = table.add_column(2 * place % (table.num_columns + 1), name, column)
    return table


@pytest.mark.parametrize("how", ["flat", "nested", "lists"])
@pytest.mark.parametrize("kind", KINDS)
def test_extra_fields_are_ignored_on_request(kind, how):
    shapes = shapes_of(kind, 10, strange=True)
    table = with_extra(struct_of(shapes, how))
    with pytest.raises(TypeError, match="have no field .*: select the fields of the shape, or pass extra"):
        STORES[kind].from_arrow(table)
    same_shapes(STORES[kind].from_arrow(table, extra="ignore"), shapes)
    chunked = pa.concat_tables([table[:70], table[70:71], table[71:]])
    same_shapes(STORES[kind].from_arrow(chunked, extra="ignore"), shapes)
    batch = table.combine_chunks().to_batches()[0]
    same_shapes(STORES[kind].from_arrow(batch, extra="ignore"), shapes)
    part = STORES[kind].from_arrow(batch.to_struct_array()[50:60], extra="ignore")
    np.testing.assert_array_equal(part.displacement[0], shapes.values["displacement"][50:60, 0])
    # A frame of Polars has string views and categories.
    if how == "flat":
        frame = polars.from_arrow(table).with_columns(polars.col("label").cast(polars.Categorical).alias("category"))
        same_shapes(STORES[kind].from_arrow(frame, extra="ignore"), shapes)


def test_nulls_beside_extra_fields():
    whole = struct_of(shapes_of("sphere", 11))
    rng = np.random.default_rng(12)
    rows, radius = rng.random((2, len(whole))) < 0.1
    names = [field.name for field in whole.type]
    fields = [whole.field(name) for name in names]
    fields[names.index("radius")] = pa.array(whole.field("radius").to_pylist(), pa.float32(), mask=radius)
    labels = pa.array(["x"] * len(whole))
    more = pa.StructArray.from_arrays([labels, *fields], ["label", *names], mask=pa.array(rows))
    for array, is_null in ((more, rows | radius), (more[37:150], (rows | radius)[37:150])):
        spheres = phalanx.Spheres.from_arrow(array, extra="ignore")
        overlaps = phalanx.Detector().overlap(spheres, spheres, phalanx.zip())
        np.testing.assert_array_equal(overlaps.invalid, is_null)


def test_fields_of_a_shape_are_checked_when_extra_ones_are_ignored():
    x = pa.array(np.arange(3, dtype=np.float32))
    with pytest.raises(TypeError, match="Spheres lack the field .radius."):
        phalanx.Spheres.from_arrow(pa.table({"x": x, "y": x, "z": x, "radios": x}), extra="ignore")
    with pytest.raises(TypeError, match="Spheres lack the field .center"):
        phalanx.Spheres.from_arrow(pa.table({"frame": x}), extra="ignore")
    with pytest.raises(TypeError, match="y of Spheres has type Float64, not float32: convert explicitly"):
        phalanx.Spheres.from_arrow(pa.table({"x": x, "y": x.cast("double"), "z": x, "r": x}), extra="ignore")
    # Full names win over short ones, which may be those of something else.
    full = {f"center_{axis}": x for axis in "xyz"} | {"radius": x, "x": pa.array(["a"] * 3)}
    assert phalanx.Spheres.from_arrow(pa.table(full), extra="ignore").center[0].tolist() == [0, 1, 2]


def test_ignored_fields_are_released():
    before = pa.total_allocated_bytes()
    x = pa.array(np.arange(1000, dtype=np.float32))
    table = pa.table({"x": x, "label": pa.array(["abc"] * 1000), "y": x, "z": x, "r": x})
    spheres = phalanx.Spheres.from_arrow(table, extra="ignore")
    assert spheres.is_view and len(spheres) == 1000
    del table, x
    assert (spheres.center[1] == np.arange(1000)).all()
    del spheres
    assert pa.total_allocated_bytes() == before


def test_bad_arrays_are_named():
    x = pa.array(np.zeros(3, np.float32))
    good = pa.StructArray.from_arrays([x] * 4, list("xyzr"))
    asked = phalanx.Spheres.from_arrow
    with pytest.raises(TypeError, match="Spheres lack the field .radius.*"):
        asked(pa.StructArray.from_arrays([x] * 3, list("xyz")))
    with pytest.raises(TypeError, match="Spheres lack the field .z.*"):
        asked(pa.StructArray.from_arrays([x] * 3, list("xyr")))
    with pytest.raises(TypeError, match="lack the field .displacement_z"):
        asked(pa.StructArray.from_arrays([x] * 6, [*"xyzr", "displacement_x", "displacement_y"]))
    names = (
        r"center_x, center_y, center_z \(or x, y, z\), radius \(or r\); optional displacement_x, .* \(or dx, dy, dz\)"
    )
    with pytest.raises(TypeError, match="lack the field .radius.; they have " + names):
        asked(pa.StructArray.from_arrays([x] * 3, list("xyz")))
    with pytest.raises(TypeError, match="have no field .displacment_x.: select .*, or pass extra=.ignore.*" + names):
        asked(pa.StructArray.from_arrays([x] * 5, [*"xyzr", "displacment_x"]))
    with pytest.raises(TypeError, match="center of Spheres has no field .w.; it has x, y, z"):
        inner = pa.StructArray.from_arrays([x] * 4, list("xyzw"))
        asked(pa.StructArray.from_arrays([inner, x], ["center", "radius"]))
    with pytest.raises(ValueError, match='extra is "drop", not "error" or "ignore"'):
        asked(good, extra="drop")
    with pytest.raises(TypeError, match="lack the field .center.z"):
        inner = pa.StructArray.from_arrays([x] * 2, list("xy"))
        asked(pa.StructArray.from_arrays([inner, x], ["center", "radius"]))
    with pytest.raises(TypeError, match="y of Spheres has type Float64, not float32"):
        asked(pa.StructArray.from_arrays([x, x.cast("double"), x, x], list("xyzr")))
    with pytest.raises(TypeError, match="center of Spheres has type Utf8"):
        asked(pa.StructArray.from_arrays([pa.array(["a"] * 3), x], ["center", "radius"]))
    with pytest.raises(TypeError, match="has lists of 2, not of 3"):
        lists = pa.FixedSizeListArray.from_arrays(pa.array(np.zeros(6, np.float32)), 2)
        asked(pa.StructArray.from_arrays([lists, x], ["center", "radius"]))
    with pytest.raises(TypeError, match="Spheres are made of a struct array, not of Float32"):
        asked(x)
    for bad in (3, None, "abc", np.zeros(3), [1.0]):
        with pytest.raises(TypeError, match="Spheres are made of what exports Arrow"):
            asked(bad)
    with pytest.raises(TypeError, match="an impact needs a tolerance"):
        phalanx.arrow.sphere_obb_impact(good, struct_of(shapes_of("obb"))[:3])
    with pytest.raises(ValueError, match="margin is .*, not between 0"):
        phalanx.arrow.sphere_overlap(good, good, margin=-1)
    with pytest.raises(AttributeError):
        phalanx.arrow.plane_plane_overlap  # noqa: B018


# One line for each engine.


def tables():
    a, b = struct_of(shapes_of("sphere", 8), "nested"), struct_of(shapes_of("sphere", 9), "nested")
    index = pa.array(range(len(a)))
    rows = np.array(pa.array(phalanx.arrow.sphere_overlap(a, b)))
    assert 0 < rows.sum() < len(rows)
    return pa.table({"id": index, "a": a, "b": b}), np.flatnonzero(rows).tolist()


def test_datafusion():
    table, hits = tables()
    context = datafusion.SessionContext()
    context.from_arrow(table, name="pairs")
    kind = table.schema.field("a").type
    context.register_udf(
        datafusion.udf(phalanx.arrow.sphere_overlap, [kind, kind], pa.bool_(), "immutable", "sphere_overlap")
    )
    found = context.sql("SELECT id FROM pairs WHERE sphere_overlap(a, b) ORDER BY id").to_arrow_table()
    assert found["id"].to_pylist() == hits


def test_polars():
    table, hits = tables()
    overlap = polars.map_batches(
        ["a", "b"], lambda s: polars.Series(phalanx.arrow.sphere_overlap(*s)), return_dtype=polars.Boolean
    )
    assert polars.from_arrow(table).filter(overlap)["id"].to_list() == hits


def test_record_batches_as_spark_maps_them():
    table, hits = tables()

    def touching(batches):
        for batch in batches:
            yield batch.filter(pa.array(phalanx.arrow.sphere_overlap(batch["a"], batch["b"])))

    found = pa.Table.from_batches(touching(table.to_batches(max_chunksize=64)))
    assert found["id"].to_pylist() == hits
