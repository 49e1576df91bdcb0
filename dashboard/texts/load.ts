// Fetches the texts of the user's language; English is in the pages.

import { type Language, language } from './language.ts'
import { labelDocument, type Texts, translate } from './texts.ts'

type Part = 'outside' | 'inside' | 'pages'
type Loader = () => Promise<Readonly<Record<string, Texts>>>

/** Catalogues of each language: of the pages before the login, of the frame with home, of the pages in it. */
const CATALOGUES: Readonly<Record<Exclude<Language, 'en'>, Readonly<Record<Part, Loader>>>> = {
  de: {
    outside: () => import('./de/outside.ts'),
    inside: () => import('./de/inside.ts'),
    pages: () => import('./de/pages.ts'),
  },
  fr: {
    outside: () => import('./fr/outside.ts'),
    inside: () => import('./fr/inside.ts'),
    pages: () => import('./fr/pages.ts'),
  },
}

/** Loads them before what they are of is shown. What cannot be fetched is shown in English. */
export async function loadTexts(part: Part): Promise<void> {
  labelDocument()
  if (language === 'en') return
  const catalogue = await CATALOGUES[language][part]().catch(() => undefined)
  if (catalogue !== undefined) translate(catalogue)
}

/** A module of a page with the texts of pages. */
export async function withTexts<Module>(module: Promise<Module>): Promise<Module> {
  const [loaded] = await Promise.all([module, loadTexts('pages')])
  return loaded
}
