// Tests that hostile templates and models take bounded time, and reach no data outside of the model.

import assert from 'node:assert/strict'
import { afterEach, describe, test } from 'node:test'
import fc from 'fast-check'
import Handlebars from 'handlebars'
import { cpuWatch } from '../../test/support/cpu-time.ts'
import { thorough } from '../../test/support/thorough.ts'
import { isTemplate, parseTemplate } from './parse.ts'
import { RenderBudget, RenderRefusal, render } from './render.ts'
import { LIMITS, type SyntaxProblem } from './tree.ts'

const prototype = JSON.stringify(Object.getOwnPropertyNames(Object.prototype))
afterEach(() => {
  assert.equal(JSON.stringify(Object.getOwnPropertyNames(Object.prototype)), prototype)
  assert.equal(({} as { polluted?: unknown }).polluted, undefined)
})

/** Maximum CPU time of a rendering, in milliseconds; the slowest test takes a third of this time. */
const AT_ONCE_MS = 1_500

function atOnce<T>(what: () => T): T {
  const used = cpuWatch()
  const result = what()
  const took = used()
  assert.ok(took < AT_ONCE_MS, `took ${took} ms`)
  return result
}

function rendered(text: string, model: unknown, html = true): string {
  const template = parseTemplate(text)
  if (!isTemplate(template)) throw new Error(JSON.stringify(template))
  return render(template, model, { html })
}

function problem(text: unknown): SyntaxProblem {
  const read = atOnce(() => parseTemplate(text))
  assert.ok(!isTemplate(read), 'it was taken')
  return read[0] as SyntaxProblem
}

describe('nothing but own properties', () => {
  const empty = [
    '{{constructor}}',
    '{{__proto__}}',
    '{{toString}}{{valueOf}}{{hasOwnProperty}}',
    '{{constructor.constructor}}',
    '{{a.constructor}}{{a.__proto__}}{{a.b.constructor.name}}',
    '{{#with constructor}}x{{/with}}',
    '{{#with __proto__}}x{{/with}}',
    '{{#constructor}}x{{/constructor}}',
    '{{#each __proto__}}x{{/each}}',
    '{{#if constructor}}x{{/if}}',
    '{{lookup . "constructor"}}{{lookup a "__proto__"}}',
    '{{lookup (lookup . "constructor") "name"}}',
    '{{[constructor]}}{{"__proto__"}}',
    '{{this.constructor}}{{./__proto__}}',
    '{{@root.constructor}}{{@constructor}}{{@__proto__}}{{@root.__proto__.toString}}',
    '{{list.map}}{{list.constructor}}{{text.constructor}}{{number.toFixed}}{{a.toString}}',
    '{{#each list as |item|}}{{item.constructor}}{{/each}}',
  ]
  const model = { a: { b: 'x' }, list: ['x'], text: 'x', number: 5 }
  for (const text of empty) {
    test(`${text} is nothing`, () => assert.equal(rendered(text, model), ''))
  }

  test('a model with __proto__ changes nothing and gives nothing', () => {
    const hostile = JSON.parse(
      '{"__proto__":{"polluted":"x"},"a":{"__proto__":{"polluted":"x"}},"constructor":{"prototype":{"polluted":"x"}}}',
    )
    assert.equal(
      rendered('{{polluted}}{{__proto__.polluted}}{{a.polluted}}{{a.__proto__.polluted}}', hostile),
      '',
    )
    assert.equal(rendered('{{#each a}}{{polluted}}{{/each}}', hostile), '')
  })

  test('functions and getters of a prototype are not data', () => {
    class Model {
      own = 1
      get secret(): string {
        return 'secret'
      }
    }
    assert.equal(rendered('{{own}}{{secret}}', new Model()), '1')
    assert.equal(rendered('{{f}}{{#f}}x{{/f}}', { f: () => 'called' }), '')
  })

  test('an object that looks like a parsed template is no template', () => {
    for (const one of [{ type: 'Program', body: [] }, ['{{a}}'], null, 5, Buffer.from('x')]) {
      assert.match(problem(one).message, /is a text/)
    }
  })

  test('objects with toString and toJSON of their own are printed as any other', () => {
    const hostile = JSON.parse('{"a":{"toString":"x","valueOf":1,"toJSON":2,"toHTML":3}}')
    assert.equal(rendered('{{a}}', hostile), '[object Object]')
  })
})

