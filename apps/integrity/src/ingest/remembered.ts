/** Remembers what a function gave for a text, of so many texts at most: names in events are few, but anybody may send more. */
export function remembered<T>(give: (text: string) => T, limit = 10_000): (text: string) => T {
  const known = new Map<string, { value: T }>();
  return (text) => {
    let entry = known.get(text);
    if (entry === undefined) {
      if (known.size >= limit) known.clear();
      known.set(text, (entry = { value: give(text) }));
    }
    return entry.value;
  };
}
