// The brand of the unsubscribe page of a stream: name, logo and colour of the sender.

import type { FieldProblem } from './problem.ts'

export interface Brand {
  /** Name shown instead of the domain; null to show the domain. */
  readonly name: string | null
  /** https URL of the logo; null for no logo. */
  readonly logo_url: string | null
  /** Colour of the button as `#rrggbb`; null for the default. */
  readonly color: string | null
}

export const BRAND_LIMITS = { nameLength: 100, urlLength: 500 } as const

/** Returns all problems of a brand, with paths `brand.…`. */
export function brandProblems(brand: Brand | null | undefined): FieldProblem[] {
  if (brand === null || brand === undefined) return []
  const problems: FieldProblem[] = []
  const refuse = (field: keyof Brand, code: string, message: string) =>
    problems.push({ path: `brand.${field}`, code, message })
  if (/[\0-\x1f\x7f]/.test(brand.name ?? ''))
    refuse('name', 'invalid_characters', 'Give a name without control characters.')
  if (brand.logo_url !== null && logoOf(brand.logo_url) === undefined)
    refuse(
      'logo_url',
      'invalid_url',
      'Give the https address of an image, such as https://example.com/logo.png.',
    )
  if (brand.color !== null && !/^#[0-9a-f]{6}$/i.test(brand.color))
    refuse('color', 'invalid_color', 'Give a colour such as #14539a.')
  return problems
}

/** Returns the parsed URL of a logo if the unsubscribe page may use the URL; undefined for an invalid URL. */
export function logoOf(text: string): URL | undefined {
  const url = URL.parse(text)
  // A user name or a port would widen the Content-Security-Policy of the page.
  if (url?.protocol !== 'https:' || url.username !== '' || url.password !== '' || url.port !== '')
    return undefined
  return /^[a-z0-9.-]+$/.test(url.hostname) ? url : undefined
}

/** Returns black or white, whichever is more readable on a colour (WCAG 2.2, relative luminance). */
export function textOn(color: string): '#000000' | '#ffffff' {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((start) => {
    const share = Number.parseInt(color.slice(start, start + 2), 16) / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue
  return 1.05 / (luminance + 0.05) >= (luminance + 0.05) / 0.05 ? '#ffffff' : '#000000'
}
