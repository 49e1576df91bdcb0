// Tests the rules of the language one by one: each example has the result that the rule requires, and the same result
// in `handlebars`.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import Handlebars from 'handlebars'
import { isTemplate, parseTemplate } from './parse.ts'
import { render } from './render.ts'

type Example = readonly [rule: string, template: string, model: unknown, expected: string]

const INTERPOLATION: readonly Example[] = [
  ['text is unchanged', 'Hello from {Mustache}!\n', {}, 'Hello from {Mustache}!\n'],
  ['a name is replaced', 'Hello, {{subject}}!', { subject: 'world' }, 'Hello, world!'],
  ['two braces escape', '{{v}}', { v: '& " < > \' ` =' }, '&amp; &quot; &lt; &gt; &#x27; &#x60; &#x3D;'],
  ['three braces do not', '{{{v}}}', { v: '& " < >' }, '& " < >'],
  ['an ampersand does not', '{{&v}}', { v: '& " < >' }, '& " < >'],
  ['an integer', '"{{mph}} {{{mph}}} {{& mph}}"', { mph: 85 }, '"85 85 85"'],
  ['a decimal', '{{power}}', { power: 1.21 }, '1.21'],
  ['zero and false are printed', '{{zero}} {{no}}', { zero: 0, no: false }, '0 false'],
  ['null is nothing', 'I ({{v}}) ({{{v}}}) ({{&v}})', { v: null }, 'I () () ()'],
  ['what is missing is nothing', 'I ({{v}}) ({{{v}}}) ({{&v}})', {}, 'I () () ()'],
  ['a dotted name', '{{person.name}} {{{person.name}}}', { person: { name: 'Joe' } }, 'Joe Joe'],
  ['a long dotted name', '{{a.b.c.d.e}}', { a: { b: { c: { d: { e: 'Phil' } } } } }, 'Phil'],
  ['a broken chain is nothing', '({{a.b.c}})', { a: {} }, '()'],
  ['a broken chain does not start again', '({{a.b.name}})', { a: { b: {} }, name: 'Jim' }, '()'],
  ['a path with slashes', '{{a/b}}', { a: { b: 'x' } }, 'x'],
  [
    'an index',
    '{{list.[1]}} {{list.[0]}} {{list.0.name}}',
    { list: [{ name: 'n' }, 'b'] },
    'b [object Object] n',
  ],
  ['the length of a list and of a text', '{{list.length}} {{t.length}}', { list: [1, 2], t: 'abc' }, '2 3'],
  ['a name in brackets', '{{[first name]}} {{a.[b c]}}', { 'first name': 'x', a: { 'b c': 'y' } }, 'x y'],
  ['a name in quotes', '{{"first name"}}', { 'first name': 'x' }, 'x'],
  [
    'a name with a hyphen, a colon, letters of any script',
    '{{a-b}}{{c:d}}{{ñ}}',
    { 'a-b': 1, 'c:d': 2, ñ: 3 },
    '123',
  ],
  ['this and the dot', '{{.}} {{this}}', 'x', 'x x'],
  ['this in a path', '{{this.name}} {{./name}}', { name: 'x' }, 'x x'],
  ['white space in the tag', '{{ v }}|{{{  v }}}|{{& v  }}|{{\nv\n}}', { v: 1 }, '1|1|1|1'],
  ['white space around the tag stays', '  {{v}}  \n', { v: '-' }, '  -  \n'],
  ['a list is joined by commas', '{{v}} {{{v}}}', { v: ['a', null, ['b', 1]] }, 'a,,b,1 a,,b,1'],
  ['escaped braces', '\\{{v}} \\\\{{v}}', { v: 1 }, '{{v}} \\1'],
  ['literals are names', '{{true}}{{12}}', { true: 'a', 12: 'b' }, 'ab'],
]

