#!/usr/bin/env python3
"""Make the constants of elementary.c, and the values that test_elementary.c expects.

    src/core/math/elementary.py tables >src/core/math/elementary_tables.h
    src/core/math/elementary.py values >test/data/elementary.csv

Both files are part of the source, so that building and testing need no Python.  Whoever
changes the tables changes bits of ratings, which "verify" compares for ever: do not, unless
a result is wrong.  Needs mpmath; its versions agree, because all is computed to 200 bits
and then rounded once.
"""

import random
import struct
import sys

import mpmath
from mpmath import mpf

mpmath.mp.prec = 200


def bits(x):
    return struct.unpack('<Q', struct.pack('<d', x))[0]


def from_bits(b):
    return struct.unpack('<d', struct.pack('<Q', b))[0]


def double(x):
    """The nearest double, subnormal ones included."""
    if x == 0:
        return 0.0
    unit = mpf(2) ** max(mpmath.frexp(x)[1] - 53, -1074)
    return float(mpmath.nint(x / unit) * unit)


def short(x, lowest):
    """Rounded to a multiple of 2^lowest."""
    return mpmath.nint(x * mpf(2) ** -lowest) * mpf(2) ** lowest


def polynomial(function, low, high, terms):
    """Coefficients in x of the polynomial that interpolates at Chebyshev's points."""
    point = [(low + high) / 2 + (high - low) / 2 * mpmath.cos(mpmath.pi * (2 * i + 1) / (2 * terms))
             for i in range(terms)]
    matrix = mpmath.matrix(terms, terms)
    value = mpmath.matrix(terms, 1)
    for i in range(terms):
        value[i] = function(point[i])
        for j in range(terms):
            matrix[i, j] = point[i] ** j
    return list(mpmath.lu_solve(matrix, value))


def series(function, around, radius, terms):
    """The same for a function with a removable singularity or a cancellation at 0."""
    tiny = mpf(2) ** -200
    with mpmath.workprec(1200):
        return polynomial(lambda x: function(x if abs(x) > tiny else tiny), mpf(around - radius), mpf(around + radius), terms)


#
# ---- Tables ----
#

def number(x):
    return repr(double(x))


def rows(name, comment, values, columns, per_line):
    print(f'/* {comment}. */')
    shape = f'[{len(values)}]' + (f'[{columns}]' if columns > 1 else '')
    print(f'static const double {name}{shape} = {{')
    if columns > 1:
        for row in values:
            text = [number(x) for x in row]
            lines = [', '.join(text[i:i + per_line]) for i in range(0, len(text), per_line)]
            # As pgindent leaves it.
            lines[1:-1] = ['\t' + text for text in lines[1:-1]]
            print('\t{' + ',\n\t'.join(lines) + '},')
    else:
        for i in range(0, len(values), per_line):
            print('\t' + ', '.join(number(x) for x in values[i:i + per_line]) + ',')
    print('};\n')


def exp_rows():
    for i in range(128):
        exact = mpf(2) ** (mpf(i) / 128)
        near = mpf(double(exact))
        yield near, (exact - near) / near


def log_rows():
    """Of each interval the inverse of a point near its middle, and the point's logarithm."""
    for i in range(128):
        # As in reduce() of elementary.c: the intervals begin at LOG_LOWEST.
        low, high = (mpf(from_bits((0x3fe6a00000000000 + (j << 45)))) for j in (i, i + 1))
        near_one = low == 1 or high == 1
        inverse = mpf(1) if near_one else short(2 / (low + high), -9)
        logarithm = -mpmath.log(inverse)
        rough = short(logarithm, -42)
        yield inverse, rough, logarithm - rough


def erfcx(x):
    return mpmath.exp(x * x) * mpmath.erfc(x)


