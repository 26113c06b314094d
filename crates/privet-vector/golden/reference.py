"""Independent reference for the calibration of the mechanisms on vectors, with 40 digits.

Everything is integrated numerically from the densities (mpmath.quad); no incomplete beta function, no closed form for the
mean of a cap, no Newton step. Run: python3 reference.py > calibration.txt
"""

from mpmath import mp, mpf, quad, exp, gamma, sqrt, pi, findroot, erfc, asin, cos, sin

mp.dps = 40


def sphere(dimension):
    constant = gamma(mpf(dimension) / 2) / (sqrt(pi) * gamma(mpf(dimension - 1) / 2))
    # With t = sin(angle) the density has no singularity at the poles, in any dimension.

    def integral(g, weight):
        low, high = asin(g), pi / 2
        # The mass is within a few standard deviations of the lower end.
        width = 12 / sqrt(mpf(dimension))
        inner = min(high, low + width)
        cuts = [low + (inner - low) * k / 24 for k in range(25)]
        if inner < high:
            cuts += [inner + (high - inner) * k / 4 for k in range(1, 5)]
        return constant * quad(lambda x: cos(x) ** (dimension - 2) * weight(sin(x)), cuts)

    return integral


def threshold(dimension, epsilon):
    integral = sphere(dimension)
    e = exp(mpf(epsilon))

    def excess(g):
        p = integral(g, lambda t: mpf(1))
        m = integral(g, lambda t: t)
        return (e - 1) * m / (e * p + 1 - p) - g

    low, high = mpf(0), mpf(1) - mpf(10) ** -12
    for _ in range(14):
        middle = (low + high) / 2
        if excess(middle) > 0:
            low = middle
        else:
            high = middle
    g = findroot(excess, (low, high), solver="anderson", tol=1e-30, verify=False)
    p = integral(g, lambda t: mpf(1))
    return g, p


def gaussian(epsilon):
    e = exp(mpf(epsilon))

    def mean(x):
        p = erfc(x / sqrt(2)) / 2
        return (e - 1) * exp(-x * x / 2) / sqrt(2 * pi) / (e * p + 1 - p)

    g = findroot(lambda x: mean(x) - x, (mpf("0.01"), mpf(8)), solver="anderson", tol=1e-30, verify=False)
    return g


def normalised(dimension, epsilon):
    """E[h / sqrt(h^2 + chi^2_(d-1))] of the report of PrivUnitG, integrated over h and the other length."""
    g = gaussian(epsilon)
    e = exp(mpf(epsilon))
    p = erfc(g / sqrt(2)) / 2
    n = dimension - 1
    constant = 2 / (mpf(2) ** (mpf(n) / 2) * gamma(mpf(n) / 2))
    middle = sqrt(mpf(n))
    radii = [max(mpf(0), middle + k) for k in range(-10, 11, 2)]
    if radii[0] > 0:
        radii = [mpf(0)] + radii
    radii = sorted(set(radii))

    def inner(h):
        return quad(lambda r: constant * r ** (n - 1) * exp(-r * r / 2) * h / sqrt(h * h + r * r), radii)

    heights = [g, g + 1, g + 2, g + 4, g + 8]
    above = quad(lambda h: exp(-h * h / 2) / sqrt(2 * pi) * inner(h), heights)
    return (e - 1) * above / (e * p + 1 - p)


def analytic_deviation(epsilon, delta):
    """The deviations in the tests of gaussian_noise.rs, at the exact values of the floats."""

    def excess(s):
        phi = lambda x: erfc(-x / sqrt(2)) / 2
        return phi(1 / (2 * s) - epsilon * s) - exp(epsilon) * phi(-1 / (2 * s) - epsilon * s) - delta

    low, high = mpf("1e-3"), mpf(10) ** 4
    for _ in range(160):
        middle = (low + high) / 2
        low, high = (middle, high) if excess(middle) > 0 else (low, middle)
    return high


if __name__ == "__main__":
    for dimension in (2, 3, 4, 16, 64, 512, 10000):
        for epsilon in ("0.1", "1", "5", "10", "20"):
            g, p = threshold(dimension, epsilon)
            print("privunit", dimension, epsilon, mp.nstr(g, 20), mp.nstr(p, 20))
    for epsilon in ("0.1", "1", "5", "10", "20"):
        print("privunit-g", 0, epsilon, mp.nstr(gaussian(epsilon), 20), 0)
    mp.dps = 20
    for dimension in (2, 16, 64, 512):
        for epsilon in ("0.1", "1", "5", "10"):
            print("privunit-g-normalized", dimension, epsilon, mp.nstr(normalised(dimension, epsilon), 15), 0)
