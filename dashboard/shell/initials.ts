// Initials of a user, for the icon next to the name.

/** Returns the first letters of the first two words that begin with a letter; surrogate pairs stay whole. */
export const initialsOf = (name: string): string =>
  name
    .split(/\s+/)
    .flatMap((word) => /^[\p{L}\p{N}]/u.exec(word)?.[0] ?? [])
    .slice(0, 2)
    .join('')
    .toUpperCase()
