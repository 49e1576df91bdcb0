// `npm run pictures [-- all FOLDER]` renders the screenshots of the documentation, or a screenshot of every
// page in every width and colour scheme.

import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { TestApp } from './support/app.ts'
import { startBrowser, stopBrowser } from './support/browser/browser.ts'
import { pageRoutes, unvisited } from './support/browser/page-routes.ts'
import { fillShop, LateClock, MODEL, type Shop } from './support/browser/shop.ts'
import { DashboardWindow, type WindowOptions } from './support/browser/window.ts'
import { Person } from './support/person.ts'
import { readWords, runTool, WrongArgument } from './support/tool.ts'

const IMAGES = fileURLToPath(new URL('../docs/images', import.meta.url))
/** Quality of a WebP image, from 0 to 100, at which small text stays sharp. */
const QUALITY = 90
/** Height of the window of a picture of the whole page, in pixels. */
const LEAST_HEIGHT = 844

interface Picture {
  readonly name: string
  readonly path: string
  readonly options?: WindowOptions
  readonly height?: number
  /** Prepares the page before the screenshot is taken. */
  readonly prepare?: (page: Page) => Promise<void>
}

const openDialog = (page: Page): Promise<void> => page.getByRole('button', { name: 'SMTP dialog' }).click()

async function typeModel(page: Page): Promise<void> {
  await page.getByLabel('Model, as JSON').click()
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.insertText(JSON.stringify(MODEL, null, 2))
  await page.frameLocator('iframe[title="Preview"]').last().getByText('Oak bench').waitFor()
  await page.evaluate('scrollTo(0, 0)')
}

/**
 * Returns the screenshots that the documentation contains. The README shows `message`, which has a variant for readers
 * in dark mode.
 */
const chosen = ({ domain, pending, template, bounced, list }: Shop): readonly Picture[] => [
  { name: 'home', path: '/', height: 900 },
  { name: 'dns-records', path: `/domains/${pending}/dns` },
  { name: 'messages-dark', path: `/domains/${domain}/messages`, options: { colors: 'dark' } },
  ...(['light', 'dark'] as const).map((colors) => ({
    ...{ name: colors === 'light' ? 'message' : 'message-dark', options: { colors } },
    ...{ path: `/domains/${domain}/messages/${bounced}`, height: 1060, prepare: openDialog },
  })),
  {
    ...{ name: 'template', path: `/domains/${domain}/templates/${template}` },
    ...{ options: { width: 1440 }, height: 900, prepare: typeModel },
  },
  { name: 'verification-list', path: `/verification/lists/${list}` },
]

/** Returns the paths of all dashboard pages that require a login, including some views of the same page. */
const everyPath = (shop: Shop): string[] => {
  const { domain, pending, template, layout, delivered, bounced, mail, list, webhook, bulk, inbound } = shop
  const account = ['', '/users', '/keys', '/usage', '/events', '/audit', '/profile']
  const nouns = ['messages', 'bulk', 'bulk/new', 'inbound', 'templates', 'layouts', 'streams', 'suppressions']
  const settings = ['webhooks', 'keys', 'smtp', 'settings', 'dns', 'authentication', 'requirements']
  const views = ['html', 'text', 'headers', 'source', 'insights'].map(
    (view) => `messages/${delivered}?view=${view}`,
  )
  const ones = [`messages/${bounced}`, `templates/${template}`, `layouts/${layout}`, `bulk/${bulk}`]
  const others = [`webhooks/${webhook}`, `inbound/${inbound}`, `inbound/${inbound}?view=authentication`]
  return [
    ...['/activity', '/activity/requests', '/statistics', '/statistics?group=provider'],
    ...['/deliverability', `/deliverability/incidents/${shop.incident}`],
    ...['/', '/addresses/amara.osei%40example.test', '/domains', `/domains/${pending}/dns`],
    ...[...nouns, ...settings, ...ones, ...others, ...views].map((path) => `/domains/${domain}/${path}`),
    ...['/inboxes', shop.inbox, shop.testMail, '/mailbox', mail],
    ...['', '/lists', `/lists/${list}`, '/keys', '/credits'].map((path) => `/verification${path}`),
    ...[...account, `/webhooks/${shop.accountWebhook}`].map((path) => `/account${path}`),
    ...['', '/queue', '/queue/example.test', '/accounts', '/nodes', '/lists'].map(
      (path) => `/operator${path}`,
    ),
    '/no-such-page',
  ]
}

/** Returns the paths of the pages that require no login. */
const outsidePaths = ({ links }: Shop): string[] => [
  ...[
    '/login',
    '/forgotten-password',
    '/first-run?token=x',
    '/invitation?token=x',
    '/reset-password?token=x',
  ],
  ...links.map((link) => link.slice(new URL(link).origin.length)),
]

