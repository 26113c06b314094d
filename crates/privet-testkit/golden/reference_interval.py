"""Independent reference for issue 3. Every law is a list of (a, b, f) pieces (f vectorised density) and atoms (y, mass).
Errors are Gauss-Legendre integrals of loss*density over the pieces, split at the input (and, on the circle, at its antipode)."""
import math, sys
import numpy as np
from scipy.optimize import brentq
from scipy.stats import norm

GX, GW = np.polynomial.legendre.leggauss(40)
TAU = 2 * math.pi
E_ = math.exp

def const(h):
    f = lambda y: np.full_like(y, h)
    f.h = h
    return f

class Law:
    def __init__(self, pieces, atoms=()):
        self.pieces = [(a, b, f) for a, b, f in pieces if b > a]
        self.atoms = [(y, m) for y, m in atoms if m > 0]
    def integral(self, g, cuts=()):
        t = 0.0
        for a, b, f in self.pieces:
            ends = [a] + sorted(c for c in cuts if a < c < b) + [b]
            for u, v in zip(ends, ends[1:]):
                n = max(1, int(math.ceil((v - u) / 4.0))) if not hasattr(f, 'h') else 1
                for k in range(n):
                    uu, vv = u + (v - u) * k / n, u + (v - u) * (k + 1) / n
                    y = 0.5 * (vv - uu) * GX + 0.5 * (vv + uu)
                    t += 0.5 * (vv - uu) * float(np.dot(GW, g(y) * f(y)))
        for y, m in self.atoms:
            t += m * float(g(np.array([y]))[0])
        return t
    def mass(self): return self.integral(lambda y: np.ones_like(y))
    def mean(self): return self.integral(lambda y: y)
    def clamp(self, lo=0.0, hi=1.0):
        low = high = 0.0; inside = []
        for a, b, f in self.pieces:
            L = Law([(a, b, f)])
            if b <= lo: low += L.mass(); continue
            if a >= hi: high += L.mass(); continue
            if a < lo: low += Law([(a, lo, f)]).mass()
            if b > hi: high += Law([(hi, b, f)]).mass()
            inside.append((max(a, lo), min(b, hi), f))
        at = []
        for y, m in self.atoms:
            if y <= lo: low += m
            elif y >= hi: high += m
            else: at.append((y, m))
        return Law(inside, at + [(lo, low), (hi, high)])
    def scaled(self, c, d):
        """law of c + d*Y, d > 0; constant pieces only"""
        return Law([(c + d * a, c + d * b, const(f.h / d)) for a, b, f in self.pieces], [(c + d * y, m) for y, m in self.atoms])

# ---------- window channels on [0,1] ----------
def window(l, r, p, eps, lo=0.0, hi=1.0):
    q = p * E_(-eps)
    return Law([(lo, l, const(q)), (l, r, const(p)), (r, hi, const(q))])

def s_of_p(p, eps): E = E_(eps); return (E - p) / (p * (E - 1))
def p_abs(eps): return E_(eps / 2)
def p_sq(eps):
    # divided by E^2: z^3 (E-2)/sqrt(E)... solve in log scale to stay finite
    E = E_(eps)
    return brentq(lambda p: p**3 * (E - 2) + 3 * E * p - 2 * E * E, 1e-9, E, xtol=1e-15, rtol=1e-15)
def p_sw(eps): return math.expm1(eps) / eps
def s_sw(eps): E = E_(eps); return (eps * E - E + 1) / (E - 1)**2

def clamped_window(x, p, eps):
    s = s_of_p(p, eps); l = min(max(x - s / 2, 0.0), 1 - s)
    return window(l, l + s, p, eps)

def ogpm(x, eps): return clamped_window(x, p_abs(eps), eps)
def ogpm_sq(x, eps): return clamped_window(x, p_sq(eps), eps)
def sw_bounded(x, eps): return clamped_window(x, p_sw(eps), eps)

def ogpm_u(x, eps):
    h = E_(eps / 2); C = (h + 1) / (h - 1); p = h / (2 * C + 1)
    l = (C + 1) / 2 * x - (3 * C + 1) * (C - 1) / (4 * C)
    r = (C + 1) / 2 * x + (C + 1) * (C - 1) / (4 * C)
    return window(l, r, p, eps, -C, C + 1)