def erfc_rows():
    """Eight intervals from each power of two to the next, from 1/2 to 32."""
    for exponent in range(-1, 5):
        for i in range(8):
            width = mpf(2) ** exponent / 8
            middle = mpf(2) ** exponent + (i + mpf(1) / 2) * width
            with mpmath.workprec(400):
                p = polynomial(lambda t: erfcx(middle + t), -width / 2, width / 2, 12)
            first = mpf(double(p[0]))
            yield [first, p[0] - first] + p[1:]


def define(name, value, comment):
    print(f'/* {comment} */\n#define {name} ({number(value)})\n')


def tables():
    ln2 = mpmath.log(2)
    print('''/*
 * elementary_tables.h
 *		Constants of elementary.c; made by elementary.py, which explains them.
 *
 * With as many digits as tell each double from its neighbours.
 */
#ifndef CORE_MATH_ELEMENTARY_TABLES_H
#define CORE_MATH_ELEMENTARY_TABLES_H
''')
    step = ln2 / 128
    define('STEPS_PER_UNIT', 1 / step, '128 / ln 2.')
    define('STEP_HIGH', short(step, -42), 'ln 2 / 128, in so few bits that multiples up to 140800 are exact.')
    define('STEP_LOW', step - short(step, -42), 'What it lacks.')
    define('LN2', ln2, 'ln 2.')
    define('LN2_HIGH', short(ln2, -42), 'ln 2, in so few bits that multiples up to 1100 are exact.')
    define('LN2_LOW', ln2 - short(ln2, -42), 'What it lacks.')
    rows('exp_table', '2^(i / 128), and its relative error', list(exp_rows()), 2, 2)
    rows('log_table', '1 / c, and ln c in two parts, for a point c of interval i', list(log_rows()), 3, 3)
    radius = mpf(1) / 368  # a little more than ln 2 / 256
    rows('exp_polynomial', '(e^r - 1 - r) / r^2 for |r| < ln 2 / 256',
         series(lambda r: (mpmath.expm1(r) - r) / r ** 2, 0, radius, 4), 1, 2)
    rows('log_polynomial', '(ln(1 + r) - r + r^2 / 2) / r^3 for |r| < 2^-7',
         series(lambda r: (mpmath.log1p(r) - r + r ** 2 / 2) / r ** 3, 0, mpf(1) / 128, 7), 1, 3)
    rows('expm1_polynomial', '(e^x - 1 - x - x^2 / 2) / x^3 for |x| < 1/4',
         series(lambda x: (mpmath.expm1(x) - x - x ** 2 / 2) / x ** 3, 0, mpf(1) / 4, 10), 1, 3)
    rows('erf_polynomial', 'erf(x) / x - 1 as a function of x^2 < 1/4',
         series(lambda u: mpmath.erf(mpmath.sqrt(u)) / mpmath.sqrt(u) - 1, mpf(1) / 8, mpf(1) / 8, 10), 1, 3)
    rows('erfc_table', 'e^(x^2) erfc(x) around the middle of interval i; the first coefficient in two parts',
         list(erfc_rows()), 13, 4)
    print('#endif\t\t\t\t\t\t\t/* CORE_MATH_ELEMENTARY_TABLES_H */')


#
# ---- Values ----
#

def near(x, count):
    """A double with its neighbours."""
    return [from_bits(bits(x) + i) for i in range(-count, count + 1)]


def magnitudes(low, high, count, signs=(1,)):
    for _ in range(count):
        yield random.choice(signs) * 2.0 ** random.uniform(low, high)


def uniform(low, high, count):
    return [random.uniform(low, high) for _ in range(count)]