const SECTIONS: readonly Example[] = [
  ['true shows', '{{#on}}shown{{/on}}', { on: true }, 'shown'],
  ['false hides', '{{#on}}shown{{/on}}', { on: false }, ''],
  ['null hides', '{{#on}}shown{{/on}}', { on: null }, ''],
  ['missing hides', '[{{#on}}shown{{/on}}]', {}, '[]'],
  ['an object is the scope', '{{#c}}Hi {{name}}.{{/c}}', { c: { name: 'Joe' } }, 'Hi Joe.'],
  ['a scope does not look outside', '{{#c}}[{{out}}]{{/c}}', { c: {}, out: 'x' }, '[]'],
  ['two dots look outside', '{{#c}}[{{../out}}]{{/c}}', { c: {}, out: 'x' }, '[x]'],
  ['two dots outside of all', '[{{../../x}}]', { x: 1 }, '[]'],
  ['a text is the scope', '{{#sec}}{{.}}{{/sec}}', { sec: 'text' }, 'text'],
  ['a list repeats', '{{#list}}{{item}}{{/list}}', { list: [{ item: 1 }, { item: 2 }, { item: 3 }] }, '123'],
  ['an empty list hides', '[{{#list}}x{{/list}}]', { list: [] }, '[]'],
  ['the dot is the item', '{{#list}}({{.}}){{/list}}', { list: ['a', 1, 2.5] }, '(a)(1)(2.5)'],
  ['the dot is escaped', '{{#list}}{{.}}{{{.}}}{{/list}}', { list: ['<'] }, '&lt;<'],
  ['lists in a list', '{{#list}}({{#.}}{{.}}{{/.}}){{/list}}', { list: [[1, 2], ['a']] }, '(12)(a)'],
  ['a dotted name', '{{#a.b.c}}here{{/a.b.c}}', { a: { b: { c: true } } }, 'here'],
  ['a broken chain hides', '[{{#a.b.c}}here{{/a.b.c}}]', { a: {} }, '[]'],
  ['sections of the same name', '{{#b}}1{{/b}} 2 {{#b}}3{{/b}}', { b: true }, '1 2 3'],
  ['a section in itself', '| A {{#b}}B {{#b}}C{{/b}} D{{/b}} E |', { b: true }, '| A B C D E |'],
  [
    'the variables of a loop',
    '{{#l}}{{@index}}{{#if @first}}f{{/if}}{{#if @last}}l{{/if}}{{/l}}',
    { l: [1, 2, 3] },
    '0f12l',
  ],
  ['white space in the tags', '|{{# b }}={{/ b }}|', { b: true }, '|=|'],
  ['an else', '{{#b}}yes{{else}}no{{/b}}{{#b}}yes{{^}}no{{/b}}', { b: false }, 'nono'],
]

const INVERTED: readonly Example[] = [
  ['false shows', '{{^on}}shown{{/on}}', { on: false }, 'shown'],
  ['true hides', '[{{^on}}shown{{/on}}]', { on: true }, '[]'],
  ['null shows', '{{^on}}shown{{/on}}', { on: null }, 'shown'],
  ['missing shows', '{{^on}}shown{{/on}}', {}, 'shown'],
  ['an object hides', '[{{^c}}x{{/c}}]', { c: { name: 'Joe' } }, '[]'],
  ['a list hides', '[{{^l}}x{{/l}}]', { l: [{}] }, '[]'],
  ['an empty list shows', '{{^l}}shown{{/l}}', { l: [] }, 'shown'],
  ['the scope stays', '{{^on}}{{name}}{{/on}}', { name: 'x' }, 'x'],
  ['a broken chain shows', '{{^a.b.c}}shown{{/a.b.c}}', { a: {} }, 'shown'],
  ['an else', '{{^on}}no{{else}}yes{{/on}}', { on: true }, 'yes'],
  ['beside a section', '{{#b}}1{{/b}}{{^b}}2{{/b}}', { b: false }, '2'],
]

