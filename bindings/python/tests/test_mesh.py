"""Meshes: results of their triangles, edges, placement, and bad input."""

import threading

import numpy as np
import phalanx
import pytest
from shapes import BOUNDED, KERNELS, random_shapes, rotated
from test_bad_input import strange_values

F = np.float32
NONE = 2**32 - 1
# Two squares of two triangles each, and a valley between them.
VERTICES = np.array([[-1, 0, 1], [-1, 1, 1], [0, 0, 0], [0, 1, 0], [1, 0, 1], [1, 1, 1]], F)
FACES = np.array([[0, 2, 3], [0, 3, 1], [2, 4, 5], [2, 5, 3]])
VALLEY = phalanx.Mesh(VERTICES, FACES)
PARTNERS = sorted({kind for _, *pair in KERNELS if "triangle" in pair for kind in pair})


def grid(n, rng, noise=0.2):
    """A bumpy square of 2 n² triangles around the origin, 8 wide."""
    x, y = np.meshgrid(np.linspace(-4, 4, n + 1), np.linspace(-4, 4, n + 1), indexing="ij")
    vertices = np.stack([x, y, rng.normal(0, noise, x.shape)], 2).reshape(-1, 3).astype(F)
    at = np.arange((n + 1) ** 2).reshape(n + 1, n + 1)
    a, b, c, d = at[:-1, :-1], at[1:, :-1], at[1:, 1:], at[:-1, 1:]
    faces = np.concatenate([np.stack([a, b, c], 2), np.stack([a, c, d], 2)]).reshape(-1, 3)
    return vertices, faces


def octahedron():
    """A closed mesh of eight triangles whose normals point outwards."""
    vertices = (np.concatenate([np.eye(3), -np.eye(3)]) * 1.1).astype(F)
    faces = [[x, y, z] for x in (0, 3) for y in (1, 4) for z in (2, 5)]
    return vertices, np.array([f if np.linalg.det(vertices[f]) > 0 else f[::-1] for f in faces])


def same(x, y):
    for name in ("hits", "mask", "invalid", "enter", "exit", "index", "store", "lower", "upper", "at_a", "at_b"):
        if hasattr(x, name):
            np.testing.assert_array_equal(getattr(x, name), getattr(y, name))


@pytest.mark.parametrize("displacement", [None, (0.5, -0.25, 1.0)])
@pytest.mark.parametrize("kind", PARTNERS)
def test_a_mesh_answers_as_its_triangles(kind, displacement):
    rng = np.random.default_rng([20, PARTNERS.index(kind)])
    vertices, faces = grid(9, rng)
    mesh = phalanx.Mesh(vertices, faces, displacement=displacement)
    corners = vertices[faces]
    motion = None if displacement is None else tuple(map(float, displacement))
    triangles = phalanx.Triangles(corners, displacement=motion)
    shapes = random_shapes(kind, 70, rng, strange=True, turning=False).copied()
    detector = phalanx.Detector(margin=0.05)
    pairs = np.stack(np.meshgrid(np.arange(70), np.arange(len(faces)), indexing="ij"), 2).reshape(-1, 2)
    for verb in ("overlap", "sweep"):
        answers = getattr(detector, verb)(shapes, mesh, pairs)
        same(answers, getattr(detector, verb)(shapes, triangles, pairs))
        assert answers.count > 0 and answers.invalid_count > 0
        if (kind, verb) != ("triangle", "sweep"):  # In either order the answers may differ, within the band.
            same(getattr(detector, verb)(mesh, shapes, pairs[:, ::-1]), answers)
    plain, answers = phalanx.Detector(), []
    for x, y, order in ((shapes, mesh, pairs), (shapes, triangles, pairs), (mesh, shapes, pairs[:, ::-1])):
        answers.append(plain.distance_points(x, y, order))
    for k in range(2):
        same(answers[0][k], answers[1][k])
    if kind != "triangle":
        same(answers[0][0], answers[2][0])
    for during in ("start", "frame"):
        boxes, expected = mesh.bounds(during), triangles.bounds(during)
        np.testing.assert_array_equal(boxes.min, expected.min)
        np.testing.assert_array_equal(boxes.max, expected.max)
    if kind not in BOUNDED:
        return
    with pytest.warns(RuntimeWarning, match="invalid shapes"):
        keys = rng.integers(0, 3, 70), rng.integers(0, 3, len(faces))
        for during in ("start", "frame", "way"):
            near = detector.candidates(shapes, mesh, during)
            np.testing.assert_array_equal(near, detector.candidates(shapes, triangles, during))
            equal = keys[0][near[:, 0]] == keys[1][near[:, 1]]
            np.testing.assert_array_equal(detector.candidates(shapes, mesh, during, keys=keys), near[equal])
        for _ in range(3):
            firsts = detector.first_hits(shapes, mesh)
            same(firsts, detector.first_hits(shapes, triangles))
            assert firsts.count > 0
        same(detector.first_hits(shapes, VALLEY, mesh), detector.first_hits(shapes, VALLEY, triangles))
        same(detector.first_hits(mesh, shapes), detector.first_hits(triangles, shapes))
        for _ in range(3):
            same(plain.nearest(shapes, mesh, 0.5), plain.nearest(shapes, triangles, 0.5))
        assert plain.nearest(shapes, mesh, 0.5).count > 0
        same(plain.nearest(mesh, shapes, 0.5), plain.nearest(triangles, shapes, 0.5))
        for during in ("start", "frame"):
            same(detector.meets_any(shapes, mesh, during), detector.meets_any(shapes, triangles, during))


