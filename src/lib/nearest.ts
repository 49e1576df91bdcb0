// Finds the known word or address that is nearest to a mistyped word or address.

/**
 * Returns the known word that is nearest to `word`, if at most a third of the known word's letters differ; otherwise
 * undefined.
 */
export function nearest(word: string, known: Iterable<string>): string | undefined {
  let best: string | undefined
  let bestDistance = Number.POSITIVE_INFINITY
  if (word.length > 100) return undefined
  const wanted = word.toLowerCase()
  for (const one of known) {
    const most = Math.max(1, Math.ceil(one.length / 3))
    // The distance is at least the difference of the lengths.
    if (Math.abs(one.length - wanted.length) > most) continue
    const distance = editDistance(wanted, one.toLowerCase())
    if (distance < bestDistance && distance <= most) {
      best = one
      bestDistance = distance
    }
  }
  return best
}

/** Returns the edit distance of two words; a swap of neighbouring letters counts as one edit. */
export function editDistance(a: string, b: string): number {
  let before: number[] = []
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1
      let least = Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + cost)
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        least = Math.min(least, (before[j - 2] ?? 0) + 1)
      }
      next.push(least)
    }
    before = row
    row = next
  }
  return row[b.length] ?? 0
}

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
