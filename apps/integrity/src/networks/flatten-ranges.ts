/** Numbers from `start` to `end`, both included, that stand for `value`. */
export interface Range<N extends number | bigint, V> {
  start: N;
  end: N;
  value: V;
}

/** What `flattenRanges` has to compute with numbers or big integers. */
export interface Arithmetic<N> {
  next: (number: N) => N;
  previous: (number: N) => N;
  width: (start: N, end: N) => N;
}

export const NUMBERS: Arithmetic<number> = {
  next: (number) => number + 1,
  previous: (number) => number - 1,
  width: (start, end) => end - start,
};

export const BIG_INTEGERS: Arithmetic<bigint> = {
  next: (number) => number + 1n,
  previous: (number) => number - 1n,
  width: (start, end) => end - start,
};

/**
 * The same knowledge as ranges in rising order without overlap: where some overlap the narrower wins, of equally narrow
 * ones that which starts first, then the first given. Neighbours of one value become one range.
 */
export function flattenRanges<N extends number | bigint, V>(
  ranges: readonly Range<N, V>[],
  { next, previous, width }: Arithmetic<N>,
): Range<N, V>[] {
  const flat: Range<N, V>[] = [];
  let covering: Range<N, V>[] = [];
  let at: N;

  /** Settles everything before `limit`, or to the end. */
  function settle(limit?: N): void {
    while (covering.length > 0 && (limit === undefined || at < limit)) {
      const start = at;
      let [winner] = covering as [Range<N, V>];
      let end = winner.end;
      for (const range of covering) {
        if (width(range.start, range.end) < width(winner.start, winner.end)) winner = range;
        if (range.end < end) end = range.end;
      }
      if (limit !== undefined && end >= limit) end = previous(limit);
      const last = flat.at(-1);
      if (last?.value === winner.value && next(last.end) === start) last.end = end;
      else flat.push({ start, end, value: winner.value });
      at = next(end);
      covering = covering.filter((range) => range.end > end);
    }
  }

  for (const range of [...ranges].sort((a, b) => (a.start < b.start ? -1 : a.start > b.start ? 1 : 0))) {
    settle(range.start);
    at = range.start;
    covering.push(range);
  }
  settle();
  return flat;
}