def test_pairs_within_a_mesh_are_listed_once():
    mesh = phalanx.Mesh(*grid(5, np.random.default_rng(21)))
    triangles, detector = mesh.triangles(), phalanx.Detector()
    pairs = detector.candidates(mesh, mesh)
    assert len(pairs) > 50 and (pairs[:, 0] < pairs[:, 1]).all()
    np.testing.assert_array_equal(pairs, detector.candidates(triangles, triangles))
    keys = np.arange(50) // 10
    equal = keys[pairs[:, 0]] == keys[pairs[:, 1]]
    np.testing.assert_array_equal(detector.candidates(mesh, mesh, keys=keys), pairs[equal])


def test_attributes():
    assert len(VALLEY) == 4 and repr(VALLEY) == "<phalanx.Mesh of 4 triangles>" and not VALLEY.is_view
    assert VALLEY.faces.dtype == np.uint32 and VALLEY.corners.dtype == F
    np.testing.assert_array_equal(VALLEY.faces, FACES)
    np.testing.assert_array_equal(VALLEY.corners, VERTICES[FACES])
    half = F(0.5) ** F(0.5)
    np.testing.assert_allclose(VALLEY.normals, [[half, 0, half]] * 2 + [[-half, 0, half]] * 2, rtol=1e-6)
    assert VALLEY.normals.dtype == F
    assert VALLEY.displacement.tolist() == [0, 0, 0] and VALLEY.flatness == F(1e-3)
    assert (VALLEY.body == NONE).all() and (VALLEY.groups == NONE).all() and VALLEY.groups.shape == (4, 2)
    VALLEY.validate()
    boxes = VALLEY.bounds()
    assert isinstance(boxes, phalanx.Aabbs) and len(boxes) == 4 and (boxes.min[2] <= 0).all()
    # Arrays are copies.
    VALLEY.corners[0] = 9
    np.testing.assert_array_equal(VALLEY.corners, VERTICES[FACES])


def test_sides():
    """A sphere whose center is below a sheet is pushed up by a ground, and down by a sheet."""
    corners = np.array([[0, 0, 0], [4, 0, 0], [0, 4, 0]], F)
    spheres = phalanx.Spheres([[1, 1, -0.25]], [0.5])
    for sides, up, depth in [("front", -1, 0.75), ("both", 1, 0.25)]:
        mesh = phalanx.Mesh(corners, [[0, 1, 2]], sides=sides)
        assert mesh.sides == mesh.copy().sides == sides
        contacts = phalanx.Detector().contact(spheres, mesh, [[0, 0]])
        np.testing.assert_allclose(contacts.normal[:, 2], up, rtol=1e-5)
        np.testing.assert_allclose(contacts.separation, -depth, rtol=1e-3)
    assert VALLEY.sides == "front"
    with pytest.raises(ValueError, match="sides is"):
        phalanx.Mesh(corners, [[0, 1, 2]], sides="back")


