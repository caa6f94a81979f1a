"""Measures calls of the wheel beside numpy, python-fcl, coal and trimesh. One table, ns a pair.

    python bench.py [--pairs 1000000] [--shapes 65536] [--repeat 5] [--meshes | --distances | --labels | --managers]

All test the same oriented boxes, some of which touch, and the results of each are compared with those of the wheel.
Peers with a Python call for each pair have fewer pairs. Peers that are not installed are named.

With --meshes it measures only rays, spheres and boxes against a mesh, in ns a ray or shape: beside trimesh with
embreex, whose rays are Embree's, and python-fcl. embreex casts one ray at a time, in Embree's robust mode on request;
trimesh does not request it. Packets of rays are in the Rust bench `outside`.

With --distances it measures only distances: of boxes and capsules, in ns a pair, beside python-fcl and coal, whose
answers are compared for separated pairs; and nearest points in ns a point, beside the k-d tree of scipy.

With --labels it measures only boxes of frames: candidates of equal keys, in ns a box, beside a loop over frames; and
IoU in ns a pair, beside shapely, whose footprints are made before.

With --managers it measures only managers of collisions of 40 rings of 2304 faces, in ns a call: that of phalanx.trimesh
beside that of trimesh, which stands on python-fcl.
"""

import argparse
import importlib
import os
import platform
import time

import numpy as np
import phalanx


