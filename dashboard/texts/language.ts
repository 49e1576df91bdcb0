// Language of the dashboard: the one that the user chose in this browser, else the browser's first that there is.

/** Languages with their own names, by BCP 47 tag. */
export const LANGUAGES = { en: 'English', de: 'Deutsch', fr: 'Français' } as const
export type Language = keyof typeof LANGUAGES

const KEPT = 'postrider language'

const known = (tag: string | undefined): Language | undefined =>
  (Object.keys(LANGUAGES) as Language[]).find((one) => tag === one || tag?.startsWith(`${one}-`))

function chosen(): Language | undefined {
  try {
    return known(localStorage.getItem(KEPT) ?? undefined)
  } catch {
    // Without storage the language of the browser is used.
    return undefined
  }
}

/** None where there is no browser: in tests of pure functions. */
const ofBrowser: readonly string[] = globalThis.document === undefined ? [] : (navigator.languages ?? [])

/** The same from the start of a page to its end. */
export const language: Language =
  (ofBrowser.length === 0 ? undefined : chosen()) ??
  ofBrowser.map(known).find((one) => one !== undefined) ??
  'en'

/** Locale of numbers and times: the browser's variant of the language where it has one, such as `de-AT`. */
export const locale: string =
  ofBrowser.find((tag) => known(tag) === language && isWellFormed(tag)) ?? language

/** Browsers pass on names of the system, such as `en-US@posix`, that `Intl` refuses. */
function isWellFormed(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1
  } catch {
    return false
  }
}

/** Keeps the choice in this browser; pages loaded from now on have it. */
export function chooseLanguage(next: Language): void {
  try {
    localStorage.setItem(KEPT, next)
  } catch {
    // Nothing can be kept: the language of the browser stays.
  }
}