const COMMENTS: readonly Example[] = [
  ['inside a line', '12345{{! Comment }}67890', {}, '1234567890'],
  ['many lines', '12345{{!\n  a\n  b\n}}67890\n', {}, '1234567890\n'],
  ['with tags', 'a{{!-- {{x}} }} --}}b', { x: 1 }, 'ab'],
  ['a line of its own goes', 'Begin.\n{{! Comment }}\nEnd.\n', {}, 'Begin.\nEnd.\n'],
  ['an indented line of its own goes', 'Begin.\n  {{! Comment }}\nEnd.\n', {}, 'Begin.\nEnd.\n'],
  ['with CRLF', '|\r\n{{! Comment }}\r\n|', {}, '|\r\n|'],
  ['at the beginning', '  {{! Comment }}\n!', {}, '!'],
  ['at the end', '!\n  {{! Comment }}', {}, '!\n'],
  ['beside text it takes no white space', '  12 {{! 34 }}\n', {}, '  12 \n'],
]

const WHITE_SPACE: readonly Example[] = [
  [
    'section tags on lines of their own go',
    '| This\n{{#b}}\n|\n{{/b}}\n| A Line\n',
    { b: true },
    '| This\n|\n| A Line\n',
  ],
  ['indented ones too', '| This\n  {{#b}}\n|\n  {{/b}}\n| A Line\n', { b: true }, '| This\n|\n| A Line\n'],
  ['with CRLF', '|\r\n{{#b}}\r\n{{/b}}\r\n|', { b: true }, '|\r\n|'],
  ['at the beginning', '  {{#b}}\n#{{/b}}\n/', { b: true }, '#\n/'],
  ['at the end', '#{{#b}}\n/\n  {{/b}}', { b: true }, '#\n/\n'],
  ['else on a line of its own', '{{#b}}\nyes\n{{else}}\nno\n{{/b}}\n', { b: false }, 'no\n'],
  ['inside a line it stays', ' | {{#b}}\t|\t{{/b}} | \n', { b: true }, ' | \t|\t | \n'],
  ['a tilde takes it on its side', 'a {{~v}} b {{v~}} c {{~v~}} d', { v: 1 }, 'a1 b 1c1d'],
  ['a tilde in blocks', 'a {{~#if v~}} b {{~else~}} c {{~/if~}} d', { v: 1 }, 'abd'],
  ['a tilde at a comment', 'a {{~!-- c --~}} b', {}, 'ab'],
]

