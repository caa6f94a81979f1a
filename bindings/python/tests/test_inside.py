"""Points in closed meshes, and their signed distances: known answers, and those of trimesh."""

import numpy as np
import phalanx
import pytest
import trimesh

F = np.float32


def cube(half=1.0):
    """A closed mesh of 12 triangles."""
    mesh = trimesh.creation.box((2 * half,) * 3)
    return phalanx.Mesh(mesh.vertices.astype(F), mesh.faces)


def float32_mesh(mesh):
    """A mesh with vertices that float32 holds, for both libraries."""
    vertices = mesh.vertices.astype(F)
    rounded = trimesh.Trimesh(vertices.astype(float), mesh.faces, process=False)
    return rounded, phalanx.Mesh(vertices, mesh.faces)


BODIES = {
    "sphere": trimesh.creation.icosphere(3),
    "annulus": trimesh.creation.annulus(0.5, 1.0, 1.5),
    "capsule": trimesh.creation.capsule(1.0, 0.5),
    "torus": trimesh.creation.torus(1.0, 0.25),
}


@pytest.mark.parametrize("name", BODIES)
def test_inside_and_signed_distance_match_trimesh(name):
    theirs, ours = float32_mesh(BODIES[name])
    assert theirs.is_watertight and ours.is_closed
    rng = np.random.default_rng(list(BODIES).index(name))
    low, high = theirs.bounds
    points = rng.uniform(low - 0.3, high + 0.3, (600, 3)).astype(F)
    store, detector = phalanx.Points(points), phalanx.Detector()
    inside = detector.inside(store, ours)
    assert not inside.invalid.any()
    assert 30 < inside.count < 570
    np.testing.assert_array_equal(inside.mask, theirs.contains(points.astype(float)))

    signed = detector.signed_distance(store, ours)
    assert signed.dtype == np.float64 and signed.shape == (600,)
    expected = trimesh.proximity.signed_distance(theirs, points.astype(float))
    # Another face may be as near in float32.
    assert (np.abs(signed - expected) < 1e-9).mean() > 0.9
    near = detector.nearest(store, ours, phalanx.MAX_LENGTH)
    assert (np.abs(signed) >= near.lower).all() and (np.abs(signed) <= near.upper).all()
    np.testing.assert_allclose(signed, expected, atol=(near.upper - near.lower).max())
    np.testing.assert_array_equal(signed > 0, inside.mask)


def test_points_on_the_surface_of_a_cube_are_inside():
    grid = np.stack(np.meshgrid(*[np.linspace(-2, 2, 9)] * 3, indexing="ij"), -1).reshape(-1, 3).astype(F)
    points, mesh, detector = phalanx.Points(grid), cube(), phalanx.Detector()
    beyond = np.abs(grid).max(1)
    np.testing.assert_array_equal(detector.inside(points, mesh).mask, beyond <= 1)
    signed = detector.signed_distance(points, mesh)
    np.testing.assert_array_equal(signed >= 0, beyond <= 1)
    outside = np.linalg.norm(np.maximum(np.abs(grid) - 1, 0), axis=1)
    np.testing.assert_allclose(signed, np.where(beyond < 1, 1 - beyond, -outside), atol=1e-12)
    # The next floats.
    near = np.array([[1, 0.5, 0.25], [1, 1, 1]], F)
    for points, expected in [(np.nextafter(near, F(9)), False), (np.nextafter(near, F(0)), True)]:
        assert (detector.inside(phalanx.Points(points), mesh).mask == expected).all()


def test_radius_clamps_signed_distances():
    points = phalanx.Points([[0, 0, 0], [0, 0, 0.75], [0, 0, 1.25], [0, 0, 50]])
    signed = phalanx.Detector().signed_distance(points, cube(), radius=0.5)
    np.testing.assert_allclose(signed, [0.5, 0.25, -0.25, -0.5], atol=1e-12)
    assert signed[0] == 0.5 and signed[3] == -0.5
    # Not the float32 above it.
    assert phalanx.Detector().signed_distance(points, cube(), radius=0.1).max() <= 0.1
    with pytest.raises(ValueError, match="radius"):
        phalanx.Detector().signed_distance(points, cube(), radius=-1.0)