def pm11(t, eps):
    h = E_(eps / 2); C = (h + 1) / (h - 1)
    l = (C + 1) / 2 * t - (C - 1) / 2
    p = (E_(eps) - h) / (2 * h + 2)
    return window(l, l + C - 1, p, eps, -C, C)
def pm(x, eps): return pm11(2 * x - 1, eps).scaled(0.5, 0.5)
def pm_c(x, eps):
    h = E_(eps / 2); C = (h + 1) / (h - 1)
    return pm11(2 * x - 1, eps).scaled(0.5, 0.5 / C)
def pm_t(x, eps): return pm(x, eps).clamp()

def sw_b(eps): E = E_(eps); return (eps * E - E + 1) / (2 * E * (E - 1 - eps))
def sw(x, eps):
    E = E_(eps); b = sw_b(eps); p = E / (2 * b * E + 1)
    return window(x - b, x + b, p, eps, -b, 1 + b)
def sw_c(x, eps): b = sw_b(eps); return sw(x, eps).scaled(b / (1 + 2 * b), 1 / (1 + 2 * b))
def sw_t(x, eps): return sw(x, eps).clamp()

def duchi(x, eps):
    t = 2 * x - 1; k = math.tanh(eps / 2); c = 1 / k
    return Law([], [(0.5 - c / 2, 0.5 - t * k / 2), (0.5 + c / 2, 0.5 + t * k / 2)])
EPS_STAR = math.log((-5 + 2 * np.cbrt(6353 - 405 * math.sqrt(241)) + 2 * np.cbrt(6353 + 405 * math.sqrt(241))) / 27)
def hm(x, eps):
    al = 1 - E_(-eps / 2) if eps > EPS_STAR else 0.0
    d = duchi(x, eps)
    pieces = [(a, b, const(al * f.h)) for a, b, f in pm(x, eps).pieces] if al else []
    return Law(pieces, [(y, (1 - al) * m) for y, m in d.atoms])

# ---------- noise ----------
def lap_piece(x, eps, scale):
    return lambda y: scale * np.exp(-eps * np.abs(y - x))
def laplace(x, eps):
    f = lap_piece(x, eps, eps / 2); R = 45 / eps
    step = 4 / eps
    ps = []
    for k in range(12): ps += [(x + k * step, x + (k + 1) * step, f), (x - (k + 1) * step, x - k * step, f)]
    return Law(ps)
def laplace_t(x, eps):
    f = lap_piece(x, eps, eps / 2)
    return Law([(0.0, x, f), (x, 1.0, f)], [(0.0, 0.5 * E_(-eps * x)), (1.0, 0.5 * E_(-eps * (1 - x)))])
def laplace_b(x, eps):
    # normaliser by quadrature, not by formula
    g = lap_piece(x, eps, 1.0); Z = Law([(0.0, x, g), (x, 1.0, g)]).mass()
    f = lap_piece(x, eps, 1 / Z)
    return Law([(0.0, x, f), (x, 1.0, f)])
def staircase(x, eps, gamma=None):
    g = 1 / (1 + E_(eps / 2)) if gamma is None else gamma
    a = (1 - E_(-eps)) / (2 * (g + E_(-eps) * (1 - g)))
    ps = []
    for k in range(int(60 / eps) + 2):
        for s in (1, -1):
            for u, v, h in ((k, k + g, a * E_(-k * eps)), (k + g, k + 1, a * E_(-(k + 1) * eps))):
                ps.append((x + u, x + v, const(h)) if s > 0 else (x - v, x - u, const(h)))
    return Law(ps)
def sigma_printed(eps, d): L = math.log(2 / d); return math.sqrt(.5) * (math.sqrt(L + eps) + math.sqrt(L)) / eps
def sigma_prob(eps, d): z = norm.isf(d); return (z + math.sqrt(z * z + 2 * eps)) / (2 * eps)
def delta_analytic(eps, s): return norm.cdf(1 / (2 * s) - eps * s) - E_(eps) * norm.cdf(-1 / (2 * s) - eps * s)
def sigma_analytic(eps, d): return brentq(lambda s: delta_analytic(eps, s) - d, 1e-4, 1e4, xtol=1e-14, rtol=1e-14)
def gauss(x, sig):
    f = lambda y: np.exp(-0.5 * ((y - x) / sig)**2) / (sig * math.sqrt(TAU))
    return Law([(x + k * sig, x + (k + 1) * sig, f) for k in range(-10, 10)])

