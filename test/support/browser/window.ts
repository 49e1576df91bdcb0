// A window of the dashboard in a real browser, which records its errors.

import axe from 'axe-core'
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core'
import type { TestApp } from '../app.ts'
import { Person } from '../person.ts'
import { MAX_WAIT_MS } from '../test-clock.ts'
import { LAYOUT_FAULTS } from './layout-faults.ts'

// Code that runs inside the page is text here, because the tests have no browser types.

/** Rules of WCAG 2.2 at levels A and AA; and those that depend on the colour scheme or width. */
const RULES = {
  all: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
  look: ['color-contrast', 'target-size', 'scrollable-region-focusable', 'link-in-text-block'],
}

/** Rules that axe-core checks: all of WCAG, or those that depend on colour scheme or width. */
export type AxeRules = keyof typeof RULES

/** Rule that the tags do not cover: experimental in axe-core, though of level A (WCAG 2.5.3). */
const BESIDE_TAGS = { 'label-content-name-mismatch': { enabled: true } }

/** Popups outside the page while open, which axe-core reports as content without a landmark. */
const OPENED = '[role=menu], [role=listbox]'

/** Foreign documents run no scripts, so axe-core cannot check them: the browser would warn each time. */
const ALONE = { iframes: false }

/** Signs of pending answers or parts of the page. */
export const FETCHING = '.mantine-Loader-root, .mantine-Skeleton-root, .on-its-way'

/** Waits for colour transitions and opening animations. */
export const STILL = `(async () => {
  for (let frames = 0; frames < 2; frames++) await new Promise(requestAnimationFrame)
  const ending = document.getAnimations().filter((one) => one.effect.getComputedTiming().endTime < Infinity)
  await Promise.allSettled(ending.map((one) => one.finished))
})()`

export interface WindowOptions {
  /** Width in pixels; default 1280. */
  readonly width?: number
  readonly colors?: 'light' | 'dark'
  /** Language of the browser, such as `de-DE`. */
  readonly locale?: string
  /** User to log in; null for none. Default: the owner of the playground. */
  readonly login?: { readonly email: string; readonly password: string } | null
}

/** Records the target of the next clicked link, at that moment. */
const NOTE_CLICKED = `{
  const { dataset } = document.documentElement
  delete dataset.clicked
  const note = ({ target }) => { dataset.clicked = target.closest('a')?.getAttribute('href') ?? '' }
  addEventListener('click', note, { capture: true, once: true })
}`

/** Open it, read its `page` and its `faults`, and `close` it at the end. */
export class DashboardWindow {
  readonly page: Page
  readonly context: BrowserContext
  /** Errors and warnings of the console, and uncaught errors. */
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
      // No animations while the page is examined.
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

  /** Opens an address of the dashboard and waits until it has its answers. */
  async goto(path: string): Promise<void> {
    await this.page.goto(new URL(path, this.#url).href)
    await this.settled()
  }

  /** Goes to another page of the dashboard without reloading, like its links. */
  async follow(path: string): Promise<void> {
    await this.page.evaluate(`history.pushState(null, '', ${JSON.stringify(path)})`)
    await this.page.evaluate("dispatchEvent(new PopStateEvent('popstate'))")
    await this.#arrived(path)
  }

  /** Clicks a link of the dashboard and waits for its page; the previous page stays usable until then. */
  async click(link: Locator): Promise<void> {
    const before = await link.getAttribute('href')
    await this.page.evaluate(NOTE_CLICKED)
    await link.click()
    // A value that has changed since then leads elsewhere; after a reload the record is gone.
    const clicked = await this.page.evaluate<string | undefined>('document.documentElement.dataset.clicked')
    const { pathname, search } = new URL(clicked || before || '', this.page.url())
    await this.#arrived(`${pathname}${search}`)
  }

  async #arrived(path: string): Promise<void> {
    await this.page.locator(`html[data-page=${JSON.stringify(path)}]`).waitFor({ state: 'attached' })
    await this.settled()
  }

  /** Changes the window, for example to narrow and dark. */
  async resize(width: number, colors: 'light' | 'dark'): Promise<void> {
    await this.show({ width, colors })
    await this.settled()
  }

  /** Shows the page in another width and colour scheme, and waits until it is still. */
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

  /** Waits until the page has its answers and is still. */
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

  /** Returns the faults of the page: from axe-core, of the layout, browser errors. A correct page has none. */
  async faults(rules: AxeRules = 'all'): Promise<string[]> {
    // Pages follow each other in one document, so axe-core may be there already.
    if (!(await this.page.evaluate('"axe" in window'))) await this.page.evaluate(axe.source)
    // Skips fetching styles and media, which these rules do not need.
    const opened = await this.page.locator(OPENED).count()
    const beside = rules === 'all' ? { rules: { ...BESIDE_TAGS, region: { enabled: opened === 0 } } } : {}
    const options = {
      runOnly: RULES[rules],
      resultTypes: ['violations'],
      preload: rules === 'all',
      // The fault shows the HTML of the element instead.
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

  /** Returns layout faults and browser errors, which a change of view can cause without new elements. */
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
      // The page itself shows 4xx answers.
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