def test_edges_of_a_valley():
    neighbours, kinds = VALLEY.edges()
    assert neighbours.dtype == np.int64 and kinds.dtype == np.uint8
    assert neighbours.tolist() == [[-1, 3, 1], [0, -1, -1], [-1, -1, 3], [2, -1, 0]]
    border, flat, concave = phalanx.EdgeKind.BORDER, phalanx.EdgeKind.FLAT, phalanx.EdgeKind.CONCAVE
    expected = [[border, concave, flat], [flat, border, border], [border, border, flat], [flat, border, concave]]
    assert kinds.tolist() == expected
    assert phalanx.EdgeKind(kinds[0, 1]).name == "CONCAVE"
    # The same surface from below, and with a flatness above its angle.
    assert (phalanx.Mesh(VERTICES, FACES[:, ::-1]).edges()[1] == phalanx.EdgeKind.CONVEX).sum() == 2
    slight = VERTICES * F([1, 1, 0.1])
    assert (phalanx.Mesh(slight, FACES).edges()[1] == concave).sum() == 2
    assert (phalanx.Mesh(slight, FACES, flatness=0.25).edges()[1] == flat).sum() == 6


def test_a_soup_has_the_neighbours_of_its_coordinates():
    vertices, faces = octahedron()
    expected = phalanx.Mesh(vertices, faces).edges()
    soup = phalanx.Mesh(vertices[faces].reshape(-1, 3), np.arange(24).reshape(8, 3)).edges()
    np.testing.assert_array_equal(soup, expected)
    assert (expected[0] >= 0).all() and (expected[1] == phalanx.EdgeKind.CONVEX).all()


@pytest.mark.parametrize("dtype", ["f4", "f2", ">f4", "i1", "u1", "i2", ">u2"])
def test_vertices_of_any_dtype_that_float32_holds(dtype):
    vertices = np.abs(VERTICES).astype(dtype)
    mesh = phalanx.Mesh(vertices, FACES)
    np.testing.assert_array_equal(mesh.corners, np.abs(VERTICES)[FACES])
    raw = np.zeros(vertices.nbytes + 1, np.uint8)[1:].view(dtype).reshape(vertices.shape)
    raw[...] = vertices
    for layout in (np.asfortranarray(vertices), raw, np.repeat(vertices, 2, 0)[::2], vertices.tolist()):
        np.testing.assert_array_equal(phalanx.Mesh(layout, FACES).corners, mesh.corners)


def test_numbers_of_python_are_rounded_to_the_nearest():
    vertices = np.random.default_rng(22).normal(size=(40, 3))
    faces = np.random.default_rng(23).permutation(39).reshape(13, 3)
    for given in (vertices.tolist(), tuple(map(tuple, vertices.tolist()))):
        np.testing.assert_array_equal(phalanx.Mesh(given, faces).corners, vertices.astype(F)[faces])