# ---------- grids ----------
def grid_point(x, k): return min(k - 1, max(0, math.ceil(x * (k - 1) - 0.5 - 1e-12)))   # nearest, ties down
def grid_rr(x, eps, k=101):
    j = grid_point(x, k); E = E_(eps)
    return Law([], [(i / (k - 1), (E if i == j else 1.0) / (k - 1 + E)) for i in range(k)])
def grid_exp(x, eps, k=101):
    j = grid_point(x, k); w = np.exp(-eps * np.abs(np.arange(k) - j) / (k - 1)); w /= w.sum()
    return Law([], [(i / (k - 1), w[i]) for i in range(k)])

# ---------- circle of period T ----------
def circ_window(x, s, p, eps, T):
    l, r = x - s * T / 2, x + s * T / 2
    q = p * E_(-eps) / T; p = p / T
    l %= T; r %= T
    if l <= r: return Law([(0., l, const(q)), (l, r, const(p)), (r, T, const(q))])
    return Law([(0., r, const(p)), (r, l, const(q)), (l, T, const(p))])
def ogpm_circle(x, eps, T=TAU): p = p_abs(eps); return circ_window(x, s_of_p(p, eps), p, eps, T)
def ogpm_sq_circle(x, eps, T=TAU): p = p_sq(eps); return circ_window(x, s_of_p(p, eps), p, eps, T)
def sw_circle(x, eps, T=TAU): return circ_window(x, s_sw(eps), p_sw(eps), eps, T)
def cdist(y, x, T=TAU): d = np.abs(y - x) % T; return np.minimum(d, T - d)
def purkayastha(x, eps, T=TAU):
    k = 2 * eps / T
    g = lambda y: np.exp(-k * cdist(y, x, T))
    a = (x + T / 2) % T
    ends = [0.0] + sorted({v for v in (x, a) if 0 < v < T}) + [T]
    ps = list(zip(ends, ends[1:]))
    Z = Law([(u, v, g) for u, v in ps]).mass()
    f = lambda y: g(y) / Z
    return Law([(u, v, f) for u, v in ps])
def sector_rr(x, eps, k=6, T=TAU):
    E = E_(eps); j = min(k - 1, int(x / T * k)); w = T / k
    return Law([(i * w, (i + 1) * w, const((E if i == j else 1.0) / (k - 1 + E) / w)) for i in range(k)])

# ---------- errors ----------
def err(law, x, power, circle=None):
    if circle is None: return law.integral(lambda y: np.abs(y - x)**power, (x,))
    return law.integral(lambda y: cdist(y, x, circle)**power, (x, (x + circle / 2) % circle))

def half(s): return lambda e: [s(e) / 2, 1 - s(e) / 2]
def kinks_decoded(lawf):
    """x where a window end crosses x, 0 or 1 : found numerically as roots on a fine grid (window = highest piece)"""
    def f(eps):
        out = []
        def ends(x):
            b = max(lawf(x, eps).pieces, key=lambda t: t[2].h); return b[0], b[1]
        xs = np.linspace(0, 1, 401)
        for which in (0, 1):
            for target in (lambda x: x, lambda x: 0.0, lambda x: 1.0):
                g = lambda x: ends(x)[which] - target(x)
                v = [g(x) for x in xs]
                for i in range(400):
                    if v[i] * v[i + 1] < 0: out.append(brentq(g, xs[i], xs[i + 1], xtol=1e-15))
        return out
    return f
def clampk(raw): return kinks_decoded(raw)
def none(e): return []
def gridk(k): return lambda e: [(i + .5) / (k - 1) for i in range(k - 1)] + [i / (k - 1) for i in range(1, k - 1)]
def hmk(e):
    c = 1 / math.tanh(e / 2) ; return (kinks_decoded(pm)(e) if e > EPS_STAR else [])
