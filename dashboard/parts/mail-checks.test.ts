// Checks of message content: each check accepts a correct message, and finds its fault.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { checkMail, GMAIL_CLIP_BYTES, type HtmlFacts, type MailContent } from './mail-checks.ts'

const MAIL: MailContent = {
  ...{ html: '<p>Hello</p>', text: 'Hello', subject: 'Hello', headers: [], domain: 'mail.shop.example' },
  isBroadcast: false,
}
const FACTS: HtmlFacts = { links: ['https://www.shop.example/a'], images: [], textLength: 200 }

const faults = (mail: Partial<MailContent>, facts: Partial<HtmlFacts> = {}): string[] =>
  checkMail({ ...MAIL, ...mail }, { ...FACTS, ...facts })
    .filter(({ status }) => status !== 'ok')
    .map(({ title }) => title)

describe('the checks of a mail', () => {
  test('find nothing in a good one, and pass by their names', () => {
    assert.deepEqual(faults({}), [])
    assert.deepEqual(
      checkMail(MAIL, FACTS).map(({ title }) => title),
      ['Text part', 'Links', 'Images', 'Size', 'Subject'],
    )
    assert.deepEqual(
      checkMail({ ...MAIL, html: null }, undefined).map(({ title }) => title),
      ['Text part', 'Subject'],
    )
  })

  test('find each fault', () => {
    assert.deepEqual(faults({ text: '' }), ['No text part'])
    assert.deepEqual(faults({ subject: ' ' }), ['No subject'])
    assert.deepEqual(faults({ html: 'ü'.repeat(GMAIL_CLIP_BYTES / 2 + 1) }), ['Gmail clips this message'])
    assert.deepEqual(faults({ html: 'ü'.repeat(GMAIL_CLIP_BYTES / 2) }), [])
    assert.deepEqual(faults({}, { links: ['http://www.shop.example'] }), ['Links without encryption'])
    assert.deepEqual(faults({}, { links: ['https://bit.example/x'] }), ['All links lead to other domains'])
    assert.deepEqual(faults({}, { links: ['https://bit.example/x', 'https://shop.example'] }), [])
    assert.deepEqual(faults({}, { links: ['mailto:a@b.example', '/relative', '#'] }), [])
    assert.deepEqual(faults({}, { images: [{ src: 'a.png', alt: null }] }), [
      'Images without alternative text',
    ])
    assert.deepEqual(faults({}, { images: [{ src: 'a.png', alt: '' }], textLength: 3 }), [
      'Images instead of text',
    ])
  })

  test('know local addresses in every spelling', () => {
    const local = [
      'localhost:3000',
      '127.0.0.1',
      '10.1.2.3',
      '192.168.1.1',
      '172.20.0.1',
      '169.254.1.1',
      '[::1]',
    ]
    for (const host of [...local, '[fd00::1]', 'app.local', 'shop.test', 'intranet', '0.0.0.0']) {
      assert.deepEqual(faults({}, { links: [`https://${host}/reset`] }), ['Links to a local address'], host)
    }
    for (const host of ['11.0.0.1', '172.32.0.1', '[2001:db8::1]', 'localhost.shop.example']) {
      assert.ok(!faults({}, { links: [`https://${host}/`] }).includes('Links to a local address'), host)
    }
  })

  test('accept links of the service itself in the playground', () => {
    const links = ['http://127.0.0.1:8025/u/x']
    assert.deepEqual(faults({}, { links }), ['Links to a local address'])
    assert.deepEqual(faults({ playground: '127.0.0.1:8025' }, { links }), [])
    assert.deepEqual(
      faults({ playground: '127.0.0.1:8025' }, { links: [...links, 'http://127.0.0.1:3000/'] }),
      ['Links to a local address'],
    )
  })

  test('want one-click unsubscribing of broadcast mail', () => {
    const headers = [
      { name: 'List-Unsubscribe', value: '<https://m.example/u/x>, <mailto:u@m.example>' },
      { name: 'List-Unsubscribe-Post', value: 'List-Unsubscribe=One-Click' },
    ]
    assert.deepEqual(faults({ isBroadcast: true, headers }), [])
    for (const some of [
      [],
      headers.slice(0, 1),
      [{ ...headers[0]!, value: '<mailto:u@m.example>' }, headers[1]!],
    ]) {
      assert.deepEqual(faults({ isBroadcast: true, headers: some }), ['No one-click unsubscribing'])
    }
    // The playground has no https address.
    const own = [{ ...headers[0]!, value: '<http://127.0.0.1:8025/u/x>' }, headers[1]!]
    const playground = '127.0.0.1:8025'
    assert.deepEqual(faults({ isBroadcast: true, headers: own, playground }), [])
    assert.deepEqual(faults({ isBroadcast: true, headers: [], playground }), ['No one-click unsubscribing'])
    assert.deepEqual(faults({ isBroadcast: true, headers: own }), ['No one-click unsubscribing'])
  })
})