@pytest.mark.parametrize("dtype", ["f8", ">f8", "longdouble", "i4", "i8", "u8"])
def test_arrays_that_float32_does_not_hold_are_refused(dtype):
    # Coordinates of a map: float32 has steps of half a meter there.
    vertices = (VERTICES.astype(float) + [466_000, 5_427_000, 100]).astype(dtype)
    mesh = VALLEY.copy()
    three, four = np.zeros(3, dtype), np.ones(4, dtype)
    advice = r"has dtype \S+, not float32: convert explicitly"
    for name, call in [
        ("vertices", lambda: phalanx.Mesh(vertices, FACES)),
        ("vertices", lambda: phalanx.Mesh(list(vertices), FACES)),
        ("displacement", lambda: phalanx.Mesh(VERTICES, FACES, displacement=three)),
        ("displacement", lambda: mesh.set_displacement(three)),
        ("position", lambda: mesh.place(VALLEY, three, (0, 0, 0, 1))),
        ("rotation", lambda: mesh.place(VALLEY, (0, 0, 0), four)),
    ]:
        with pytest.raises(TypeError, match=f"{name} {advice}"):
            call()
    np.testing.assert_array_equal(mesh.corners, VALLEY.corners)
    points, center = phalanx.centered(vertices)
    assert center.tolist() == [466_000, 5_427_000.5, 100.5] and points.dtype == F
    np.testing.assert_array_equal(phalanx.Mesh(points, FACES).corners, (VERTICES - F([0, 0.5, 0.5]))[FACES])


@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", ">i4", ">u8"])
def test_faces_of_any_integer(dtype):
    faces = FACES.astype(dtype)
    raw = np.zeros(faces.nbytes + 1, np.uint8)[1:].view(dtype).reshape(faces.shape)
    raw[...] = faces
    for layout in (faces, raw, np.asfortranarray(faces), np.repeat(faces, 2, 0)[::2], faces.tolist()):
        np.testing.assert_array_equal(phalanx.Mesh(VERTICES, layout).faces, FACES)


def test_empty_meshes():
    empty = [([], []), (np.zeros((0, 3), F), np.zeros((0, 3), int)), (VERTICES, []), (VERTICES, np.zeros((0, 3)))]
    for vertices, faces in empty:
        mesh = phalanx.Mesh(vertices, faces, displacement=(1, 2, 3), groups=(1, 2), body=3)
        assert len(mesh) == 0 and mesh.faces.shape == mesh.normals.shape == (0, 3) and mesh.corners.shape == (0, 3, 3)
        assert [part.shape for part in mesh.edges()] == [(0, 3)] * 2
        assert len(phalanx.Detector().candidates(mesh, VALLEY)) == 0


def test_motion_groups_and_bodies():
    mesh = phalanx.Mesh(VERTICES, FACES, displacement=[1, 2, 0.1], groups=(1, 6), body=np.arange(4))
    assert mesh.displacement.tolist() == [1, 2, F(0.1)] and mesh.displacement.dtype == F
    assert mesh.groups.tolist() == [[1, 6]] * 4 and mesh.body.tolist() == [0, 1, 2, 3]
    triangles = mesh.triangles()
    assert isinstance(triangles, phalanx.Triangles) and not triangles.is_view
    np.testing.assert_array_equal(np.stack(triangles.corners, 1), mesh.corners.reshape(4, 9))
    assert triangles.displacement[1].tolist() == [2] * 4 and triangles.body.tolist() == [0, 1, 2, 3]
    assert triangles.groups.tolist() == [[1, 6]] * 4
    copy = mesh.copy()
    mesh.set_displacement(np.zeros(3, F))
    assert mesh.displacement.tolist() == [0, 0, 0] and copy.displacement.tolist() == [1, 2, F(0.1)]
    assert copy.body.tolist() == [0, 1, 2, 3]
    spheres = phalanx.Spheres(np.array([[0.5, 0.5, 0.5]], F), 0.1, groups=(2, 1), body=3)
    near = phalanx.Detector().first_hits(spheres, mesh)
    assert near.index.tolist() == [2]
    spheres = phalanx.Spheres(np.array([[0.5, 0.5, 0.5]], F), 0.1, groups=(8, 1))
    assert phalanx.Detector().first_hits(spheres, mesh).count == 0


def test_a_mesh_that_moves_hits_during_the_frame():
    point = phalanx.Points(position=(0.5, 0.75, 2.0))
    mesh = VALLEY.copy()
    detector = phalanx.Detector()
    assert detector.first_hits(point, mesh).count == 0
    mesh.set_displacement((0, 0, 3))
    firsts = detector.first_hits(point, mesh)
    assert firsts.index.tolist() == [3] and abs(firsts.enter[0] - 0.5) < 1e-4
    assert detector.first_hits(point, VALLEY).count == 0


