// The dashboard in other languages: it uses the language of the browser or the chosen language, remembers the choice,
// and is completely translated.

// thorough: tests a user's work in a browser; test/browser/first-mail.test.ts covers the first pages in `npm test`

import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { TestApp } from '../support/app.ts'
import { startBrowser, stopBrowser } from '../support/browser/browser.ts'
import { pageRoutes, unvisited } from '../support/browser/page-routes.ts'
import { faultsOnWalk, TEXT_VIEWS } from '../support/browser/walk.ts'
import { DashboardWindow } from '../support/browser/window.ts'
import { inboundMessages } from '../support/inbound-mail.ts'
import { oneIncident } from '../support/one-of-everything.ts'
import { Person } from '../support/person.ts'
import { until } from '../support/test-clock.ts'

interface Texts {
  readonly [key: string]: string | Texts
}

/** Returns all texts of a language that contain a space but no placeholder. */
async function phrasesOf(language: string): Promise<Set<string>> {
  const phrases = new Set<string>()
  const add = (texts: Texts): void => {
    for (const text of Object.values(texts)) {
      if (typeof text !== 'string') add(text)
      else if (/\S \S/.test(text) && !text.includes('{')) phrases.add(text)
    }
  }
  const folder = new URL(`../../dashboard/texts/${language}/`, import.meta.url)
  for (const name of readdirSync(folder)) {
    for (const room of Object.values((await import(`${folder}${name}`)) as Record<string, Texts>)) add(room)
  }
  return phrases
}

/** Paths of the pages that need no login. */
const OUTSIDE = [
  '/login',
  ...['first-run', 'invitation', 'reset-password'].map((page) => `/${page}?token=x`),
  '/forgotten-password',
]

