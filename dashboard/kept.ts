// Unsaved input kept in this window until it is saved; forgotten at logout.

const PREFIX = 'postrider kept '

/** Text kept under this name; undefined when there is none. */
export function readKept(name: string): string | undefined {
  try {
    return sessionStorage.getItem(PREFIX + name) ?? undefined
  } catch {
    return undefined
  }
}

/** Keeps a text, or nothing any more. Without room it is kept only as long as the page is open. */
export function keep(name: string, text: string | undefined): void {
  try {
    if (text === undefined) sessionStorage.removeItem(PREFIX + name)
    else sessionStorage.setItem(PREFIX + name, text)
  } catch {
    // The storage is full or switched off.
  }
}

/** Removes all of it: the next person at this browser finds nothing. */
export function forgetKept(): void {
  try {
    for (const name of Object.keys(sessionStorage))
      if (name.startsWith(PREFIX)) sessionStorage.removeItem(name)
  } catch {
    // Nothing can be kept there either.
  }
}