describe('bounded', () => {
  const rows = Array.from({ length: 10_000 }, (_, index) => index)
  let nothing: unknown[] = []
  for (let level = 0; level < 12; level++) nothing = [nothing, nothing]
  const wide = Object.fromEntries(rows.map((row) => [`k${row}`, row]))

  type Limit = readonly [what: string, text: string, model: object, code: string]
  const limits: readonly Limit[] = [
    [
      'a loop of 10^6 items',
      '{{#each l}}{{this}}{{/each}}',
      { l: Array.from({ length: 1_000_000 }, () => '') },
      'too_many_steps',
    ],
    [
      'loops in loops',
      '{{#each l}}{{#each @root.l}}{{#each @root.l}}x{{/each}}{{/each}}{{/each}}',
      { l: rows },
      'too_many_steps',
    ],
    ['loops over keys', '{{#each o}}{{#each @root.o}}{{/each}}{{/each}}', { o: wide }, 'too_many_steps'],
    [
      'sections in sections',
      '{{#l}}{{#../l}}{{#../../l}}x{{/../../l}}{{/../l}}{{/l}}',
      { l: rows },
      'too_many_steps',
    ],
    [
      'loops that print nothing',
      '{{#each l}}{{#each @root.l}}{{#if no}}x{{/if}}{{/each}}{{/each}}',
      { l: rows },
      'too_many_steps',
    ],
    ['long lists as text', '{{#each l}}{{@root.l}}{{/each}}', { l: rows.map(() => '') }, 'too_many_steps'],
    [
      'a long text again and again',
      '{{#each l}}{{@root.t}}{{/each}}',
      { l: rows, t: 'x'.repeat(1_000_000) },
      'output_too_long',
    ],
    ['a text that grows by escaping', '{{t}}', { t: '&'.repeat(4_900_000) }, 'output_too_long'],
    [
      'a long text changed again and again',
      '{{#each l}}{{#if (upper @root.t)}}{{/if}}{{/each}}',
      { l: rows, t: 'x'.repeat(1_000_000) },
      'too_many_steps',
    ],
    ['empty lists as text', '{{#each l}}{{@root.e}}{{/each}}', { l: rows, e: nothing }, 'too_many_steps'],
    ...[
      '{{#equals @root.a @root.b}}{{/equals}}',
      '{{#notEquals @root.a @root.b}}{{/notEquals}}',
      '{{#greaterThan @root.a @root.b}}{{/greaterThan}}',
      '{{#lessThan @root.a @root.b}}{{/lessThan}}',
      '{{lookup @root.o @root.a}}',
    ].map((tag): Limit => {
      const model = { l: rows, o: {}, a: `${'x'.repeat(1_000_000)}y`, b: `${'x'.repeat(1_000_000)}z` }
      return [`long texts in ${tag}`, `{{#each l}}${tag}{{/each}}`, model, 'too_many_steps']
    }),
    [
      'a link that begins again and again',
      '{{#each l}}<a href="{{@root.t}}">{{/each}}',
      { l: rows, t: ' '.repeat(1_000_000) },
      'output_too_long',
    ],
  ]
  for (const [what, text, model, code] of limits) {
    test(what, () => {
      atOnce(() =>
        assert.throws(
          () => rendered(text, model),
          (error) => error instanceof RenderRefusal && error.code === code,
        ),
      )
    })
  }

  test('parts of one message share its steps and its bytes', () => {
    const limits = { steps: 100, bytes: 20 }
    const part = (text: string, model: unknown, budget: RenderBudget): string => {
      const template = parseTemplate(text)
      if (!isTemplate(template)) throw new Error(JSON.stringify(template))
      return render(template, model, { html: false, budget })
    }
    const refusedAs = (code: string) => (error: unknown) =>
      error instanceof RenderRefusal && error.code === code
    const bytes = new RenderBudget(limits)
    assert.equal(part('{{a}}', { a: 'äöü' }, bytes), 'äöü')
    assert.equal(bytes.bytes, 14)
    assert.equal(part('{{a}}', { a: 'x'.repeat(14) }, bytes), 'x'.repeat(14))
    assert.throws(() => part('x', {}, bytes), refusedAs('output_too_long'))
    const characters = new RenderBudget(limits)
    assert.throws(() => part('{{a}}', { a: 'ä'.repeat(11) }, characters), refusedAs('output_too_long'))
    const steps = new RenderBudget(limits)
    assert.equal(part('{{#each l}}{{/each}}', { l: rows.slice(0, 60) }, steps), '')
    assert.throws(
      () => part('{{#each l}}{{/each}}', { l: rows.slice(0, 60) }, steps),
      refusedAs('too_many_steps'),
    )
  })

  test('ten megabytes of model are only read where the template looks', () => {
    const model = {
      big: Array.from({ length: 100_000 }, (_, index) => ({ text: 'x'.repeat(100), index })),
      name: 'x',
    }
    assert.equal(
      atOnce(() => rendered('{{name}} {{big.length}}', model)),
      'x 100000',
    )
  })

  test('lists within lists within lists are printed without a call for each', () => {
    let deep: unknown = 'x'
    for (let level = 0; level < 100_000; level++) deep = [deep]
    assert.equal(rendered('[{{deep}}]', { deep }), '[]')
    const around: { self?: unknown }[] = []
    around.push({ self: around })
    assert.equal(rendered('{{around}}', { around }), '[object Object]')
  })

  test('a digest of 10,000 rows is no trouble', () => {
    const model = { rows: rows.map((row) => ({ name: `row ${row}`, on: row % 2 === 0 })) }
    const text = atOnce(() =>
      rendered('{{#each rows}}{{@index}} {{name}}{{#if on}} on{{/if}}\n{{/each}}', model),
    )
    assert.equal(text.split('\n').length, 10_001)
  })
})