DELTA = 0.052
INTERVAL = {
 'optimal-piecewise': (ogpm, half(lambda e: s_of_p(p_abs(e), e))),
 'optimal-piecewise-squared': (ogpm_sq, half(lambda e: s_of_p(p_sq(e), e))),
 'optimal-piecewise-unbiased': (ogpm_u, kinks_decoded(ogpm_u)),
 'piecewise': (pm, kinks_decoded(pm)),
 'square-wave': (sw, none),
 'duchi': (duchi, none),
 'hybrid': (hm, hmk),
 'square-wave-bounded': (sw_bounded, half(s_sw)),
 'piecewise-compressed': (pm_c, kinks_decoded(pm_c)),
 'square-wave-compressed': (sw_c, kinks_decoded(sw_c)),
 'piecewise-truncated': (pm_t, kinks_decoded(pm)),
 'square-wave-truncated': (sw_t, kinks_decoded(sw)),
 'laplace': (laplace, none),
 'laplace-truncated': (laplace_t, none),
 'laplace-bounded': (laplace_b, none),
 'staircase': (staircase, none),
 'gaussian(delta=0.052)': (lambda x, e: gauss(x, sigma_analytic(e, DELTA)), none),
 'gaussian-probabilistic(delta=0.052)': (lambda x, e: gauss(x, sigma_prob(e, DELTA)), none),
 'gaussian-probabilistic-printed(delta=0.052)': (lambda x, e: gauss(x, sigma_printed(e, DELTA)), none),
 'grid-randomized-response(points=101)': (grid_rr, gridk(101)),
 'grid-exponential(points=101)': (grid_exp, gridk(101)),
}
CIRCLE = {
 'optimal-piecewise-circle': (ogpm_circle, none),
 'optimal-piecewise-circle-squared': (ogpm_sq_circle, none),
 'square-wave-circle': (sw_circle, none),
 'purkayastha': (purkayastha, none),
 'sector-randomized-response(sectors=6)': (sector_rr, lambda e: [i * TAU / 6 for i in range(1, 6)] + [(i + .5) * TAU / 6 for i in range(6)]),
}
INVARIANT = {'laplace', 'staircase', 'gaussian(delta=0.052)', 'gaussian-probabilistic(delta=0.052)', 'gaussian-probabilistic-printed(delta=0.052)',
             'optimal-piecewise-circle', 'optimal-piecewise-circle-squared', 'square-wave-circle', 'purkayastha'}
def worst(fn, kinks, eps, power, T=None, hi=None):
    """(value, x): dense grid plus kinks, then golden section inside smooth cells. Right/left limits at jumps by nudging."""
    hi = 1.0 if T is None else T
    e = lambda x: err(fn(x, eps), x, power, T)
    ks = sorted(set([0.0, hi] + [k for k in kinks(eps) if 0 < k < hi]))
    best = (-1, 0)
    many = len(ks) > 40
    for u, v in zip(ks, ks[1:]):
        d = (v - u) * 1e-13
        n = 3 if many else 81
        xs = np.linspace(u + d, v - d, n)
        if u == 0: xs[0] = 0.0
        if v == hi and T is None: xs[-1] = hi
        vs = [e(x) for x in xs]
        i = int(np.argmax(vs))
        if vs[i] > best[0]: best = (vs[i], xs[i])
        if 0 < i < n - 1:
            a, b = xs[i - 1], xs[i + 1]; r = (math.sqrt(5) - 1) / 2
            c, dd = b - r * (b - a), a + r * (b - a); fc, fd = e(c), e(dd)
            for _ in range(60):
                if fc > fd: b, dd, fd = dd, c, fc; c = b - r * (b - a); fc = e(c)
                else: a, c, fc = c, dd, fd; dd = a + r * (b - a); fd = e(dd)
            m = max((fc, c), (fd, dd))
            if m[0] > best[0]: best = m
    return best
def average(fn, kinks, eps, power, T=None):
    hi = 1.0 if T is None else T
    e = lambda x: err(fn(x, eps), x, power, T)
    ks = sorted(set([0.0, hi] + [k for k in kinks(eps) if 0 < k < hi]))
    gx, gw = np.polynomial.legendre.leggauss(4 if len(ks) > 40 else 24)
    t = 0.0
    for u, v in zip(ks, ks[1:]):
        for x, w in zip(gx, gw): t += w * .5 * (v - u) * e(.5 * (v - u) * x + .5 * (u + v))
    return t / hi

