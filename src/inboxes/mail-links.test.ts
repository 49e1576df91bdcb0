// Tests which links of a mail are found, and that hostile HTML takes linear time.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cpuWatch } from '../../test/support/cpu-time.ts'
import { linksOf } from './mail-links.ts'

test('the links of the HTML come first, decoded and without duplicates, then the addresses of the text', () => {
  const html = `<a href="https://shop.example/reset?user=7&amp;token=abc">Reset</a><A HREF=' http://shop.example/ '>Shop</A>
    <area href=https://shop.example/map><a href="mailto:help@shop.example">Help</a><a name="top">Top</a>
    <!-- <a href="https://hidden.example/">no</a> --><img src="https://shop.example/logo.png">
    <style>a { content: '<a href="https://style.example/">' }</style><a href="https://shop.example/map">Map</a>`
  const text = `Reset (https://shop.example/text?a=1&b=2). See <https://shop.example/map>, or "https://shop.example/end".`
  assert.deepEqual(linksOf({ html, text }), [
    'https://shop.example/reset?user=7&token=abc',
    'http://shop.example/',
    'https://shop.example/map',
    'https://shop.example/text?a=1&b=2',
    'https://shop.example/end',
  ])
  assert.deepEqual(linksOf({}), [])
})

test('at most 1,000 links are returned, and deep nesting takes linear time', () => {
  const link = (index: number): string => `<a href="https://shop.example/${index}">`
  assert.equal(
    linksOf({ html: Array.from({ length: 2_000 }, (_, index) => link(index)).join('') }).length,
    1_000,
  )
  const spent = cpuWatch()
  assert.equal(linksOf({ html: '<b>'.repeat(700_000), text: 'https://'.repeat(250_000) }).length, 1)
  assert.ok(spent() < 5_000, `${spent()} ms`)
})
