// Daily work in the workspace of a domain, in a real browser: keys, templates with a layout, messages and their
// attempts, and suppressions.

// thorough: tests a user's work in a browser; test/browser/first-mail.test.ts covers the first pages in `npm test`

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import type { Browser, Locator } from 'playwright-core'
import { TestApp } from '../support/app.ts'
import { startBrowser, stopBrowser } from '../support/browser/browser.ts'
import { DashboardWindow } from '../support/browser/window.ts'
import { answerTo } from '../support/mail-host/script.ts'
import { Person } from '../support/person.ts'
import { until } from '../support/test-clock.ts'

const run = promisify(execFile)

const MANIFEST = new URL('../../dashboard/dist/en/manifest.json', import.meta.url)

/** Returns the path of the built file of a page, whose name the build chooses. */
async function fileOfPage(page: string): Promise<string> {
  const manifest: Readonly<Record<string, { readonly file: string }>> = JSON.parse(
    await readFile(MANIFEST, 'utf8'),
  )
  const chunk = manifest[page]
  assert.ok(chunk, page)
  return chunk.file
}

describe('the workspace of a domain', () => {
  let app: TestApp
  let browser: Browser
  let window: DashboardWindow
  let owner: Person
  let domain: string
  before(async () => {
    browser = await startBrowser()
    app = await TestApp.start()
    owner = await Person.loggedIn(app)
    domain = (await owner.call('GET', '/api/domains')).body.data[0].domain_id
    window = await DashboardWindow.open(browser, app)
  })
  after(async () => {
    await stopBrowser()
    await app?.stop()
  })

  const open = (path: string) => window.goto(`/domains/${domain}/${path}`)
  const button = (name: string | RegExp): Locator => window.page.getByRole('button', { name, exact: true })

  /** Closes the dialog that reports success. */
  async function done(): Promise<void> {
    await button('Done').click()
    await window.closed()
  }

  /** Replaces the text of an editor by keyboard input. */
  async function type(label: string, text: string): Promise<void> {
    await window.page.getByLabel(label, { exact: true }).click()
    await window.page.keyboard.press('ControlOrMeta+A')
    await window.page.keyboard.insertText(text)
  }

  const preview = () => window.page.frameLocator('iframe[title="Preview"]').last().locator('body')

  test('a key is created, used by its example, and revoked', async () => {
    const { page } = window
    await open('keys')
    await button('New key').click()
    await page.getByLabel('Name').fill('x'.repeat(101))
    await button('Create API key').click()
    // The form shows the problem next to its field, and does not truncate the name.
    await page.getByLabel('Name').and(page.locator('[aria-invalid="true"]')).waitFor()
    await page.getByLabel('Name').fill('Shop')
    await button('Create API key').click()
    const dialog = page.getByRole('dialog')
    const key = (await dialog.getByText(/^send_/).textContent()) ?? ''
    await dialog.getByRole('tab', { name: 'Node' }).click()
    const program = (await dialog.locator('pre').textContent()) ?? ''
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', program])
    assert.match(stdout, /^202 .*msg_/s)
    await done()
    assert.ok(!(await page.content()).includes(key), 'the page shows the secret only once')
    await page.getByText(`send_…${key.slice(-4)}`).waitFor()
    await button('Revoke Shop').click()
    await button('Revoke').click()
    await page.getByText('Revoked', { exact: true }).waitFor()
    const asked = () => app.call('GET', '/v1/messages', undefined, { authorization: `Bearer ${key}` })
    await until('the revoked key is refused', async () => (await asked()).status === 401)
  })

  test('an SMTP credential is shown once, with complete settings', async () => {
    const { page } = window
    await open('smtp')
    await button('New credential').click()
    await page.getByLabel('Name').fill('Printer')
    await button('Create SMTP credential').click()
    const settings = (await page.getByRole('dialog').locator('pre').textContent()) ?? ''
    assert.match(settings, new RegExp(`Port\\s+${app.app.smtpPort}`))
    assert.match(settings, /User name\s+smtp_[0-9A-Z]{26}\nPassword\s+\S{32,}/)
    await done()
    await page.getByRole('cell', { name: /^Printer/ }).waitFor()
    // The page continues to show host, port and programs, but not the password.
    await page.getByRole('button', { name: 'Copy host' }).waitFor()
    await page.getByText(`${app.app.smtpPort}, with STARTTLS`).waitFor()
    await page.locator('pre').getByText('YOUR_PASSWORD').first().waitFor()
    const [, password = ''] = /Password\s+(\S+)/.exec(settings) ?? []
    assert.ok(!(await page.content()).includes(password), 'the page shows the secret only once')
  })

  test('a template is written in its layout, with problems at their places, and versions to return to', async () => {
    const { page } = window
    await open('layouts')
    await button('New layout').first().click()
    await page.getByLabel('Name').fill('The frame')
    await button('Create').click()
    await page.waitForURL(/layouts\/lay_/)
    await type('HTML part', '<header>The Shop</header>{{{ @content }}}')
    await preview().getByText('The content of the template goes here.').waitFor()
    await button('Save').click()
    await page.getByText('Version 2', { exact: true }).waitFor()

    await open('templates')
    await button('New template').first().click()
    await page.getByLabel('Name').fill('Order shipped')
    assert.equal(await page.getByLabel('Alias').inputValue(), 'order-shipped')
    await button('Create').click()
    await page.waitForURL(/templates\/tpl_/)
    await page.getByRole('combobox', { name: 'Layout' }).click()
    await page.getByRole('option', { name: 'The frame' }).click()
    await type('HTML part', '<p>Dear {{name}},</p>\n<p>{{#if sent}}it left')
    await page.getByText(/^Line 2, column \d+: /).waitFor()
    await page.locator('.cm-wrong-line').waitFor()
    await page.getByText('of the last version that could be rendered').waitFor()
    await preview().getByText('Good to have you here.').waitFor()
    await type('HTML part', '<p>Dear {{name}}, it left.</p>')
    await preview().getByText('Dear name, it left.').waitFor()
    await preview().getByText('The Shop').waitFor()
    await type('Model, as JSON', '{ "name": "<b>Ann" }')
    await preview().getByText('Dear <b>Ann, it left.').waitFor()
    await page.getByTestId('subject').getByText('Welcome, <b>Ann').waitFor()
    const frame = page.locator('iframe[title="Preview"]').last()
    // In a narrow space, the preview has the layout of a phone, and no text is scaled down.
    await until('the preview is as wide as a phone', async () => (await frame.boundingBox())?.width === 375)
    await page.getByText('Desktop', { exact: true }).click()
    // The layout of a desktop is scaled to the available width.
    await until('the preview is wider', async () => ((await frame.boundingBox())?.width ?? 0) > 400)
    assert.equal(await frame.evaluate((one: { offsetWidth: number }) => one.offsetWidth), 700)
    assert.ok(((await frame.boundingBox())?.width ?? 700) < 600)
    await button('Save').click()
    await page.getByText('Version 2', { exact: true }).waitFor()

    await button('Send test message').click()
    await page.getByRole('textbox', { name: 'To' }).fill('me@receiver.example')
    await button('Send').click()
    const link = await page.getByRole('link', { name: 'View message' }).getAttribute('href')
    const sent = await app.messageIn(link?.split('/').at(-1) ?? '', 'delivered')
    assert.equal(sent.subject, 'Welcome, <b>Ann')
    await done()

    await button('Versions').click()
    await page.getByText('by you').first().waitFor()
    await button('View version 1').click()
    await button('Restore').click()
    await page.getByText('Version 3', { exact: true }).waitFor()
    await preview().getByText('Good to have you here.').waitFor()
  })

  test('a template with an unsubscribe link is tried on a broadcast stream', async () => {
    const { page } = window
    await owner.call('POST', `/api/domains/${domain}/templates`, {
      ...{ alias: 'news', name: 'News', subject: 'News' },
      html: '<p>News</p><a href="{{{ @unsubscribe_url }}}">Unsubscribe</a>',
    })
    await open('templates')
    await window.click(page.getByRole('link', { name: 'News' }))
    await preview().getByText('Unsubscribe').waitFor()
    await type('HTML part', '<p>More news</p><a href="{{{ @unsubscribe_url }}}">Unsubscribe</a>')
    await preview().getByText('More news').waitFor()
    await button('Send test message').click()
    await page.getByRole('textbox', { name: 'To' }).fill('me@receiver.example')
    await button('Send').click()
    const link = await page.getByRole('link', { name: 'View message' }).getAttribute('href')
    const sent = await app.call('GET', `/v1/messages/${link?.split('/').at(-1)}?include=content`)
    assert.equal(sent.body.stream, 'broadcast')
    assert.match(sent.body.html, /More news<\/p><a href="http[^"]+\/u/)
    await done()
  })

  test('a new stream asks for its kind, and for more on request', async () => {
    const { page } = window
    await open('streams')
    // The browser itself has inserted styles into an editor in earlier tests.
    window.complaints.splice(0)
    await button('New stream').click()
    const dialog = page.getByRole('dialog')
    assert.equal(await dialog.getByLabel('Rate limit').isVisible(), false)
    await dialog.getByLabel('Name').fill('Alerts')
    await dialog.getByLabel('Alias').fill('alerts')
    await dialog.getByText('More settings').click()
    await dialog.getByLabel('Rate limit').fill('5/s')
    assert.deepEqual(await window.faults('look'), [])
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page
      .getByRole('row', { name: /^Alerts/ })
      .getByText('5/s')
      .waitFor()
  })

  test('typed text survives a lost connection and a reload of the page', async () => {
    const { page, context } = window
    await owner.call('POST', `/api/domains/${domain}/templates`, {
      alias: 'kept',
      name: 'Kept',
      html: '<p>1</p>',
    })
    await open('templates')
    await window.click(page.getByRole('link', { name: 'Kept' }))
    await preview().getByText('1').waitFor()
    await context.setOffline(true)
    await type('HTML part', '<p>typed while away</p>')
    await button('Save').click()
    // The preview may show the same error, so the test waits for the first alert.
    await page.getByRole('alert').getByText('The service could not be reached.').first().waitFor()
    await context.setOffline(false)
    await page.reload()
    await page.getByText('Not saved').waitFor()
    await preview().getByText('typed while away').waitFor()
    await button('Save').click()
    await page.getByText('Version 2', { exact: true }).waitFor()
    const { body } = await owner.call('GET', `/api/domains/${domain}/templates/kept`)
    assert.equal(body.html, '<p>typed while away</p>')
  })

  test('a page that is not loaded yet waits for the connection, and one that the service no longer has says so', async () => {
    // The new window has no cached files.
    const fresh = await DashboardWindow.open(browser, app)
    const { page, context } = fresh
    const follow = (name: string) => page.getByRole('link', { name, exact: true }).click()
    await fresh.goto('/domains')
    await context.setOffline(true)
    await follow('Statistics')
    await page.locator('.on-its-way').waitFor()
    await page.getByText('Connection to Postrider lost').waitFor()
    await context.setOffline(false)
    await page.getByRole('heading', { name: 'Statistics' }).waitFor()
    // The missing file is still missing when the page reloads.
    await page.route(`**/${await fileOfPage('pages/account/account-page.tsx')}`, (route) =>
      route.fulfill({ status: 404 }),
    )
    await page.evaluate('sessionStorage.clear()')
    await follow('Account')
    await page.getByRole('heading', { name: 'New version available' }).waitFor()
    await fresh.close()
  })

  test('two users who edit one template at the same time do not overwrite each other unseen', async () => {
    const { page } = window
    const fields = { alias: 'shared', name: 'Shared' }
    await owner.call('POST', `/api/domains/${domain}/templates`, { ...fields, html: '<p>1</p>' })
    await open('templates')
    await window.click(page.getByRole('link', { name: 'Shared' }))
    await type('HTML part', '<p>mine</p>')
    await preview().getByText('mine').waitFor()
    await owner.call('PUT', `/api/domains/${domain}/templates/shared`, { ...fields, html: '<p>theirs</p>' })
    await button('Save').click()
    await page.getByText('Version 2 was saved by another user').waitFor()
    assert.equal(await button('Save').isDisabled(), true)
    // The content security policy refuses styles that the browser itself inserts into an editor during input; the
    // editor has its own styles.
    window.complaints.splice(0)
    assert.deepEqual(await window.faults(), [])
    await button('View version 2').click()
    const version = page.getByRole('dialog', { name: 'Version 2' })
    await version.getByText('<p>theirs</p>').waitFor()
    await version.getByRole('button', { name: 'Close' }).click()
    await window.closed()
    await preview().getByText('mine').waitFor()
    await button('Save my changes').click()
    await page.getByText('Version 3', { exact: true }).waitFor()
    await owner.call('PUT', `/api/domains/${domain}/templates/shared`, { ...fields, html: '<p>theirs</p>' })
    await type('HTML part', '<p>mine again</p>')
    await button('Save').click()
    await page.getByText('Version 4 was saved by another user').waitFor()
    await button('Discard my changes').click()
    await preview().getByText('theirs').waitFor()
    await page.getByText('Version 4', { exact: true }).waitFor()
  })

  test('messages are found, and each shows its attempts with the SMTP dialog', async () => {
    const { page } = window
    app.host.script = answerTo('RCPT', '550 5.1.1 <b>Nobody</b> here')
    const bounced = await app.send({
      to: [{ email: 'nobody@receiver.example' }],
      subject: 'Lost & <i>found</i>',
    })
    await app.messageIn(bounced, 'bounced')
    await open('messages')
    await page.getByPlaceholder('Recipient').fill('nobody@receiver.example')
    await page.waitForURL(/recipient=nobody/)
    await until('one message is left', async () => (await page.locator('tbody tr').count()) === 1)
    await window.click(page.getByRole('link', { name: 'Lost & <i>found</i>' }))
    await page.getByText('550 5.1.1 <b>Nobody</b> here').first().waitFor()
    const times = await page.locator('.timeline time').allTextContents()
    assert.ok(times.length > 1)
    for (const time of times) assert.match(time, /\d:\d\d:\d\d.* (UTC|GMT\S*|[A-Z]{3,4})$/)
    await button('SMTP dialog').click()
    const dialog = page.getByRole('list', { name: 'SMTP dialog' })
    await dialog.getByText('RCPT TO:<nobody@receiver.example>').waitFor()
    assert.ok((await dialog.locator('[data-direction="received"]').count()) > 0)
    await page.getByRole('tab', { name: 'Headers' }).click()
    await page.getByRole('rowheader', { name: 'DKIM-Signature' }).first().waitFor()
    await page.getByRole('tab', { name: 'Source' }).click()
    await page.getByText('Subject: Lost & <i>found</i>').waitFor()

    const resends: string[] = []
    page.on('request', (asked) => {
      if (asked.url().endsWith('/resend')) resends.push(asked.headers()['idempotency-key'] ?? '')
    })
    await button('Resend').click()
    const resend = page.getByRole('dialog').getByRole('button', { name: 'Resend' })
    // The test clicks twice before the page is rendered again.
    await resend.evaluate((element: { click(): void }) => {
      element.click()
      element.click()
    })
    await until('another message is open', async () => !page.url().includes(bounced))
    assert.equal(resends.length, 1)
    assert.match(resends[0] ?? '', /^[0-9a-f]{32}$/)
    await page.getByRole('heading', { name: 'Lost & <i>found</i>' }).waitFor()
  })

  test('a deferred message is shown as such, with the reason, and is found by it', async () => {
    const { page } = window
    app.host.script = ({ verb, argument }) =>
      verb === 'RCPT' && /<Busy@/.test(argument) ? '451 4.2.1 Mailbox is busy' : undefined
    const id = await app.send({ to: [{ email: 'Busy@receiver.example' }], subject: 'Waits' })
    await app.messageIn(id, 'sending')
    await open('messages?status=deferred&recipient=busy')
    const row = page.getByRole('row', { name: /Waits/ })
    // The reason is also below the subject, which only narrow screens show.
    const reason = row.getByText('451 4.2.1 Mailbox is busy').filter({ visible: true })
    await reason.waitFor()
    await reason.filter({ hasText: /next attempt/i }).waitFor()
    await window.click(row.getByRole('link', { name: 'Waits' }))
    await page.getByText(/^Deferred for Busy@receiver.example: the next attempt is/).waitFor()
    app.host.script = undefined
  })

  test('a message that is too long to be shown says so, and can be downloaded', async () => {
    const { page } = window
    const html = `<p>begin</p>${'<p>and so on</p>\n'.repeat(150_000)}`
    const id = await app.send({ to: [{ email: 'patient@receiver.example' }], html })
    await open(`messages/${id}`)
    await page.getByRole('tab', { name: 'HTML' }).click()
    await page.frameLocator('iframe').getByText('begin').waitFor()
    const whole = page.getByRole('link', { name: 'Download the full message' })
    assert.deepEqual(await window.faults('look'), [])
    const [file] = await Promise.all([page.waitForEvent('download'), whole.click()])
    assert.equal(file.suggestedFilename(), `${id}.eml`)
  })

  test('a scheduled message is cancelled', async () => {
    const { page } = window
    const send_at = new Date(Date.now() + 3_600_000).toISOString()
    const id = await app.send({ send_at })
    await open(`messages/${id}`)
    await button('Cancel').click()
    await button('Cancel message').click()
    await page.getByText('Cancelled before it was delivered.').waitFor()
    assert.equal((await app.call('GET', `/v1/messages/${id}`)).body.status, 'cancelled')
  })

  test('suppressions are added, exported as a CSV without formulas, and imported again', async () => {
    const { page, context } = window
    await open('suppressions')
    await button('Add').click()
    await page
      .getByRole('textbox', { name: 'Addresses' })
      .fill('=1+1@receiver.example\n+49@receiver.example\nnonsense')
    await button('Suppress').click()
    await page.getByText('2 addresses added.').waitFor()
    await page.getByText('1 entry invalid:').waitFor()
    // The page shows an invalid entry with its text, and the entry stays in the field for correction.
    await page.getByRole('listitem').filter({ hasText: 'nonsense' }).waitFor()
    assert.equal(await page.getByRole('textbox', { name: 'Addresses' }).inputValue(), 'nonsense')
    await button('Suppress').and(page.locator(':focus')).waitFor()
    assert.deepEqual(await window.faults(), [])
    await page.getByRole('textbox', { name: 'Addresses' }).fill('sense@receiver.example')
    await button('Suppress').click()
    await page.getByText('1 address added.').waitFor()
    await done()
    await page.getByRole('cell', { name: '=1+1@receiver.example', exact: true }).waitFor()
    const href = (await page.getByRole('link', { name: 'Export' }).getAttribute('href')) ?? ''
    const csv = await (await context.request.get(href)).body()
    assert.doesNotMatch(csv.toString(), /^[=+\-@]/m)
    assert.match(csv.toString(), /^'=1\+1@receiver\.example,/m)
    await button('Import').click()
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'list.csv', mimeType: 'text/csv', buffer: csv })
    await page.getByRole('dialog').getByRole('button', { name: 'Import' }).click()
    await page.getByText(/^0 addresses added\. \d+ (was|were) suppressed already/).waitFor()
    await done()
    await button('Remove =1+1@receiver.example').click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await page.getByText('=1+1@receiver.example removed from the suppression list.').waitFor()
    // A filter finds addresses by their prefix, case-insensitive; the user removes all of them together, except for a
    // complaint.
    await owner.call('POST', `/api/domains/${domain}/suppressions`, {
      suppressions: ['many-1', 'many-2', 'many-3'].map((local, index) => ({
        email: `${local}@receiver.example`,
        reason: index === 2 ? 'complaint' : 'manual',
      })),
    })
    await page.getByRole('textbox', { name: 'Address or its first letters' }).fill('MANY-')
    await page.getByRole('cell', { name: '+49@receiver.example', exact: true }).waitFor({ state: 'detached' })
    await page.getByRole('checkbox', { name: 'Select all rows' }).check()
    await page.getByText('3 addresses selected').waitFor()
    assert.deepEqual(await window.faults(), [])
    await button('Remove from list').first().click()
    await page.getByRole('dialog').getByText('Send to 3 addresses again?').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await page.getByText('2 addresses removed. 1 reported spam and stays on the list.').waitFor()
    await page.getByRole('cell', { name: 'many-3@receiver.example', exact: true }).waitFor()
    assert.equal(await page.getByRole('cell', { name: /^many-/ }).count(), 1)
  })

  test('a viewer changes nothing', async () => {
    const invitation = await owner.call('POST', '/api/invitations', {
      email: 'v@example.test',
      role: 'viewer',
    })
    const token = new URL(invitation.body.url).searchParams.get('token')
    const login = { email: 'v@example.test', password: 'wren-lantern-orbit-58' }
    await new Person(app).call('POST', '/api/invitations/accept', {
      token,
      name: 'V',
      password: login.password,
    })
    const viewer = await DashboardWindow.open(browser, app, { login })
    for (const path of ['keys', 'smtp', 'templates', 'layouts', 'streams', 'suppressions', 'settings']) {
      await viewer.goto(`/domains/${domain}/${path}`)
      const names = await viewer.page.locator('main').getByRole('button').allTextContents()
      const changing = names.filter((name) => /^(New|Add|Import|Revoke|Save|Delete|Pause)/.test(name))
      assert.deepEqual(changing, [], path)
    }
    await viewer.goto(`/domains/${domain}/templates`)
    await viewer.click(viewer.page.getByRole('link', { name: 'Kept' }))
    await viewer.page.frameLocator('iframe[title="Preview"]').last().getByText('typed while away').waitFor()
    await viewer.close()
  })
})