describe('templates beyond measure', () => {
  const million = 1_000_000
  const many: readonly (readonly [string, string, RegExp])[] = [
    [
      '10^6 nested sections',
      '{{#a}}'.repeat(million) + '{{/a}}'.repeat(million),
      /at most 100000 characters/,
    ],
    ['nested sections', '{{#a}}'.repeat(8_000) + '{{/a}}'.repeat(8_000), /100 deep/],
    ['unclosed sections', '{{#a}}'.repeat(16_000), /100 deep/],
    ['inverted sections', '{{^a}}'.repeat(16_000), /100 deep/],
    ['elses with conditions', `{{#if a}}${'{{else if b}}'.repeat(7_000)}{{/if}}`, /100 deep/],
    ['elses of elses', `${'{{#if a}}{{else if b}}'.repeat(4_000)}`, /100 deep/],
    ['parentheses', `{{lookup ${'(lookup '.repeat(11_000)}`, /100 deep/],
    ['parentheses closed in texts', `{{lookup ${'(lookup ")" '.repeat(8_000)}`, /100 deep/],
    ['braces in texts', `{{lookup ${'(lookup "}}" '.repeat(7_000)}`, /100 deep/],
    ['braces in names', `{{lookup ${'(lookup [}}] '.repeat(7_000)}`, /100 deep/],
    ['tags', 'x{{a}}'.repeat(16_000), /too many tags/],
    ['braces that are text', '\\{{'.repeat(33_000), /too many tags/],
    ['names in a path', `{{a${'.b'.repeat(2_000)}}}`, /32 names/],
    ['values', `{{a ${'b '.repeat(49_000)}}}`, /too many tags/],
    ['brackets', `{{${'['.repeat(90_000)}`, /not closed/],
    ['quotes', `{{a ${'\\"'.repeat(40_000)}`, /not expected|not closed/],
    ['comments', `${'{{!-- }}'.repeat(12_000)}`, /comment .* not closed/],
    ['short comments', '{{!'.repeat(33_000), /comment .* not closed/],
    ['braces', '{'.repeat(100_000), /Raw blocks/],
  ]
  for (const [what, text, message] of many) {
    test(what, () => assert.match(problem(text).message, message))
  }

  test('white space without end is read at once', () => {
    for (const text of [
      `${' '.repeat(99_000)}{{~a~}}`,
      `{{~a~}}${'\n'.repeat(99_000)}`,
      `{{${' '.repeat(99_000)}a}}`,
      `${'{{~! x ~}} \n'.repeat(3_000)}`,
    ]) {
      atOnce(() => parseTemplate(text))
    }
  })

  test('the greatest template that is taken is read within bounds', () => {
    const levels = '{{#a}}'.repeat(99) + '{{b}}'.repeat(4_000) + '{{/a}}'.repeat(99)
    assert.ok(isTemplate(atOnce(() => parseTemplate(levels))))
  })
})

