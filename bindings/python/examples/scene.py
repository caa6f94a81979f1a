"""Draws a heap of boxes on the ground: those that touch, and the points and normals of their contacts.

    python scene.py [PICTURE]

Takes matplotlib.
"""

import sys

import matplotlib
import numpy as np
import phalanx

matplotlib.use("agg")

import matplotlib.pyplot as plt  # noqa: E402
from mpl_toolkits.mplot3d.art3d import Poly3DCollection  # noqa: E402

# The corners of each side of a box, as signs of its half extents.
SIDES = np.array(
    [[[s, -1, -1], [s, 1, -1], [s, 1, 1], [s, -1, 1]] for s in (-1, 1)]
    + [[[-1, s, -1], [1, s, -1], [1, s, 1], [-1, s, 1]] for s in (-1, 1)]
    + [[[-1, -1, s], [1, -1, s], [1, 1, s], [-1, 1, s]] for s in (-1, 1)]
)


def turned(rotation, v):
    """Vectors turned by a quaternion x, y, z, w."""
    u, w = rotation[:3], rotation[3]
    t = 2 * np.cross(u, v)
    return v + w * t + np.cross(u, t)


def main():
    """Draws the scene, and prints what touches."""
    picture = sys.argv[1] if len(sys.argv) > 1 else "scene.png"
    rng = np.random.default_rng(7)
    n = 60
    center = rng.uniform([-4, -4, 0.2], [4, 4, 4], (n, 3)).astype(np.float32)
    half = rng.uniform(0.2, 0.7, (n, 3)).astype(np.float32)
    rotation = rng.normal(size=(n, 4))
    rotation = (rotation / np.linalg.norm(rotation, axis=1, keepdims=True)).astype(np.float32)
    boxes = phalanx.Obbs(center, half, rotation)
    ground = phalanx.HalfSpaces(normal=(0.0, 0.0, 1.0), d=0.0)

    detector = phalanx.Detector()
    pairs = detector.candidates(boxes, boxes)
    contacts = detector.contact(boxes, boxes, pairs)
    touching = contacts.pairs(pairs)
    # One with all: position j is ground and box j.
    landed = detector.contact(ground, boxes, phalanx.one_to_all(0))
    print(f"{n} boxes, {len(pairs)} candidates, {contacts.count} pairs touch, {landed.count} touch the ground")
    deepest = np.argmin(contacts.separation)
    print(f"the deepest are boxes {touching[deepest].tolist()}, by {-contacts.separation[deepest]:.3f}")

    axes = plt.figure(figsize=(9, 7)).add_subplot(projection="3d")
    is_hit = np.zeros(n, bool)
    is_hit[touching.ravel()] = True
    is_landed = landed.mask
    for i in range(n):
        sides = center[i] + turned(rotation[i], SIDES * half[i])
        color = "tab:red" if is_hit[i] else "tab:orange" if is_landed[i] else "tab:blue"
        axes.add_collection3d(Poly3DCollection(sides, facecolor=color, edgecolor="k", linewidth=0.3, alpha=0.25))
    # Points are relative to the center of the first box.
    is_point = np.arange(4) < contacts.counts[:, None]
    points = (contacts.points + center[touching[:, 0], None])[is_point]
    normals = np.broadcast_to(contacts.normal[:, None], contacts.points.shape)[is_point]
    axes.scatter(*points.T, color="k", s=6)
    axes.quiver(*points.T, *normals.T, length=0.6, color="k", linewidth=0.8)
    axes.set(xlim=(-5, 5), ylim=(-5, 5), zlim=(-1, 5))
    axes.set_title("red: touching boxes, with contacts; orange: on the ground only; blue: free")
    plt.savefig(picture, dpi=120)
    print(f"drawn to {picture}")


if __name__ == "__main__":
    main()
