"""Eight numbers side by side: values that the compiler keeps in vector registers.

Loops over short arrays are guarded against overlaps each time they start, which costs more than the loops do; values of
this type have no addresses, so nothing need be guarded. They are made by ``load`` and ``splat`` and have ``+``, ``-``,
``*`` and ``/``.
"""

import operator
from collections.abc import Callable, Sequence

from llvmlite import ir
from numba import types
from numba.core.cgutils import get_or_insert_function
from numba.extending import intrinsic, models, overload, register_model

__all__ = [
    "N",
    "fused",
    "greater",
    "lesser",
    "load",
    "lowest",
    "magnitude",
    "root",
    "select",
    "splat",
    "store",
    "under",
]

N = 8
DOUBLES = ir.VectorType(ir.DoubleType(), N)


class Lanes(types.Type):
    """The type of eight numbers."""

    def __init__(self) -> None:
        super().__init__(name="Lanes")


LANES = Lanes()


@register_model(Lanes)
class _Model(models.PrimitiveModel):
    def __init__(self, manager: object, numba_type: types.Type) -> None:
        super().__init__(manager, numba_type, DOUBLES)


def _address(
    context: object, builder: ir.IRBuilder, array_type: types.Array, array: ir.Value, at: ir.Value
) -> ir.Value:
    data = context.make_array(array_type)(context, builder, array).data  # type: ignore[attr-defined]
    return builder.bitcast(builder.gep(data, [at]), DOUBLES.as_pointer())


@intrinsic
def load(typing, array, at):
    """The eight numbers of a contiguous array from place ``at`` of its flat order."""

    def body(context, builder, signature, args):
        place = _address(context, builder, signature.args[0], *args)
        return builder.load(place, align=8)

    return LANES(array, types.intp), body


@intrinsic
def store(typing, array, at, lanes):
    """Write eight numbers into a contiguous array."""

    def body(context, builder, signature, args):
        builder.store(args[2], _address(context, builder, signature.args[0], *args[:2]), align=8)
        return context.get_dummy_value()

    return types.void(array, types.intp, LANES), body


@intrinsic
def splat(typing, number):
    """The same number eight times."""

    def body(context, builder, signature, args):
        one = builder.insert_element(ir.Constant(DOUBLES, ir.Undefined), args[0], ir.Constant(ir.IntType(32), 0))
        zeros = ir.Constant(ir.VectorType(ir.IntType(32), N), [0] * N)
        return builder.shuffle_vector(one, ir.Constant(DOUBLES, ir.Undefined), zeros)

    return LANES(types.float64), body


def _call(builder: ir.IRBuilder, name: str, args: Sequence[ir.Value]) -> ir.Value:
    kind = ir.FunctionType(DOUBLES, [DOUBLES] * len(args))
    return builder.call(get_or_insert_function(builder.module, kind, f"{name}.v{N}f64"), args)


def _binary(emit: Callable, doc: str) -> Callable:
    def function(typing, a, b):
        return LANES(LANES, LANES), lambda context, builder, signature, args: emit(builder, *args)

    function.__doc__ = doc
    return intrinsic(function)


def _unary(name: str, doc: str) -> Callable:
    def function(typing, a):
        def body(context, builder, signature, args):
            return _call(builder, name, args)

        return LANES(LANES), body

    function.__doc__ = doc
    return intrinsic(function)


_add = _binary(lambda builder, a, b: builder.fadd(a, b), "Add.")
_subtract = _binary(lambda builder, a, b: builder.fsub(a, b), "Subtract.")
_multiply = _binary(lambda builder, a, b: builder.fmul(a, b), "Multiply.")
_divide = _binary(lambda builder, a, b: builder.fdiv(a, b), "Divide.")
lesser = _binary(lambda b, u, v: b.select(b.fcmp_ordered("<", u, v), u, v), "The lesser of each two.")
greater = _binary(lambda b, u, v: b.select(b.fcmp_ordered(">", u, v), u, v), "The greater of each two.")
magnitude = _unary("llvm.fabs", "Absolute values.")
root = _unary("llvm.sqrt", "Square roots.")


@intrinsic
def fused(typing, a, b, c):
    """``a * b + c``, rounded once where the processor does that as quickly."""

    def body(context, builder, signature, args):
        return _call(builder, "llvm.fmuladd", args)

    return LANES(LANES, LANES, LANES), body


@intrinsic
def select(typing, a, top, value):
    """``value`` where ``a`` is at most ``top``, zero elsewhere."""

    def body(context, builder, signature, args):
        return builder.select(builder.fcmp_ordered("<=", args[0], args[1]), args[2], ir.Constant(DOUBLES, [0.0] * N))

    return LANES(LANES, LANES, LANES), body


@intrinsic
def under(typing, a, top):
    """One bit per lane: whether ``a`` is at most ``top``."""

    def body(context, builder, signature, args):
        bits = builder.bitcast(builder.fcmp_ordered("<=", *args), ir.IntType(N))
        return builder.zext(bits, ir.IntType(64))

    return types.int64(LANES, LANES), body


@intrinsic
def lowest(typing, bits):
    """The place of the lowest bit that is set."""

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