describe('what is not available is refused when it is read', () => {
  const refused: readonly (readonly [string, string, number, number, RegExp])[] = [
    ['an unclosed block', 'a\n  {{#if x}}b\n', 2, 3, /"if" is not closed/],
    ['an unclosed block in another', '{{#each a}}\n{{#b}}\n{{/each}}', 2, 4, /"b" is closed by "{{\/each}}"/],
    ['a wrong end', '{{#a}}{{/b}}', 1, 4, /"a" is closed by "{{\/b}}"/],
    ['an end without a beginning', 'x {{/if}}', 1, 3, /closes no block/],
    ['an else without a beginning', 'x{{else}}', 1, 2, /outside of a block/],
    ['two elses', '{{#if a}}x{{else}}y{{else}}z{{/if}}', 1, 20, /second/],
    ['an unclosed tag', 'x\ny {{foo', 2, 3, /"{{" is not closed/],
    ['an unclosed tag before an element', '<p>\r\n{{nope</p>\r\n{{x}}', 2, 1, /"{{" is not closed/],
    ['too few braces', '{{{a}}', 1, 5, /braces/],
    ['an empty tag', 'a {{}}', 1, 5, /empty/],
    ['a number at the end', '{{list.0}}', 1, 8, /\[0\]/],
    ['brackets of another language', '{{a[0]}}', 1, 3, /not expected/],
    ['a path back in the middle', '{{a/../b}}', 1, 3, /Invalid path/],
    ['a partial', '{{> header}}', 1, 1, /Partials/],
    ['a block partial', '{{#> header}}{{/header}}', 1, 1, /Partials/],
    ['a decorator', '{{* x}}', 1, 1, /Decorators/],
    ['a raw block', '{{{{raw}}}}{{{{/raw}}}}', 1, 1, /Raw blocks/],
    ['other delimiters', '{{=<% %>=}}', 1, 3, /not expected/],
    ['an unknown operation', '{{formatDate when}}', 1, 1, /no operation "formatDate"/],
    ['a mistyped operation', '{{uper name}}', 1, 1, /did you mean "upper"/],
    ['an unknown block', '{{#repeat 5}}x{{/repeat}}', 1, 1, /no block "{{#repeat"/],
    ['an each of nothing', '{{#each}}x{{/each}}', 1, 1, /exactly one value|takes/],
    ['an if of two', '{{#if a b}}x{{/if}}', 1, 1, /exactly one value/],
    ['a pair', '{{name default="x"}}', 1, 8, /"default="/],
    ['a path from parentheses', '{{(lookup a b).c}}', 1, 3, /parentheses/],
    ['too few values', '{{#equals a}}x{{/equals}}', 1, 1, /takes 2 values, not 1/],
    ['a NUL', 'a\n\0', 2, 1, /NUL/],
  ]
  for (const [what, text, line, column, message] of refused) {
    test(what, () => {
      const found = problem(text)
      assert.match(found.message, message)
      assert.deepEqual([found.line, found.column], [line, column], found.message)
    })
  }

  test('all that is told at once is told at once', () => {
    const read = parseTemplate('{{> a}}\n{{formatDate b}}\n{{#repeat c}}{{/repeat}}')
    assert.deepEqual(!isTemplate(read) && read.map(({ line }) => line), [1, 2, 3])
  })
})

