"""Vectors of eight doubles or sixteen floats, which the compiler keeps in vector registers.

Loops over short arrays are guarded against overlaps each time they start, which costs more than the
loops do; values of these types have no addresses, so that nothing need be guarded. ``load`` and
``splat`` make them, with the type of their argument, and they have ``+``, ``-``, ``*`` and ``/``.
In what follows "lanes" is such a vector, and ``at`` a flat position in a C-ordered array.
"""

# ruff: noqa: ARG001, ARG005 (numba calls these functions with more than they need)

import operator
from collections.abc import Callable, Sequence

from llvmlite import ir
from numba import types
from numba.core.cgutils import get_or_insert_function
from numba.core.errors import TypingError
from numba.extending import intrinsic, models, overload, register_model

__all__ = [
    "FLOATS",
    "N",
    "choose",
    "fused",
    "greater",
    "lanes",
    "lesser",
    "load",
    "lowest",
    "magnitude",
    "number",
    "root",
    "select",
    "splat",
    "store",
    "total",
    "under",
]

N = 8  # doubles in a vector
FLOATS = 16  # floats in a vector


class Lanes(types.Type):
    """The numba type of a vector of numbers."""

    def __init__(self, name: str, number: ir.Type, width: int) -> None:
        super().__init__(name=name)
        self.vector, self.width = ir.VectorType(number, width), width


DOUBLE_LANES = Lanes("DoubleLanes", ir.DoubleType(), N)
FLOAT_LANES = Lanes("FloatLanes", ir.FloatType(), FLOATS)
LANES = {types.float64: DOUBLE_LANES, types.float32: FLOAT_LANES}


@register_model(Lanes)
class _Model(models.PrimitiveModel):
    def __init__(self, manager: object, numba_type: Lanes) -> None:
        super().__init__(manager, numba_type, numba_type.vector)


def _address(
    context: object, builder: ir.IRBuilder, array_type: types.Array, array: ir.Value, at: ir.Value
) -> ir.Value:
    make = context.make_array(array_type)  # type: ignore[attr-defined]
    data = make(context, builder, array).data
    return builder.bitcast(builder.gep(data, [at]), LANES[array_type.dtype].vector.as_pointer())


def _check_contiguous(array: types.Array) -> None:
    if array.layout != "C":
        raise TypingError(f"array must be contiguous to be read or written as lanes, got {array}.")


@intrinsic
def lanes(typing, array):
    """Return the number of lanes in a vector of the array's type.

    It is a compile-time constant, unlike what follows from the ``itemsize`` of the array.
    """
    number = LANES[array.dtype].width
    return types.intp(array), lambda context, builder, signature, args: context.get_constant(
        types.intp, number
    )


@intrinsic
def load(typing, array, at):
    """Return the numbers of a contiguous array from flat position ``at`` on, as lanes."""
    _check_contiguous(array)

    def body(context, builder, signature, args):
        place = _address(context, builder, signature.args[0], *args)
        return builder.load(place, align=4)

    return LANES[array.dtype](array, types.intp), body


@intrinsic
def store(typing, array, at, lanes):
    """Write lanes into a contiguous array from flat position ``at`` on, in its precision."""
    _check_contiguous(array)

    def body(context, builder, signature, args):
        place, numbers = _address(context, builder, signature.args[0], *args[:2]), args[2]
        if lanes is DOUBLE_LANES and array.dtype == types.float32:
            halved = ir.VectorType(ir.FloatType(), N)
            place, numbers = (
                builder.bitcast(place, halved.as_pointer()),
                builder.fptrunc(numbers, halved),
            )
        elif lanes is FLOAT_LANES and array.dtype == types.float64:
            doubled = ir.VectorType(ir.DoubleType(), FLOATS)
            place, numbers = (
                builder.bitcast(place, doubled.as_pointer()),
                builder.fpext(numbers, doubled),
            )
        builder.store(numbers, place, align=4)
        return context.get_dummy_value()

    return types.void(array, types.intp, lanes), body


@intrinsic
def splat(typing, number):
    """Return lanes that all hold the same number."""
    number = number if number in LANES else types.float64
    lanes = LANES[number]

    def body(context, builder, signature, args):
        nothing = ir.Constant(lanes.vector, ir.Undefined)
        one = builder.insert_element(nothing, args[0], ir.Constant(ir.IntType(32), 0))
        zeros = ir.Constant(ir.VectorType(ir.IntType(32), lanes.width), [0] * lanes.width)
        return builder.shuffle_vector(one, nothing, zeros)

    return lanes(number), body


