// Tests the tracked places of HTML: the links are the links that a browser recognises, and all other HTML stays
// unchanged.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { type DefaultTreeAdapterTypes, parse } from 'parse5'
import { thorough } from '../../test/support/thorough.ts'
import { putTracking, readTrackingToken, trackingKey } from '../model/tracking-link.ts'
import { trackedPlaces } from './tracked-places.ts'

const ALL = { opens: false, links: true, untracked: [] }
const BASE = 'https://links.example.com'
const KEY = trackingKey('s', 'links.example.com')
const WHOSE = { messageId: 'msg_01JZ0000000000000000000000', position: 0 }

const targets = (html: string, untracked: readonly string[] = []): readonly string[] =>
  (trackedPlaces(html, { ...ALL, untracked })?.links ?? []).map(([, , url]) => url)

/** Returns HTML with tracked links for one recipient. */
function tracked(html: string, opens = false): string {
  const places = trackedPlaces(html, { ...ALL, opens })
  assert.ok(places !== undefined)
  return putTracking(html, places, { base: BASE, key: KEY }, WHOSE)
}

type Node = DefaultTreeAdapterTypes.Node

/** Returns the tree as text, with the target URL in place of each tracked `href`. */
function treeOf(html: string): string {
  const lines: string[] = []
  const walk = (node: Node, depth: number): void => {
    const attrs = 'attrs' in node ? node.attrs.map(({ name, value }) => [name, hrefOf(name, value)]) : []
    const text = 'value' in node ? node.value : 'data' in node ? node.data : ''
    lines.push(`${depth} ${node.nodeName} ${JSON.stringify(attrs)} ${JSON.stringify(text)}`)
    if ('childNodes' in node) for (const child of node.childNodes) walk(child, depth + 1)
    if ('content' in node) walk(node.content, depth + 1)
  }
  walk(parse(html, { scriptingEnabled: false }), 0)
  return lines.join('\n')
}

/** Returns the target URL of a link as a browser writes it, so that a tracked link equals the original link. */
function hrefOf(name: string, value: string): string {
  const token = value.startsWith(`${BASE}/c/`) ? value.slice(BASE.length + 3) : undefined
  if (token !== undefined) return readTrackingToken(KEY, token)?.url ?? 'a forged link'
  return name === 'href' ? (URL.parse(value)?.href ?? value) : value
}

/** Returns the HTML outside of the replaced values. */
function outside(html: string): string {
  let rest = ''
  let from = 0
  for (const [start, end] of trackedPlaces(html, ALL)?.links ?? []) {
    rest += `${html.slice(from, start)}\0`
    from = end
  }
  return rest + html.slice(from)
}

const PIECES = [
  '<a href="https://a.test/1">',
  "<a\r\nHREF = 'http://b.test/?x=1&amp;y=2'>",
  '<a href=http://c.test/x/>',
  '</a>',
  '<area href=https://d.test>',
  '<a href="mailto:x@y.test">',
  '<a href="#f">',
  '<a href="//e.test">',
  '<a href="javascript:1">',
  '<a data-track="off" href="https://f.test">',
  '<svg><a href="https://g.test"/></svg>',
  '<svg>',
  '<math>',
  '<desc>',
  '<template>',
  '</template>',
  '<!-- <a href="https://h.test"> -->',
  '<!--',
  '-->',
  '<![CDATA[',
  ']]>',
  '<style>',
  '</style>',
  '<title>',
  '</title>',
  '<textarea>',
  '<script>',
  '</script>',
  '<noscript>',
  '<plaintext>',
  '<select><option>',
  '<table><tr>',
  '</table>',
  '<b>',
  '<p>',
  '</p>',
  '<i>',
  '</b>',
  '</body>',
  '</html>',
  '<frameset>',
  '<base href="https://i.test/">',
  '<a href="https://j.test',
  '"',
  "'",
  '>',
  '<',
  '</',
  '\0',
  '\r',
  '\n',
  'é',
  '𝒳',
  '&amp',
  '&#x0;',
  '\ud800',
  ' href=https://k.test ',
  '<a href="https://l.test/{{{ @unsubscribe_url }}}">',
  '<a href="{{{ @unsubscribe_url }}}">',
  '<a href>',
  '<a href=>',
  '<a href="https://m.test" href="https://n.test">',
  '<a href="https://user:pw@o.test/">',
  '<a href=" h\nttps://p.test ">',
  '<!DOCTYPE html>',
  '<body>',
  '<body bgcolor=x>',
  '<head>',
  '<form>',
  '<nobr>',
  '<applet>',
  '<li>',
  '<dd>',
  '<iframe>',
]