def test_open_mesh_is_an_error_that_names_an_edge():
    mesh = trimesh.creation.box()
    vertices = mesh.vertices.astype(F)
    opened = phalanx.Mesh(vertices, mesh.faces[1:])
    assert not opened.is_closed
    points = phalanx.Points(np.zeros((1, 3), F))
    for query in (phalanx.Detector().inside, phalanx.Detector().signed_distance):
        with pytest.raises(ValueError, match=r"^mesh is not closed: edge \d of triangle \d+ belongs to an odd"):
            query(points, opened)
    # A soup of triangles without common indices is closed.
    assert phalanx.Mesh(vertices[mesh.faces].reshape(-1, 3), np.arange(36).reshape(-1, 3)).is_closed


def test_invalid_points_are_flagged_and_have_no_distance():
    points = phalanx.Points(np.array([[0, 0, 0], [np.nan, 0, 0], [3, 0, 0]], F))
    with pytest.warns(RuntimeWarning, match="1 of a, 0 of b"):
        inside = phalanx.Detector().inside(points, cube())
    np.testing.assert_array_equal(inside.invalid, [False, True, False])
    np.testing.assert_array_equal(inside.mask, [True, False, False])
    with pytest.warns(RuntimeWarning, match="1 of a, 0 of b"):
        signed = phalanx.Detector().signed_distance(points, cube())
    np.testing.assert_allclose(signed, [1, np.nan, -2], atol=1e-12)
    with pytest.raises(ValueError, match="shape 1 of the first store is invalid"):
        phalanx.Detector(strict=True).inside(points, cube())


def test_wrong_arguments_are_errors():
    points, detector = phalanx.Points(np.zeros((1, 3), F)), phalanx.Detector()
    with pytest.raises(TypeError, match=r"points is of type Spheres, not Points"):
        detector.inside(phalanx.Spheres((0.0, 0.0, 0.0), 1.0), cube())
    with pytest.raises(TypeError, match="Mesh"):
        detector.inside(points, cube().triangles())
    with pytest.raises(ValueError, match="margin, but the detector's is 0.5"):
        phalanx.Detector(margin=0.5).inside(points, cube())


def test_empty_stores():
    none, empty = phalanx.Points(np.zeros((0, 3), F)), phalanx.Mesh(np.zeros((0, 3), F), np.zeros((0, 3), int))
    detector = phalanx.Detector()
    assert detector.signed_distance(none, cube()).shape == (0,)
    assert empty.is_closed
    points = phalanx.Points(np.zeros((2, 3), F))
    assert not detector.inside(points, empty).mask.any()
    assert (detector.signed_distance(points, empty, radius=2.0) == -2).all()


def test_a_placed_mesh_is_searched_at_its_place():
    at_rest = cube()
    moved = at_rest.copy()
    moved.place(at_rest, (10, 0, 0), (0, 0, 0, 1))
    points = phalanx.Points([[0, 0, 0], [10.5, 0, 0]])
    np.testing.assert_array_equal(phalanx.Detector().inside(points, moved).mask, [False, True])
    assert moved.is_closed


