// Tests of foreign HTML: elements that open connections are neutralised, and images of the mail are shown.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { foreignDocument } from './foreign-html.ts'

const DOT = { contentId: 'dot@x', contentType: 'image/png', content: Buffer.from('png') }
const DATA = `data:image/png;base64,${DOT.content.toString('base64')}`

test('elements that connect are renamed, however they are written', () => {
  const tags = [
    '<link rel=preconnect>',
    '<LINK\n>',
    '<Link/rel=x>',
    '<iframe srcdoc=x></iframe\t>',
    '<FRAME src=x>',
  ]
  for (const tag of tags) {
    for (const around of [
      (html: string) => html,
      (html: string) => `<!--${html}`,
      (html: string) => `<svg>${html}`,
    ]) {
      const document = foreignDocument(around(tag))
      assert.doesNotMatch(document, /<\/?(?:link|i?frame)[\s/>]/i, document)
    }
  }
})

test('everything else stays unchanged', () => {
  const html = '<frameset><links><p class="link">a < b & <b>ü</b></p><linkx>\u0000'
  assert.ok(foreignDocument(html).endsWith(`\n${html}`))
})

test('images of the mail replace their cid: references', () => {
  const shown = (html: string) => foreignDocument(html, [DOT]).split('\n').slice(1).join('\n')
  assert.equal(shown('<img src="cid:dot@x">'), `<img src="${DATA}">`)
  assert.equal(shown("<b style='background:url(CID:dot%40x)'>"), `<b style='background:url(${DATA})'>`)
  assert.equal(shown('<img src="cid:other">'), '<img src="cid:other">')
  const odd = { ...DOT, contentType: 'image/svg+xml' }
  assert.match(foreignDocument('<img src="cid:dot@x">', [odd]), /cid:dot@x/)
})

test('one image referenced very often makes no oversized document', () => {
  const large = { ...DOT, content: Buffer.alloc(1024 * 1024) }
  const document = foreignDocument('<img src="cid:dot@x">'.repeat(10_000), [large])
  assert.ok(document.length < 25 * 1024 * 1024, String(document.length))
})
