// Sixty messages that attack their reader, opened on the page of the message, in a test inbox, and by a shared link: no
// script runs, and no request leaves the dashboard.

// thorough: tests a user's work in a browser; test/browser/first-mail.test.ts covers the first pages in `npm test`

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Frame } from 'playwright-core'
import { PLAYGROUND_INBOX } from '../../src/model/test-inbox.ts'
import { TestApp } from '../support/app.ts'
import { Beacon } from '../support/browser/beacon.ts'
import { startBrowser, stopBrowser } from '../support/browser/browser.ts'
import { DashboardWindow } from '../support/browser/window.ts'
import { Person } from '../support/person.ts'
import { until } from '../support/test-clock.ts'
import { type HostileMail, hostileMails } from './hostile-mails.ts'

/**
 * Browser messages about refused content: because of the content security policy, because of the sandbox, or because
 * the document must not be shown at all.
 */
const REFUSED = /Content Security Policy|sandboxed|Refused to|Blocked script execution/

/** A hostile message, and the path of the page that shows it. */
interface Opened extends HostileMail {
  readonly path: string
}

describe('hostile mails', { concurrency: 2 }, () => {
  let app: TestApp
  let browser: Browser
  let beacon: Beacon
  let inMessages: Opened[]
  let inMailbox: Opened[]
  let inSharedMail: Opened[]

  before(async () => {
    browser = await startBrowser()
    beacon = await Beacon.start()
    app = await TestApp.start({ env: { POSTRIDER_DNS_SERVERS: '', POSTRIDER_ALLOW_PRIVATE_NETWORKS: '' } })
    const mails = hostileMails(beacon.origin)
    const { body } = await app.call(
      'POST',
      '/v1/messages/batch',
      mails.map(({ html }, index) => ({
        from: 'hello@example.test',
        to: [{ email: `reader-${index}@example.test` }],
        subject: `<img src=x onerror=alert(${index})>`,
        text: 'x',
        html,
      })),
    )
    const owner = await Person.loggedIn(app)
    const domain = (await owner.call('GET', '/api/domains')).body.data[0].domain_id
    const ids: string[] = body.data.map(({ message_id: id }: { message_id: string }) => id)
    inMessages = mails.map((mail, index) => ({
      ...mail,
      path: `/domains/${domain}/messages/${ids[index]}?view=html`,
    }))
    await Promise.all(ids.map((id) => app.messageIn(id, 'delivered')))
    const received = await app.mailbox()
    const mailOf = new Map(received.map(({ To: [to], ID }) => [to?.Address, `mbx_${ID}`]))
    inMailbox = mails.map((mail, index) => ({
      ...mail,
      path: `/inboxes/${PLAYGROUND_INBOX}/${mailOf.get(`reader-${index}@example.test`)}`,
    }))
    inSharedMail = await Promise.all(
      inMailbox.map(async (mail) => {
        const share = `/api${mail.path.replace(/(?=mbx_)/, 'messages/')}/share`
        const { url } = (await owner.call('POST', share, { hours: 1 })).body
        return { ...mail, path: url.slice(app.app.url.length) }
      }),
    )
  })
  after(async () => {
    await stopBrowser()
    await Promise.all([app?.stop(), beacon?.stop()])
  })

  /**
   * Opens all messages in one window; returns the number of messages from which the browser refused content, and the
   * number of clicks.
   */
  async function lookAt(mails: readonly Opened[]): Promise<{ refused: number; clicked: number }> {
    const lookout = await Lookout.open(browser, app)
    const { page } = lookout.window
    let clicked = 0
    for (const { name, html, path } of mails) {
      lookout.current = name
      const frame = await shownIn(lookout.window, path)
      if (html.includes('click me')) clicked += await clickIn(frame)
      const { origin, pathname, search } = new URL(page.url())
      if (origin !== app.app.url || path !== pathname + search) lookout.note(`the page is at ${page.url()}`)
      if (beacon.seen.length > 0) lookout.note(`it called home: ${beacon.seen.join(', ')}`)
    }
    await lookout.nothingHappened(beacon)
    return { refused: lookout.refused.size, clicked }
  }

  test('the corpus has sixty of them', () => {
    assert.ok(
      inMessages.length >= 60 && new Set(inMessages.map(({ name }) => name)).size === inMessages.length,
    )
  })

  test('in the page of the message', async () => {
    const { refused, clicked } = await lookAt(inMessages)
    assert.ok(refused >= 45 && clicked >= 10, `${refused} were refused something, ${clicked} were clicked`)
  })

  test('in the mailbox', async () => {
    const { refused, clicked } = await lookAt(inMailbox)
    assert.ok(refused >= 45 && clicked >= 10, `${refused} were refused something, ${clicked} were clicked`)
  })

  test('in the page of a shared link to the mail', async () => {
    const { refused, clicked } = await lookAt(inSharedMail)
    assert.ok(refused >= 45 && clicked >= 10, `${refused} were refused something, ${clicked} were clicked`)
  })

  test('in the preview of a template', async () => {
    const owner = await Person.loggedIn(app)
    const domain = (await owner.call('GET', '/api/domains')).body.data[0].domain_id
    const small = inMessages.filter(({ html }) => html.length < 10_000)
    assert.ok(small.length >= 60)
    // Two templates contain all messages, one after another, because the length of a template is limited.
    for (const half of [small.slice(0, 32), small.slice(32)]) {
      const html = half.map((mail) => mail.html).join('\n')
      const { status, body } = await owner.call('POST', `/api/domains/${domain}/templates`, {
        name: 'H',
        html,
      })
      assert.equal(status, 201, JSON.stringify(body))
      const lookout = await Lookout.open(browser, app)
      await lookout.window.goto(`/domains/${domain}/templates/${body.template_id}`)
      const preview = () => lookout.window.page.frames().find((frame) => frame.url().endsWith('/api/preview'))
      await until('the preview is loaded', () => preview() !== undefined)
      await preview()?.waitForLoadState()
      await until('the browser refuses some content', () => lookout.refused.size > 0)
      await lookout.nothingHappened(beacon)
    }
  })
})

