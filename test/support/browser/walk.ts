// A walk over pages of the dashboard: each is opened once, and turned through its views on the spot.

import { MAX_WAIT_MS } from '../test-clock.ts'
import { type AxeRules, type DashboardWindow, FETCHING, STILL } from './window.ts'

// Code that runs inside the page is text here: the tests know no types of a browser.

/** A width and a look in which a page is examined. */
export interface View {
  /** In pixels. */
  readonly width: number
  readonly colors: 'light' | 'dark'
  /** Rules that axe-core checks in this view; none unless named. */
  readonly axe?: AxeRules
}

/**
 * Views of every page in one language: the usual width, a large screen, the narrowest with a navigation at the side, and
 * a telephone. Layout is checked in each of them, axe-core's rules once, and once more those that a look may break.
 */
export const VIEWS: readonly View[] = [
  { width: 1280, colors: 'dark' },
  { width: 1280, colors: 'light', axe: 'all' },
  { width: 1440, colors: 'light' },
  { width: 1024, colors: 'light' },
  { width: 380, colors: 'light' },
  { width: 380, colors: 'dark', axe: 'look' },
]

/** Views of every page in a further language: texts are longer, elements and colours are the same. */
export const TEXT_VIEWS: readonly View[] = [
  { width: 1280, colors: 'light' },
  { width: 1440, colors: 'light' },
  { width: 1024, colors: 'light' },
  { width: 380, colors: 'dark' },
]

export interface WalkOptions {
  readonly views: readonly View[]
  /**
   * The first page is opened in the last view. A page is turned through the views in one order and the next page in the
   * other one, so that every second page is loaded narrow: of two walks that begin differently, one loads each page so.
   */
  readonly fromTheLast?: boolean
  /** Phrases of other languages: each that a page shows is a fault. */
  readonly foreign?: readonly string[]
}

/** Goes to a page of the same program, as its links do, and resolves when the page has its answers. */
const openOnTheSpot = (path: string): string => `(async (path) => {
  const end = Date.now() + ${MAX_WAIT_MS}
  const frame = () => new Promise(requestAnimationFrame)
  const until = async (what, holds) => {
    while (!holds()) {
      if (Date.now() > end) throw new Error(path + ': not within ${MAX_WAIT_MS} ms: ' + what)
      await frame()
    }
  }
  history.pushState(null, '', path)
  dispatchEvent(new PopStateEvent('popstate'))
  await until('the page is there', () => document.documentElement.dataset.page === path)
  await until('it has a title', () => document.querySelector('h1')?.getClientRects().length > 0)
  const isFetching = () => document.querySelector('${FETCHING}') !== null
  // An answer may bring a part of the page that fetches once more.
  for (let looks = 0; looks < 2; looks++) {
    await until('it has its answers', () => !isFetching())
    await ${STILL}
  }
})(${JSON.stringify(path)})`

/**
 * Faults of pages of one program, which needs no loading between them: of their layout in every view, by axe-core, of
 * their language, complaints of the browser. Empty when all are sound.
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
      // Elements come and go between the widest views and the narrowest, which are first and last.
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