# ---------- polar split ----------
def polar(eps, pfun):
    def total(e1):
        p1, p2 = pfun(e1), pfun(eps - e1)
        a = err(clamped_window(0.0, p1, e1), 0.0, 2)
        b = err(circ_window(0.0, s_of_p(p2, eps - e1), p2, eps - e1, TAU), 0.0, 2, TAU)
        return a + b
    a, b = 0.05, eps - 0.05; r = (math.sqrt(5) - 1) / 2
    g = np.linspace(a, b, 200); i = int(np.argmin([total(t) for t in g])); a, b = g[i - 1], g[i + 1]
    for _ in range(80):
        c, d = b - r * (b - a), a + r * (b - a)
        if total(c) < total(d): b = d
        else: a = c
    return (a + b) / 2, eps - (a + b) / 2, total((a + b) / 2)

def table():
    rows = []
    def add(name, exp, got, tol=1e-4): rows.append((name, exp, got, abs(exp - got) <= tol))
    W = lambda mid, e, pw: worst(*INTERVAL[mid], e, pw)
    for mid, vals in (('optimal-piecewise', (.37754, .26894, .11920)), ('square-wave-compressed', (.37836, .27450, .14435)),
                      ('piecewise-truncated', (.39905, .24895, .10962)), ('square-wave-truncated', (.33961, .23452, .12931)),
                      ('staircase', (.95952, .42546, .13786)), ('laplace-truncated', (.39347, .31606, .21617)),
                      ('laplace-bounded', (.41802, .34348, .23134))):
        for e, v in zip((1, 2, 4), vals):
            g, x = W(mid, e, 1); add(f'worst abs {mid} eps {e} (at x={x:.6f})', v, g)
    for mid, vals in (('optimal-piecewise', (.22087, .04921)), ('optimal-piecewise-squared', (.21730, .04064)),
                      ('optimal-piecewise-unbiased', (5.0245, .2009)), ('piecewise', (1.3059, .0603))):
        for e, v in zip((1, 4), vals):
            g, x = W(mid, e, 2); add(f'worst sq {mid} eps {e} (at x={x:.6f})', v, g)
    for e, p1, m1, p2, m2 in ((1, 1.6487, .22087, 1.5093, .21730), (2, 2.7183, .13787, 2.2300, .13111), (4, 7.3891, .04921, 4.6252, .04064), (8, 54.598, .00621, 18.082, .00302)):
        add(f'CORR 1 p eps {e}', p1, p_abs(e), 5e-4); add(f'CORR 1 mse eps {e}', m1, W('optimal-piecewise', e, 2)[0])
        add(f'CORR 1 root eps {e}', p2, p_sq(e), 5e-4); add(f'CORR 1 root mse eps {e}', m2, W('optimal-piecewise-squared', e, 2)[0])
    add('circle OGPM abs eps 2', .84490, err(ogpm_circle(1., 2), 1., 1, TAU)); add('circle OGPM sq eps 2', 1.36069, err(ogpm_circle(1., 2), 1., 2, TAU))
    add('Purkayastha abs eps 2', 1.07908, err(purkayastha(1., 2), 1., 1, TAU)); add('Purkayastha sq eps 2', 1.84527, err(purkayastha(1., 2), 1., 2, TAU))
    l = ogpm(0., 1); w = max(l.pieces, key=lambda t: t[2].h); add('density eps 1 x 0: p', 1.6487, w[2].h); add('  from', 0, w[0]); add('  to', .3775, w[1])
    l = ogpm(.5, 1); w = max(l.pieces, key=lambda t: t[2].h); add('density eps 1 x .5: from', .3112, w[0]); add('  to', .6888, w[1])
    add('circle eps 1 x 0: half window / pi', .38, s_of_p(p_abs(1), 1), .005)
    a, b, t = polar(1 + TAU, p_abs); add('polar p=e^(eps/2): radius', 1.299, a, 6e-4); add('  angle', 5.985, b, 6e-4)
    a, b, t = polar(1 + TAU, p_sq); add('polar roots: radius', 1.530, a, 6e-4); add('  angle', 5.753, b, 6e-4)
    add('sigma printed (1,.052)', 2.876, sigma_printed(1, .052), 6e-4); add('sigma exact probabilistic', 1.890, sigma_prob(1, .052), 6e-4)
    add('sigma analytic', 1.319, sigma_analytic(1, .052), 6e-4)
    Zp = 2 / (1 - E_(-2)); m = Law([(0, .5, lap_piece(.5, 2, Zp)), (.5, 1, lap_piece(.5, 2, Zp))]).mass()
    add('CORR 5 printed B-Laplace mass at .5, eps 2', 1.46, m, .005)
    add('CORR 17 2-RR eps 1 delta .1, P(true)', .758, .9 * E_(1) / (1 + E_(1)) + .1, 6e-4)
    add('CORR 19 PM(norm.) eps 2 theta .3 (x=.5)', .853, ogpm(.5, 2).clamp(.2, .8).integral(lambda y: ((y > .2) & (y < .8)) * 1.0), 6e-4)
    bad = 0
    for n, e, g, ok in rows:
        print(f'{n:62s} | {e:<9} | {g:.8f} | {"ok" if ok else "NO"}'); bad += not ok
    print('mismatches:', bad, 'of', len(rows))