describe('languages', () => {
  let app: TestApp
  let browser: Browser
  let messages: string
  let paths: string[]
  before(async () => {
    browser = await startBrowser()
    app = await TestApp.start({ env: { POSTRIDER_DNS_SERVERS: '', POSTRIDER_ALLOW_PRIVATE_NETWORKS: '' } })
    const id = await app.send({ subject: 'Grüße', html: '<p style="color: red">Grüße</p>' })
    await app.messageIn(id, 'delivered')
    const owner = await Person.loggedIn(app)
    const domain = (await owner.call('GET', '/api/domains')).body.data[0].domain_id
    const make = async (path: string, body: object) => (await owner.call('POST', path, body)).body
    const workspace = `/domains/${domain}`
    const layout = await make(`/api${workspace}/layouts`, { name: 'F', html: '<b>{{{ @content }}}</b>' })
    const html = '<p style="color: red">{{name}} <a href="">x</a></p>'
    const template = await make(`/api${workspace}/templates`, { name: 'T', subject: 'S', html })
    const webhook = await make(`/api${workspace}/webhooks`, { url: 'https://receiver.example/' })
    const addresses = ['ann@example.test', 'info@example.test', 'no address']
    const { verification_id: list } = await make('/api/verification/verifications', addresses)
    await until('the list is done', async () => {
      return (await owner.call('GET', `/api/verification/verifications/${list}`)).body.status === 'done'
    })
    await owner.call('GET', '/api/verification/verifyEmailDetailed?email=info%40example.test')
    await app.send({ to: [{ email: 'ann@inbound.example.test' }] })
    const inbound = (await inboundMessages(app, 1))[0].inbound_id
    const mail = await app.pathInMailbox()
    const row = 'email,name\nann@example.test,Ann\n'
    const from = `template_id=${template.template_id}&from=a%40example.test&name=list`
    const { bulk_id: bulk } = (
      await owner.call('POST', `/api${workspace}/bulk?${from}`, row, { 'content-type': 'text/csv' })
    ).body
    const ofAccount = await make('/api/account-webhooks', { url: 'https://hook.example/' })
    const shared = await make(`/api${workspace}/messages/${id}/share`, { hours: 24 })
    const records = await make(`/api${workspace}/record-links`, {})
    const { id: account } = await app.store.read.selectFrom('accounts').select('id').executeTakeFirstOrThrow()
    const incident = await oneIncident(app, account, domain, 'language')
    messages = `${workspace}/messages`
    paths = [
      ...['/', '/domains', messages, `${messages}/${id}`, `${messages}/${id}?view=insights`],
      ...['dns', 'templates', `templates/${template.template_id}`].map((page) => `${workspace}/${page}`),
      ...['/activity', '/activity/requests', '/statistics', '/statistics?group=category'],
      ...['suppressions', 'settings', 'webhooks', `webhooks/${webhook.webhook_id}`].map(
        (page) => `${workspace}/${page}`,
      ),
      ...['layouts', `layouts/${layout.layout_id}`].map((page) => `${workspace}/${page}`),
      ...['', '/lists', `/lists/${list}`, '/keys', '/credits'].map((page) => `/verification${page}`),
      ...['inbound', `inbound/${inbound}`, `inbound/${inbound}?view=authentication`].map(
        (page) => `${workspace}/${page}`,
      ),
      ...['bulk', 'bulk/new', `bulk/${bulk}`, 'streams', 'keys', 'smtp'].map(
        (page) => `${workspace}/${page}`,
      ),
      ...['/inboxes', '/mailbox', mail, '/addresses/ann%40example.test'],
      ...['', '/users', '/people', '/keys', '/usage', '/events', '/audit', '/profile'].map(
        (page) => `/account${page}`,
      ),
      `/account/webhooks/${ofAccount.webhook_id}`,
      ...['/deliverability', `/deliverability/incidents/${incident}`, '/operator/lists'],
      ...['authentication', 'requirements'].map((page) => `${workspace}/${page}`),
      ...['', '/queue', '/queue/example.test', '/accounts', '/nodes'].map((page) => `/operator${page}`),
      '/shared-mails/mbx_x?token=x',
      ...[shared, records].map(({ url }) => url.slice(new URL(url).origin.length)),
    ]
  })
  after(async () => {
    await stopBrowser()
    await app?.stop()
  })

  test('are checked on every page', async () => {
    assert.deepEqual(unvisited(await pageRoutes(), [...paths, ...OUTSIDE]), [])
  })

  const LOOKS = [
    { locale: 'de-AT', login: 'Bei Postrider anmelden', home: 'Übersicht', state: 'Zugestellt' },
    { locale: 'fr-CA', login: 'Se connecter à Postrider', home: 'Accueil', state: 'Distribué' },
  ]
  for (const [index, { locale, login, home, state }] of LOOKS.entries()) {
    describe(`the browser's: ${locale}`, () => {
      const language = locale.slice(0, 2)
      /** English phrases that do not occur in this language. */
      let english: readonly string[]
      before(async () => {
        const own = await phrasesOf(language)
        english = [...(await phrasesOf('en'))].filter((phrase) => !own.has(phrase))
        assert.ok(english.length > 600, `${english.length}`)
      })

      test('before the login', async () => {
        const window = await DashboardWindow.open(browser, app, { locale, login: null })
        await window.goto('/login')
        await window.page.getByRole('heading', { name: login }).waitFor()
        assert.equal(await window.page.locator('html').getAttribute('lang'), language)
        assert.deepEqual(await window.faults(), [])
        const walk = { views: [{ width: 380, colors: 'light' }], foreign: english } as const
        assert.deepEqual(await faultsOnWalk(window, OUTSIDE, walk), [])
        await window.close()
      })

      test('after the login', async () => {
        const window = await DashboardWindow.open(browser, app, { locale })
        await window.goto('/')
        await window.page.getByRole('heading', { name: home, level: 1 }).waitFor()
        const walk = { views: TEXT_VIEWS, foreign: english, fromTheLast: index % 2 === 1 }
        assert.deepEqual(await faultsOnWalk(window, paths, walk), [])
        await window.follow(messages)
        await window.page.locator('.status').filter({ hasText: state }).first().waitFor()
        await window.close()
      })
    })
  }

  test('the language chosen in the menu is kept for pages that are loaded later', async () => {
    const window = await DashboardWindow.open(browser, app)
    const { page } = window
    await window.goto('/')
    await page.getByText('Playground', { exact: true }).click()
    await page.getByRole('menuitem', { name: 'Deutsch' }).click()
    await page.getByRole('heading', { name: 'Übersicht' }).waitFor()
    await window.goto(messages)
    await page.getByRole('heading', { name: 'Nachrichten' }).waitFor()
    await page.getByText(/^\d+ Nachrichten$/).waitFor()
    assert.deepEqual(window.complaints, [])
    await window.close()
  })
})