class Scene:
    """Boxes in any orientation, and pairs of neighbours."""

    def __init__(self, n, m, seed=0):
        """Makes `n` boxes and `m` pairs, the same for a seed."""
        rng = np.random.default_rng(seed)
        self.center = rng.uniform(0, 1, (n, 3)).astype(np.float32)
        self.center = self.center[np.argsort(np.floor(self.center * 16) @ [256, 16, 1], kind="stable")]
        self.half = rng.uniform(0.3, 1.0, (n, 3)).astype(np.float32) * np.float32(n ** (-1 / 3))
        rotation = rng.normal(size=(n, 4))
        self.rotation = (rotation / np.linalg.norm(rotation, axis=1, keepdims=True)).astype(np.float32)
        self.displacement = rng.normal(size=(n, 3)).astype(np.float32) * np.float32(n ** (-1 / 3))
        columns = [np.ascontiguousarray(a.T) for a in (self.center, self.half, self.rotation, self.displacement)]
        center, half, rotation, displacement = (tuple(a) for a in columns)
        self.boxes = phalanx.Obbs(center, half, rotation, displacement=displacement)
        self.spheres = phalanx.Spheres(center, half[0], displacement=displacement)
        near = phalanx.Detector().candidates(self.boxes, self.boxes)
        # Half of them come near, and half lie somewhere.
        near = near[rng.integers(0, len(near), m // 2)]
        self.pairs = np.concatenate([near, rng.integers(0, n, (m - len(near), 2), dtype=np.uint32)])
        rng.shuffle(self.pairs)

    def matrices(self):
        """Rotation matrices, with axes as columns, in float64."""
        x, y, z, w = self.rotation.T.astype(np.float64)
        rows = [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
        return np.moveaxis(np.array(rows), 2, 0)


def best(call, repeat):
    """The answer of a call, and the seconds of the fastest of some."""
    times = []
    for _ in range(repeat):
        begin = time.perf_counter()
        answer = call()
        times.append(time.perf_counter() - begin)
    return answer, min(times)


def numpy_obbs(scene, pairs):
    """The 15 axes in numpy, in blocks that stay in the caches."""
    axes, center, half = scene.matrices().astype(np.float32), scene.center, scene.half
    hits = np.empty(len(pairs), bool)
    for begin in range(0, len(pairs), 8192):
        a, b = pairs[begin : begin + 8192].T
        turn = np.einsum("nki,nkj->nij", axes[a], axes[b])
        offset = np.einsum("nki,nk->ni", axes[a], center[b] - center[a])
        size_a, size_b, absolute = half[a], half[b], np.abs(turn) + np.float32(1e-6)
        apart = (np.abs(offset) > size_a + np.einsum("nij,nj->ni", absolute, size_b)).any(1)
        other = np.abs(np.einsum("ni,nij->nj", offset, turn))
        apart |= (other > size_b + np.einsum("nij,ni->nj", absolute, size_a)).any(1)
        for i in range(3):
            i1, i2 = (i + 1) % 3, (i + 2) % 3
            for j in range(3):
                j1, j2 = (j + 1) % 3, (j + 2) % 3
                reach = size_a[:, i1] * absolute[:, i2, j] + size_a[:, i2] * absolute[:, i1, j]
                reach += size_b[:, j1] * absolute[:, i, j2] + size_b[:, j2] * absolute[:, i, j1]
                apart |= np.abs(offset[:, i2] * turn[:, i1, j] - offset[:, i1] * turn[:, i2, j]) > reach
        hits[begin : begin + 8192] = ~apart
    return hits


def numpy_spheres(scene, pairs):
    """The distance of centers in numpy, in blocks that stay in the caches."""
    center, radius = scene.center, scene.half[:, 0]
    hits = np.empty(len(pairs), bool)
    for begin in range(0, len(pairs), 8192):
        a, b = pairs[begin : begin + 8192].T
        offset, reach = center[b] - center[a], radius[a] + radius[b]
        hits[begin : begin + 8192] = np.einsum("nk,nk->n", offset, offset) <= reach * reach
    return hits


def fcl_obbs(scene):
    """Asks python-fcl about each pair; its objects are made before."""
    import fcl

    matrices = scene.matrices()
    objects = [
        fcl.CollisionObject(fcl.Box(*(2 * half)), fcl.Transform(matrix, center))
        for half, matrix, center in zip(scene.half.astype(float), matrices, scene.center.astype(float), strict=True)
    ]
    request = fcl.CollisionRequest()

    def call(pairs):
        return np.array([fcl.collide(objects[a], objects[b], request, fcl.CollisionResult()) > 0 for a, b in pairs])

    return call


def coal_obbs(scene):
    """Asks coal about each pair; its objects are made before."""
    import coal

    matrices = scene.matrices()
    objects = [
        coal.CollisionObject(coal.Box(2 * half.reshape(3, 1)), matrix, center)
        for half, matrix, center in zip(scene.half.astype(float), matrices, scene.center.astype(float), strict=True)
    ]
    request, result = coal.CollisionRequest(), coal.CollisionResult()

    def touches(a, b):
        result.clear()
        return coal.collide(objects[a], objects[b], request, result) > 0

    return lambda pairs: np.array([touches(a, b) for a, b in pairs])


def trimesh_obbs(scene):
    """Asks trimesh about each pair, by a manager of one mesh; meshes are made before."""
    import trimesh

    def placed(index):
        place = np.eye(4)
        place[:3, :3], place[:3, 3] = scene.matrices()[index], scene.center[index]
        return place

    meshes = {}

    def mesh(index):
        if index not in meshes:
            meshes[index] = trimesh.creation.box(2 * scene.half[index].astype(float)), placed(index)
        return meshes[index]

    def touches(a, b):
        manager = trimesh.collision.CollisionManager()
        manager.add_object("a", mesh(a)[0], transform=mesh(a)[1])
        return manager.in_collision_single(mesh(b)[0], transform=mesh(b)[1])

    def call(pairs):
        for index in np.unique(pairs):
            mesh(index)
        return lambda: np.array([touches(a, b) for a, b in pairs])

    return call


def rows(scene, repeat):
    """The rows of the table: what, by what, pairs, ns a pair, and how many answers differ from the wheel's."""
    pairs, boxes, spheres = scene.pairs, scene.boxes, scene.spheres
    one, all_threads = phalanx.Detector(parallel=False), phalanx.Detector()
    for shapes, store in (("OBB - OBB", boxes), ("sphere - sphere", spheres)):
        expected, seconds = best(lambda store=store: one.overlap(store, store, pairs), repeat)
        touching = f"{shapes}, {100 * expected.count / len(pairs):.0f} % hit"
        yield touching, "phalanx, 1 thread", len(pairs), seconds / len(pairs), 0
        answer, seconds = best(lambda store=store: all_threads.overlap(store, store, pairs), repeat)
        differ = int((answer.mask != expected.mask).sum())
        yield touching, f"phalanx, {os.cpu_count()} threads", len(pairs), seconds / len(pairs), differ
        answer, seconds = best(lambda store=store: one.overlap(store, store, pairs).mask, repeat)
        yield (
            touching,
            "phalanx, 1 thread, mask",
            len(pairs),
            seconds / len(pairs),
            int((answer != expected.mask).sum()),
        )
        plain = numpy_obbs if store is boxes else numpy_spheres
        few = pairs[:200_000]
        answer, seconds = best(lambda plain=plain, few=few: plain(scene, few), repeat)
        yield touching, "numpy", len(few), seconds / len(few), int((answer != expected.mask[: len(few)]).sum())
        if store is spheres:
            continue
        for module, make, count in (("fcl", fcl_obbs, 20_000), ("coal", coal_obbs, 20_000), ("trimesh", None, 300)):
            name = "python-fcl" if module == "fcl" else module
            try:
                for needed in (module, "fcl", "scipy") if module == "trimesh" else (module,):
                    importlib.import_module(needed)
            except ImportError:
                yield touching, name, 0, None, None
                continue
            few = pairs[:count]
            if module == "trimesh":
                call = trimesh_obbs(scene)(few)
            else:
                asked = make(scene)
                listed = few.tolist()
                call = lambda asked=asked, listed=listed: asked(listed)  # noqa: E731
            answer, seconds = best(call, min(repeat, 3))
            yield touching, name, count, seconds / count, int((answer != expected.mask[:count]).sum())
    for shapes, store in (("OBB - OBB, sweep", boxes), ("sphere - sphere, sweep", spheres)):
        answer, seconds = best(lambda store=store: one.sweep(store, store, pairs), repeat)
        yield (
            f"{shapes}, {100 * answer.count / len(pairs):.0f} % hit",
            "phalanx, 1 thread",
            len(pairs),
            seconds / len(pairs),
            0,
        )
    answer, seconds = best(lambda: one.contact(boxes, boxes, pairs), repeat)
    yield "OBB - OBB, contact", "phalanx, 1 thread", len(pairs), seconds / len(pairs), 0


class Terrain:
    """A bumpy square of 2 n² triangles, rays from above it, and spheres and boxes near it."""

    def __init__(self, n, m, seed=0):
        """Makes the mesh and `m` rays and shapes, the same for a seed."""
        rng = np.random.default_rng(seed)
        x, y = np.meshgrid(np.arange(n + 1), np.arange(n + 1), indexing="ij")
        height = 3 * np.sin(x / 9) * np.cos(y / 7) + rng.uniform(-0.3, 0.3, x.shape)
        self.vertices = np.stack([x, y, height], 2).reshape(-1, 3).astype(np.float32)
        at = np.arange((n + 1) ** 2).reshape(n + 1, n + 1)
        a, b, c, d = at[:-1, :-1], at[1:, :-1], at[1:, 1:], at[:-1, 1:]
        self.faces = np.concatenate([np.stack([a, b, c], 2), np.stack([a, c, d], 2)]).reshape(-1, 3)
        self.mesh = phalanx.Mesh(self.vertices, self.faces)
        self.origins = rng.uniform((0, 0, 8), (n, n, 12), (m, 3)).astype(np.float32)
        down = rng.normal(size=(m, 3)) * 0.3 - (0, 0, 1)
        across = rng.normal(size=(m, 3)) * (1, 1, 0.1)
        self.ways = {"down": down.astype(np.float32), "across": across.astype(np.float32)}
        self.center = rng.uniform((0, 0, -4), (n, n, 4), (m, 3)).astype(np.float32)
        rotation = rng.normal(size=(m, 4))
        self.rotation = (rotation / np.linalg.norm(rotation, axis=1, keepdims=True)).astype(np.float32)
        self.half = rng.uniform(0.2, 1.0, (m, 3)).astype(np.float32)
        self.spheres = phalanx.Spheres(self.center, self.half[:, 0].copy())
        self.boxes = phalanx.Obbs(self.center, self.half, self.rotation)

    matrices = Scene.matrices


def fcl_model(terrain):
    """The mesh in python-fcl."""
    import fcl

    model = fcl.BVHModel()
    model.beginModel(len(terrain.vertices), len(terrain.faces))
    model.addSubModel(terrain.vertices.astype(float), terrain.faces)
    model.endModel()
    return model


def embree_scene(terrain, robust=False):
    """The mesh in embreex, with its tree. Without `robust`, as trimesh has it, rays may pass between triangles."""
    from embreex import mesh_construction, rtcore_scene

    scene = rtcore_scene.EmbreeScene(robust=robust)
    mesh_construction.TriangleMesh(scene, terrain.vertices, terrain.faces.astype(np.int32))
    # The first call builds the tree.
    scene.run(terrain.origins[:1000], terrain.ways["down"][:1000])
    return scene


def phalanx_mesh(terrain):
    """The mesh in the wheel, with its first tree."""
    mesh = phalanx.Mesh(terrain.vertices, terrain.faces)
    rays = phalanx.Points(terrain.origins[:1000], displacement=20 * terrain.ways["down"][:1000])
    phalanx.Detector(parallel=False).first_hits(rays, mesh)
    return mesh


def fcl_mesh(terrain, kind, count):
    """Asks python-fcl whether each shape touches the mesh; its objects are made before."""
    import fcl

    mesh = fcl.CollisionObject(fcl_model(terrain))
    half, center = terrain.half[:count].astype(float), terrain.center[:count].astype(float)
    if kind == "spheres":
        objects = [fcl.CollisionObject(fcl.Sphere(h[0]), fcl.Transform(c)) for h, c in zip(half, center, strict=True)]
    else:
        matrices = terrain.matrices()[:count]
        objects = [
            fcl.CollisionObject(fcl.Box(*(2 * h)), fcl.Transform(matrix, c))
            for h, matrix, c in zip(half, matrices, center, strict=True)
        ]
    request = fcl.CollisionRequest()
    return lambda: np.array([fcl.collide(mesh, it, request, fcl.CollisionResult()) > 0 for it in objects])


def mesh_rows(n, m, repeat):
    """The rows of the table of meshes, as `rows` has them."""
    terrain = Terrain(n, m)
    mesh, one, all_threads = terrain.mesh, phalanx.Detector(parallel=False), phalanx.Detector()
    triangles = len(terrain.faces)
    size = f"{triangles:,} triangles"
    for by, build in (("phalanx", phalanx_mesh), ("embreex", embree_scene), ("python-fcl", fcl_model)):
        try:
            _, seconds = best(lambda build=build: build(terrain), min(repeat, 7))
        except ImportError:
            yield f"building, ns a triangle, {size}", by, 0, None, None
            continue
        yield f"building, ns a triangle, {size}", by, triangles, seconds / triangles, 0
    peers = {}
    try:
        import trimesh
        import trimesh.ray.ray_pyembree

        scene = embree_scene(terrain)
        peers["embreex"] = lambda way, unit: scene.run(terrain.origins, unit)
        robust = embree_scene(terrain, robust=True)
        peers["embreex, robust"] = lambda way, unit: robust.run(terrain.origins, unit, dists=2 * n)
        rays_of = trimesh.Trimesh(terrain.vertices, terrain.faces, process=False).ray
        peers["trimesh with embreex"] = lambda way, unit: rays_of.intersects_first(terrain.origins, way)
    except ImportError:
        peers["trimesh with embreex"] = None
    for name, way in terrain.ways.items():
        length = np.linalg.norm(way, axis=1, keepdims=True)
        unit = way / length
        rays = phalanx.Points(terrain.origins, displacement=unit * np.float32(2 * n))
        for _ in range(3):
            expected, seconds = best(lambda rays=rays: one.first_hits(rays, mesh), repeat)
        what = f"rays {name}, {size}, {100 * expected.count / m:.0f} % hit"
        yield what, "phalanx, 1 thread", m, seconds / m, 0
        answer, seconds = best(lambda rays=rays: all_threads.first_hits(rays, mesh), repeat)
        differ = int((answer.index != expected.index).sum())
        yield what, f"phalanx, {os.cpu_count()} threads", m, seconds / m, differ
        for by, call in peers.items():
            if call is None:
                yield what, by, 0, None, None
                continue
            found, seconds = best(lambda call=call, way=way, unit=unit: call(way, unit), repeat)
            # Near an edge either triangle may be the first, so hits and misses are compared.
            yield what, by, m, seconds / m, int(((found >= 0) != expected.mask).sum())
    for name, store in (("spheres", terrain.spheres), ("boxes", terrain.boxes)):
        for _ in range(3):
            expected, seconds = best(lambda store=store: one.meets_any(store, mesh), repeat)
        what = f"{name}, {size}, {100 * expected.count / m:.0f} % touch"
        yield what, "phalanx, 1 thread", m, seconds / m, 0
        answer, seconds = best(lambda store=store: all_threads.meets_any(store, mesh), repeat)
        yield what, f"phalanx, {os.cpu_count()} threads", m, seconds / m, int((answer.mask != expected.mask).sum())
        count = min(m, 20_000)
        try:
            call = fcl_mesh(terrain, name, count)
        except ImportError:
            yield what, "python-fcl", 0, None, None
            continue
        answer, seconds = best(call, min(repeat, 3))
        yield what, "python-fcl", count, seconds / count, int((answer != expected.mask[:count]).sum())


def peer_distances(module, scene, kind):
    """Distances by python-fcl or coal, a call for each pair; objects are made before."""
    peer = importlib.import_module(module)
    half, center = scene.half.astype(float), scene.center.astype(float)
    if kind == "OBB":
        shapes = [peer.Box(*(2 * h)) for h in half]
    else:
        shapes = [peer.Capsule(h[0], 2 * h[2]) for h in half]
    place = peer.Transform if module == "fcl" else peer.Transform3s
    objects = [
        peer.CollisionObject(shape, place(matrix, c))
        for shape, matrix, c in zip(shapes, scene.matrices(), center, strict=True)
    ]
    request = peer.DistanceRequest()
    if module == "coal":
        # How deep shapes penetrate is not compared.
        request.enable_signed_distance = False

    def apart(a, b):
        return peer.distance(objects[a], objects[b], request, peer.DistanceResult())

    return lambda pairs: np.array([apart(a, b) for a, b in pairs])


def outside(distances, answer):
    """Number of answers for separated pairs that no bounds of the wheel hold, within 1e-4 of the distance and 1e-5."""
    count = len(answer)
    lower, upper = distances.lower[:count].astype(float), distances.upper[:count].astype(float)
    within = 1e-5 + 1e-4 * upper
    return int(((lower > 0) & ((answer < lower - within) | (answer > upper + within))).sum())


def pair_rows(scene, repeat):
    """The rows of the distances of pairs, as `rows` has them."""
    one, all_threads, pairs = phalanx.Detector(parallel=False), phalanx.Detector(), scene.pairs
    axes = (scene.matrices()[:, :, 2] * scene.half[:, 2:]).astype(np.float32)
    capsules = phalanx.Capsules(scene.center, axes, scene.half[:, 0].copy())
    boxes = phalanx.Obbs(scene.center, scene.half, scene.rotation)
    for kind, store in (("OBB", boxes), ("capsule", capsules)):
        expected, seconds = best(lambda store=store: one.distance(store, store, pairs), repeat)
        what = f"{kind} - {kind}, {100 * np.mean(expected.lower > 0):.0f} % apart"
        yield what, "phalanx, 1 thread", len(pairs), seconds / len(pairs), 0
        answer, seconds = best(lambda store=store: all_threads.distance(store, store, pairs), repeat)
        differ = int((answer.lower != expected.lower).sum())
        yield what, f"phalanx, {os.cpu_count()} threads", len(pairs), seconds / len(pairs), differ
        _, seconds = best(lambda store=store: one.distance_points(store, store, pairs)[1].at_b, repeat)
        yield what, "phalanx, 1 thread, points", len(pairs), seconds / len(pairs), 0
        for module, name in (("fcl", "python-fcl"), ("coal", "coal")):
            try:
                call = peer_distances(module, scene, kind)
            except ImportError:
                yield what, name, 0, None, None
                continue
            few = pairs[:20_000].tolist()
            answer, seconds = best(lambda call=call, few=few: call(few), min(repeat, 3))
            yield what, name, len(few), seconds / len(few), outside(expected, answer)


def nearest_rows(n, m, repeat):
    """The rows of nearest points, as `rows` has them: `m` points in a cloud of `n` on a bumpy surface."""
    try:
        from scipy.spatial import cKDTree
    except ImportError:
        cKDTree = None
    rng = np.random.default_rng(1)
    one, all_threads = phalanx.Detector(parallel=False), phalanx.Detector()

    def surface(count):
        x, y = rng.uniform(0, 10, (2, count))
        return np.stack([x, y, np.sin(x) * np.cos(y) + rng.normal(0, 0.02, count)], 1).astype(np.float32)

    cloud, at = surface(n), surface(m) + rng.normal(0, 0.1, (m, 3)).astype(np.float32)
    points, shapes = phalanx.Points(cloud), phalanx.Points(at)

    if cKDTree is not None:
        tree = cKDTree(cloud)
    for radius in (0.1, 100.0):
        for _ in range(3):
            expected, seconds = best(lambda radius=radius: one.nearest(shapes, points, radius), repeat)
        what = f"nearest of {n:,} points within {radius:g}, {100 * expected.count / m:.0f} % have one"
        yield what, "phalanx, 1 thread", m, seconds / m, 0
        answer, seconds = best(lambda radius=radius: all_threads.nearest(shapes, points, radius), repeat)
        differ = int((answer.index != expected.index).sum())
        yield what, f"phalanx, {os.cpu_count()} threads", m, seconds / m, differ
        if cKDTree is None:
            yield what, "scipy", 0, None, None
            continue
        for by, workers in (("scipy, 1 thread", 1), (f"scipy, {os.cpu_count()} threads", -1)):
            (apart, _), seconds = best(
                lambda radius=radius, workers=workers: tree.query(at, distance_upper_bound=radius, workers=workers),
                repeat,
            )
            wrong = np.isfinite(apart) & expected.mask
            wrong &= (apart < expected.lower) | (apart > expected.upper)
            wrong |= (np.isfinite(apart) != expected.mask) & (np.abs(expected.lower - radius) > 1e-5)
            yield what, by, m, seconds / m, int(wrong.sum())
        what = f"the same, and its tree, {n:,} points within {radius:g}"
        _, seconds = best(
            lambda radius=radius: one.nearest(shapes, phalanx.Points(cloud), radius),
            min(repeat, 3),
        )
        yield what, "phalanx, 1 thread", m, seconds / m, 0
        _, seconds = best(
            lambda radius=radius: cKDTree(cloud).query(at, distance_upper_bound=radius),
            min(repeat, 3),
        )
        yield what, "scipy, 1 thread", m, seconds / m, 0


def distance_rows(scene, repeat):
    """The rows of the table of distances, as `rows` has them."""
    yield from pair_rows(scene, repeat)
    for n in (10_000, 1_000_000):
        yield from nearest_rows(n, 100_000, repeat)


class Labels:
    """Boxes from yaw, a hundred in each frame."""

    def __init__(self, n, seed=0):
        """Makes `n` boxes, the same for a seed."""
        rng = np.random.default_rng(seed)
        self.frame = np.arange(n) // 100
        self.center = rng.uniform((-40, -40, 0.8), (40, 40, 1.0), (n, 3)).astype(np.float32)
        self.size = rng.uniform((3.5, 1.7, 1.4), (5.5, 2.1, 1.8), (n, 3)).astype(np.float32)
        self.yaw = rng.uniform(-np.pi, np.pi, n)

    def boxes(self, part=slice(None)):
        """A store of some of the boxes."""
        return phalanx.Obbs.from_yaw(self.center[part], self.size[part], self.yaw[part])

    def footprints(self, shapely):
        """The polygons of all boxes, seen from above."""
        corners = np.array([[1, 1], [-1, 1], [-1, -1], [1, -1]]) * self.size[:, None, :2].astype(float) / 2
        cos, sin = np.cos(self.yaw)[:, None], np.sin(self.yaw)[:, None]
        x, y = corners[..., 0] * cos - corners[..., 1] * sin, corners[..., 0] * sin + corners[..., 1] * cos
        return shapely.polygons(np.stack([x, y], 2) + self.center[:, None, :2])

    def shapely_iou(self, shapely, footprints, pairs):
        """The IoU of pairs: areas by shapely, heights by numpy."""
        a, b = pairs.T
        center, size = self.center.astype(float), self.size.astype(float)
        low, high = center[:, 2] - size[:, 2] / 2, center[:, 2] + size[:, 2] / 2
        height = np.maximum(np.minimum(high[a], high[b]) - np.maximum(low[a], low[b]), 0)
        common = shapely.area(shapely.intersection(footprints[a], footprints[b])) * height
        return common / (size.prod(1)[a] + size.prod(1)[b] - common)


def label_rows(n, repeat):
    """The rows of the table of labels, as `rows` has them."""
    labels, one, all_threads = Labels(n), phalanx.Detector(parallel=False), phalanx.Detector()
    boxes = labels.boxes()
    pairs, seconds = best(lambda: one.candidates(boxes, boxes, keys=labels.frame), repeat)
    what = f"candidates of {labels.frame[-1] + 1:,} frames, ns a box"
    yield what, "phalanx, 1 thread", n, seconds / n, 0
    answer, seconds = best(lambda: all_threads.candidates(boxes, boxes, keys=labels.frame), repeat)
    yield what, f"phalanx, {os.cpu_count()} threads", n, seconds / n, int(not np.array_equal(answer, pairs))

    def loop():
        found = []
        for begin in range(0, n, 100):
            frame = labels.boxes(slice(begin, begin + 100))
            found.append(one.candidates(frame, frame) + np.uint32(begin))
        return np.concatenate(found)

    answer, seconds = best(loop, min(repeat, 3))
    yield what, "phalanx, a loop over frames", n, seconds / n, int(not np.array_equal(answer, pairs))
    expected, seconds = best(lambda: one.iou(boxes, boxes, pairs), repeat)
    what = f"IoU, {100 * np.mean(expected > 0):.0f} % overlap"
    yield what, "phalanx, 1 thread", len(pairs), seconds / len(pairs), 0
    answer, seconds = best(lambda: all_threads.iou(boxes, boxes, pairs), repeat)
    differ = int((answer != expected).sum())
    yield what, f"phalanx, {os.cpu_count()} threads", len(pairs), seconds / len(pairs), differ
    try:
        import shapely
    except ImportError:
        yield what, "shapely", 0, None, None
        return
    footprints, few = labels.footprints(shapely), pairs[:100_000]
    answer, seconds = best(lambda: labels.shapely_iou(shapely, footprints, few), min(repeat, 3))
    yield what, "shapely", len(few), seconds / len(few), int((np.abs(answer - expected[: len(few)]) > 1e-5).sum())


def manager_rows(repeat):
    """The rows of the table of managers, as `rows` has them."""
    import trimesh
    from phalanx.trimesh import CollisionManager
    from scipy.spatial.transform import Rotation

    rng = np.random.default_rng(1)
    ring = trimesh.creation.torus(1.0, 0.3, major_sections=48, minor_sections=24)
    places = np.tile(np.eye(4), (40, 1, 1))
    places[:, :3, :3] = Rotation.random(40, random_state=1).as_matrix()
    places[:, :3, 3] = rng.uniform(-5, 5, (40, 3))
    outside = trimesh.transformations.translation_matrix([9, 9, 9])

    def made(kind):
        manager = kind()
        for k, place in enumerate(places):
            manager.add_object(str(k), ring, place)
        return manager

    def moved(manager):
        for k, place in enumerate(places):
            manager.set_transform(str(k), place)

    def pairs_of(contacts):
        return {tuple(sorted(contact.names)) for contact in contacts}

    calls = [
        ("40 objects added", lambda manager: made(type(manager)), lambda answer: 0),
        ("40 transforms set", moved, lambda answer: 0),
        ("names in collision", lambda it: it.in_collision_internal(return_names=True), lambda answer: answer[1]),
        ("contacts", lambda it: it.in_collision_internal(return_data=True), lambda answer: pairs_of(answer[1])),
        ("distance of one", lambda it: it.min_distance_single(ring, outside), lambda answer: round(answer, 3)),
    ]
    try:
        managers = [
            ("phalanx", made(CollisionManager)),
            ("trimesh, python-fcl", made(trimesh.collision.CollisionManager)),
        ]
    except ValueError:
        managers = [("phalanx", made(CollisionManager)), ("trimesh, python-fcl", None)]
    for what, call, read in calls:
        expected = None
        for by, manager in managers:
            if manager is None:
                yield what, by, 0, None, None
                continue
            answer, seconds = best(lambda call=call, manager=manager: call(manager), repeat)
            found = read(answer)
            expected = found if expected is None else expected
            yield what, by, 1, seconds, int(found != expected)


def main():
    """Prints the table. Fails if too many results differ from those of the wheel."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=1_000_000)
    parser.add_argument("--shapes", type=int, default=65_536)
    parser.add_argument("--repeat", type=int, default=5, help="number of runs; the fastest counts")
    parser.add_argument("--meshes", action="store_true", help="only meshes, with 200 000 rays and shapes")
    parser.add_argument("--distances", action="store_true", help="only distances, and nearest of 100 000 points")
    parser.add_argument("--labels", action="store_true", help="only boxes of frames, as many as --shapes, and IoU")
    parser.add_argument("--managers", action="store_true", help="only managers of 40 meshes, ns a call")
    options = parser.parse_args()
    counted = "200000 rays and shapes" if options.meshes else f"{options.pairs} pairs over {options.shapes} shapes"
    counted = f"{options.shapes} boxes" if options.labels else counted
    counted = "40 meshes" if options.managers else counted
    print(f"{counted}; {platform.processor() or platform.machine()}, ", end="")
    print(f"{os.cpu_count()} cores, {phalanx.instruction_sets()[-1][0]}, Python {platform.python_version()}\n")
    print("| shapes | by | pairs | ns a pair | x phalanx | answers that differ |")
    print("|---|---|--:|--:|--:|--:|")
    first, wrong = {}, []
    if options.meshes:
        table = (row for n in (70, 500) for row in mesh_rows(n, 200_000, options.repeat))
    elif options.distances:
        table = distance_rows(Scene(options.shapes, options.pairs), options.repeat)
    elif options.managers:
        table = manager_rows(options.repeat)
    elif options.labels:
        table = label_rows(options.shapes, options.repeat)
    else:
        table = rows(Scene(options.shapes, options.pairs), options.repeat)
    for what, by, count, seconds, differ in table:
        if seconds is None:
            print(f"| {what} | {by} | not installed | | | |")
            continue
        first.setdefault(what, seconds)
        ratio = seconds / first[what]
        print(f"| {what} | {by} | {count} | {1e9 * seconds:,.2f} | {ratio:,.1f} | {differ} |", flush=True)
        # Peers round differently where shapes touch, and a few of python-fcl's distances are too large.
        if differ > max(3, count / (1_000 if options.distances else 10_000)):
            wrong.append(by)
    if wrong:
        raise SystemExit(f"answers differ: {', '.join(wrong)}")


if __name__ == "__main__":
    main()
