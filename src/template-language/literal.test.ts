// Tests of literal substitution: what is replaced, that values are never evaluated, and the cost of hostile input.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { cpuWatch } from '../../test/support/cpu-time.ts'
import {
  cutRecipientVariables,
  fillLiteral,
  fillRecipientVariables,
  LiteralKeys,
  MAX_KEYS_LENGTH,
  MAX_SECTION_DEPTH,
  Substitutions,
} from './literal.ts'
import { RenderBudget, RenderRefusal } from './render.ts'

/** Maximum CPU time of a hostile input, in milliseconds; the slowest takes a fifth of this time. */
const AT_ONCE_MS = 2_000

function atOnce<T>(what: () => T): T {
  const used = cpuWatch()
  const result = what()
  const took = used()
  assert.ok(took < AT_ONCE_MS, `took ${took} ms`)
  return result
}

function substituted(
  text: string,
  values: Record<string, string>,
  sections: Record<string, string> = {},
): string {
  const substitutions = new Substitutions(Object.keys(values), sections)
  return substitutions.fill(substitutions.cut(text), values)
}

describe('substitutions', () => {
  const cases: [string, Record<string, string>, string][] = [
    ['Hello -name-!', { '-name-': 'Ann' }, 'Hello Ann!'],
    ['-a--a-', { '-a-': '1' }, '11'],
    ['%a% {{b}} c', { '%a%': '1', '{{b}}': '2', c: '3' }, '1 2 3'],
    ['-other-', { '-name-': 'Ann' }, '-other-'],
    ['abc', { a: '1', abc: '2', ab: '3' }, '2'],
    ['abd', { a: '1', abc: '2', ab: '3' }, '3d'],
    ['aab', { ab: '1', aab: '2' }, '2'],
    ['xabc', { bc: '1', ab: '2' }, 'x2c'],
    ['', { a: '1' }, ''],
    ['a', { '': '1' }, 'a'],
    ['-name-', { '-name-': '' }, ''],
    ['-name-', { '-name-': '-name- $& $1 <b>"&' }, '-name- $& $1 <b>"&'],
    ['-a-', { '-a-': '-b-', '-b-': 'x' }, '-b-'],
    ['__proto__ constructor', { constructor: '1' }, '__proto__ 1'],
  ]
  for (const [text, values, expected] of cases) {
    test(`${JSON.stringify(text)} with ${JSON.stringify(values)}`, () => {
      assert.equal(substituted(text, values), expected)
    })
  }

  test('a key of an inherited property is no value', () => {
    const substitutions = new Substitutions(['toString', 'constructor'])
    assert.equal(substitutions.fill(substitutions.cut('toString constructor'), {}), 'toString constructor')
  })
})

describe('sections', () => {
  const sections = {
    '-seller-': 'You sold -what-, -name-.',
    '-buyer-': 'You bought -what-.',
    '-end-': '-seller-!',
  }

  test('a substitution may name a section, whose text is filled', () => {
    const values = { '-role-': '-seller-', '-what-': 'a boat', '-name-': 'Ann' }
    assert.equal(
      substituted('-role- -end-', values, sections),
      'You sold a boat, Ann. You sold a boat, Ann.!',
    )
  })

  test('a value that only contains the key of a section is data', () => {
    const values = { '-name-': 'Ann -buyer-' }
    assert.equal(substituted('-name-', values, sections), 'Ann -buyer-')
  })

  test('a value inside a section is never searched', () => {
    assert.equal(substituted('-a-', { '-x-': '-a- -x-' }, { '-a-': '(-x-)' }), '(-a- -x-)')
  })

  test('a section that contains itself ends at the greatest depth', () => {
    assert.equal(substituted('-a-', {}, { '-a-': '.-a-' }), `${'.'.repeat(MAX_SECTION_DEPTH)}-a-`)
  })

  test('sections that multiply are refused', () => {
    const many = Object.fromEntries(
      Array.from({ length: 9 }, (_, n) => [`-${n}-`, `-${n + 1}-`.repeat(100)] as const),
    )
    assert.throws(() => atOnce(() => substituted('-0-', { '-9-': '' }, many)), { code: 'too_many_steps' })
    assert.throws(() => atOnce(() => substituted('-0-', { '-9-': 'x'.repeat(100) }, many)), RenderRefusal)
  })
})

