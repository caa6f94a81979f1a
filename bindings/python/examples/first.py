"""Finds which of 100,000 boxes touch, and how deep."""

import numpy as np
import phalanx

rng = np.random.default_rng(0)
n = 100_000
boxes = phalanx.Obbs.from_yaw(
    center=rng.uniform(0, 200, (n, 3)).astype(np.float32),
    size=(4.5, 1.9, 1.6),  # length, width, height
    yaw=rng.uniform(-np.pi, np.pi, n),
)

detector = phalanx.Detector()
pairs = detector.candidates(boxes, boxes)
contacts = detector.contact(boxes, boxes, pairs)

print(f"{len(pairs)} pairs have overlapping bounds, {contacts.count} touch")
deepest = contacts.depth.argmax()
print(
    "deepest:", pairs[contacts.positions[deepest]], f"{contacts.depth[deepest]:.2f} m, normal", contacts.normal[deepest]
)