def golden(path):
    out = ['# Made by an independent Python reference: ideal (real-valued) laws, inputs and outputs in units of the domain.',
           '# error|mechanism|domain|epsilon|loss|input, worst or average (uniform prior)|value',
           '# density|mechanism|domain|epsilon|input|from|to|density     (pieces in order, lengths > 0)',
           '# atom|mechanism|domain|epsilon|input|at|mass',
           '# staircase: gamma = 1/(1+e^(eps/2)), not saturated; laplace, gaussian: not saturated; grid: nearest point, ties down; k=101 points; exponential: scale eps, no factor 2',
           '# worst for grid and sector mechanisms is a supremum (jump points approached from the side)']
    F = lambda v: f'{v:.12g}' if abs(v) > 1e-15 else '0'
    for ids, dom, T, xs in ((INTERVAL, 'interval:0,1', None, (0., .1, .25, .5, .9, 1.)), (CIRCLE, 'circle:6.283185307179586', TAU, (0., .5, 1., 2., math.pi, 5.))):
        for mid, (fn, ks) in ids.items():
            for eps in (.5, 1, 2, 4, 8):
                for pw, nm in ((1, 'absolute'), (2, 'squared')):
                    vals = [(repr(x) if x != math.pi else '3.141592653589793', err(fn(x, eps), x, pw, T)) for x in xs]
                    if mid in INVARIANT: w = a = vals[0][1]
                    else: w = worst(fn, ks, eps, pw, T)[0]; a = average(fn, ks, eps, pw, T)
                    for n, v in vals + [('worst', w), ('average', a)]:
                        n = n[:-2] if n.endswith('.0') else n
                        out.append(f'error|{mid}|{dom}|{eps}|{nm}|{n}|{F(v)}')
                for x in xs:
                    L = fn(x, eps)
                    if not mid.startswith('staircase') and L.pieces and all(hasattr(f, 'h') for _, _, f in L.pieces):
                        xn = repr(x)[:-2] if repr(x).endswith('.0') else repr(x)
                        for a_, b_, f in L.pieces:
                            if b_ - a_ > 1e-14: out.append(f'density|{mid}|{dom}|{eps}|{xn}|{F(a_)}|{F(b_)}|{F(f.h)}')
                        for y, m in L.atoms: out.append(f'atom|{mid}|{dom}|{eps}|{xn}|{F(y)}|{F(m)}')
                    elif L.atoms and 'grid' not in mid:
                        xn = repr(x)[:-2] if repr(x).endswith('.0') else repr(x)
                        for y, m in L.atoms: out.append(f'atom|{mid}|{dom}|{eps}|{xn}|{F(y)}|{F(m)}')
            print(mid, file=sys.stderr)
    for l in list(out):
        f = l.split('|')
        if f[0] == 'error' and f[2] == 'interval:0,1' and f[5] == 'worst' and f[3] in ('1', '2', '4'):
            out.append('|'.join(f[:2] + ['interval:-5,20'] + f[3:6] + [f'{float(f[6]) * (25 if f[4] == "absolute" else 625):.12g}']))
    open(path, 'w').write('\n'.join(out) + '\n')

if __name__ == '__main__':
    if len(sys.argv) > 1 and sys.argv[1] == 'golden': golden('interval.txt')
    else: table()
