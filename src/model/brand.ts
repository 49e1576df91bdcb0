// The look of a stream's unsubscribe page: the sender's name, logo and colour.

import type { FieldProblem } from './problem.ts'

export interface Brand {
  /** Shown instead of the domain; null for the domain. */
  readonly name: string | null
  /** Of an image, over https; null for none. */
  readonly logo_url: string | null
  /** `#rrggbb`, of the button; null for the usual one. */
  readonly color: string | null
}

export const BRAND_LIMITS = { nameLength: 100, urlLength: 500 } as const

/** Everything that is wrong with a brand, under `brand.…`. */
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

/** The address of a logo as a page may show it; undefined for what is none. */
export function logoOf(text: string): URL | undefined {
  const url = URL.parse(text)
  // A user name or a port would widen what the policy of the page lets in.
  if (url?.protocol !== 'https:' || url.username !== '' || url.password !== '' || url.port !== '')
    return undefined
  return /^[a-z0-9.-]+$/.test(url.hostname) ? url : undefined
}

/** Black or white, whichever is read more easily on a colour (WCAG 2.2, relative luminance). */
export function textOn(color: string): '#000000' | '#ffffff' {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((start) => {
    const share = Number.parseInt(color.slice(start, start + 2), 16) / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue
  return 1.05 / (luminance + 0.05) >= (luminance + 0.05) / 0.05 ? '#ffffff' : '#000000'
}
