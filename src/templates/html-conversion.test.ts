// Tests of the text made from HTML, and of inlined styles.

import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { type Convert, loadConversion } from './html-conversion.ts'

let convert: Convert
before(async () => {
  convert = await loadConversion()
})

const FILLING = '&#847;&zwnj;&nbsp;'.repeat(4)

describe('what is hidden is no text', () => {
  const hidden = [
    `<body><div style="display:none;max-height:0">P${FILLING}</div><p>Hello</p></body>`,
    '<div style="display: none !important; mso-hide:all">P</div><p>Hello</p>',
    '<span hidden>P</span><p>Hello</p>',
    '<div hidden="hidden"><p>P</p></div><p>Hello</p>',
    '<div style="font-size:0px;line-height:0">P</div>Hello',
    "<div style='font-size: 0;color:#fff'>P <b>Q</b></div>Hello",
    '<div style="opacity:0.0">P</div>Hello',
    '<div style="MAX-HEIGHT:0px;overflow:hidden"><div>P</div></div>Hello',
    '<div style="visibility:hidden">P</div>Hello',
    '<div style="height:0;overflow:hidden">P</div>Hello',
    '<a style="display:none" href="https://x.example">P</a>Hello',
    '<table style="display:none"><tr><td>P</td></tr></table>Hello',
    '<style>.preheader { color: transparent; display: none; } @media print { p { color: red } }</style><span class="x preheader">P</span>Hello',
    '<style>#pre,span.pre{display:none!important}</style><div id=pre>P</div><span class="pre">Q</span>Hello',
    `<div style="display:none">P<div>Q</div></div><p style="display:none">R<p>Hello`,
    `<p>Hello</p><!-- <div style="display:none"> -->`,
  ]
  for (const html of hidden) {
    test(html.slice(0, 90), () => {
      assert.equal(convert({ html, inlineCss: false, makeText: true }).text, 'Hello')
    })
  }

  const shown: [html: string, text: string][] = [
    ['<td style="font-size:0px"><div style="font-size:16px">Hello</div></td>', 'Hello'],
    ['<td style="font-size:0"><img src="x" alt="Hello"></td>', 'Hello'],
    ['<a style="mso-hide:all" href="https://a.example/">Button</a>', 'Button (https://a.example/)'],
    ['<div style="max-height:0.5em;opacity:0.9;font-size:10px">Hello</div>', 'Hello'],
    ['<div style="height:0">Hello</div>', 'Hello'],
    [
      '<style>@media (max-width:1px){.a{display:none}} .b .a{display:none}</style><p class="a">Hello</p>',
      'Hello',
    ],
    [`<div>Preview${FILLING}</div><p>Hello</p>`, 'Preview\n\nHello'],
    ['<p>می\u200cخواهم 👨\u200d👩\u200d👧</p>', 'می\u200cخواهم 👨\u200d👩\u200d👧'],
    ['<p title="style=\'display:none\'">Hello</p>', 'Hello'],
  ]
  for (const [html, text] of shown) {
    test(`shown: ${html.slice(0, 80)}`, () => {
      assert.equal(convert({ html, inlineCss: false, makeText: true }).text, text)
    })
  }

  test('is found in time in proportion to the length', () => {
    for (const piece of [
      '<p style="font-size:0">',
      '<div style="',
      '<style>',
      '<style>.a{display:none}</style>',
      '<p class=a>',
      '\u200b\u200b ',
      "<a '",
    ]) {
      const html = piece.repeat(Math.floor(200_000 / piece.length / (piece.startsWith('<p') ? 100 : 1)))
      const start = process.cpuUsage().user
      try {
        convert({ html, inlineCss: false, makeText: true })
      } catch {
        // The HTML is refused because of its depth.
      }
      assert.ok(process.cpuUsage().user - start < 3_000_000, piece)
    }
  })
})

describe('putting styles into attributes changes nothing else', () => {
  const inlined = (html: string): string => convert({ html, inlineCss: true, makeText: false }).html
  /** Returns HTML without styles. */
  const bare = (html: string): string =>
    html.replace(/<style[^>]*>[\s\S]*?<\/style>/gi, '').replace(/\sstyle\s*=\s*(?:"[^"]*"|'[^']*')/gi, '')

  const OUTLOOK = `<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">
<html xmlns="http://www.w3.org/1999/xhtml" xmlns:v="urn:schemas-microsoft-com:vml">
<head><meta charset="utf-8"/><style type="text/css">td{padding:1px} .b{font-weight:bold}</style></head>
<body>
<!--[if mso]><table><tr><td><![endif]-->
<TABLE cellpadding=0><tr><td style='color:"x";width:10px' class=b>a &amp; b&nbsp;&zwnj;&copy; "q"</td></tr></TABLE>
<!--[if mso]></td></tr></table><![endif]-->
<v:roundrect arcsize="10%"><w:anchorlock/></v:roundrect><br /><img src="a.png" alt='x'/></body></html>`

  for (const html of [
    OUTLOOK,
    '<style>p{color:red}</style><P CLASS=x>Grüße &nbsp;&zwnj; &quot;x&quot;<br/></P>',
    '<body><style>.x{mso-line-height-rule:exactly !important}</style><p class="x" style="color:blue">a</p><b><p class=x>q</b></p>',
    '<style>a{color:red}</style><a href=http://x.example/>x</a><a href="{{{ @unsubscribe_url }}}" >y</a>',
    '<style>td{color:red}</style><table>text<tr><td>a<td>b</table>',
  ]) {
    test(html.slice(0, 80), () => {
      const whole = inlined(html)
      assert.equal(bare(whole), bare(html))
      assert.match(whole, /style="/)
    })
  }

  test('rules that no attribute can hold stay', () => {
    const html =
      '<style>p{color:red} a:hover{color:blue} @media (max-width:600px){p{color:green}}</style><p>x</p>'
    const whole = inlined(html)
    assert.match(whole, /<p style="color: red;">x<\/p>$/)
    assert.match(whole, /@media \(max-width:600px\)\{p\{color:green\}\}/)
    assert.match(whole, /a:hover/)
    assert.doesNotMatch(whole, /postrider/)
  })
})
