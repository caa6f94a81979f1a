"""Functions of two Arrow arrays of structs, row by row, for query engines: one line makes one a UDF.

There is one for each kernel and order of shapes except hulls, named `<shape>_<shape>_<verb>`, as `sphere_obb_sweep`; of
two shapes of one kind also `<shape>_<verb>`. Each takes anything that exports Arrow. A single row on one side is tested
with all rows of the other side. The result is null where a shape is null or invalid.

    overlap   bool
    sweep     struct {hit: bool, enter: float32, exit: float32}
    contact   struct {hit: bool, normal_x, normal_y, normal_z, separation: float32, points: list}, all
              except `hit` null where nothing touches; points are structs {x, y, z, separation: float32, feature: uint8}
    impact    struct {hit: bool, time: float32, settled: bool}; also takes `tolerance`
    distance  struct {lower: float32, upper: float32, settled: bool}

All except distances take `margin`, 0 by default.
"""

from functools import partial

from phalanx._phalanx import arrow_call, kernels

__all__: list[str] = []


def _define() -> None:
    for verb, first, second in kernels():
        # A hull is not columns alone: its points are in its store.
        if "hull" in (first, second):
            continue
        orders = {(first, second), (second, first)}
        names = {f"{a}_{b}_{verb}": (a, b) for a, b in orders}
        if first == second:
            names[f"{first}_{verb}"] = (first, second)
        for name, (a, b) in names.items():
            function = partial(arrow_call, verb, a, b)
            function.__doc__ = f"Tests each {a} of the first array with the {b} of the second: {verb}."
            if verb == "distance":
                function.__doc__ = f"Bounds the distance of each {a} of the first array from the {b} of the second."
            globals()[name] = function
            __all__.append(name)
    __all__.sort()


_define()
