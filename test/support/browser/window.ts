// A dashboard window in a real browser, which records browser errors.

import axe from 'axe-core'
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core'
import type { TestApp } from '../app.ts'
import { Person } from '../person.ts'
import { MAX_WAIT_MS } from '../test-clock.ts'
import { LAYOUT_FAULTS } from './layout-faults.ts'

// Functions that run in the page are strings, because the tests have no type declarations for the browser.

/**
 * Tags and rules of axe-core: `all` is WCAG 2.2 at levels A and AA, and `look` is the rules that depend on colour
 * scheme or width.
 */
const RULES = {
  all: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
  look: ['color-contrast', 'target-size', 'scrollable-region-focusable', 'link-in-text-block'],
}

/** Set of axe-core rules: all WCAG rules, or the rules that depend on colour scheme or width. */
export type AxeRules = keyof typeof RULES

/** A rule at level A (WCAG 2.5.3) that the tags do not include, because the rule is experimental in axe-core. */
const BESIDE_TAGS = { 'label-content-name-mismatch': { enabled: true } }

/** Selector of open popups outside the landmarks of the page, which axe-core reports as content without a landmark. */
const OPENED = '[role=menu], [role=listbox]'

/**
 * Option that excludes iframes: a framed document runs no scripts, so axe-core cannot check it and the browser would
 * log a warning.
 */
const ALONE = { iframes: false }

/** Selector of elements that show that data or a part of the page is loading. */
export const FETCHING = '.mantine-Loader-root, .mantine-Skeleton-root, .on-its-way, .starting'

/** Expression that waits for the end of colour transitions and opening animations. */
export const STILL = `(async () => {
  for (let frames = 0; frames < 2; frames++) await new Promise(requestAnimationFrame)
  const ending = document.getAnimations().filter((one) => one.effect.getComputedTiming().endTime < Infinity)
  await Promise.allSettled(ending.map((one) => one.finished))
})()`

export interface WindowOptions {
  /** Width of the window in pixels; 1280 by default. */
  readonly width?: number
  readonly colors?: 'light' | 'dark'
  /** Language of the browser, such as `de-DE`. */
  readonly locale?: string
  /** Credentials of the user who is logged in; null for no login; the owner of the playground by default. */
  readonly login?: { readonly email: string; readonly password: string } | null
}

/** Expression that records the `href` of the next clicked link at the moment of the click. */
const NOTE_CLICKED = `{
  const { dataset } = document.documentElement
  delete dataset.clicked
  const note = ({ target }) => { dataset.clicked = target.closest('a')?.getAttribute('href') ?? '' }
  addEventListener('click', note, { capture: true, once: true })
}`

/** A dashboard window; a test opens it, reads `page` and `faults`, and closes it. */
export class DashboardWindow {
  readonly page: Page
  readonly context: BrowserContext
  /** Console errors, console warnings and uncaught errors. */
  readonly complaints: string[] = []
  readonly #url: string
  #colors: 'light' | 'dark'

  private constructor(context: BrowserContext, page: Page, url: string, colors: 'light' | 'dark') {
    this.context = context
    this.page = page
    this.#url = url
    this.#colors = colors
  }

  static async open(browser: Browser, app: TestApp, options: WindowOptions = {}): Promise<DashboardWindow> {
    const { width = 1280, colors = 'light', locale } = options
    const { login = app.playground.dashboard_login } = options
    const context = await browser.newContext({
      viewport: { width, height: 800 },
      colorScheme: colors,
      // Animations would change the page during an examination.
      reducedMotion: 'reduce',
      baseURL: app.app.url,
      ...(locale === undefined ? {} : { locale }),
    })
    context.setDefaultTimeout(MAX_WAIT_MS)
    if (login !== null) {
      const [name = '', value = ''] = (await Person.loggedIn(app, login)).cookie.split('=')
      await context.addCookies([{ name, value, url: app.app.url }])
    }
    const window = new DashboardWindow(context, await context.newPage(), app.app.url, colors)
    window.#listen()
    return window
  }

