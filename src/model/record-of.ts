// Objects with a value for each of some names.

/** Returns an object with exactly these names, each with the value of `of`. */
export const recordOf = <Name extends string, Value>(
  names: Iterable<Name>,
  of: (name: Name) => Value,
): Record<Name, Value> =>
  Object.fromEntries(Array.from(names, (name) => [name, of(name)])) as Record<Name, Value>
