// Determines the language of a page from the Accept-Language header of a browser.

/**
 * Returns the available language that the reader prefers (RFC 9110 §12.5.4), as a code of two letters. Returns
 * `otherwise` if the reader accepts no available language.
 */
export function preferredLanguage<Language extends string>(
  acceptLanguage: string | undefined,
  languages: { has(language: Language): boolean },
  otherwise: Language,
): Language {
  const wishes = (acceptLanguage ?? '').slice(0, 500).split(',')
  let best = otherwise
  let bestWeight = 0
  for (const wish of wishes) {
    const [tag = '', ...parameters] = wish.trim().split(';')
    const language = tag.trim().slice(0, 2).toLowerCase() as Language
    if (!/^[a-z]{2}(-|$)/i.test(tag.trim()) || !languages.has(language)) continue
    const given = parameters
      .map((parameter) => /^\s*q=([01](?:\.\d{0,3})?)\s*$/i.exec(parameter)?.[1])
      .find(Boolean)
    const weight = given === undefined ? 1 : Number(given)
    if (weight <= bestWeight) continue
    best = language
    bestWeight = weight
  }
  return best
}