def test_contacts_near_the_diagonal_of_a_floor_need_one():
    floor = phalanx.Mesh([[0, 0, 0], [4, 0, 0], [4, 4, 0], [0, 4, 0]], [[0, 1, 2], [0, 2, 3]])
    sphere = phalanx.Spheres((2.0, 1.8, 0.9), 1.0)
    detector = phalanx.Detector()
    pairs = detector.candidates(sphere, floor)
    contacts = detector.contact(sphere, floor, pairs)
    np.testing.assert_allclose(contacts.normal, [[0, 0, -1]] * 2, atol=1e-6)
    assert contacts.inner.dtype == np.bool_ and contacts.inner.tolist() == [False, True]
    for listed in (pairs, pairs.astype(int), pairs.tolist(), phalanx.one_to_all(0)):
        needed = contacts.without_inner(listed, floor)
        assert needed.dtype == np.int64 and needed.tolist() == [0]
    # The other way round the points have the same origin. Triangles alone have no neighbours.
    swapped = detector.contact(floor, sphere, pairs[:, ::-1])
    np.testing.assert_array_equal(swapped.normal, -contacts.normal)
    np.testing.assert_array_equal(swapped.points, contacts.points)
    assert swapped.inner.tolist() == [False, True]
    alone = detector.contact(sphere, floor.triangles(), pairs)
    assert alone.inner.tolist() == [False, False] and alone.normal[1, 2] > -0.99
    assert alone.without_inner(pairs, floor).tolist() == [0, 1]
    # Of several spheres each keeps its own, and indices are those of contacts, not of pairs.
    center = np.array([[2, 1.8, 0.9], [9, 9, 9], [2, 2.2, 0.9], [3, 1, 0.9]], F)
    spheres = phalanx.Spheres(center, 1.0)
    pairs = np.stack(np.meshgrid(np.arange(4), np.arange(2), indexing="ij"), 2).reshape(-1, 2)
    contacts = detector.contact(spheres, floor, pairs)
    assert contacts.positions.tolist() == [0, 1, 4, 5, 6]
    assert contacts.without_inner(pairs, floor).tolist() == [0, 3, 4]


def test_without_inner_refuses_other_lists():
    sphere, pairs = phalanx.Spheres((0.0, 0.5, 0.5), 1.0), np.array([[0, 3], [0, 0]])
    contacts = phalanx.Detector().contact(sphere, VALLEY, pairs)
    with pytest.raises(ValueError, match="pairs are not sorted: pair 1 is below the one before"):
        contacts.without_inner(pairs, VALLEY)
    with pytest.raises(ValueError, match="pair list has 1 pairs, but the results are for 2"):
        contacts.without_inner(pairs[:1], VALLEY)
    with pytest.raises(TypeError):
        contacts.without_inner(pairs, VALLEY.triangles())


def test_place():
    rng = np.random.default_rng(24)
    at_rest = phalanx.Mesh(*octahedron(), body=np.arange(8))
    placed = at_rest.copy()
    edges = at_rest.edges()
    for as_given in (np.asarray, list, tuple):
        position = rng.normal(size=3).astype(F)
        rotation = rng.normal(size=4)
        rotation = (rotation / np.linalg.norm(rotation)).astype(F)
        placed.place(at_rest, as_given(position), as_given(rotation))
        expected = rotated(rotation.astype(float), at_rest.corners.astype(float)) + position
        np.testing.assert_allclose(placed.corners, expected, rtol=0, atol=3e-7)
        np.testing.assert_array_equal(placed.edges(), edges)
        # Still closed: six vertices.
        assert len(np.unique(placed.corners.reshape(-1, 3), axis=0)) == 6
    assert placed.body.tolist() == list(range(8))
    placed.place(at_rest, [0, 0, 0], (0, 0, 0, 1))
    np.testing.assert_array_equal(placed.corners, at_rest.corners)
    # From itself: on from where it is.
    for _ in range(3):
        placed.place(placed, (1, 0, 0), (0, 0, 0, 1))
    np.testing.assert_allclose(placed.corners, at_rest.corners + F([3, 0, 0]), atol=1e-6)


