// Tests of documents that strangers wrote: what connects without asking has no name, what belongs to the mail is shown.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { foreignDocument } from './foreign-html.ts'

const DOT = { contentId: 'dot@x', contentType: 'image/png', content: Buffer.from('png') }
const DATA = `data:image/png;base64,${DOT.content.toString('base64')}`

test('elements that connect lose their names, however they are written', () => {
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

test('everything else stays as it was written', () => {
  const html = '<frameset><links><p class="link">a < b & <b>ü</b></p><linkx>\u0000'
  assert.ok(foreignDocument(html).endsWith(`\n${html}`))
})

test('images of the mail stand in the place of their names', () => {
  const shown = (html: string) => foreignDocument(html, [DOT]).split('\n').slice(1).join('\n')
  assert.equal(shown('<img src="cid:dot@x">'), `<img src="${DATA}">`)
  assert.equal(shown("<b style='background:url(CID:dot%40x)'>"), `<b style='background:url(${DATA})'>`)
  assert.equal(shown('<img src="cid:other">'), '<img src="cid:other">')
  const odd = { ...DOT, contentType: 'image/svg+xml' }
  assert.match(foreignDocument('<img src="cid:dot@x">', [odd]), /cid:dot@x/)
})

test('one image named very often makes no document that nobody can hold', () => {
  const large = { ...DOT, content: Buffer.alloc(1024 * 1024) }
  const document = foreignDocument('<img src="cid:dot@x">'.repeat(10_000), [large])
  assert.ok(document.length < 25 * 1024 * 1024, String(document.length))
})
