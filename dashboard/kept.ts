// Unsaved input, which the window keeps until the input is saved or the user logs out.

const PREFIX = 'postrider kept '

/** Returns the text that was kept under this name; undefined if there is none. */
export function readKept(name: string): string | undefined {
  try {
    return sessionStorage.getItem(PREFIX + name) ?? undefined
  } catch {
    return undefined
  }
}

/** Keeps a text under this name, or removes the text. The text is lost with the page if the storage is full. */
export function keep(name: string, text: string | undefined): void {
  try {
    if (text === undefined) sessionStorage.removeItem(PREFIX + name)
    else sessionStorage.setItem(PREFIX + name, text)
  } catch {
    // The session storage is full or disabled.
  }
}

/** Removes all kept texts, so that the next user of this browser cannot read them. */
export function forgetKept(): void {
  try {
    for (const name of Object.keys(sessionStorage))
      if (name.startsWith(PREFIX)) sessionStorage.removeItem(name)
  } catch {
    // The session storage is disabled, so it contains no texts.
  }
}