def test_bad_poses_leave_the_mesh():
    mesh, detector = VALLEY.copy(), phalanx.Detector()
    before = mesh.corners
    for position, rotation, error, message in [
        ((0, 0, np.nan), (0, 0, 0, 1), ValueError, r"pose is invalid: position\[?2?\]? is NaN"),
        ((0, 0, 0), (0, 0, 0, 2), ValueError, "pose is invalid: rotation has length 2, not 1 within 0.001"),
        ((0, 0), (0, 0, 0, 1), ValueError, r"position has shape \(2,\), not \(3,\)"),
        ((0, 0, 0), np.eye(4, dtype=F), ValueError, r"rotation has shape \(4, 4\), not \(4,\)"),
        ((0, 0, 0), F(1), ValueError, r"rotation has shape \(\), not \(4,\)"),
        ("abc", (0, 0, 0, 1), TypeError, "position has dtype <U3, not float32"),
        (np.ma.masked_array([0, 0, 0], True), (0, 0, 0, 1), TypeError, "position is a numpy.ma.MaskedArray"),
    ]:
        with pytest.raises(error, match=message):
            mesh.place(VALLEY, position, rotation)
    with pytest.raises(ValueError, match="mesh has 4 triangles and 6 vertices, but the mesh at rest has 8 and 6"):
        mesh.place(phalanx.Mesh(*octahedron()), (0, 0, 0), (0, 0, 0, 1))
    with pytest.raises(TypeError):
        mesh.place(VALLEY.triangles(), (0, 0, 0), (0, 0, 0, 1))
    with pytest.raises(ValueError, match=r"displacement has shape \(2,\)"):
        mesh.set_displacement((0, 0))
    np.testing.assert_array_equal(mesh.corners, before)
    assert detector.meets_any(phalanx.Points((0.0, 0.5, 0.0)), mesh).count == 1


def test_calls_see_a_mesh_before_or_after_a_move():
    at_rest = phalanx.Mesh(*grid(60, np.random.default_rng(25)))
    lift = at_rest.copy()
    rays = phalanx.Points(
        np.random.default_rng(26).uniform(-3.9, 3.9, (2000, 3)).astype(F) * F([1, 1, 0]) + F([0, 0, 10]),
        displacement=(0.0, 0.0, -200.0),
    )
    detector = phalanx.Detector()
    heights = [0.0, -50.0]
    expected = []
    for z in heights:
        lift.place(at_rest, (0, 0, z), (0, 0, 0, 1))
        expected.append(detector.first_hits(rays, lift).enter)
    seen, done = [], threading.Event()

    def move():
        k = 0
        while not done.is_set():
            lift.place(at_rest, (0, 0, heights[k % 2]), (0, 0, 0, 1))
            k += 1

    moving = threading.Thread(target=move)
    moving.start()
    for _ in range(60):
        enter = detector.first_hits(rays, lift).enter
        seen.append([np.array_equal(enter, one) for one in expected])
    done.set()
    moving.join()
    assert all(any(one) for one in seen)


def test_bad_vertices_flag_their_triangles():
    vertices = VERTICES.copy()
    vertices[4] = np.nan
    mesh = phalanx.Mesh(vertices, FACES)
    spheres = phalanx.Spheres(np.array([[0, 0, 0]], F), 5.0)
    overlaps = phalanx.Detector().overlap(spheres, mesh, phalanx.one_to_all(0))
    assert overlaps.invalid.tolist() == [False, False, True, False] and overlaps.hits.tolist() == [0, 1, 3]
    assert mesh.normals[2].tolist() == [0, 0, 0] and mesh.edges()[0][2].tolist() == [-1, -1, -1]
    with pytest.raises(ValueError, match=r"shape 2 is invalid: corners"):
        mesh.validate()
    with pytest.warns(RuntimeWarning, match="0 of a, 1 of b"):
        phalanx.Detector().candidates(spheres, mesh)