describe('tracked places', () => {
  test(
    'of hostile HTML: all other bytes and the tree stay, but for the links',
    thorough('1.1 CPU s; the other tests of the file cover the common cases'),
    () => {
      const html = fc.array(fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...PIECES) }, fc.string()), {
        maxLength: 25,
      })
      let links = 0
      fc.assert(
        fc.property(html, (pieces) => {
          const text = pieces.join('')
          const places = trackedPlaces(text, ALL)
          if (places === undefined) return
          links += places.links.length
          const made = tracked(text)
          assert.equal(treeOf(made), treeOf(text))
          assert.equal(outside(made), outside(text))
          for (const [, , url] of places.links) assert.match(url, /^https?:\/\/[^/]/)
        }),
        { numRuns: 3_000 },
      )
      assert.ok(links > 500, `${links} links`)
    },
  )

  test('of hostile HTML: the pixel adds an image and takes no text away', () => {
    const textOf = (html: string): string => {
      let text = ''
      const walk = (node: Node): void => {
        if ('value' in node) text += node.value
        if ('childNodes' in node) for (const child of node.childNodes) walk(child)
      }
      walk(parse(html, { scriptingEnabled: false }))
      return text
    }
    const html = fc.array(fc.constantFrom(...PIECES), { maxLength: 20 })
    let pixels = 0
    fc.assert(
      fc.property(html, (pieces) => {
        const text = pieces.join('')
        const places = trackedPlaces(text, { opens: true, links: false, untracked: [] })
        if (places?.opens == null) return
        pixels++
        assert.equal(textOf(tracked(text, true)), textOf(text))
      }),
      { numRuns: 4_000 },
    )
    assert.ok(pixels > 500, `${pixels} pixels`)
  })

  test('are absolute http and https links of elements that are shown', () => {
    assert.deepEqual(
      targets(
        '<a href="https://a.test/ü?q=é#x">a</a><area href=http://B.test><a href=" HTTPS://c.test ">c</a>',
      ),
      ['https://a.test/%C3%BC?q=%C3%A9#x', 'http://b.test/', 'https://c.test/'],
    )
    for (const href of [
      ...['mailto:a@b.test', 'tel:1', 'javascript:alert(1)', 'data:text/html,x', 'ftp://a.test', '//a.test'],
      ...['/path', '#part', '', 'http:', 'https:a.test', 'http://', 'https://a b', 'cid:x', 'httpx://a.test'],
      ...['https://user@a.test', 'https://:pw@a.test', `https://a.test/${'x'.repeat(1_400)}`],
      ...['https://a.test/{{{ @unsubscribe_url }}}', '{{ @unsubscribe_url }}', 'https://[::1'],
    ]) {
      assert.deepEqual(targets(`<a href="${href}">x</a>`), [], href)
    }
    for (const html of [
      '<!-- <a href="https://a.test"> -->',
      '<template><a href="https://a.test"></template>',
      '<style><a href="https://a.test"></style>',
      '<textarea><a href="https://a.test">',
      '<svg><a href="https://a.test"></svg>',
      '<link href="https://a.test">',
      '<img src="https://a.test"><form action="https://a.test">',
    ]) {
      assert.deepEqual(targets(html), [], html)
    }
  })

  test('leave out data-track="off" and the addresses of List-Unsubscribe', () => {
    assert.deepEqual(targets('<a data-track="off" href="https://a.test">'), [])
    assert.deepEqual(targets('<a data-track=" OFF " href="https://a.test">'), [])
    assert.deepEqual(targets('<a data-track="on" href="https://a.test">'), ['https://a.test/'])
    assert.deepEqual(
      targets('<a href="https://a.test/leave?x=1&amp;y=2"><a href="https://b.test">', [
        'https://a.test/leave?x=1&y=2',
      ]),
      ['https://b.test/'],
    )
  })

  test('are at most 300, the first ones', () => {
    const links = Array.from({ length: 400 }, (_, index) => `<a href="https://a.test/${index}">x</a>`)
    const found = targets(links.join(''))
    assert.deepEqual([found.length, found.at(-1)], [300, 'https://a.test/299'])
  })

  test('stand before the end of the body, and nowhere where the document ends inside of something', () => {
    const opens = (html: string) => trackedPlaces(html, { opens: true, links: false, untracked: [] })?.opens
    assert.equal(opens('<html><body><p>x</p></body></html>'), 20)
    assert.equal(opens('<p>x'), 4)
    for (const html of [
      '<a href="x',
      '<!-- x',
      '<textarea>',
      '<style>x',
      '<title>',
      '<frameset></frameset>',
      // The image would end the SVG element, so that the following text would be parsed as HTML.
      '<body><svg></body><script><a href="https://a.test/1">',
      '<body><svg></body><![CDATA[x]]>',
    ]) {
      assert.equal(opens(html), null, html)
    }
  })

  test('are none in HTML that is nested too deep', () => {
    assert.equal(trackedPlaces('<div>'.repeat(300), ALL), undefined)
  })
})
