// A walk over dashboard pages: opens each page once and examines the page in every view.

import { MAX_WAIT_MS } from '../test-clock.ts'
import { type AxeRules, type DashboardWindow, FETCHING, STILL } from './window.ts'

// Functions that run in the page are strings, because the tests have no type declarations for the browser.

/** A window width and colour scheme in which a page is examined. */
export interface View {
  /** Width of the window in pixels. */
  readonly width: number
  readonly colors: 'light' | 'dark'
  /** Rules that axe-core checks in this view; none by default. */
  readonly axe?: AxeRules
}

/**
 * Views in which every page is examined in the first language: the usual width, a large screen, the narrowest width
 * with a side navigation, and two phones, one of them as narrow as WCAG 2.2 (1.4.10) requires. The layout is checked in
 * each view, all axe-core rules in one view, and the axe-core rules that depend on width or colour scheme in one more.
 */
export const VIEWS: readonly View[] = [
  { width: 1280, colors: 'dark' },
  { width: 1280, colors: 'light', axe: 'all' },
  { width: 1440, colors: 'light' },
  { width: 1024, colors: 'light' },
  { width: 320, colors: 'light' },
  { width: 380, colors: 'dark', axe: 'look' },
]

/**
 * Views in which every page is examined in another language: the texts are longer than in the first language, and the
 * elements and colours are the same.
 */
export const TEXT_VIEWS: readonly View[] = [
  { width: 1280, colors: 'light' },
  { width: 1440, colors: 'light' },
  { width: 1024, colors: 'light' },
  { width: 320, colors: 'dark' },
]

export interface WalkOptions {
  readonly views: readonly View[]
  /**
   * True if the first page opens in the last view. The order of the views alternates from page to page, so every second
   * page loads in a narrow window; two walks with different starts load each page once in a narrow window.
   */
  readonly fromTheLast?: boolean
  /** Phrases of other languages; each visible phrase is a fault. */
  readonly foreign?: readonly string[]
}

/**
 * Expression that goes to another page of the dashboard as a link does, and resolves when the page has loaded its data.
 */
const openOnTheSpot = (path: string): string => `(async (path) => {
  const end = Date.now() + ${MAX_WAIT_MS}
  const frame = () => new Promise(requestAnimationFrame)
  const until = async (what, holds) => {
    while (!holds()) {
      if (Date.now() > end) throw new Error(path + ': the condition was not met within ${MAX_WAIT_MS} ms: ' + what)
      await frame()
    }
  }
  history.pushState(null, '', path)
  dispatchEvent(new PopStateEvent('popstate'))
  await until('the page is open', () => document.documentElement.dataset.page === path)
  await until('the page has a title', () => document.querySelector('h1')?.getClientRects().length > 0)
  const isFetching = () => document.querySelector('${FETCHING}') !== null
  // A response may add a part of the page that fetches more data.
  for (let looks = 0; looks < 2; looks++) {
    await until('the page has all responses', () => !isFetching())
    await ${STILL}
  }
})(${JSON.stringify(path)})`

/**
 * Opens pages one after another without a reload, and returns their faults: layout faults in every view, accessibility
 * violations (axe-core), phrases in another language, and browser errors. A correct page has none.
 */
export async function faultsOnWalk(
  window: DashboardWindow,
  paths: readonly string[],
  { views, fromTheLast = false, foreign = [] }: WalkOptions,
): Promise<string[]> {
  const faults: string[] = []
  let order = fromTheLast ? views.toReversed() : [...views]
  await window.show(order[0] as View)
  await window.goto(paths[0] as string)
  for (const [index, path] of paths.entries()) {
    if (index > 0) await window.page.evaluate(openOnTheSpot(path))
    for (const [at, view] of order.entries()) {
      // The first and the last view differ most in width, so all elements of the page appear in at least one of them.
      const isEnd = at === 0 || at === order.length - 1
      faults.push(...(await faultsIn(window, view, isEnd ? foreign : [])))
    }
    order = order.toReversed()
  }
  return faults
}

async function faultsIn(window: DashboardWindow, view: View, foreign: readonly string[]): Promise<string[]> {
  await window.show(view)
  const found = view.axe === undefined ? await window.layoutFaults() : await window.faults(view.axe)
  const text = foreign.length > 0 ? await window.page.evaluate<string>('document.body.textContent') : ''
  const phrases = foreign.filter((phrase) => text.includes(phrase))
  return [...found, ...phrases.map((phrase) => `in another language: ${phrase}`)].map(
    (fault) => `${view.width}, ${view.colors}: ${fault}`,
  )
}
