// Tests that placeholders of other services are reported, and that no other text is reported as a placeholder.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { checkLayout, checkTemplate } from './check.ts'
import { foreignTags } from './foreign-tags.ts'

const told = (html: string, more: object = {}): string[] =>
  checkTemplate({ name: 'N', html, ...more }).problems.map(({ code }) => code)

const PLACEHOLDERS = [
  'Hi %recipient.name%',
  '%recipient%',
  '%recipient_fname%',
  'Hi *|FNAME|*',
  '*|IF:REWARDS|*x*|END:IF|*',
  '*|LIST:COMPANY|*',
  '<%= user.name %>',
  '<% body %>',
  '{% if customer %}x{% endif %}',
  '{%- assign a = 1 -%}',
  '%%First Name%%',
  'Hi %FIRSTNAME%',
  'Hi %name%,',
  'Hi {$name}',
  'Hi {!firstname_fix}',
  '{contactfield=firstname}',
  '$[FNAME]$',
  '#recipient:name#',
  '{{var:firstname}}',
  '[[data:firstname]]',
  '[%first_name | there%]',
  '[firstname, fallback=there]',
  '[subscriber:firstname | default:reader]',
  'Hi -first_name-,',
  'Hi {first_name}',
  '<a href="{url}">x</a>',
  "<a href='[weblink]'>x</a>",
  '<webversion>here</webversion>',
]
const UNSUBSCRIBE = [
  '<a href="{{{unsubscribe}}}">out</a>',
  '{{{unsubscribe_preferences}}}',
  '<a href="{{ unsubscribe }}">out</a>',
  '<a href="%7B%7B%7Bunsubscribe%7D%7D%7D">out</a>',
  '<a href="{{{ pm:unsubscribe }}}">out</a>',
  '<a href="<%asm_group_unsubscribe_raw_url%>">out</a>',
  '<a href="%unsubscribe_url%">out</a>',
  '<a href="*|UNSUB|*">out</a>',
  '<a href="[[UNSUB_LINK_EN]]">out</a>',
  '<a href="{unsubscribe}">out</a>',
  '<a href="[unsubscribe]">out</a>',
  '<a href="{% unsubscribe_url %}">out</a>',
  '<a href="%%unsubscribe_url%%">out</a>',
  '<a href="$[LI:UNSUBSCRIBE]$">out</a>',
  '<a href="#unsubscribeLink#">out</a>',
  '<a href="[link:subscription_unsubscribe_url]">out</a>',
  '<a href="{{{RESEND_UNSUBSCRIBE_URL}}}">out</a>',
  '<unsubscribe>out</unsubscribe>',
  '{unsubscribe_url}',
]
const ORDINARY = [
  '50% off, 100% wool, 20%, 5%–10% and 30%!',
  'https://x.example/a%20b%20c?d=%C3%9CBER%20UNS&e=100%25',
  '<td style="width:100%;background:url(%23x)"></td><style>.a{width:50%} @media (max-width:600px){.b{width:100%}}</style>',
  '<script type="application/ld+json">{"@type":"Order","name":"{name}","x":"*|A|*"}</script>',
  '<pre>Hi *|FNAME|*, {{!-- --}}</pre> <code>{% if a %}</code>',
  '<!-- *|FNAME|* %recipient.name% -->',
  '*| not one |* and a*|b',
  'ann@example.com, $5.00, €1.10, #5, #hashtag#, 1 < 2 && 3 > 2',
  'set %PATH% and %APPDATA%, and 5 % of {all} [things]',
  'a -> b, well-known, state-of-the-art, -wichtig- and --name--',
  'https://x.example/this-is-your-name-here/',
  '<a href="#top">x</a><a href="#unsubscribe">x</a><a href="mailto:a@b.example?subject=unsubscribe">[Unsubscribe]</a>',
  '<a href="{{{ @unsubscribe_url }}}">unsubscribe</a> {{unsubscribe}} {{unsubscribe_url}} {{contact.name}}',
  '<a href="{{url}}">x</a><a href="{{{url}}}">x</a><a href="https://x/{{id}}">x</a>',
  '<a href="https://x.example/?q={a}&r=[b]">x</a>',
  'function(a){return a%b%c} {name} [name] [[x]] (fallback=1)',
  '<!--[if mso]><v:rect style="width:600px"><![endif]--><o:p>&nbsp;</o:p>',
  'printf "%s %d%%" and 100%% cotton %%',
  '{{#if a}}{{{b}}}{{else}}{{c}}{{/if}}',
  ['$', '{price} costs $', '{name}, {{price}}$'].join(''),
]

describe('placeholders of other services are refused, with a remedy', () => {
  for (const html of PLACEHOLDERS) {
    test(html, () => assert.ok(told(html).includes('foreign_placeholder'), `${told(html)}`))
  }
  for (const html of UNSUBSCRIBE) {
    test(html, () => assert.ok(told(html).includes('foreign_unsubscribe_link'), `${told(html)}`))
  }
})

describe('ordinary text passes', () => {
  for (const html of ORDINARY) test(html.slice(0, 70), () => assert.deepEqual(told(html), []))
})

test('in text and subject too, and in layouts', () => {
  assert.deepEqual(told('<p>x</p>', { text: 'Hi *|FNAME|*', subject: 'Hi %recipient.name%' }), [
    'foreign_placeholder',
    'foreign_placeholder',
  ])
  const { problems } = checkLayout({
    name: 'L',
    html: '<a href="*|UNSUB|*">x</a>\n{{{ @content }}} %recipient.x%',
  })
  assert.deepEqual(
    problems.map(({ code, line, column }) => [code, line, column]),
    [
      ['foreign_unsubscribe_link', 1, 10],
      ['foreign_placeholder', 2, 18],
    ],
  )
  assert.match(problems[1]?.message ?? '', /\{\{x\}\}/)
  assert.match(problems[0]?.message ?? '', /\{\{\{ @unsubscribe_url \}\}\}/)
})

test('a variable that the model is known to have is none', () => {
  const html = '<a href="{{{unsubscribe}}}">out</a>'
  assert.deepEqual(told(html, { required: ['unsubscribe'] }), [])
  assert.deepEqual(told(html, { sample_model: { unsubscribe: 'https://x' } }), [])
  assert.deepEqual(checkTemplate({ name: 'N', html }, { unsubscribe: 'https://x' }).problems, [])
})

test('is found in time in proportion to the length', () => {
  for (const piece of [
    '<style>',
    '%%a',
    '*|A',
    '{%a',
    '<!--',
    'href="',
    '[[',
    '{{{ ',
    '<%a',
    '%name',
    '-name',
    '[a,',
    '{a',
    '<code>',
  ]) {
    const text = piece.repeat(Math.floor(100_000 / piece.length))
    const before = process.cpuUsage().user
    foreignTags(text, true, () => false)
    assert.ok(process.cpuUsage().user - before < 1_000_000, piece)
  }
})
