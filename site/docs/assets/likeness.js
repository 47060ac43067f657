// How alike two names are: which share of their letters and pairs of letters they have in common.
export const ALIKE = 0.6;

export const folded = (text) => text.toLowerCase();
export const grams = (name) => {
  const plain = [...folded(name).replace(/[^\p{L}\p{N}]/gu, "")];
  return new Set([...plain, ...plain.slice(1).map((char, at) => plain[at] + char)]);
};

export const likeness = (own, name) => {
  const other = grams(name);
  return (2 * [...own].filter((gram) => other.has(gram)).length) / (own.size + other.size);
};
