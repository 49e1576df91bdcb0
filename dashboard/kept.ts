// Unsaved input kept in this browser until it is saved; forgotten at logout.

const PREFIX = 'postrider kept '

/** Of this window, or of all windows of this browser. */
type Where = 'window' | 'browser'

const storageOf = (where: Where): Storage => (where === 'window' ? sessionStorage : localStorage)

/** Text kept under this name; undefined when there is none. */
export function readKept(where: Where, name: string): string | undefined {
  try {
    return storageOf(where).getItem(PREFIX + name) ?? undefined
  } catch {
    return undefined
  }
}

/** Keeps a text, or nothing any more. Without room it is kept only as long as the page is open. */
export function keep(where: Where, name: string, text: string | undefined): void {
  try {
    if (text === undefined) storageOf(where).removeItem(PREFIX + name)
    else storageOf(where).setItem(PREFIX + name, text)
  } catch {
    // The storage is full or switched off.
  }
}

/** The next person at this browser finds nothing of it. */
export function forgetKept(): void {
  for (const where of ['window', 'browser'] as const) {
    try {
      const storage = storageOf(where)
      for (const name of Object.keys(storage)) if (name.startsWith(PREFIX)) storage.removeItem(name)
    } catch {
      // Nothing can be kept there either.
    }
  }
}