def arguments():
    """Of each function: random ones of all sizes, and those where its method changes."""
    both = (1, -1)
    yield 'exp', mpmath.exp, (uniform(-745, 709.7, 120) + uniform(-2, 2, 60) + list(magnitudes(-60, 0, 30, both)) +
                              near(double(mpmath.log(2)), 1) + near(double(mpmath.log(2) / 256), 2) +
                              near(709.782712893384, 0) + near(-708.3964185322641, 1) + [-745.13])
    yield 'exp2', lambda x: mpf(2) ** x, (uniform(-1074, 1023.9, 100) + uniform(-2, 2, 40) +
                                          [1.0, -1.0, 10.0, -1022.0, -1074.0, 1023.0] + near(1 / 256, 1))
    yield 'expm1', mpmath.expm1, (uniform(-40, 45, 80) + uniform(-1, 1, 80) + list(magnitudes(-60, 0, 50, both)) +
                                  near(0.25, 2) + near(-0.25, 2) + [709.7, 36.5, 37.0, 37.4, 38.0, 5e-324, -1e-310] +
                                  near(-37.42994775023705, 1))
    yield 'log', mpmath.log, (list(magnitudes(-1074, 1023, 80)) + uniform(0.5, 2, 100) +
                              [1 + d for d in magnitudes(-52, -5, 60, both)] + near(2.0 ** -0.5, 1) +
                              near(0.7070, 0) + near(1.0078125, 2) + near(0.99609375, 2) +
                              [5e-324, 2.2250738585072014e-308, 1.7976931348623157e+308])
    yield 'log1p', mpmath.log1p, (list(magnitudes(-70, 60, 60)) + uniform(-0.999, 1, 100) +
                                  list(magnitudes(-60, -4, 60, both)) + [-1 + d for d in magnitudes(-52, -1, 20)] +
                                  near(0.0078125, 2) + near(-0.00390625, 2) + [5e-324, 1.7e308, 1e16, 9007199254740993.0])
    yield 'erfc', mpmath.erfc, (uniform(-6, 27.2, 150) + uniform(-1, 1, 60) + list(magnitudes(-60, -1, 30, both)) +
                                near(0.25, 1) + near(0.5, 2) + near(-0.5, 1) + near(1.0, 1) + near(4.0, 1) + near(26.54, 1) +
                                [27.22, -5.9, -6.0, -30.0])


def pow_arguments():
    for _ in range(150):
        x = 2.0 ** random.uniform(-30, 30)
        yield x, random.uniform(-1000, 1000) / abs(mpmath.log(x, 2))
    for _ in range(100):
        x = 1 + random.choice((1, -1)) * 2.0 ** random.uniform(-40, -4)
        yield x, random.uniform(-1070, 1023) / mpmath.log(x, 2)
    for _ in range(100):
        yield random.uniform(0.3, 3), random.uniform(-4, 4)
    for _ in range(30):
        yield 2.0 ** random.uniform(-1074, -1000), random.uniform(-0.9, 1)
    for n in range(-30, 24):
        yield 10.0, n
    for n in (3, -3, 7, 2, -2, 307, 308):
        yield -10.0, n
    yield from ((2.0, -1074), (2.0, 1023), (0.5, 1074), (3.0, 0.5), (4.0, 0.5), (5e-324, 0.5), (5e-324, -0.5))


def line(name, x, y, exact):
    # What is left is given in units of the last place: the error is measured beyond it.
    result = double(exact)
    unit = mpf(2) ** max(mpmath.frexp(mpf(result))[1] - 53, -1074)
    rest = double((exact - mpf(result)) / unit)
    print(f"{name},{x.hex()},{y.hex() if y is not None else ''},{result.hex()},{rest:.4f}")


def values():
    random.seed(16)
    print('function,x,y,expected,rest')
    # Hundreds of bits more, for what is left of 1 + tiny.
    with mpmath.workprec(400):
        for name, function, xs in arguments():
            for x in xs:
                line(name, x, None, function(mpf(x)))
        for x, y in pow_arguments():
            y = float(y)
            exact = mpf(x) ** int(y) if x < 0 else mpf(x) ** mpf(y)
            line('pow', x, y, exact)


if sys.argv[1:] == ['tables']:
    tables()
elif sys.argv[1:] == ['values']:
    values()
else:
    sys.exit(__doc__)
