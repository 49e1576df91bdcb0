// Objects with a value for each of some names.

/** An object that has these names and no others, each with the value that `of` gives it. */
export const recordOf = <Name extends string, Value>(
  names: Iterable<Name>,
  of: (name: Name) => Value,
): Record<Name, Value> =>
  Object.fromEntries(Array.from(names, (name) => [name, of(name)])) as Record<Name, Value>
