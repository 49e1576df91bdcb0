// Which language of a page a browser asks for.

/**
 * The language that a reader prefers most of those there are, by two letters (RFC 9110 §12.5.4); `otherwise` where none of
 * them is accepted.
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
