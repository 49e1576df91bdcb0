// Initials of a person, for the sign beside the name.

/** The first letters of the first two words that begin with one: whole characters, never halves of a pair. */
export const initialsOf = (name: string): string =>
  name
    .split(/\s+/)
    .flatMap((word) => /^[\p{L}\p{N}]/u.exec(word)?.[0] ?? [])
    .slice(0, 2)
    .join('')
    .toUpperCase()
