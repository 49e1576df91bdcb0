// A walk over dashboard pages: each is opened once and shown in all views.

import { MAX_WAIT_MS } from '../test-clock.ts'
import { type AxeRules, type DashboardWindow, FETCHING, STILL } from './window.ts'

// Code that runs inside the page is text here, because the tests have no browser types.

/** A width and a colour scheme in which a page is examined. */
export interface View {
  /** Width in pixels. */
  readonly width: number
  readonly colors: 'light' | 'dark'
  /** Rules that axe-core checks in this view; default none. */
  readonly axe?: AxeRules
}

/**
 * Views of every page in one language: the usual width, a large screen, the narrowest with a side navigation, and a
 * telephone. Layout is checked in each view, the axe-core rules once, and those that depend on the colour scheme once
 * more.
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
   * The first page opens in the last view. Pages go through the views in alternating order, so that every second page
   * loads narrow: two walks with different starts load each page narrow once.
   */
  readonly fromTheLast?: boolean
  /** Phrases of other languages; each one shown is a fault. */
  readonly foreign?: readonly string[]
}

/** Goes to a page of the same program like its links, and resolves when the page has its answers. */
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
  // An answer may add a part of the page that fetches again.
  for (let looks = 0; looks < 2; looks++) {
    await until('it has its answers', () => !isFetching())
    await ${STILL}
  }
})(${JSON.stringify(path)})`

/**
 * Returns faults of pages of one program, without reloading between them: layout in every view, axe-core, language,
 * browser errors. Empty when all are correct.
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
      // Elements appear and disappear between the widest views and the narrowest, which are first and last.
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
