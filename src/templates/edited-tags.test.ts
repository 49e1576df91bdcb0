// Tests that tags changed by an HTML editor are read as originally written, with their positions in the given text.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { checkTemplate } from './check.ts'
import { editedText } from './edited-tags.ts'

describe('tags that an editor changed', () => {
  const table: [given: string, meant: string][] = [
    ['<a href="%7B%7Burl%7D%7D">Go</a>', '<a href="{{url}}">Go</a>'],
    ['<a href="https://x/?a=%7b%7b%20a.b%20%7d%7d&b=1">', '<a href="https://x/?a={{ a.b }}&b=1">'],
    ['<a href="%7B%7B%23if%20a%7D%7Dx%7B%7B/if%7D%7D">', '<a href="{{#if a}}x{{/if}}">'],
    ['%7B%7B%7B%20@unsubscribe_url%20%7D%7D%7D', '{{{ @unsubscribe_url }}}'],
    ['&#123;&#123;name&#125;&#125;', '{{name}}'],
    ['&#x7B;&#x7b;name&#x7D;}', '{{name}}'],
    ['&lbrace;&lcub;name&rcub;&rbrace;', '{{name}}'],
    ['{{&nbsp;a.b&nbsp;}}', '{{ a.b }}'],
    ['{{\u00a0a\u200b }}', '{{ a }}'],
    ['{{<b>name</b>}}', '<b>{{name}}</b>'],
    ['{<span style="color:red">{name}</span>}', '<span style="color:red">{{name}}</span>'],
    ['{{na<wbr>me}}', '{{name}}'],
    ['{{#if<br/>paid}}x{{/if}}', '{{#if paid}}x{{/if}}'],
    ['{{{<i>x</i>}}}', '<i>{{{x}}}</i>'],
    ['{{insert name &quot;default=Tom &amp; Co&quot;}}', '{{insert name "default=Tom & Co"}}'],
    ['{{insert name &#34;default=x&#34;}}', '{{insert name "default=x"}}'],
    ['{{insert name “default=you”}}', '{{insert name "default=you"}}'],
    ['{{insert name „default=du“}}', '{{insert name "default=du"}}'],
    ['{{insert name &ldquo;default=it’s&rdquo;}}', `{{insert name "default=it's"}}`],
    ['{{#equals a ’x’}}y{{/equals}}', "{{#equals a 'x'}}y{{/equals}}"],
    ['{{&amp; name}}', '{{& name}}'],
    ['{{#if (greaterThan&nbsp;a&nbsp;1)}}x{{/if}}', '{{#if (greaterThan a 1)}}x{{/if}}'],
  ]
  for (const [given, meant] of table) test(given, () => assert.equal(editedText(given).text, meant))
})

describe('what stays as it is', () => {
  for (const text of [
    'Hello {{name}}, {{{raw}}} {{#each a}}{{this}}{{/each}}',
    '{{insert name "default=<b>you</b> &amp; me"}}',
    '{{! a <b>note</b> &nbsp; }}{{!-- &quot; --}}',
    '\\{{&nbsp;a}}',
    '<style>a{color:red}b{<!-- -->}</style>',
    'https://x/?filter=%7B%22a%22%3A%7B%7D%7D',
    '%7B%7B"a":1%7D%7D and %7B%7B%7D%7D',
    '%7B%7B%E0%A4%A%7D%7D',
    '{{url%7D%7D and no end',
    '{{a &quot;b}} &quot;',
    '&#123;a&#125; &#123; &#123; b',
    'Tom &amp; Jerry “quoted” {one} {two}',
  ]) {
    test(text, () => assert.equal(editedText(text).text, text))
  }
})

test('problems have their place in the text as it was given', () => {
  const place = (html: string, code: string) => {
    const { problems } = checkTemplate({ name: 'N', html })
    const { line, column } = problems.find((problem) => problem.code === code) ?? {}
    return [line, column]
  }
  const before = '<a href="%7B%7Burl%7D%7D">&#123;&#123;a&#125;&#125;</a>'
  assert.deepEqual(place(`${before}{{nope x}}`, 'template_syntax'), [1, before.length + 1])
  assert.deepEqual(place(`a\r\nb\n${before}{{@nope}}`, 'unknown_variable'), [3, before.length + 3])
  assert.deepEqual(place('x%7B%7Bnope%20x%7D%7D', 'template_syntax'), [1, 2])
  assert.deepEqual(place(`${before} %recipient.x%`, 'foreign_placeholder'), [1, before.length + 2])
})

test('takes time in proportion to the length', () => {
  const hostile = ['{{&', '%7B%7B', '{<b>', '{{"', '{{<b>', '&#123;', '{{ “', '{<', '%7B%7B%7D']
  for (const piece of hostile) {
    const text = piece.repeat(Math.floor(100_000 / piece.length))
    const before = process.cpuUsage().user
    editedText(text)
    assert.ok(process.cpuUsage().user - before < 1_500_000, piece)
  }
})