  /** Opens a dashboard path with a page load, and waits until the page has loaded its data. */
  async goto(path: string): Promise<void> {
    await this.page.goto(new URL(path, this.#url).href)
    await this.settled()
  }

  /** Goes to another dashboard page without a page load, as a link does. */
  async follow(path: string): Promise<void> {
    await this.page.evaluate(`history.pushState(null, '', ${JSON.stringify(path)})`)
    await this.page.evaluate("dispatchEvent(new PopStateEvent('popstate'))")
    await this.#arrived(path)
  }

  /** Clicks a link of the dashboard and waits for the linked page; the previous page stays usable meanwhile. */
  async click(link: Locator): Promise<void> {
    const before = await link.getAttribute('href')
    await this.page.evaluate(NOTE_CLICKED)
    await link.click()
    // The target of the link may have changed before the click; after a page load there is no record of the click.
    const clicked = await this.page.evaluate<string | undefined>('document.documentElement.dataset.clicked')
    const { pathname, search } = new URL(clicked || before || '', this.page.url())
    await this.#arrived(`${pathname}${search}`)
  }

  async #arrived(path: string): Promise<void> {
    await this.page.locator(`html[data-page=${JSON.stringify(path)}]`).waitFor({ state: 'attached' })
    await this.settled()
  }

  /** Changes the width and colour scheme of the window, and waits until the page has loaded its data. */
  async resize(width: number, colors: 'light' | 'dark'): Promise<void> {
    await this.show({ width, colors })
    await this.settled()
  }

  /** Changes the width and colour scheme of the window, and waits for the end of animations. */
  async show({
    width,
    colors,
  }: {
    readonly width: number
    readonly colors: 'light' | 'dark'
  }): Promise<void> {
    const isAsWide = this.page.viewportSize()?.width === width
    if (isAsWide && this.#colors === colors) return
    if (!isAsWide) await this.page.setViewportSize({ width, height: 800 })
    if (this.#colors !== colors)
      await this.page.emulateMedia({ colorScheme: colors, reducedMotion: 'reduce' })
    this.#colors = colors
    await this.page.evaluate(STILL)
  }

  /** Waits until the page has loaded its data and all animations have ended. */
  async settled(): Promise<void> {
    await this.page.locator('h1').first().waitFor()
    await this.page.locator(FETCHING).first().waitFor({ state: 'detached' })
    await this.page.evaluate(STILL)
    await this.page.locator(FETCHING).first().waitFor({ state: 'detached' })
  }

  /** Waits until no dialog is open. */
  async closed(): Promise<void> {
    await this.page.getByRole('dialog').first().waitFor({ state: 'detached' })
  }

  close(): Promise<void> {
    return this.context.close()
  }

  /**
   * Returns the faults of the page: accessibility violations (axe-core), layout faults and browser errors. A correct
   * page has none.
   */
  async faults(rules: AxeRules = 'all'): Promise<string[]> {
    // Earlier pages in the same document may have loaded axe-core already.
    if (!(await this.page.evaluate('"axe" in window'))) await this.page.evaluate(axe.source)
    // The rules of `look` need no preloaded styles and media.
    const opened = await this.page.locator(OPENED).count()
    const beside = rules === 'all' ? { rules: { ...BESIDE_TAGS, region: { enabled: opened === 0 } } } : {}
    const options = {
      runOnly: RULES[rules],
      resultTypes: ['violations'],
      preload: rules === 'all',
      // A fault shows the HTML of the element instead of a selector.
      selectors: false,
      ...beside,
      ...ALONE,
    }
    const run = `axe.run(document, ${JSON.stringify(options)})`
    const { violations } = await this.page.evaluate<{ violations: readonly Finding[] }>(run)
    const found = violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, any }) => `${id}: ${html.slice(0, 200)} ${any[0]?.message ?? ''}`),
    )
    return [...this.#atPage(found), ...(await this.layoutFaults())]
  }

  /** Returns layout faults and browser errors, which a change of the view can cause even without new elements. */
  async layoutFaults(): Promise<string[]> {
    const layout = await this.page.evaluate<string[]>(LAYOUT_FAULTS)
    return this.#atPage([...layout, ...this.complaints.splice(0)])
  }

  #atPage(faults: readonly string[]): string[] {
    const { pathname } = new URL(this.page.url())
    return faults.map((fault) => `${pathname}: ${fault}`)
  }

  #listen(): void {
    this.page.on('pageerror', (error) => this.complaints.push(error.message))
    this.page.on('console', (message) => {
      // The page itself shows responses with status 4xx to the user.
      const isFault = message.type() === 'error' || message.type() === 'warning'
      if (isFault && !message.text().startsWith('Failed to load resource')) {
        this.complaints.push(message.text())
      }
    })
  }
}

interface Finding {
  readonly id: string
  readonly nodes: readonly { readonly html: string; readonly any: readonly { readonly message: string }[] }[]
}
