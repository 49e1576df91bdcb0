// Actions on found messages (select, export, resend, share), and a list of messages that stays open.

// thorough: tests a user's work in a browser; test/browser/first-mail.test.ts covers the first pages in `npm test`

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, describe, test } from 'node:test'
import { createTransport } from 'nodemailer'
import type { Browser, Locator } from 'playwright-core'
import { pauseQueue, resumeQueue } from '../../src/store/queue/queue-control.ts'
import { TestApp } from '../support/app.ts'
import { startBrowser, stopBrowser } from '../support/browser/browser.ts'
import { DashboardWindow } from '../support/browser/window.ts'
import { Person } from '../support/person.ts'
import { settled } from '../support/store.ts'
import { until } from '../support/test-clock.ts'

describe('found messages', () => {
  let app: TestApp
  let browser: Browser
  let window: DashboardWindow
  let owner: Person
  let domain: string
  let other: string
  let busy = true
  before(async () => {
    browser = await startBrowser()
    app = await TestApp.start({
      host: {
        script: ({ verb, argument }) => {
          if (verb !== 'RCPT') return undefined
          if (/<gone/.test(argument)) return '550 5.1.1 No such user'
          return busy && /<busy/.test(argument) ? '451 4.2.1 Mailbox is busy' : undefined
        },
      },
    })
    owner = await Person.loggedIn(app)
    domain = (await owner.call('GET', '/api/domains')).body.data[0].domain_id
    other = (await owner.call('POST', '/api/domains', { domain: 'shop.example' })).body.domain_id
    window = await DashboardWindow.open(browser, app)
  })
  after(async () => {
    await stopBrowser()
    await app?.stop()
  })

  const open = (path: string) => window.goto(`/domains/${domain}/${path}`)
  const button = (name: string | RegExp): Locator => window.page.getByRole('button', { name, exact: true })
  const row = (name: RegExp): Locator => window.page.getByRole('row', { name })

  test('a selection is resent, cancelled, and removed from the suppression list', async () => {
    const { page } = window
    const later = new Date(Date.now() + 3_600_000).toISOString()
    const ids = await Promise.all([
      app.send({ to: [{ email: 'gone1@receiver.example' }], subject: 'Choice one' }),
      app.send({ to: [{ email: 'gone2@receiver.example' }], subject: 'Choice two' }),
      app.send({ to: [{ email: 'ann@receiver.example' }], subject: 'Choice three', send_at: later }),
      // The address is suppressed in the transactional stream only.
      app.send({ to: [{ email: 'gone1@receiver.example' }], subject: 'Choice four', stream: 'broadcast' }),
    ])
    await Promise.all([0, 1, 3].map((index) => app.messageIn(ids[index]!, 'bounced')))
    await settled(app.store)
    await open('messages?subject=choice')
    await page.getByText('4 messages', { exact: true }).waitFor()
    await page.getByRole('checkbox', { name: 'Select all rows' }).check()
    await page.getByText('4 messages selected').waitFor()
    assert.deepEqual(await window.faults(), [])
    await button('Remove suppressions').click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Send to 3 addresses again?').waitFor()
    await dialog.getByRole('button', { name: 'Remove suppressions' }).click()
    await page.getByText('3 removed from the suppression list.').waitFor()
    const { data } = (await owner.call('GET', `/api/domains/${domain}/suppressions`)).body
    assert.ok(!data.some(({ email }: { email: string }) => /^gone[12]@/.test(email)))
    await page.getByRole('checkbox', { name: 'Select all rows' }).check()
    await button('Cancel').click()
    await dialog.getByText('Cancel 1 message?').waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).last().click()
    await page.getByText('1 cancelled.').waitFor()
    await row(/Choice one/)
      .getByRole('checkbox')
      .check()
    await row(/Choice two/)
      .getByRole('checkbox')
      .check()
    await button('Resend').click()
    await dialog.getByRole('button', { name: 'Resend' }).click()
    await page.getByText('2 resent.').waitFor()
    await page.getByText('6 messages', { exact: true }).waitFor()
  })

  test('pages lead back, and a file has all of them', async () => {
    const { page } = window
    await Promise.all(
      Array.from({ length: 55 }, (_, index) => app.send({ subject: `Many ${index}`, tag: 'many' })),
    )
    await settled(app.store)
    await open('messages?tag=many')
    await page.getByText('Page 1 · 55 messages').waitFor()
    await button('Next page').click()
    await page.getByText('Page 2 · 55 messages').waitFor()
    await until('five messages are left', async () => (await page.locator('tbody tr').count()) === 5)
    await button('Previous page').click()
    await page.getByText('Page 1 · 55 messages').waitFor()
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Export' }).click(),
    ])
    const csv = await readFile(await file.path(), 'utf8')
    assert.equal(csv.trim().split('\n').length, 56)
  })

  test('another domain is opened at the same part of its workspace', async () => {
    const { page } = window
    await open('messages?tag=many')
    await page.getByRole('combobox', { name: 'Switch domain' }).selectOption('shop.example')
    await page.waitForURL((url) => url.pathname === `/domains/${other}/messages` && url.search === '')
    await page.getByText('No messages', { exact: false }).first().waitFor()
  })

  test('rows of a list take one line each, whatever their content', async () => {
    const { page } = window
    const long = 'Everything that can be said about it, at length. '.repeat(8)
    await app.send({
      subject: long,
      tag: 'x'.repeat(64),
      to: [{ email: `${'y'.repeat(60)}@receiver.example` }],
    })
    await open('messages')
    await page.getByText('Everything that can be said').first().waitFor()
    const tall = await page
      .locator('tbody tr')
      .evaluateAll((rows) => rows.filter((one) => one.clientHeight > 44).map((one) => one.outerHTML))
    assert.deepEqual(tall, [])
    assert.deepEqual(await window.faults(), [])
    await window.resize(380, 'dark')
    assert.deepEqual(await window.faults('look'), [])
    await window.resize(1280, 'light')
  })

  test('a deferred message is tried at once; a resend and its original link to each other', async () => {
    const { page } = window
    const id = await app.send({ to: [{ email: 'busy@receiver.example' }], subject: 'Waits' })
    await app.messageIn(id, 'sending')
    await open(`messages/${id}`)
    await page.getByText(/^Deferred for busy@receiver.example: the next attempt is/).waitFor()
    // A pause and its end appear without a reload, and a retry on request names the pause.
    const pause = { kind: 'destination' as const, value: 'receiver.example' }
    await app.store.write(pauseQueue, { ...pause, created_at: Date.now() })
    await page
      .getByText(/^Held for busy@receiver.example: .*The operator paused receiver.example just now/)
      .waitFor()
    assert.equal(await page.getByText(/next attempt is/i).count(), 0)
    await button('Resend').click()
    const question = page.getByRole('dialog')
    const twice = question.getByText(/^Attempts for busy@receiver\.example have not ended/)
    assert.equal(await twice.count(), 0, 'no recipient is selected yet')
    await question.getByRole('checkbox', { name: 'busy@receiver.example (held)' }).check()
    await twice.waitFor()
    await question.getByRole('button', { name: 'Cancel' }).click()
    await window.closed()
    await button('Try now').click()
    await page
      .getByRole('alert')
      .getByText(/^No attempt nowThe operator paused receiver\.example/)
      .waitFor()
    assert.equal(await page.getByText('Something went wrong').count(), 0)
    await app.store.write(resumeQueue, pause)
    await page.getByText(/^Deferred for busy@receiver.example: the next attempt is/).waitFor()
    busy = false
    await button('Try now').click()
    await page.getByText('Delivered to busy@receiver.example.').waitFor()
    // Attempts in the past are not shown as due.
    assert.equal(await page.getByText(/next attempt|was due/i).count(), 0)
    await button('Resend').click()
    await page.getByRole('dialog').getByRole('button', { name: 'Resend' }).click()
    await until('another message is open', async () => !page.url().includes(id))
    await window.click(page.getByRole('link', { name: id }))
    await page.getByText('Resent', { exact: true }).waitFor()
  })

  test('a tab left open on the messages transfers little in an hour without events', async () => {
    const quiet = await DashboardWindow.open(browser, app)
    const { page, context } = quiet
    await page.clock.install()
    await quiet.goto(`/domains/${domain}/messages`)
    const wire = await context.newCDPSession(page)
    const underWay = new Set<string>()
    let asked = 0
    let bytes = 0
    const ended = ({
      requestId,
      encodedDataLength = 0,
    }: {
      requestId: string
      encodedDataLength?: number
    }) => {
      bytes += encodedDataLength
      underWay.delete(requestId)
    }
    wire.on('Network.requestWillBeSent', ({ requestId }) => {
      asked++
      underWay.add(requestId)
    })
    wire.on('Network.requestWillBeSentExtraInfo', ({ headers }) => {
      for (const [name, value] of Object.entries(headers)) bytes += name.length + value.length + 4
    })
    wire.on('Network.loadingFinished', ended)
    wire.on('Network.loadingFailed', ended)
    await wire.send('Network.enable')
    for (let minute = 1; minute <= 60; minute++) {
      const before = asked
      await page.clock.fastForward(60_000)
      await until('the page has polled again', () => asked > before && underWay.size === 0)
    }
    assert.ok(bytes < 1_000_000, `${bytes} bytes, ${asked} requests`)
    await quiet.close()
  })

  test('a resend goes to the recipients that it did not reach, removed from the suppression list on request', async () => {
    const { page } = window
    const gone = 'gone9@receiver.example'
    await owner.call('POST', `/api/domains/${domain}/suppressions`, { email: 'kept@receiver.example' })
    const id = await app.send({
      to: ['ann@receiver.example', gone, 'kept@receiver.example'].map((email) => ({ email })),
      subject: 'To three',
    })
    await app.messageIn(id, 'partially_delivered')
    await open(`messages/${id}`)
    const link = page.getByRole('link', { name: 'Show on the suppression list' })
    assert.match((await link.getAttribute('href')) ?? '', /suppressions\?email=kept%40receiver\.example$/)
    await button('Resend').click()
    const dialog = page.getByRole('dialog')
    const box = (name: string | RegExp): Locator => dialog.getByRole('checkbox', { name })
    assert.deepEqual(
      [await box(/^ann/).isChecked(), await box(/^gone9/).isChecked(), await box(/^kept/).isChecked()],
      [false, true, false],
    )
    await box(/^kept/).check()
    await box('Remove them from the suppression list first').check()
    await dialog.getByRole('button', { name: 'Resend' }).click()
    await until('another message is open', async () => !page.url().includes(id))
    await page
      .getByText(/kept@receiver\.example/)
      .first()
      .waitFor()
    await page.getByText('Delivered to kept@receiver.example.').waitFor()
    const { data } = (
      await owner.call('GET', `/api/domains/${domain}/suppressions?email=kept@receiver.example`)
    ).body
    assert.deepEqual(data, [])
  })

  test('two filters that are changed at the same time both count', async () => {
    const { page } = window
    await open('messages?tag=many')
    await page.evaluate(`(() => {
      const { set } = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')
      for (const [name, value] of [['Tag', ''], ['Subject', 'many']]) {
        const input = document.querySelector('input[aria-label="' + name + '"]')
        set.call(input, value)
        input.dispatchEvent(new Event('input', { bubbles: true }))
      }
    })()`)
    await page.waitForURL(/\?subject=many$/)
  })

  test('a long list of recipients collapses the delivered ones', async () => {
    const { page } = window
    const to = Array.from({ length: 12 }, (_, index) => ({ email: `r${index}@receiver.example` }))
    const id = await app.send({ to: [...to, { email: 'gone@receiver.example' }], subject: 'To many' })
    await app.messageIn(id, 'delivered', 'bounced', 'suppressed')
    await open(`messages/${id}`)
    await page.getByRole('button', { name: 'Show events of r3@receiver.example' }).click()
    await page.getByRole('button', { name: 'Hide events of r3@receiver.example' }).waitFor()
    assert.equal(await page.getByRole('button', { name: /^Show events of/ }).count(), 11)
    assert.deepEqual(await window.faults(), [])
    // The number of recipients in the list is never truncated.
    await open('messages?subject=many')
    for (const [width, colors] of [
      [390, 'dark'],
      [1280, 'light'],
    ] as const) {
      await window.resize(width, colors)
      const cell = page.getByRole('row', { name: /To many/ }).locator('.with-count:visible')
      const [whole, count] = await Promise.all([
        cell.boundingBox(),
        cell.getByText('and 12 more').boundingBox(),
      ])
      assert.ok(whole && count && count.x + count.width <= whole.x + whole.width + 1, `${width}`)
    }
  })

  test('a message names its template, its key and its files, and its preview fits a phone', async () => {
    const { page } = window
    const template = { alias: 'hello', name: 'Hello', subject: 'Hello you', html: '<p>Good to see you</p>' }
    await app.call('POST', '/v1/templates', template)
    const id = await app.send({
      ...{ template_alias: 'hello', subject: undefined, text: undefined, stream: 'broadcast' },
      attachments: ['invoice', 'Terms and conditions, second and last edition of the year'].map((name) => ({
        filename: `${name}.pdf`,
        content: 'JVBERi0=',
      })),
      reply_to: { email: 'help@example.test' },
    })
    await app.messageIn(id, 'delivered')
    await open(`messages/${id}?view=html`)
    await page.getByText('invoice.pdf · 5 bytes').waitFor()
    await page.getByText(/KiB as sent$/).waitFor()
    await page.getByText('help@example.test').waitFor()
    await page.getByRole('link', { name: 'API key “Playground”' }).waitFor()
    const frame = page.locator('iframe')
    const widthOf = () => frame.evaluate((one: { offsetWidth: number }) => one.offsetWidth)
    await frame.contentFrame().getByText('Good to see you').waitFor()
    assert.equal(await widthOf(), 700)
    await window.resize(390, 'dark')
    await until('the message has the layout of a phone', async () => (await widthOf()) === 375)
    // A long name of a file has several lines, so its size is visible.
    await page.getByText(/second and last edition of the year\.pdf · 5 bytes$/).waitFor()
    await frame.contentFrame().getByText('Good to see you').waitFor()
    assert.deepEqual(await window.faults('look'), [])
    await window.resize(1280, 'light')
    // The unsubscribe link of the playground leads to the playground itself, which is no fault of the message.
    await page.getByRole('tab', { name: 'Insights' }).click()
    await page.getByText('No link leads to a local or unencrypted address.').waitFor()
    await window.click(page.getByRole('link', { name: 'hello', exact: true }))
    await page.getByRole('heading', { name: 'Hello', exact: true }).waitFor()
  })

  test('a signed mail says in the list and on its page that it has no unsubscribe footer', async () => {
    const { page } = window
    const { username, password } = app.playground.smtp
    const mail = [
      ...[
        'From: hello@example.test',
        'To: signed@receiver.example',
        'Subject: Signed',
        'X-Stream: broadcast',
      ],
      ...[
        'MIME-Version: 1.0',
        'Content-Type: multipart/signed; protocol="application/pgp-signature"; boundary=s',
      ],
      ...['', '--s', 'Content-Type: text/plain', '', 'Hello', '--s'],
      ...['Content-Type: application/pgp-signature', '', 'x', '--s--', ''],
    ]
    const { response } = await createTransport({
      ...{ host: '127.0.0.1', port: app.app.smtpPort, requireTLS: true, tls: { rejectUnauthorized: false } },
      auth: { user: username, pass: password },
    }).sendMail({
      envelope: { from: 'hello@example.test', to: ['signed@receiver.example'] },
      raw: mail.join('\r\n'),
    })
    const id = /msg_\w+/.exec(response)?.[0] ?? ''
    await app.messageIn(id, 'delivered')
    const sentence = 'The unsubscribe footer is left out: the content is signed'
    await open('messages?subject=signed')
    for (const [width, colors] of [
      [320, 'dark'],
      [1280, 'light'],
    ] as const) {
      await window.resize(width, colors)
      await row(/Signed/)
        .getByText(sentence)
        .and(page.locator(':visible'))
        .waitFor()
      assert.deepEqual(await window.faults('look'), [])
    }
    await open(`messages/${id}`)
    await page.getByText(sentence).first().waitFor()
  })

  test('insights name what harms a message, and a link shows it to a person without a login', async () => {
    const { page } = window
    const id = await app.send({
      ...{
        subject: 'Linked',
        html: '<p>Reset at <a href="http://localhost:3000/x">here</a></p>',
        text: undefined,
      },
    })
    await app.messageIn(id, 'delivered')
    await open(`messages/${id}?view=insights`)
    await page.getByText('Links to a local address').waitFor()
    await page.getByText('DKIM alignment').waitFor()
    assert.deepEqual(await window.faults(), [])
    await button('Share').click()
    await button('Create link').click()
    const url = await page.getByText(/\/shared\/msg_/).textContent()
    const stranger = await DashboardWindow.open(browser, app, { login: null })
    await stranger.goto(url ?? '')
    await stranger.page.getByRole('heading', { name: 'Linked' }).waitFor()
    await stranger.page
      .getByText(/^Delivered to/)
      .first()
      .waitFor()
    await stranger.page.frameLocator('iframe').getByText('Reset at').waitFor()
    assert.deepEqual(await stranger.faults(), [])
    await stranger.resize(380, 'dark')
    assert.deepEqual(await stranger.faults('look'), [])
    await button('Revoke all links').click()
    await window.closed()
    await stranger.goto(url ?? '')
    await stranger.page.getByText('This link is wrong, was revoked or has expired').waitFor()
    await stranger.close()
  })
})