@pytest.mark.parametrize(
    ("faces", "error", "message"),
    [
        ([[0, 1, 2], [0, 1, 6]], IndexError, r"faces\[1\] names vertex 6, but there are 6 vertices"),
        ([[0, 1, 2], [0, -1, 7]], IndexError, r"faces\[1\] names vertex -1, but there are 6 vertices"),
        (np.array([[0, 1, 2**63]], "u8"), IndexError, r"faces\[0\] names vertex 9223372036854775808, but"),
        ([[0, 1, 2**32]], IndexError, r"faces\[0\] names vertex 4294967296, but"),
        ([[0, 1, 2**70]], TypeError, "faces has dtype object, not an integer"),
        (np.array([[0, 1, 200]], "u1"), IndexError, r"faces\[0\] names vertex 200, but"),
        (FACES.astype(float), TypeError, "faces has dtype float64, not an integer"),
        (FACES > 0, TypeError, "faces has dtype bool, not an integer"),
        (FACES[0], ValueError, r"faces has shape \(3,\), not \(m, 3\): three vertices for each triangle"),
        (np.zeros((5, 4), int), ValueError, r"faces has shape \(5, 4\), not \(m, 3\)"),
        (np.zeros((5, 3, 1), int), ValueError, r"faces has shape \(5, 3, 1\)"),
        (np.zeros((0, 4), int), ValueError, r"faces has shape \(0, 4\)"),
        (np.ma.masked_array(FACES, True), TypeError, "faces is a numpy.ma.MaskedArray"),
        ("abc", TypeError, "faces has dtype <U3"),
        (None, TypeError, "faces has dtype object"),
        ([[0, 1, 2], [0, 1]], TypeError, "faces is of type list, which numpy makes no array of"),
    ],
)
def test_bad_faces(faces, error, message):
    with pytest.raises(error, match=message):
        phalanx.Mesh(VERTICES, faces)


@pytest.mark.parametrize(
    ("vertices", "error", "message"),
    [
        (VERTICES[:, :2], ValueError, r"vertices has shape \(6, 2\), not \(n, 3\)"),
        (VERTICES[0], ValueError, r"vertices has shape \(3,\), not \(n, 3\)"),
        (VERTICES[FACES], ValueError, r"vertices has shape \(4, 3, 3\), not \(n, 3\)"),
        (np.zeros((0, 2), F), ValueError, r"vertices has shape \(0, 2\)"),
        (np.zeros((0, 3)), TypeError, "vertices has dtype float64, not float32"),
        (VERTICES.astype(complex), TypeError, "vertices has dtype complex64|complex128, not float32"),
        (VERTICES > 0, TypeError, "vertices has dtype bool, not float32"),
        (np.ma.masked_array(VERTICES, True), TypeError, "vertices is a numpy.ma.MaskedArray"),
        (None, TypeError, "vertices has dtype object"),
        (VALLEY, TypeError, "vertices has dtype object"),
    ],
)
def test_bad_vertices(vertices, error, message):
    with pytest.raises(error, match=message):
        phalanx.Mesh(vertices, FACES)


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"flatness": 0.6}, ValueError, "flatness is 0.6, not between 0 and 0.5"),
        ({"flatness": -1}, ValueError, "flatness is -1, not between"),
        ({"flatness": np.nan}, ValueError, "flatness is NaN, not between"),
        ({"displacement": (1, 2)}, ValueError, r"displacement has shape \(2,\), not \(3,\)"),
        ({"displacement": np.zeros((4, 3), F)}, ValueError, r"displacement has shape \(4, 3\), not \(3,\)"),
        ({"groups": np.zeros((3, 2), int)}, ValueError, r"groups have shape \(3, 2\), not \(4, 2\) or \(2,\)"),
        ({"body": [0, 1, 2**32, 3]}, ValueError, r"body\[2\] has 4294967296"),
    ],
)
def test_bad_options(given, error, message):
    with pytest.raises(error, match=message):
        phalanx.Mesh(VERTICES, FACES, **given)