describe('whatever comes', () => {
  const pieces = fc.constantFrom(
    '{{',
    '}}',
    '{{{',
    '}}}',
    '{{#',
    '{{/',
    '{{^',
    '{{!',
    '{{!--',
    '--}}',
    '{{>',
    '{{&',
    '~',
    '#',
    '/',
    '^',
    '.',
    '..',
    'a',
    'b',
    'if',
    'each',
    'else',
    'this',
    '@index',
    '@',
    '"',
    "'",
    '[',
    ']',
    '(',
    ')',
    '|',
    ' as |x|',
    '=',
    ' ',
    '\n',
    '\\',
    '5',
  )

  test('any text is read or refused, at once, and its problems stand inside of it', () => {
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 60 }), (parts) => {
        const text = parts.join('')
        const read = parseTemplate(text)
        if (isTemplate(read)) {
          render(read, { a: [1, { b: 2 }], b: 'x' }, { html: true })
        } else {
          const lines = text.split('\n')
          for (const { line, column } of read) {
            assert.ok(line >= 1 && line <= lines.length, `${line} in ${JSON.stringify(text)}`)
            assert.ok(
              column >= 1 && column <= (lines[line - 1] as string).length + 1,
              `${column} in ${JSON.stringify(text)}`,
            )
          }
        }
      }),
      { numRuns: 3_000 },
    )
  })

  const name = fc.constantFrom('a', 'b', 'c')
  const path = fc.oneof(
    name,
    fc.constantFrom('this', '../a', '../../b', 'a.b', 'b.c', '@index', '@key', '@root.a', 'a.length'),
  )
  const { nodes } = fc.letrec<{ node: string; nodes: string }>((tie) => ({
    nodes: fc.array(tie('node'), { maxLength: 4 }).map((all) => all.join('')),
    node: fc.oneof(
      { maxDepth: 5 },
      fc.constantFrom('text ', '\n', '<b>', ' '),
      // A space precedes each path, because handlebars adds up numbers that are printed without any text.
      path.map((one) => ` {{${one}}}`),
      path.map((one) => ` {{{${one}}}}`),
      fc
        .tuple(fc.constantFrom('if', 'unless', 'each', 'with'), path, tie('nodes'), tie('nodes'))
        .map(([word, one, body, otherwise]) => `{{#${word} ${one}}}${body}{{else}}${otherwise}{{/${word}}}`),
      fc.tuple(name, tie('nodes')).map(([one, body]) => `{{#${one}}}${body}{{/${one}}}`),
      fc.tuple(name, tie('nodes')).map(([one, body]) => `{{^${one}}}${body}{{/${one}}}`),
    ),
  }))
  /**
   * Models in which no two values are equal by `==`, which handlebars uses at the beginning of a scope; null is
   * excluded, because handlebars shows a null scope as an object.
   */
  const models = [
    ['', 'x', '<&>', 7, true],
    [0, 'x', true],
    [false, 'x', 7],
  ].map(
    (scalars) =>
      fc.letrec<{ value: unknown; object: object }>((tie) => ({
        value: fc.oneof(
          { maxDepth: 4 },
          fc.constantFrom(...scalars),
          fc.array(tie('value'), { minLength: 2, maxLength: 3 }),
          tie('object'),
        ),
        object: fc.dictionary(name, fc.oneof(tie('value'), fc.constant([])), { noNullPrototype: true }),
      })).object,
  )

  test(
    'any template and model give what handlebars gives',
    thorough('1.4 CPU s: random templates compared with handlebars'),
    () => {
      fc.assert(
        fc.property(nodes, fc.oneof(...models), fc.boolean(), (text, model, html) => {
          const expected = Handlebars.compile(text, { noEscape: !html })(model)
          assert.equal(rendered(text, model, html), expected, text)
        }),
        { numRuns: 2_000 },
      )
    },
  )

  test('any JSON as a model is safe', () => {
    const text =
      '{{a}}{{#each .}}{{@key}}{{this}}{{#each this}}{{.}}{{/each}}{{/each}}{{#a}}{{b}}{{/a}}{{length a}}{{upper a}}'
    fc.assert(
      fc.property(fc.json(), (json) => {
        const output = rendered(text, JSON.parse(json))
        assert.ok(output.length <= LIMITS.bytes)
      }),
    )
  })
})

