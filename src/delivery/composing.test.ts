// Large messages composed in a thread: the bytes are the same as on the event loop, and the event loop spends only a
// small fraction of the time.

import assert from 'node:assert/strict'
import { type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks'
import { after, before, describe, test } from 'node:test'
import { openTestStore } from '../../test/support/store.ts'
import { createTenant, type Tenant } from '../../test/support/tenant.ts'
import { PublicUrl } from '../lib/public-url.ts'
import type { LackedExtension } from '../mime/downgrade.ts'
import { type PersonalBody, packPersonal } from '../model/personal-content.ts'
import type { Store } from '../store/database/store.ts'
import type { Content } from '../store/queue/queue.ts'
import { ComposingThread } from './composing.ts'
import { CannotCompose } from './composition.ts'
import { Preparation, type PreparedMessage } from './prepare.ts'

const FROM = { from: 'news@sender.test', from_name: 'News – Zeitung' }
const ONE = { ...FROM, to: [{ email: 'one@receiver.test', name: 'Ünal' }], subject: 'Größe' }
const json = (request: object): Content => ({ format: 'json', content: Buffer.from(JSON.stringify(request)) })
const mime = (text: string): Content => ({
  format: 'mime',
  content: Buffer.from(text.replaceAll('\n', '\r\n')),
})
/**
 * Returns a message whose second and fourth pieces are bodies; the latter body has a tracked link and a tracking pixel.
 */
function personal(...pieces: readonly string[]): Content {
  const [head = Buffer.alloc(0), ...rest] = pieces.map((piece) => Buffer.from(piece.replaceAll('\n', '\r\n')))
  const bodyStart = head.indexOf('\r\n\r\n') + 4
  const place = (piece: number): [number, number] => {
    const start = pieces
      .slice(0, piece)
      .reduce((sum, one) => sum + Buffer.byteLength(one.replaceAll('\n', '\r\n')), 0)
    return [start - bodyStart, start - bodyStart + rest[piece - 1]!.length]
  }
  const bodies: PersonalBody[] = [
    { place: place(1), encoding: 'base64' },
    {
      place: place(3),
      encoding: 'quoted-printable',
      tracking: { opens: 32, links: [[9, 24, 'https://a.test/']] },
    },
  ]
  const plan = { unsubscribable: true, wishes: {}, bodies }
  return { format: 'personal', content: packPersonal(plan, Buffer.concat([head, ...rest])) }
}

const HEAD = 'From: news@sender.test\nTo: one@receiver.test\nMIME-Version: 1.0\n'
const EIGHT_BIT = `${HEAD}Subject: Grüße\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: 8bit\n\n`
const LINES = 'All work and no play.\r\n.hidden\r\nFrom here on\r\ttabs  and blanks \r\n'.repeat(400)
const BOTH = ['one@receiver.test', 'two@receiver.test']

const MESSAGES: readonly [name: string, content: Content, recipients?: readonly string[]][] = [
  ['plain text', json({ ...ONE, text: 'Hello.\n' })],
  ['long lines', json({ ...ONE, text: 'All work and no play. '.repeat(5_000) })],
  ['dots, tabs and all kinds of line ends', json({ ...ONE, text: LINES })],
  ['text in quoted-printable', json({ ...ONE, text: 'Grüße aus Köln, heute.\n'.repeat(2_000) })],
  ['text in base64', json({ ...ONE, text: 'こんにちは、世界。\n'.repeat(2_000) })],
  ['nothing but its subject', json(ONE)],
  [
    'text, HTML, an inline image and files',
    json({
      ...ONE,
      text: LINES,
      html: '<p>Grüße <img src="cid:logo"></p>'.repeat(300),
      attachments: [
        { filename: 'logo.png', content: Buffer.alloc(70_000, 'x').toString('base64'), content_id: 'logo' },
        { filename: 'Größe.pdf', content: Buffer.alloc(99_999, 7).toString('base64') },
      ],
      headers: { 'X-Kind': 'Ärger', 'List-ID': '<own.sender.test>' },
    }),
  ],
  [
    'several recipients of one message',
    json({ ...ONE, to: BOTH.map((email) => ({ email })), text: LINES }),
    [...BOTH, 'blind@receiver.test'],
  ],
  [
    'a link for each recipient',
    json({
      ...ONE,
      to: BOTH.map((email) => ({ email })),
      ...{ text: `${LINES}{{unsubscribe_url}}`, html: '<a href="{{unsubscribe_url}}">x</a>' },
      ...{ tag: 'spring sale', unsubscribable: true },
    }),
    BOTH,
  ],
  [
    'tracked links and a pixel for each recipient, beside the unsubscribe link',
    json({
      ...ONE,
      to: BOTH.map((email) => ({ email })),
      html: '<a href="https://a.test/">x</a>{{{ @unsubscribe_url }}}<p>y</p>',
      ...{ unsubscribable: true, tracking: { opens: 62, links: [[9, 24, 'https://a.test/']] } },
    }),
    BOTH,
  ],
  [
    'a raw message with links for each recipient, in quoted-printable and base64',
    personal(
      `${HEAD}List-Unsubscribe: <https://a.test/out>\nContent-Type: multipart/alternative; boundary=b\n\n--b\nContent-Transfer-Encoding: base64\n\n`,
      `${Buffer.from('{{{ @unsubscribe_url }}}\r\n').toString('base64')}`,
      '\n--b\nContent-Type: text/html\nContent-Transfer-Encoding: quoted-printable\n\n',
      '<a href=3D"https://a.test/">Gr=FC=DFe</a>=20\n{{{ @unsubscribe_url }}}',
      `\n--b\nContent-Type: text/plain; name=grüße.txt\nContent-Transfer-Encoding: 8bit\n\n${'Grüße\n'.repeat(500)}\n--b--\n`,
    ),
    BOTH,
  ],
  ['an address that needs SMTPUTF8', json({ ...ONE, cc: [{ email: 'jürgen@receiver.test' }], text: LINES })],
  ['a raw message', mime(`${HEAD}Subject: Hello\n\nHello.\n.\n`)],
  ['a raw message without a body', mime(`${HEAD}Subject: Hello\n`)],
  ['a raw message of 8-bit text', mime(`${EIGHT_BIT}${'Grüße aus Köln\n'.repeat(5_000)}`), BOTH],
  ['a raw message of 8-bit text and UTF-8 addresses', mime(`Cc: jürgen@receiver.test\n${EIGHT_BIT}Grüße\n`)],
  ['a raw message that has no other form', mime(`${EIGHT_BIT.replace('8bit', 'base64')}Grüße\n`)],
]

const CANNOT: readonly [name: string, content: Content][] = [
  ['a bare LF', { format: 'mime', content: Buffer.from('Subject: a\n\nb\r\n') }],
  ['half a JSON', { format: 'json', content: Buffer.from('{"subject":') }],
  ['no address', json({ ...ONE, from: 'nobody', text: 'x' })],
]

describe('large messages', () => {
  const thread = new ComposingThread(0)
  const none = new ComposingThread(Number.POSITIVE_INFINITY)
  let store: Store
  let tenant: Tenant
  before(async () => {
    store = await openTestStore('sqlite')
    tenant = await createTenant(store, { domain: 'sender.test' })
  })
  after(async () => {
    await Promise.all([thread.stop(), none.stop()])
    await store.close()
  })

  /** Opens a message with a copy of its content, because the thread takes over the content. */
  function open(composing: ComposingThread, { format, content }: Content) {
    const links = { secret: 's', publicUrl: new PublicUrl('https://mail.sender.test') }
    const prepare = new Preparation(store, links, composing).open({
      ...{ id: 'msg_01JZ0000000000000000000000', accountId: tenant.account.id, domainId: tenant.domain.id },
      ...{
        recipientCount: 3,
        inboxId: null,
        tag: null,
        domainName: 'sender.test',
        stream: 'news',
        createdAt: 1_750_000_000_000,
      },
      ...{ format, content: Uint8Array.from(content as Buffer) },
    })
    return (email: string) => prepare({ email, position: email.length })
  }

  /** Returns everything about a message that a host can see. */
  function seen(message: PreparedMessage | undefined) {
    if (message === undefined) return 'no such form'
    const { chunks, size, needs8Bit, needsSmtpUtf8, headers } = message
    return { bytes: Buffer.concat(chunks).toString('latin1'), size, needs8Bit, needsSmtpUtf8, headers }
  }

  const FORMS: readonly (readonly LackedExtension[])[] = [
    ['eight-bit'],
    ['smtputf8'],
    ['smtputf8', 'eight-bit'],
  ]
  /**
   * Returns the message for each recipient in all forms, which are composed concurrently, and then the usual form
   * composed once more.
   */
  async function forms(composing: ComposingThread, content: Content, recipients: readonly string[]) {
    const prepare = open(composing, content)
    const all = recipients.map(async (recipient) => {
      const usual = await prepare(recipient)
      const others = FORMS.map(async (lacking) => {
        let form: PreparedMessage | undefined = usual
        for (const one of lacking) form = await form?.downgraded(one)
        return seen(form)
      })
      return [...(await Promise.all(others)), seen(usual), seen(await prepare(recipient))]
    })
    return Promise.all(all)
  }

  for (const [name, content, recipients = ['one@receiver.test']] of MESSAGES) {
    test(`${name}: the thread makes the same bytes as the event loop`, async () => {
      assert.deepEqual(await forms(thread, content, recipients), await forms(none, content, recipients))
    })
  }

  for (const [name, content] of CANNOT) {
    test(`${name}: cannot be composed in either place`, async () => {
      for (const composing of [thread, none]) {
        const prepare = open(composing, content)
        await assert.rejects(prepare('one@receiver.test'), CannotCompose)
        await assert.rejects(prepare('one@receiver.test'), CannotCompose)
      }
    })
  }

  test('the event loop spends a small part of the work on a large message', async () => {
    const large = json({ ...ONE, text: 'Grüße und 0123456789, all work and no play. '.repeat(200_000) })
    await open(thread, json({ ...ONE, text: 'x' }))('one@receiver.test')
    // Time of garbage collection is subtracted, because the heap of earlier tests slows garbage collection down.
    let collecting = 0
    const note = (entries: readonly PerformanceEntry[]): void => {
      for (const { duration } of entries) collecting += duration
    }
    const collections = new PerformanceObserver((list) => note(list.getEntries()))
    collections.observe({ entryTypes: ['gc'] })
    const spent = async (composing: ComposingThread): Promise<number> => {
      const prepare = open(composing, large)
      note(collections.takeRecords())
      const collectedBefore = collecting
      const before = process.threadCpuUsage()
      await prepare('one@receiver.test')
      const { user, system } = process.threadCpuUsage(before)
      note(collections.takeRecords())
      return (user + system) / 1_000 - (collecting - collectedBefore)
    }
    const here = await spent(none)
    // The CPU time includes other work of the event loop, so the minimum of several attempts is compared.
    let there = Number.POSITIVE_INFINITY
    for (let left = 20; left > 0 && there >= here / 5; left--) there = Math.min(there, await spent(thread))
    collections.disconnect()
    assert.ok(there < here / 5, `${there} ms of CPU beside ${here}`)
  })

  test('the end of the thread is not reported as a message that cannot be composed', async () => {
    const ending = new ComposingThread(0)
    const made = open(ending, json({ ...ONE, text: 'x'.repeat(1_000_000) }))('one@receiver.test')
    const fails = (error: unknown): boolean => !(error instanceof CannotCompose)
    await Promise.all([assert.rejects(made, fails), ending.stop()])
  })
})