test('mails of the corpus do have an effect where nothing stops them', async () => {
  const browser = await startBrowser()
  const beacon = await Beacon.start()
  try {
    const page = await browser.newPage()
    const dialogs: string[] = []
    page.on('dialog', (dialog) => {
      dialogs.push(dialog.message())
      void dialog.dismiss().catch(() => {})
    })
    const html = new Map(hostileMails(beacon.origin).map((mail) => [mail.name, mail.html]))
    const does = async (name: string, what: () => boolean) => {
      beacon.page = html.get(name) ?? ''
      // The hostile message may navigate away before the page is loaded.
      await page.goto(`${beacon.origin}/page`).catch(() => {})
      await until(`${name} has its effect`, what)
    }
    await does('a script', () => dialogs.length > 0)
    await does('an image that counts', () => beacon.seen.some((seen) => seen.includes('/pixel.gif')))
  } finally {
    await stopBrowser()
    await beacon.stop()
  }
})

/** A window that records every effect of a hostile message. */
class Lookout {
  readonly window: DashboardWindow
  readonly #happened: string[] = []
  /** Name of the open message. */
  current = ''
  /** Names of the messages from which the browser refused content. */
  readonly refused = new Set<string>()
  #cookies = ''

  private constructor(window: DashboardWindow) {
    this.window = window
  }

  /** Logs in through the API, so that the window has a cookie with the same attributes as in production. */
  static async open(browser: Browser, app: TestApp): Promise<Lookout> {
    const lookout = new Lookout(await DashboardWindow.open(browser, app, { login: null }))
    const { page, context } = lookout.window
    const { email, password } = app.playground.dashboard_login
    const login = { data: { email, password }, headers: { origin: app.app.url } }
    assert.equal((await context.request.post('/api/session', login)).status(), 200)
    page.on('dialog', (dialog) => {
      lookout.note(`a dialog says ${dialog.message()}`)
      void dialog.dismiss()
    })
    page.on('pageerror', (error) => lookout.note(`an error: ${error.message}`))
    page.on('console', (message) => {
      if (REFUSED.test(message.text())) lookout.refused.add(lookout.current)
    })
    page.on('download', () => lookout.note('a download'))
    page.on('response', (response) => {
      const { protocol, origin } = new URL(response.url())
      if (protocol !== 'data:' && origin !== app.app.url) lookout.note(`an answer from ${response.url()}`)
    })
    await lookout.window.goto('/domains')
    context.on('page', () => lookout.note('a window'))
    lookout.#cookies = JSON.stringify(await context.cookies())
    return lookout
  }

  note(what: string): void {
    this.#happened.push(`${this.current}: ${what}`)
  }

  /** Waits for delayed effects, checks that there were none, and closes the window. */
  async nothingHappened(beacon: Beacon): Promise<void> {
    const { page, context } = this.window
    await page.waitForTimeout(500)
    assert.equal(await page.evaluate('typeof window.pwned'), 'undefined')
    assert.match(await page.title(), / · Postrider$/)
    assert.equal(await page.evaluate('document.cookie'), '', 'no script can read the session')
    assert.equal(JSON.stringify(await context.cookies()), this.#cookies)
    assert.deepEqual(beacon.seen, [])
    assert.deepEqual(this.#happened, [])
    await this.window.close()
  }
}

/** Opens a path without a page load, as a click would; returns the frame of the message after the frame is loaded. */
async function shownIn({ page }: DashboardWindow, path: string): Promise<Frame> {
  await page.evaluate(
    `history.pushState({}, '', ${JSON.stringify(path)}); dispatchEvent(new PopStateEvent('popstate'))`,
  )
  const id = /(?:msg|mbx)_[0-9A-Z]+/.exec(path)?.[0] ?? ''
  const element = page.locator(`iframe[src*="${id}"]`)
  const frame = await (await element.elementHandle())?.contentFrame()
  if (frame === null || frame === undefined) throw new Error(`no frame at ${path}`)
  await frame.waitForURL(new RegExp(`/${id}/html(?:\\?|$)`), { waitUntil: 'load' })
  return frame
}

/** Clicks the element that the message wants the reader to click; returns the number of clicks. */
async function clickIn(frame: Frame): Promise<number> {
  const target = frame.getByText('click me').first()
  // The message is completely loaded, so a missing element will not appear later.
  if ((await target.count()) === 0) return 0
  try {
    await target.click({ force: true, timeout: 10_000 })
    return 1
  } catch {
    return 0
  }
}
