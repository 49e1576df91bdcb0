// Finds the address that the author of a misspelt address probably meant.

import { editDistance } from '../lib/nearest.ts'

/** Length from which a local part may have two slips. */
const LONG_LOCAL = 6
/** Maximum number of slips in a domain, and in a domain after an identical local part. */
const MAX_DOMAIN_SLIPS = 2
const MAX_ENDING_SLIPS = 3

/**
 * Returns the address that is nearest to a given address; undefined if each address differs by more than slips of the
 * keyboard. All addresses are in lower case.
 */
export function nearestAddress(email: string, known: Iterable<string>): string | undefined {
  let best: string | undefined
  let least = Number.POSITIVE_INFINITY
  for (const one of known) {
    const slips = slipsBetween(email, one)
    if (slips > 0 && slips < least) {
      best = one
      least = slips
    }
  }
  return best
}

/** Returns the number of slips that turn one address into the other; infinity for different addresses. */
function slipsBetween(email: string, other: string): number {
  const [local, domain] = partsOf(email)
  const [otherLocal, otherDomain] = partsOf(other)
  const inLocal = slips(local, otherLocal, otherLocal.length < LONG_LOCAL ? 1 : 2)
  const inDomain = slips(domain, otherDomain, inLocal === 0 ? MAX_ENDING_SLIPS : MAX_DOMAIN_SLIPS)
  return inLocal + inDomain
}

const partsOf = (email: string): readonly [local: string, domain: string] => {
  const at = email.lastIndexOf('@')
  return [email.slice(0, at), email.slice(at + 1)]
}

/** Returns the edit distance of two texts; infinity above `most`. */
function slips(one: string, other: string, most: number): number {
  // The distance is at least the difference of the lengths, and a computation costs the product of the lengths.
  if (Math.abs(one.length - other.length) > most) return Number.POSITIVE_INFINITY
  const distance = editDistance(one, other)
  return distance > most ? Number.POSITIVE_INFINITY : distance
}
