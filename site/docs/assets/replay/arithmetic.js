// Sums and logarithms that are rounded once, so that the same weights give the same bits as in the
// program (decision 3): sums as Python's `math.fsum`, logarithms and what is done with them in
// decimals of 34 digits, rounded half to even. Whole numbers without end (BigInt) carry the digits.

// The sum of numbers, correctly rounded.
// Source: J. R. Shewchuk, Discrete & Computational Geometry 18 (1997), 305-363.
export const fsum = (values) => {
  const parts = []; // their exact sum is the sum so far; none overlaps another
  for (let x of values) {
    let kept = 0;
    for (let at = 0; at < parts.length; at += 1) {
      let y = parts[at];
      if (Math.abs(x) < Math.abs(y)) {
        const larger = y;
        y = x;
        x = larger;
      }
      const high = x + y;
      const low = y - (high - x);
      if (low) parts[kept++] = low; // never ahead of what is read
      x = high;
    }
    parts.length = kept;
    parts.push(x);
  }
  let at = parts.length - 1;
  if (at < 0) return 0;
  let [high, low] = [parts[at], 0];
  while (at > 0 && !low) {
    const x = high;
    const y = parts[--at];
    high = x + y;
    low = y - (high - x);
  }
  // Halfway between two doubles, what is left of the parts says to which side.
  if (at > 0 && low < 0 === parts[at - 1] < 0) {
    const twice = low * 2;
    if (high + twice - high === twice) high += twice;
  }
  return high;
};

export const mean = (values) => fsum(values) / values.length;
export const sumOfSquares = (values) => fsum(Array.from(values, (x) => x * x));

// A decimal is { c, e }: the whole number c times 10 to the power e.
const DIGITS = 34;
const power = (base, exponent) => BigInt(base) ** BigInt(exponent);
const magnitude = (c) => (c < 0n ? -c : c);

const rounded = (c, e) => {
  const many = magnitude(c).toString().length - DIGITS;
  if (many <= 0) return { c, e };
  const unit = power(10, many);
  const rest = magnitude(c) % unit;
  const whole = magnitude(c) / unit;
  const up = 2n * rest > unit || (2n * rest === unit && whole % 2n === 1n);
  const kept = up ? whole + 1n : whole;
  return { c: c < 0n ? -kept : kept, e: e + many };
};

// A double as it is, every digit of it.
const exact = (x) => {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, x);
  const bits = view.getBigUint64(0);
  const exponent = Number((bits >> 52n) & 0x7ffn);
  const fraction = bits & 0xfffffffffffffn;
  const whole = exponent ? fraction | 0x10000000000000n : fraction;
  const binary = Math.max(exponent, 1) - 1075;
  return binary < 0 ? { c: whole * power(5, -binary), e: binary } : { c: whole << BigInt(binary), e: 0 };
};

const add = (a, b) => {
  const e = Math.min(a.e, b.e);
  return rounded(a.c * power(10, a.e - e) + b.c * power(10, b.e - e), e);
};
const multiply = (a, b) => rounded(a.c * b.c, a.e + b.e);
// Of positive numbers. Two more digits than are kept, and a last one for whether anything is left.
const divide = (a, b) => {
  const more = Math.max(0, DIGITS + 3 + b.c.toString().length - a.c.toString().length);
  const given = a.c * power(10, more);
  return rounded((given / b.c) * 10n + (given % b.c ? 1n : 0n), a.e - b.e - more - 1);
};
const nearest = ({ c, e }) => Number(`${c}e${e}`);

// Logarithms: fractions of 2 to the power BITS, twice what 34 digits of the smallest one take.
const BITS = 320n;
const ONE = 1n << BITS;
const STEPS = 128n;
const PLACES = 95;

// 2 artanh(s) = 2 (s + s^3 / 3 + s^5 / 5 + ...)
const twiceArtanh = (s) => {
  const square = (s * s) >> BITS;
  let [sum, term] = [0n, s];
  for (let odd = 1n; term !== 0n && term !== -1n; odd += 2n) {
    sum += term / odd;
    term = (term * square) >> BITS;
  }
  return 2n * sum;
};
const LN_2 = twiceArtanh(ONE / 3n);
const tabulated = new Map();
const lnOfStep = (n) => {
  if (!tabulated.has(n)) tabulated.set(n, twiceArtanh(((n - STEPS) * ONE) / (n + STEPS)));
  return tabulated.get(n);
};
const bitsOf = (x) => {
  const sixteens = x.toString(16);
  return sixteens.length * 4 - Math.clz32(parseInt(sixteens[0], 16)) + 28;
};

// The logarithm of a positive decimal: x = f 2^k with f in [1/2, 1); ln f is that of the nearest
// tabulated n / 128 and 2 artanh of what is left.
const ln = ({ c, e }) => {
  const [above, below] = e < 0 ? [c, power(10, -e)] : [c * power(10, e), 1n];
  const shift = BigInt(Math.max(0, Number(BITS) + 2 + bitsOf(below) - bitsOf(above)));
  const whole = (above << shift) / below;
  const bits = BigInt(bitsOf(whole));
  const f = whole >> (bits - BITS);
  const n = (f * STEPS + ONE / 2n) >> BITS;
  const centre = (n * ONE) / STEPS;
  const left = twiceArtanh(((f - centre) * ONE) / (f + centre));
  const value = left + lnOfStep(n) + (bits - shift) * LN_2;
  const scaled = magnitude(value) * power(10, PLACES) >> BITS;
  return rounded(value < 0n ? -scaled : scaled, -PLACES);
};

const NOTHING = { c: 0n, e: 0 };

// share * ln(share / middle), with 0 ln 0 = 0.
const term = (share, middle) => (share.c ? multiply(share, ln(divide(share, middle))) : NOTHING);

// The Jensen-Shannon divergence of two weight vectors, in nats (EPC-2.5; Reading R9).
export const jsd = (left, right) => {
  let total = NOTHING;
  left.forEach((p, at) => {
    if (p === right[at]) return; // both terms are 0
    const shares = [exact(p), exact(right[at])];
    const middle = divide(add(...shares), { c: 2n, e: 0 });
    for (const share of shares) total = add(total, term(share, middle));
  });
  const half = total.c < 0n ? NOTHING : divide(total, { c: 2n, e: 0 });
  return Math.min(Math.max(0, nearest(half)), Math.LN2);
};

// How far coupling moved the weights, relative to the pure phase (EPC-2.5 eq. (1)).
export const gamma = (coupled, pure) =>
  Math.sqrt(sumOfSquares(coupled.map((c, at) => c - pure[at]))) / Math.sqrt(sumOfSquares(pure));
