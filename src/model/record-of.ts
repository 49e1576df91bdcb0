// Builds objects with one value for each of several names.

/** Returns an object with exactly these names, each with the value that `of` returns. */
export const recordOf = <Name extends string, Value>(
  names: Iterable<Name>,
  of: (name: Name) => Value,
): Record<Name, Value> =>
  Object.fromEntries(Array.from(names, (name) => [name, of(name)])) as Record<Name, Value>
