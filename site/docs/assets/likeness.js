// How alike two names are: which share of their letters and pairs of letters (`grams`) they have in common.
export const ALIKE = 0.6;

export const folded = (text) => text.toLowerCase();
export const letters = (name) => folded(name).replace(/[^\p{L}\p{N}]/gu, "");
export const grams = (name) => {
  const plain = [...letters(name)];
  return new Set([...plain, ...plain.slice(1).map((char, at) => plain[at] + char)]);
};

export const likeness = (own, other) => {
  let both = 0;
  for (const gram of own) if (other.has(gram)) both += 1;
  return (2 * both) / (own.size + other.size);
};
