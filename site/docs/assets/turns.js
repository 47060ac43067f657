// Answers that turn: the program wrote each with the day from which on it holds, the first day first.

// The reader's day, in UTC. What has ended once stays so, whatever the clock.
export const dayOf = (built) => {
  const clock = new Date().toISOString().slice(0, 10);
  return clock > built ? clock : built;
};

// The answer of a day: the last that has begun.
export const standing = (turns, day) => turns.findLast(([from]) => from <= day) ?? turns[0];

export const daysTo = (day, today) => Math.round((Date.parse(day) - Date.parse(today)) / 86400000);
export const counted = (days) => `${days} ${days === 1 ? "day" : "days"}`;