describe('recipient variables', () => {
  const ann = {
    email: 'ann@example.com',
    name: 'Ann Other',
    variables: { id: 7, '%': 'x', list: [1], ok: true },
  }
  const cases: [string, string][] = [
    ['No. %recipient.id%, %recipient.ok%', 'No. 7, true'],
    ['%recipient%', 'Ann Other <ann@example.com>'],
    ['%recipient_email% %recipient_name% %recipient_fname%', 'ann@example.com Ann Other Ann'],
    [
      '%recipient.missing% %recipient.list% %recipient.toString%',
      '%recipient.missing% %recipient.list% %recipient.toString%',
    ],
    ['100 %recipients% %recipient.', '100 %recipients% %recipient.'],
    ['%recipient%recipient.id%', 'Ann Other <ann@example.com>recipient.id%'],
    ['%recipientx%recipient.id%', '%recipientx7'],
    ['%recipient.%recipient.id%', '%recipient.7'],
    ['%recipient.a\nb%recipient.id%', '%recipient.a\nb7'],
    [`%recipient.${'x'.repeat(300)}%`, `%recipient.${'x'.repeat(300)}%`],
  ]
  for (const [text, expected] of cases) {
    test(JSON.stringify(text.slice(0, 60)), () => {
      assert.equal(fillRecipientVariables(cutRecipientVariables(text), ann), expected)
    })
  }

  test('values are never evaluated', () => {
    const variables = { a: '%recipient.b%', b: 'x' }
    const filled = fillRecipientVariables(cutRecipientVariables('%recipient.a%'), { ...ann, variables })
    assert.equal(filled, '%recipient.b%')
  })

  test('a recipient without a name is named by the address', () => {
    const filled = fillRecipientVariables(
      cutRecipientVariables('%recipient%|%recipient_name%|%recipient_fname%'),
      {
        ...{ ...ann, name: '' },
      },
    )
    assert.equal(filled, 'ann@example.com||')
  })
})

describe('properties', () => {
  const key = fc.string({ unit: fc.constantFrom('a', 'b', '-', '%', 'é', '😀'), minLength: 1, maxLength: 5 })
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '-', '%', 'é', '😀', '\n'), maxLength: 80 })

  /** Substitution by the definition: at each character the longest key, from left to right. */
  function naive(written: string, values: Record<string, string>): string {
    const keys = Object.keys(values).sort((a, b) => b.length - a.length)
    let output = ''
    for (let at = 0; at < written.length; ) {
      const found = keys.find((one) => written.startsWith(one, at))
      output += found === undefined ? written[at] : values[found]
      at += found?.length ?? 1
    }
    return output
  }

  test('the automaton finds what a search at each character finds', () => {
    fc.assert(
      fc.property(text, fc.dictionary(key, fc.string(), { noNullPrototype: true }), (written, values) => {
        assert.equal(substituted(written, values), naive(written, values))
      }),
    )
  })

  test('a text is its pieces', () => {
    fc.assert(
      fc.property(text, fc.array(key), (written, keys) => {
        for (const cut of [new LiteralKeys(keys).cut(written), cutRecipientVariables(written)]) {
          assert.equal(cut.texts.length, cut.placeholders.length + 1)
          assert.equal(
            fillLiteral(cut, () => undefined),
            written,
          )
        }
      }),
    )
  })
})

describe('hostile input', () => {
  const LENGTH = 2_000_000
  const wide = () => new RenderBudget({ steps: LENGTH, bytes: 4 * LENGTH })

  test('keys that are almost found take linear time', () => {
    const keys = new LiteralKeys([`${'a'.repeat(30_000)}b`, `b${'a'.repeat(30_000)}`, 'aa'])
    const cut = atOnce(() => keys.cut('a'.repeat(LENGTH)))
    assert.equal(cut.placeholders.length, LENGTH / 2)
    assert.equal(atOnce(() => fillLiteral(cut, () => 'x', wide())).length, LENGTH / 2)
  })

  test('marks without an end take linear time', () => {
    const cut = atOnce(() => cutRecipientVariables('%recipient.'.repeat(LENGTH / 10)))
    assert.equal(cut.placeholders.length, 0)
  })

  test('a long output is refused before it is made', () => {
    const value = 'x'.repeat(100_000)
    const cut = cutRecipientVariables('%recipient.a%'.repeat(100_000))
    assert.throws(() => atOnce(() => fillLiteral(cut, () => value)), { code: 'output_too_long' })
  })

  test('the budget is shared, and counts bytes', () => {
    const budget = new RenderBudget({ steps: 10, bytes: 10 })
    const cut = cutRecipientVariables('%recipient.a%')
    assert.equal(
      fillLiteral(cut, () => 'ééé', budget),
      'ééé',
    )
    assert.deepEqual([budget.bytes, budget.steps], [4, 9])
    assert.throws(() => fillLiteral(cut, () => 'ééé', budget), { code: 'output_too_long' })
    assert.throws(() => fillLiteral(cutRecipientVariables('12345'), () => '', budget), RenderRefusal)
  })

  test('too many keys are refused', () => {
    assert.throws(() => new LiteralKeys(['x'.repeat(MAX_KEYS_LENGTH), 'y']), { code: 'too_many_steps' })
  })
})