def test_error_for_other_values_lists_meshes():
    with pytest.raises(TypeError, match="HalfSpaces, Hulls, Mesh$"):
        phalanx.Detector().overlap(3, VALLEY, [])
    planes = phalanx.Planes((0, 0, 1), 0.0)
    with pytest.raises(TypeError, match="there is no contact of Planes with Planes"):
        phalanx.Detector().contact(planes, planes, [[0, 0]])


def test_meshes_have_contacts_with_meshes_and_half_spaces():
    detector, body = phalanx.Detector(), phalanx.Mesh(*octahedron())
    floor = phalanx.Mesh([[-4, -4, -1], [4, -4, -1], [4, 4, -1], [-4, 4, -1]], [[0, 1, 2], [0, 2, 3]])
    ground = phalanx.HalfSpaces((0, 0, 1), 1.0)
    for other, pairs in ((floor, detector.candidates(body, floor)), (ground, [[i, 0] for i in range(8)])):
        contacts = detector.contact(body, other, pairs)
        assert contacts.count >= 4
        np.testing.assert_allclose(contacts.normal, [[0, 0, -1]] * contacts.count, atol=1e-5)
        np.testing.assert_allclose(contacts.depth.max(), 0.1, atol=1e-5)


def test_strange_values_never_panic():
    rng, made = np.random.default_rng(27), 0
    # A panic would be a BaseException, which is not caught here.
    for _ in range(4000):
        vertices = VERTICES if rng.random() < 0.5 else strange_values(rng)
        faces = FACES if rng.random() < 0.5 else strange_values(rng)
        more = {"displacement": strange_values(rng)} if rng.random() < 0.2 else {}
        try:
            mesh = phalanx.Mesh(vertices, faces, **more)
            made += 1
            mesh.edges()
            mesh.set_displacement(strange_values(rng))
            mesh.place(VALLEY, strange_values(rng), strange_values(rng))
        except (TypeError, ValueError, IndexError, OverflowError):
            pass
    assert made > 500


def test_meshes_of_trimesh():
    trimesh = pytest.importorskip("trimesh")
    solid = trimesh.creation.icosphere(subdivisions=3)
    mesh = phalanx.Mesh(solid.vertices.astype(F), solid.faces)
    assert len(mesh) == len(solid.faces) == 1280
    np.testing.assert_allclose(mesh.normals, solid.face_normals, atol=1e-5)
    np.testing.assert_array_equal(mesh.corners, solid.triangles.astype(F))
    neighbours, kinds = mesh.edges()
    assert (kinds == phalanx.EdgeKind.CONVEX).all()
    pairs = np.stack([np.repeat(np.arange(1280), 3), neighbours.ravel()], 1)
    pairs = np.unique(np.sort(pairs, 1), axis=0)
    np.testing.assert_array_equal(pairs, np.unique(np.sort(solid.face_adjacency, 1), axis=0))
    # From the center every ray hits, those at vertices and at the middles of edges too.
    ways = np.concatenate([solid.vertices, solid.triangles_center, solid.vertices[solid.edges].mean(1)])
    rays = phalanx.Points(np.zeros_like(ways, F), displacement=(2 * ways).astype(F))
    firsts = phalanx.Detector().first_hits(rays, mesh)
    assert firsts.mask.all() and (np.abs(firsts.enter - 0.5) < 0.01).all()
    of_centers = firsts.index[len(solid.vertices) :][: len(solid.faces)]
    np.testing.assert_array_equal(of_centers, np.arange(1280))
    # Its transform as a pose.
    pose = trimesh.transformations.random_rotation_matrix()
    pose[:3, 3] = 1, 2, 3
    w, x, y, z = trimesh.transformations.quaternion_from_matrix(pose)
    placed = mesh.copy()
    placed.place(mesh, pose[:3, 3].astype(F), (x, y, z, w))
    np.testing.assert_allclose(placed.corners, solid.copy().apply_transform(pose).triangles, atol=2e-6)
