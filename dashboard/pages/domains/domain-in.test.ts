// The domain name in user input, such as a URL or an e-mail address.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { domainIn, withoutWww } from './domain-in.ts'

test('a domain is read from addresses of pages and of mail', () => {
  for (const typed of [
    'shop.example.com',
    ' shop.example.com. ',
    'https://shop.example.com/',
    'HTTPS://shop.example.com:8443/cart?item=1#top',
    'http://ann:secret@shop.example.com/',
    'ann@shop.example.com',
    'mailto://ann@shop.example.com',
  ]) {
    assert.equal(domainIn(typed), 'shop.example.com', typed)
  }
})

test('what is no domain stays as it was, and is refused by the service', () => {
  for (const typed of ['not a domain', 'münchen.example', '']) assert.equal(domainIn(typed), typed)
})

test('the name of a website has a domain without www beside it', () => {
  const tables: readonly (readonly [typed: string, offered: string | undefined])[] = [
    ['https://www.shop.example/contact', 'shop.example'],
    ['WWW.shop.example', 'shop.example'],
    ['shop.example', undefined],
    ['www.example', undefined],
    ['wwwshop.example', undefined],
  ]
  for (const [typed, offered] of tables) assert.equal(withoutWww(domainIn(typed)), offered, typed)
})
