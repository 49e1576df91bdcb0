// Tests of tracking links: tokens that cannot be forged, and the places of links in HTML.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { newId } from '../lib/ids.ts'
import {
  OPEN_LINK,
  putTracking,
  readTrackingToken,
  type TrackedHit,
  trackingKey,
  trackingToken,
} from './tracking-link.ts'

const KEY = trackingKey('secret', 'links.example.com')
const CLICK: TrackedHit = {
  messageId: newId('msg'),
  position: 7,
  link: 3,
  url: 'https://shop.example/a?b=c&d=%C3%A9#f',
}
const OPEN: TrackedHit = { messageId: newId('msg'), position: 0, link: OPEN_LINK, url: '' }

describe('tracking tokens', () => {
  test('decode to their parts', () => {
    const hit = fc.record({
      messageId: fc.constantFrom(
        'msg_7ZZZZZZZZZZZZZZZZZZZZZZZZZ',
        'msg_00000000000000000000000000',
        newId('msg'),
      ),
      position: fc.nat(255),
      link: fc.oneof(fc.constant(OPEN_LINK), fc.nat(300)),
      url: fc.webUrl(),
    })
    fc.assert(
      fc.property(hit, (made) =>
        assert.deepEqual(readTrackingToken(KEY, trackingToken(KEY, made)), { ...made }),
      ),
    )
  })

  test('are refused with any bit or character changed, removed or added', () => {
    for (const made of [CLICK, OPEN]) {
      const token = trackingToken(KEY, made)
      const bytes = Buffer.from(token, 'base64url')
      for (let bit = 0; bit < bytes.length * 8; bit++) {
        const changed = Buffer.from(bytes)
        changed[bit >> 3] = (changed[bit >> 3] as number) ^ (1 << (bit & 7))
        assert.equal(readTrackingToken(KEY, changed.toString('base64url')), undefined, `bit ${bit}`)
      }
      for (let at = 0; at < token.length; at++) {
        for (const other of 'ABCDwxyz0189-_=+/ %') {
          if (token[at] === other) continue
          const changed = token.slice(0, at) + other + token.slice(at + 1)
          assert.equal(readTrackingToken(KEY, changed), undefined, changed)
        }
        assert.equal(readTrackingToken(KEY, token.slice(0, at)), undefined)
        assert.equal(readTrackingToken(KEY, token.slice(at + 1)), undefined)
      }
      for (const more of ['A', '=', '==', '\n', '.', '/', '\0']) {
        assert.equal(readTrackingToken(KEY, token + more), undefined)
      }
    }
  })

  test('are refused at another host, or with another secret', () => {
    const token = trackingToken(KEY, CLICK)
    assert.equal(readTrackingToken(trackingKey('secret', 'links.other.example'), token), undefined)
    assert.equal(readTrackingToken(trackingKey('other', 'links.example.com'), token), undefined)
    assert.deepEqual(readTrackingToken(trackingKey('secret', 'LINKS.Example.COM'), token), CLICK)
  })

  test('are refused when forged', () => {
    for (const text of ['', 'A', '.', 'x'.repeat(5_000), '%00', 'A'.repeat(42), '__proto__']) {
      assert.equal(readTrackingToken(KEY, text), undefined)
    }
  })

  test('of a usual link are short', () => {
    const token = trackingToken(KEY, { ...CLICK, url: `https://shop.example/${'x'.repeat(59)}` })
    assert.ok(token.length <= 150, `${token.length}`)
  })
})

describe('HTML of one recipient', () => {
  const signer = { base: 'https://links.example.com', key: KEY }
  const whose = { messageId: CLICK.messageId, position: 2 }

  test('has its own links and pixel, and is otherwise unchanged', () => {
    const html = '<body>İ <a href="http://a.test/">é</a></body><a href=http://b.test/>z'
    const links = [
      [html.indexOf('http://a'), html.indexOf('">'), 'http://a.test/'],
      [html.indexOf('http://b'), html.indexOf('>z'), 'http://b.test/'],
    ] as const
    const made = putTracking(html, { opens: html.indexOf('</body>'), links }, signer, whose)
    const urls = [...made.matchAll(/https:\/\/links\.example\.com\/([co])\/([\w-]+)/g)]
    assert.deepEqual(
      urls.map(([, kind, token]) => [kind, readTrackingToken(KEY, token ?? '')]),
      [
        ['c', { ...whose, link: 0, url: 'http://a.test/' }],
        ['o', { ...whose, link: OPEN_LINK, url: '' }],
        ['c', { ...whose, link: 1, url: 'http://b.test/' }],
      ],
    )
    const [, pixel = ''] = /(<img [^>]*>)<\/body>/.exec(made) ?? []
    let back = made.replace(pixel, '')
    for (const [index, [, , url]] of links.entries()) back = back.replace(urls[index * 2]?.[0] ?? '', url)
    assert.equal(back, html)
    assert.equal(putTracking(html, { opens: null, links: [] }, signer, whose), html)
    assert.equal(
      putTracking(html, { opens: 3, links }, signer, whose),
      putTracking(html, { opens: 3, links }, signer, whose),
    )
  })
})
