// Language of the dashboard: the service answers with the build in the one that the user chose in this browser, else in the
// browser's first that there is.

/** Languages with their own names, by BCP 47 tag. */
export const LANGUAGES = { en: 'English', de: 'Deutsch', fr: 'Français' } as const
export type Language = keyof typeof LANGUAGES

/** That of the document's build; English where there is no browser: in tests of pure functions. */
export const language: Language =
  globalThis.document === undefined ? 'en' : (document.documentElement.lang as Language)

const ofBrowser: readonly string[] = globalThis.document === undefined ? [] : (navigator.languages ?? [])

/** Locale of numbers and times: the browser's variant of the language where it has one, such as `de-AT`. */
export const locale: string =
  ofBrowser.find((tag) => (tag === language || tag.startsWith(`${language}-`)) && isWellFormed(tag)) ??
  language

/** Browsers pass on names of the system, such as `en-US@posix`, that `Intl` refuses. */
function isWellFormed(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1
  } catch {
    return false
  }
}

const YEAR_SECONDS = 365 * 24 * 3600

/** Keeps the choice in this browser, in the cookie that src/api/dashboard-files.ts answers documents by. */
export function chooseLanguage(next: Language): void {
  // biome-ignore lint/suspicious/noDocumentCookie: browsers have the Cookie Store API on secure origins only.
  document.cookie = `postrider_language=${next}; path=/; max-age=${YEAR_SECONDS}; samesite=lax`
}