describe('a value that would make a link run a script is refused', () => {
  const scripts = [
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    ' \n\tjavascript:alert(1)',
    `${' '.repeat(1000)}javascript:alert(1)`,
    `java${'\t'.repeat(1000)}script:alert(1)`,
    `data:${'\n'.repeat(1000)}image/svg+xml,x`,
    '\x01java\nscript:alert(1)',
    'java\tscript\r:alert(1)',
    'vbscript:msgbox(1)',
    'data:text/html,<script>',
    'data:image/svg+xml,<svg onload=x>',
  ]
  const places = [
    '<a href="{{v}}">x</a>',
    "<a class='b' HREF = '{{v}}'>x</a>",
    '<a href={{v}}>x</a>',
    '<img src="{{{v}}}">',
    '<form action="{{v}}"></form>',
    '<a href="{{#if v}}{{v}}{{else}}x{{/if}}">x</a>',
    '<a href="{{#with w}}{{../v}}{{/with}}">x</a>',
    '{{#each l}}<a\nhref="{{this}}">x</a>{{/each}}',
    '<a href="{{! a note }}{{v}}">x</a>',
  ]
  for (const text of places) {
    test(text, () => {
      for (const v of scripts) {
        const model = { v, w: {}, l: ['https://x.example', v] }
        assert.throws(
          () => rendered(text, model),
          (error) => error instanceof RenderRefusal && error.code === 'unsafe_link',
          v,
        )
        assert.doesNotThrow(() => rendered(text, model, false))
      }
    })
  }

  const apart: [string, object][] = [
    ['<a href="{{base}}{{path}}">x</a>', { path: 'javascript:alert(1)' }],
    ['<a href="{{base}}{{path}}">x</a>', { base: 'java', path: 'script:alert(1)' }],
    ['<a href="{{scheme}}:{{rest}}">x</a>', { scheme: 'javascript', rest: '//%0aalert(1)' }],
    ['<a href="{{a}}{{#if b}}{{b}}{{/if}}">x</a>', { a: ' ', b: 'vbscript:x' }],
    ['<a href="{{#each l}}{{this}}{{/each}}">x</a>', { l: [...'javascript:alert(1)'] }],
    ['<a href="{{{v}}}">x</a>', { v: 'javascript&colon;alert(1)' }],
    ['<a href="{{{v}}}">x</a>', { v: '&#106;ava&#x00000073;cript&#58alert(1)' }],
    ['<a href="{{{v}}}">x</a>', { v: 'java&Tab;script&NewLine;:alert(1)' }],
    ['<a href={{v}} href={{w}}>x</a>', { v: '', w: 'javascript:alert(1)' }],
    ['<a href="{{a}}&colon;{{b}}">x</a>', { a: 'javascript', b: 'alert(1)' }],
    ['<a href="{{#if a}}{{else}}https://x.example/{{/if}}{{b}}">x</a>', { a: 1, b: 'javascript:alert(1)' }],
    ['<a{{#if a}} href="{{else}} title="{{/if}}{{b}}">x</a>', { a: 1, b: 'javascript:alert(1)' }],
  ]
  for (const [text, model] of apart) {
    test(`${text} with ${JSON.stringify(model)}`, () => {
      assert.throws(
        () => rendered(text, model),
        (error) => error instanceof RenderRefusal && error.code === 'unsafe_link',
      )
    })
  }

  test('values that make an address together are fine, and what follows the attribute is none of it', () => {
    const fine: [string, object][] = [
      ['<a href="{{base}}{{path}}">x</a>', { base: 'https://x.example', path: '/javascript:1' }],
      ['<a href="{{base}}{{path}}">x</a>', { path: '/a' }],
      ['<a href="{{v}}">javascript: {{v}}</a>', { v: '#a' }],
      ['<a href="{{v}}" title="{{t}}">x</a>', { v: '', t: 'javascript:alert(1)' }],
      ["<a href='{{v}}' title='{{t}}'>x</a>", { v: '', t: 'javascript:alert(1)' }],
      ['<a href="{{v}}">x</a>', { v: 'javascript&colon;alert(1)' }],
      ['<a href={{v}}>{{t}}</a>', { v: '/', t: 'javascript:alert(1)' }],
    ]
    for (const [text, model] of fine) rendered(text, model)
  })

  test('addresses of any other kind are fine, and so is the text elsewhere', () => {
    const fine = [
      'https://x.example/?q=javascript:',
      '//x.example',
      '/path',
      '#part',
      '',
      'mailto:a@b.example',
      'tel:+49',
      'myapp://open',
      'data:image/png;base64,AA==',
      'cid:logo',
      'javascripts.example',
    ]
    for (const v of fine.slice(0, -1)) rendered('<a href="{{v}}">x</a>', { v })
    for (const text of [
      '<p>{{v}}</p>',
      'href {{v}}',
      '<a href="https://x.example/{{v}}">',
      '<a title="{{v}}" href="#">',
    ]) {
      assert.ok(rendered(text, { v: 'javascript:alert(1)' }).includes('javascript:alert(1)'))
    }
  })
})