def test_solids_of_a_key_are_searched_alone():
    rng = np.random.default_rng(20)
    bodies = [float32_mesh(mesh) for mesh in (BODIES["torus"], BODIES["sphere"], BODIES["annulus"])]
    sizes = [len(theirs.faces) for theirs, _ in bodies]
    vertices = np.concatenate([theirs.vertices for theirs, _ in bodies]).astype(F)
    first = np.cumsum([0] + [len(theirs.vertices) for theirs, _ in bodies])
    faces = np.concatenate([theirs.faces + k for (theirs, _), k in zip(bodies, first, strict=False)])
    # The triangles of a key need no order, and no key a body.
    mixed = rng.permutation(sum(sizes))
    mesh, names = phalanx.Mesh(vertices, faces[mixed]), np.array([7, -3, 2**40])
    of_mesh = np.repeat(names, sizes)[mixed]
    points = rng.uniform(-1.2, 1.2, (900, 3)).astype(F)
    points[::50] = np.nan
    of_points = rng.choice([*names, 5], 900)
    store, detector = phalanx.Points(points), phalanx.Detector()
    with pytest.warns(RuntimeWarning, match="18 of a, 0 of b"):
        found = detector.inside(store, mesh, keys=(of_points, of_mesh))
    with pytest.warns(RuntimeWarning, match="18 of a, 0 of b"):
        signed = detector.signed_distance(store, mesh, 0.5, keys=(of_points, of_mesh))
    np.testing.assert_array_equal(found.invalid, np.isnan(points[:, 0]))
    np.testing.assert_array_equal(np.isnan(signed), found.invalid)
    for name in names:
        body = phalanx.Mesh(vertices, faces[mixed][of_mesh == name])
        rows = np.flatnonzero((of_points == name) & ~found.invalid)
        alone = phalanx.Points(points[rows])
        np.testing.assert_array_equal(found.mask[rows], detector.inside(alone, body).mask)
        np.testing.assert_array_equal(signed[rows], detector.signed_distance(alone, body, 0.5))
        assert 10 < found.mask[rows].sum() < len(rows) - 10
    # Without a body nothing is near.
    rows = (of_points == 5) & ~found.invalid
    assert not found.mask[rows].any() and (signed[rows] == -0.5).all()
    with pytest.warns(RuntimeWarning):
        together = detector.inside(store, mesh)
    assert (together.mask != found.mask).sum() > 50


def test_open_solid_of_a_key_is_an_error_that_names_the_key_and_an_edge():
    box = trimesh.creation.box()
    mesh = phalanx.Mesh(box.vertices.astype(F), box.faces)
    points, keys = phalanx.Points(np.zeros((3, 3), F)), np.full(12, 4)
    keys[9] = 8
    assert mesh.is_closed
    for query in (phalanx.Detector().inside, phalanx.Detector().signed_distance):
        assert len(query(points, mesh, keys=([4, 4, 5], np.full(12, 4)))) == 3
        message = r"^triangles of key 4 are not closed: edge \d of triangle (\d+) belongs to an odd number of them$"
        with pytest.raises(ValueError, match=message):
            query(points, mesh, keys=([4, 4, 5], keys))
        # The triangle is that of the mesh: one beside triangle 0, which is left out.
        keys[9], keys[0] = 4, 8
        with pytest.raises(ValueError) as raised:
            query(points, mesh, keys=([4, 4, 5], keys))
        triangle = int(str(raised.value).split("triangle ")[1].split()[0])
        assert triangle in mesh.edges()[0][0]
        keys[9], keys[0] = 8, 4


def test_keys_of_solids_that_are_wrong_are_errors():
    points, mesh = phalanx.Points(np.array([[0, 0, 0], [np.nan, 0, 0]], F)), cube()
    detector, ones = phalanx.Detector(), np.ones(12, int)
    for query in (detector.inside, detector.signed_distance):
        for keys, error, message in [
            ([1, 1], TypeError, "keys of several stores are a tuple: an array for each"),
            (([1, 1], ones[1:]), ValueError, r"keys\[1\] has shape \(11,\), not \(12,\)"),
            (([1], ones), ValueError, r"keys\[0\] has shape \(1,\), not \(2,\)"),
            (([0.5, 1], ones), TypeError, "keys.0. has dtype float64, not an integer"),
        ]:
            with pytest.raises(error, match=message):
                query(points, mesh, keys=keys)
    with pytest.raises(ValueError, match="shape 1 of the first store is invalid"):
        phalanx.Detector(strict=True).inside(points, mesh, keys=([0, 1], ones))
    none = phalanx.Points(np.zeros((0, 3), F))
    assert len(detector.inside(none, mesh, keys=([], ones))) == 0
    assert detector.signed_distance(none, mesh, keys=([], ones)).shape == (0,)
