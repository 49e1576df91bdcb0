// Finds the known word that is nearest to a mistyped word.

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
    const distance = editDistance(wanted, one.toLowerCase())
    if (distance < bestDistance && distance <= Math.max(1, Math.ceil(one.length / 3))) {
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