const BLOCKS: readonly Example[] = [
  ['if', '{{#if a}}x{{/if}}{{#if b}}y{{/if}}', { a: 'v', b: '' }, 'x'],
  ['if keeps the scope', '{{#if a}}{{b}}{{/if}}', { a: { b: 'inner' }, b: 'outer' }, 'outer'],
  ['if takes 0 and empty lists for nothing', '{{#if n}}x{{/if}}{{#if l}}x{{/if}}-', { n: 0, l: [] }, '-'],
  ['if takes objects for something', '{{#if o}}x{{/if}}', { o: {} }, 'x'],
  ['if with includeZero', '{{#if n includeZero=true}}x{{/if}}', { n: 0 }, 'x'],
  ['else if', '{{#if a}}a{{else if b}}b{{else if c}}c{{else}}d{{/if}}', { c: 1 }, 'c'],
  ['else each', '{{#if a}}a{{else each l}}{{this}}{{/if}}', { l: [1, 2] }, '12'],
  ['unless', '{{#unless a}}x{{else}}y{{/unless}}', { a: 0 }, 'x'],
  ['with', '{{#with a}}{{b}} {{../c}}{{else}}none{{/with}}', { a: { b: 1 }, c: 2 }, '1 2'],
  ['with nothing', '{{#with a}}x{{else}}none{{/with}}', { a: [] }, 'none'],
  ['with 0', '{{#with a}}{{this}}{{/with}}', { a: 0 }, '0'],
  ['each', '{{#each l}}{{name}},{{/each}}', { l: [{ name: 'a' }, { name: 'b' }] }, 'a,b,'],
  ['each over nothing', '{{#each l}}x{{else}}none{{/each}}', {}, 'none'],
  ['each over a text', '{{#each l}}x{{else}}none{{/each}}', { l: 'abc' }, 'none'],
  ['each over an object', '{{#each o}}{{@key}}={{this}};{{/each}}', { o: { a: 1, b: 2 } }, 'a=1;b=2;'],
  [
    'variables over an object',
    '{{#each o}}{{@index}}{{#if @last}}!{{/if}}{{/each}}',
    { o: { a: 1, b: 2 } },
    '01!',
  ],
  [
    'variables over a list',
    '{{#each l}}{{@index}}{{@key}}{{#if @first}}f{{/if}}{{/each}}',
    { l: ['a', 'b'] },
    '00f11',
  ],
  [
    'each in each',
    '{{#each l}}{{#each c}}{{this}}{{../n}}{{../../r}} {{/each}}{{/each}}',
    { r: 'r', l: [{ n: 'a', c: [1, 2] }] },
    '1ar 2ar ',
  ],
  [
    'variables of the loop around',
    '{{#each l}}{{#each this}}{{@../index}}{{@index}} {{/each}}{{/each}}',
    { l: [[5], [6, 7]] },
    '00 10 11 ',
  ],
  [
    'if in each is no scope',
    '{{#each l}}{{#if this}}{{../x}}{{/if}}{{/each}}',
    { x: 'x', l: [1, 0, 2] },
    'xx',
  ],
  ['the root', '{{#each l}}{{#with this}}{{@root.x}}{{/with}}{{/each}}', { x: 'x', l: [{ a: 1 }] }, 'x'],
  [
    'named items',
    '{{#each l as |item i|}}{{i}}{{item.n}}{{../x}} {{/each}}',
    { x: 'x', l: [{ n: 'a' }, { n: 'b' }] },
    '0ax 1bx ',
  ],
  [
    'named items in each other',
    '{{#each l as |a|}}{{#each a.c as |b|}}{{a.n}}{{b}} {{/each}}{{/each}}',
    { l: [{ n: 'n', c: [1, 2] }] },
    'n1 n2 ',
  ],
  [
    'a named item hides the model, this does not',
    '{{#with a as |b|}}{{b.c}}{{this.b}}{{./b}}{{/with}}',
    { a: { b: 'm', c: 'c' } },
    'cmm',
  ],
  [
    'a name may begin with this',
    '{{#each l as |thisItem|}}{{thisItem.n}}{{#if thisItem.c}}!{{/if}} {{/each}}',
    { l: [{ n: 'a' }, { n: 'b', c: 1 }] },
    'a b! ',
  ],
  [
    'names of a block that has no item are not those around it',
    '{{#each l as |a|}}{{#if a.n as |b|}}{{a.n}}{{else}}-{{a.c}}{{/if}}{{#../on as |c|}}{{a.c}} {{/../on}}{{/each}}',
    { on: true, l: [{ n: 'n', c: 1 }, { c: 2 }] },
    'n1 -22 ',
  ],
  ['named in with', '{{#with a as |x|}}{{x.b}}{{/with}}', { a: { b: 1 } }, '1'],
  [
    'lookup',
    '{{lookup l 1}}{{lookup o key}}{{#with (lookup o key)}}{{this}}{{/with}}',
    { l: ['a', 'b'], o: { k: 'v' }, key: 'k' },
    'bvv',
  ],
  ['an each in the else', '{{#each l}}x{{else}}{{#each m}}{{this}}{{/each}}{{/each}}', { m: [1, 2] }, '12'],
  ['each of this', '{{#each this}}{{this}}{{/each}}', [1, 2], '12'],
]

