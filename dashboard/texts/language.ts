// Language of the dashboard: the service sends the build in the language that the user has chosen in this browser,
// otherwise in the first available language of the browser.

/** Languages by BCP 47 tag, each with its own name. */
export const LANGUAGES = { en: 'English', de: 'Deutsch', fr: 'Français' } as const
export type Language = keyof typeof LANGUAGES

/** Language of the document; English without a browser, in tests of pure functions. */
export const language: Language =
  globalThis.document === undefined ? 'en' : (document.documentElement.lang as Language)

const ofBrowser: readonly string[] = globalThis.document === undefined ? [] : (navigator.languages ?? [])

/** Locale of numbers and times: the browser's variant of the language if there is one, such as `de-AT`. */
export const locale: string =
  ofBrowser.find((tag) => (tag === language || tag.startsWith(`${language}-`)) && isWellFormed(tag)) ??
  language

/** Returns false for invalid tags: browsers may report system names such as `en-US@posix`, which `Intl` refuses. */
function isWellFormed(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1
  } catch {
    return false
  }
}

const YEAR_SECONDS = 365 * 24 * 3600

/** Saves the choice in a cookie of this browser; src/api/dashboard-files.ts selects the document by the cookie. */
export function chooseLanguage(next: Language): void {
  // biome-ignore lint/suspicious/noDocumentCookie: browsers have the Cookie Store API on secure origins only.
  document.cookie = `postrider_language=${next}; path=/; max-age=${YEAR_SECONDS}; samesite=lax`
}