/** Paths of dashboard pages that are rendered for an account without data. */
const EMPTY = [
  ...[
    '/',
    '/activity',
    '/activity/requests',
    '/statistics',
    '/domains',
    '/verification',
    '/verification/lists',
  ],
  ...[
    '/verification/keys',
    '/verification/credits',
    '/account',
    '/account/users',
    '/account/events',
    '/addresses/a%40example.net',
  ],
]

/** Paths of pages without data, relative to the workspace of an unverified domain. */
const EMPTY_OF_DOMAIN = [
  ...[
    'messages',
    'bulk',
    'bulk/new',
    'inbound',
    'templates',
    'layouts',
    'streams',
    'suppressions',
    'webhooks',
  ],
  ...['keys', 'smtp', 'settings'],
]

/** Returns a screenshot of the visible part of a page as WebP, which takes a third of the bytes of a PNG. */
async function webpOf(page: Page): Promise<Buffer> {
  const session = await page.context().newCDPSession(page)
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: QUALITY })
  return Buffer.from(data, 'base64')
}

async function takeChosen(browser: Browser, app: TestApp, shop: Shop): Promise<void> {
  await mkdir(IMAGES, { recursive: true })
  for (const { name, path, options = {}, height = 800, prepare } of chosen(shop)) {
    const window = await DashboardWindow.open(browser, app, options)
    await window.page.setViewportSize({ width: options.width ?? 1280, height })
    await window.goto(path)
    await prepare?.(window.page)
    await window.settled()
    await writeFile(join(IMAGES, `${name}.webp`), await webpOf(window.page))
    await window.close()
  }
}

async function takeAll(browser: Browser, app: TestApp, shop: Shop, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  const { login, paths } = await newcomer(app)
  const inside = everyPath(shop)
  const outside = outsidePaths(shop)
  const forgotten = unvisited(await pageRoutes(), [...inside, ...outside])
  if (forgotten.length > 0) throw new Error(`there is no picture of ${forgotten.join(', ')}`)
  for (const colors of ['light', 'dark'] as const) {
    for (const width of [1280, 390]) {
      const look = { colors, width }
      for (const [prefix, pages, options] of [
        ['', inside, look],
        ['', outside, { ...look, login: null }],
        ['empty-', paths, { ...look, login }],
      ] as const) {
        const window = await DashboardWindow.open(browser, app, options)
        for (const path of pages) {
          await window.goto(path)
          const name = path
            .replace(/token=.*/, '')
            .replace(/^\/u\/.*/, 'unsubscribe')
            .replace(/[a-z]{3}_[0-9A-Z]{26}/g, 'one')
            .replace(/\W+/g, '-')
            .replace(/^-|-$/g, '')
          // The browser draws no frame outside of the window, such as the preview of a message on a narrow page.
          const height = await window.page.evaluate<number>('document.documentElement.scrollHeight')
          await window.page.setViewportSize({ width, height: Math.max(LEAST_HEIGHT, height) })
          await window.settled()
          const picture = await window.page.screenshot({ fullPage: true })
          await window.page.setViewportSize({ width, height: LEAST_HEIGHT })
          await writeFile(join(folder, `${prefix}${name || 'home'}.${colors}.${width}.png`), picture)
        }
        await window.close()
      }
    }
  }
}

/** Creates a user whose account has only an unverified domain; returns the login and the paths of this user's pages. */
async function newcomer(app: TestApp) {
  const login = { email: 'newcomer@example.net', password: 'a long password' }
  const operator = await Person.loggedIn(app)
  const account = { name: 'Newcomer', owner_email: login.email }
  const { invitation } = (await operator.call('POST', '/api/accounts', account)).body
  const token = new URL(invitation.url).searchParams.get('token')
  const { password } = login
  await new Person(app).call('POST', '/api/invitations/accept', { token, name: 'Nele', password })
  const person = await Person.loggedIn(app, login)
  const { body } = await person.call('POST', '/api/domains', { domain: 'newcomer.example' })
  return { login, paths: [...EMPTY, ...EMPTY_OF_DOMAIN.map((path) => `/domains/${body.domain_id}/${path}`)] }
}

const USAGE = `npm run pictures   the pictures of the dashboard in docs/images
npm run pictures -- all [FOLDER]   every page in every width and colour scheme (pictures)
`

await runTool(USAGE, async ([what, folder = 'pictures', ...more]) => {
  readWords(more)
  if (what !== undefined && what !== 'all') throw new WrongArgument(`There is no argument ${what} here.`)
  const clock = new LateClock()
  const env = {
    POSTRIDER_DNS_SERVERS: '',
    POSTRIDER_ALLOW_PRIVATE_NETWORKS: '',
    POSTRIDER_HOSTNAME: 'mail.example.test',
  }
  const browser = await startBrowser()
  const app = await TestApp.start({ clock, env, database: 'sqlite' })
  try {
    const shop = await fillShop(app, clock)
    if (what !== undefined) await takeAll(browser, app, shop, folder)
    else await takeChosen(browser, app, shop)
  } finally {
    await stopBrowser()
    await app.stop()
  }
  return 0
})
