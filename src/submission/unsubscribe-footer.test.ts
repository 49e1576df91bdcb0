// Tests that the footer of a broadcast is inserted into the visible body of any HTML.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { cpuWatch } from '../../test/support/cpu-time.ts'
import { thorough } from '../../test/support/thorough.ts'
import type { SendRequest } from '../model/send-request.ts'
import { withUnsubscribeLinks } from './unsubscribe-footer.ts'

const withFooter = (html: string): string =>
  withUnsubscribeLinks({ html } as unknown as SendRequest, { unsubscribe: 'service' }).html ?? ''

describe('the footer', () => {
  // «» marks the place of the footer.
  const cases: [string, string][] = [
    ['a body that is closed', '<html><body><p>x</p>«»</body></html>'],
    ['capitals and spaces', '<HTML><BODY>x«»</BODY ></HTML>'],
    ['no body', '<p>x</p>«»'],
    ['a body that is not closed', '<html><body>x«»</html>'],
    ['letters whose small form is longer', `<body>${'İSTANBUL’DA İNDİRİM '.repeat(20)}«»</body></html>`],
    ['a comment behind the body', '<body>x«»</body></html><!-- </body> made by a tool -->'],
    ['a comment in the head', '<!-- </body> --><body>x«»</body>'],
    ['a comment for Outlook', '<body>x<!--[if mso]></td></body><![endif]-->y«»</body>'],
    ['a comment that is not closed', '<body>x«»<!-- </body>'],
    ['an empty comment', '<body><!-->x«»</body>'],
    ['a body that is closed twice', '<body>x</body>y«»</body>'],
    ['a body in the text', '<body>&lt;/body>«»</body>'],
  ]
  for (const [what, marked] of cases) {
    test(`goes inside with ${what}`, () => {
      const [before = '', after = ''] = marked.split('«»')
      const html = withFooter(before + after)
      assert.ok(html.startsWith(`${before}<p style=`), html)
      assert.ok(html.endsWith(`</p>${after}`), html)
      assert.equal(html.split('@unsubscribe_url').length, 2)
    })
  }

  const MARK = '{{{ @unsubscribe_url }}}'
  const added = (html: string): boolean => withFooter(html) !== html

  const HIDDEN: Readonly<Record<string, string>> = {
    'a comment': `<!-- ${MARK} --> x`,
    'a comment for Outlook': `<body><!--[if mso]><a href="${MARK}">out</a><![endif]-->x</body>`,
    'a comment that is not closed': `<p>x</p><!-- ${MARK}`,
    'the head': `<html><HEAD><link rel="help" href="${MARK}"></HEAD><body>x</body></html>`,
    'a head that is not closed': `<head><meta content="${MARK}"><body>x`,
    'a style': `<style>/* ${MARK} */</style>x`,
    'a script': `<script type="a">"${MARK}"</script >x`,
    'a title': `<head><!-- </head> --><title>${MARK}</title></head>x`,
    'a template': `<template><a href="${MARK}">out</a></template>x`,
  }
  for (const [where, html] of Object.entries(HIDDEN)) {
    test(`is added where the link stands only in ${where}`, () => assert.ok(added(html)))
  }

  const SHOWN: Readonly<Record<string, string>> = {
    'a link': `<a href="${MARK}">out</a>`,
    'a text behind a comment': `<!-- ${MARK} --> ${MARK}`,
    'a body behind a head': `<head><title>x</title></head><body><a href='${MARK}'>out</a></body>`,
    'a body behind a head that is not closed': `<head><meta><body><a href='${MARK}'>out</a>`,
    'a header': `<header><a href="${MARK}">out</a></header>`,
    'all programs but Outlook': `<!--[if !mso]><!--><a href="${MARK}">out</a><!--<![endif]-->`,
  }
  for (const [where, html] of Object.entries(SHOWN)) {
    test(`is not added where the link stands in ${where}`, () => assert.ok(!added(html)))
  }

  test(
    'is found at once in HTML that has comments without end',
    thorough('1.1 CPU s; the other tests of the file cover the common cases'),
    () => {
      const used = cpuWatch()
      for (const part of ['<!--', '<!---->', '<style>', '<style></style>', '<head>', '<title', '</head>'])
        withFooter(part.repeat(500_000) + MARK)
      withFooter('<!--'.repeat(1_000_000))
      withFooter('<!---->'.repeat(500_000))
      withFooter('</body'.repeat(500_000))
      assert.ok(used() < 3_000, `${used()} ms`)
    },
  )
})
