// Finds passages of the documentation that a node serves.

/** Place in the search index of the documentation. */
interface Entry {
  readonly title: string
  readonly place: string
  readonly href: string
  readonly fields?: readonly string[]
  readonly text: string
}

/** Maximum number of passages, and of characters of a passage. */
const MAX_PASSAGES = 10
const MAX_TEXT = 1_500
/** A word in a title counts as much as this many words in the text. */
const TITLE_WEIGHT = 8

/** Returns the passages that contain the most words of a query. */
export async function foundAbout(
  { url, signal }: { readonly url: string; readonly signal: AbortSignal },
  query: string,
): Promise<{ readonly data: readonly object[] }> {
  const response = await fetch(`${url}/docs/search.json`, { signal, redirect: 'error' })
  if (!response.ok)
    throw new Error(`The documentation at ${url}/docs cannot be read: status ${response.status}.`)
  const entries = (await response.json()) as readonly Entry[]
  const words = [...new Set(query.toLowerCase().match(/[\p{L}\p{N}_-]{2,}/gu))]
  const scored = entries.map((entry) => {
    const title = `${entry.title} ${entry.place} ${entry.fields?.join(' ') ?? ''}`.toLowerCase()
    const text = entry.text.toLowerCase()
    const found = words.map(
      (word) => (title.includes(word) ? TITLE_WEIGHT : 0) + Math.min(text.split(word).length - 1, 3),
    )
    const matched = found.filter((one) => one > 0).length
    return { entry, score: found.reduce((sum, one) => sum + one, 0) * matched ** 2 }
  })
  const best = scored
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .slice(0, MAX_PASSAGES)
  const data = best.map(({ entry: { title, place, href, text } }) => ({
    ...{ title, place, url: `${url}/${href}`, text: text.slice(0, MAX_TEXT) },
  }))
  return { data }
}