for (const [name, examples] of Object.entries({
  INTERPOLATION,
  SECTIONS,
  INVERTED,
  COMMENTS,
  WHITE_SPACE,
  BLOCKS,
})) {
  describe(name.toLowerCase().replace('_', ' '), () => {
    for (const [rule, text, model, expected] of examples) {
      test(rule, () => {
        assert.equal(rendered(text, model), expected)
        assert.equal(Handlebars.compile(text)(model), expected, 'handlebars')
      })
    }
  })
}

describe('beyond handlebars', () => {
  test('words of the grammar are names where they take no value', () => {
    assert.equal(rendered('{{if}}{{each}}{{title}}', { if: 'a', each: 'b', title: 'c' }), 'abc')
  })

  test('names of a block that has no item print nothing', () => {
    const text =
      '{{#each l as |a|}}{{#if a as |b|}}[{{b}}]{{/if}}{{#equals a 2 as |c|}}{{c}}{{a}}{{/equals}}{{/each}}'
    assert.equal(rendered(text, { l: [1, 2] }), '[][]2')
  })

  test('nothing is escaped outside of HTML', () => {
    assert.equal(rendered('{{v}} {{{v}}}', { v: '<&>' }, false), '<&> <&>')
  })

  test('what the caller gives stands under an @, in every scope', () => {
    const template = parsed('{{#each l}}{{{ @content }}}{{@content.length}}{{/each}}')
    assert.equal(render(template, { l: [1] }, { html: true, data: { content: '<b>' } }), '<b>3')
  })

  const comparisons: readonly (readonly [string, unknown, string])[] = [
    ['{{#equals a "x"}}1{{else}}0{{/equals}}', { a: 'x' }, '1'],
    ['{{#equals a 5}}1{{else}}0{{/equals}}', { a: '5' }, '1'],
    ['{{#equals a b}}1{{else}}0{{/equals}}', {}, '1'],
    ['{{#equals a b}}1{{else}}0{{/equals}}', { a: {}, b: {} }, '0'],
    ['{{#equal a "x"}}1{{/equal}}', { a: 'x' }, '1'],
    ['{{#notEquals a "x"}}1{{/notEquals}}', { a: 'y' }, '1'],
    ['{{#greaterThan a 9}}1{{else}}0{{/greaterThan}}', { a: '10' }, '1'],
    ['{{#greaterThan a "b"}}1{{else}}0{{/greaterThan}}', { a: 'a' }, '0'],
    ['{{#lessThan a 10}}1{{else}}0{{/lessThan}}', { a: 9 }, '1'],
    ['{{#lessThan a 10}}1{{else}}0{{/lessThan}}', {}, '0'],
    ['{{#and a b}}1{{else}}0{{/and}}', { a: 1, b: 0 }, '0'],
    ['{{#or a b}}1{{else}}0{{/or}}', { a: 1, b: 0 }, '1'],
    ['{{#if (and a (greaterThan (length l) 1))}}1{{/if}}', { a: true, l: [1, 2] }, '1'],
    ['{{#if a}}a{{else equals b 1}}b{{else}}c{{/if}}', { b: 1 }, 'b'],
    ['{{insert name "default=Customer"}}', {}, 'Customer'],
    ['{{insert name "Customer"}}', { name: 'Ada' }, 'Ada'],
    ['{{upper a}}{{lower a}}{{title b}}', { a: 'Ü', b: 'the éLAN-vital' }, 'ÜüThe Élan-Vital'],
    ['{{url a}}', { a: 'a b&c\ud800' }, 'a%20b%26c%EF%BF%BD'],
    ['{{length l}}{{length t}}{{length o}}', { l: [1], t: 'ab', o: {} }, '12'],
  ]
  for (const [text, model, expected] of comparisons) {
    test(text, () => assert.equal(rendered(text, model), expected))
  }
})

function parsed(text: string) {
  const template = parseTemplate(text)
  if (!isTemplate(template)) throw new Error(JSON.stringify(template))
  return template
}

function rendered(text: string, model: unknown, html = true): string {
  return render(parsed(text), model, { html })
}
