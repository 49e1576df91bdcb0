// Tests of public URLs that make links in mail work, and of public URLs that do not.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PublicUrl, unreachableLinks, unreachableUnsubscribing } from './public-url.ts'

test('links work if people elsewhere can open them, and for unsubscribing only over https', () => {
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

test('the listening address replaces a missing setting, with the host name if it means every address', () => {
  const urlOf = (listening: string, hostName?: string, configured?: string): string => {
    const url = new PublicUrl(configured, hostName)
    url.listensAt(listening)
    return url.value
  }
  assert.equal(urlOf('http://0.0.0.0:8025', 'mail.example.com'), 'http://mail.example.com:8025')
  assert.equal(urlOf('http://[::]:80', 'mail.example.com'), 'http://mail.example.com:80')
  assert.equal(urlOf('http://127.0.0.1:8025', 'mail.example.com'), 'http://127.0.0.1:8025')
  assert.equal(urlOf('http://0.0.0.0:8025'), 'http://0.0.0.0:8025')
  assert.equal(urlOf('http://0.0.0.0:8025', 'a.example', 'https://b.example'), 'https://b.example')
})
