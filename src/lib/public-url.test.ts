// Addresses under which links in mail lead somewhere, and those under which they do not.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { unreachableLinks, unreachableUnsubscribing } from './public-url.ts'

test('links lead somewhere when people elsewhere can open them, and to unsubscribe over https only', () => {
  for (const [publicUrl, links, unsubscribing] of [
    [undefined, /is not set/, /is not set/],
    ['http://127.0.0.1:8025', /their own machine/, /not https/],
    ['https://127.0.0.1', /their own machine/, /their own machine/],
    ['https://localhost:8025', /their own machine/, /their own machine/],
    ['https://[::1]', /their own machine/, /their own machine/],
    ['http://0.0.0.0:8025', /their own machine/, /not https/],
    ['http://mail.example.com', undefined, /not https/],
    ['https://mail.example.com', undefined, undefined],
    ['https://192.0.2.1', undefined, undefined],
  ] as const) {
    for (const [said, wanted] of [
      [unreachableLinks({ mode: 'production', publicUrl }), links],
      [unreachableUnsubscribing({ mode: 'production', publicUrl }), unsubscribing],
    ] as const) {
      if (wanted === undefined) assert.equal(said, undefined, `${publicUrl}`)
      else assert.match(said ?? '', wanted, `${publicUrl}`)
    }
    assert.equal(unreachableUnsubscribing({ mode: 'playground', publicUrl }), undefined)
  }
})