def _call(builder: ir.IRBuilder, name: str, args: Sequence[ir.Value]) -> ir.Value:
    vector = args[0].type
    kind = ir.FunctionType(vector, [vector] * len(args))
    suffix = f"v{vector.count}f{64 if vector.count == N else 32}"
    return builder.call(get_or_insert_function(builder.module, kind, f"{name}.{suffix}"), args)


def _binary(emit: Callable, doc: str) -> Callable:
    def function(typing, a, b):
        return a(a, a), lambda context, builder, signature, args: emit(builder, *args)

    function.__doc__ = doc
    return intrinsic(function)


def _unary(name: str, doc: str) -> Callable:
    def function(typing, a):
        def body(context, builder, signature, args):
            return _call(builder, name, args)

        return a(a), body

    function.__doc__ = doc
    return intrinsic(function)


_add = _binary(lambda builder, a, b: builder.fadd(a, b), "Add.")
_subtract = _binary(lambda builder, a, b: builder.fsub(a, b), "Subtract.")
_multiply = _binary(lambda builder, a, b: builder.fmul(a, b), "Multiply.")
_divide = _binary(lambda builder, a, b: builder.fdiv(a, b), "Divide.")
lesser = _binary(
    lambda b, u, v: b.select(b.fcmp_ordered("<", u, v), u, v), "Return the smaller of each two."
)
greater = _binary(
    lambda b, u, v: b.select(b.fcmp_ordered(">", u, v), u, v), "Return the larger of each two."
)
magnitude = _unary("llvm.fabs", "Return the absolute values.")
root = _unary("llvm.sqrt", "Return the square roots.")


@intrinsic
def fused(typing, a, b, c):
    """Return ``a * b + c``, rounded once where the processor does that as quickly."""

    def body(context, builder, signature, args):
        return _call(builder, "llvm.fmuladd", args)

    return a(a, a, a), body


@intrinsic
def total(typing, a):
    """Return the sum of all lanes, added in any order."""

    def body(context, builder, signature, args):
        vector = args[0].type
        kind = ir.FunctionType(vector.element, [vector.element, vector])
        name = f"llvm.vector.reduce.fadd.v{vector.count}f{64 if vector.count == N else 32}"
        start = ir.Constant(vector.element, -0.0)
        return builder.call(
            get_or_insert_function(builder.module, kind, name),
            [start, args[0]],
            fastmath=("reassoc",),
        )

    return next(number for number, vector in LANES.items() if vector is a)(a), body


@intrinsic
def select(typing, a, top, value):
    """Return ``value`` in the lanes where ``a`` is at most ``top``, and zero elsewhere."""

    def body(context, builder, signature, args):
        nothing = ir.Constant(args[2].type, [0.0] * value.width)
        return builder.select(builder.fcmp_ordered("<=", args[0], args[1]), args[2], nothing)

    return a(a, a, a), body


@intrinsic
def choose(typing, a, b, value, other):
    """Return ``value`` in the lanes where ``a`` exceeds ``b``, and ``other`` elsewhere."""

    def body(context, builder, signature, args):
        return builder.select(builder.fcmp_ordered(">", args[0], args[1]), args[2], args[3])

    return a(a, a, a, a), body


@intrinsic
def under(typing, a, top):
    """Return one bit per lane: whether ``a`` is at most ``top``."""

    def body(context, builder, signature, args):
        bits = builder.bitcast(builder.fcmp_ordered("<=", *args), ir.IntType(a.width))
        return builder.zext(bits, ir.IntType(64))

    return types.int64(a, a), body


@intrinsic
def number(typing, bits):
    """Return how many bits are set."""

    def body(context, builder, signature, args):
        return builder.ctpop(args[0])

    return types.int64(types.int64), body


@intrinsic
def lowest(typing, bits):
    """Return the position of the lowest bit that is set."""

    def body(context, builder, signature, args):
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.int64), body


def _operator(symbol: Callable, function: Callable) -> None:
    @overload(symbol)
    def _(a, b):
        if isinstance(a, Lanes) and isinstance(b, Lanes):
            return lambda a, b: function(a, b)
        return None


_operator(operator.add, _add)
_operator(operator.sub, _subtract)
_operator(operator.mul, _multiply)
_operator(operator.truediv, _divide)
