// Tests the address parser: the corpus, the parts of an address, random texts, and hostile lengths.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import addressparser from 'nodemailer/lib/addressparser'
import PostalMime from 'postal-mime'
import { cpuWatch } from '../../test/support/cpu-time.ts'
import { thorough } from '../../test/support/thorough.ts'
import { INVALID, VALID } from './address.corpus.test-data.ts'
import { type Address, isAddress, parseAddress, spellingsOf } from './address.ts'

const runs = { numRuns: 3000 }

function accepted(input: string): Address {
  const result = parseAddress(input)
  assert.ok(isAddress(result), `${JSON.stringify(input)}: ${isAddress(result) ? '' : result.problem}`)
  return result
}

/**
 * Returns the positions of every @ outside quotes, as found by a parser that knows only quotes and backslashes (RFC
 * 5321).
 */
function unquotedAts(text: string): number[] {
  const found: number[] = []
  let inQuotes = false
  for (let i = 0; i < text.length; i++) {
    if (inQuotes && text[i] === '\\') i++
    else if (text[i] === '"') inQuotes = !inQuotes
    else if (text[i] === '@' && !inQuotes) found.push(i)
  }
  return found
}

/** Asserts the properties of a parsed address on which other code relies. */
function assertSound(address: Address): void {
  const { email, local, domain, needsSmtpUtf8 } = address
  assert.deepEqual(parseAddress(email), address, 'reads back as itself')
  assert.equal(email, `${local}@${domain}`)
  assert.deepEqual(unquotedAts(email), [local.length])
  assert.equal(email, email.normalize('NFC'))
  assert.ok(email.isWellFormed())
  assert.doesNotMatch(email, /[\p{C}\u2028\u2029<>]/u)
  assert.doesNotMatch(email, /^\s|\s$/)
  assert.match(domain, /^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/)
  assert.equal(needsSmtpUtf8, /[^\0-\x7f]/.test(local))
  assert.ok(Buffer.byteLength(local) <= 64)
  assert.ok(Buffer.byteLength(email) <= 254)
  assert.ok(domain.split('.').every((label) => label.length <= 63))
  assert.deepEqual(addressparser(`<${email}>`, { flatten: true }), [{ address: email, name: '' }])
}

async function assertSoundInHeader({ email }: Address): Promise<void> {
  const parsed = await PostalMime.parse(Buffer.from(`To: <${email}>\r\n\r\ntext\r\n`))
  assert.deepEqual(parsed.to, [{ address: email, name: '' }])
}

describe('the corpus', () => {
  test('is large enough and has no duplicates', () => {
    const written = [...VALID, ...INVALID].map(([text]) => text)
    assert.ok(written.length >= 350)
    assert.deepEqual(
      written.filter((text, i) => written.indexOf(text) !== i),
      [],
    )
  })

  for (const [written, canonical = written] of VALID) {
    test(`accepts ${JSON.stringify(written).slice(0, 80)}`, async () => {
      const address = accepted(written)
      assert.equal(address.email, canonical)
      assertSound(address)
      await assertSoundInHeader(address)
    })
  }

  for (const [written, problem] of INVALID) {
    test(`refuses ${JSON.stringify(written).slice(0, 80)}`, () => {
      const result = parseAddress(written)
      assert.ok(!isAddress(result), 'was accepted')
      assert.match(result.problem, problem)
      assert.match(result.problem, /^[ -~…]+$/, 'the problem repeats no unprintable input')
    })
  }
})

describe('the parts', () => {
  test('are distinguished', () => {
    assert.deepEqual(parseAddress('User+tag@Example.ORG'), {
      email: 'User+tag@example.org',
      local: 'User+tag',
      domain: 'example.org',
      needsSmtpUtf8: false,
    })
    assert.deepEqual(parseAddress('"jos\u00e9 a@b"@M\u00fcnchen.example'), {
      email: '"jos\u00e9 a@b"@xn--mnchen-3ya.example',
      local: '"jos\u00e9 a@b"',
      domain: 'xn--mnchen-3ya.example',
      needsSmtpUtf8: true,
    })
  })

  test('an internationalized domain alone needs no SMTPUTF8', () => {
    assert.equal(accepted('a@m\u00fcnchen.example').needsSmtpUtf8, false)
  })
})

describe('every character of the basic plane', () => {
  test(
    'in a local part makes a valid address or none',
    thorough('1.2 CPU s: thousands of random addresses; the tables of the file cover each form'),
    () => {
      for (let code = 0; code <= 0xffff; code++) {
        const char = String.fromCharCode(code)
        for (const text of [`a${char}b@example.com`, `"${char} b"@example.com`]) {
          const result = parseAddress(text)
          if (isAddress(result)) assertSound(result)
        }
      }
    },
  )

  test('in a domain never replaces an ASCII one', () => {
    for (let code = 0x80; code <= 0xffff; code++) {
      const result = parseAddress(`a@a${String.fromCharCode(code)}b.com`)
      if (isAddress(result)) assert.match(result.domain, /^xn--[a-z0-9-]+\.com$/)
    }
  })
})

// Texts that have a meaning for at least one parser. Random combinations of these texts reach more code paths than
// random characters.
const piece = fc.constantFrom(
  ...'a.@"\\<>()[],;: -_+=?%\r\n\0\t0xZ',
  'example.com',
  '@example.com',
  'xn--',
  'xn--mnchen-3ya',
  '=?utf-8?q?',
  '?=',
  '\u00e9',
  '\u0301',
  '\u00ad',
  '\u3002',
  '\uff20',
  '\u{1f4a9}',
  '\ud800',
  '\u05d0',
)
const pieces = fc.array(piece, { maxLength: 24 }).map((parts) => parts.join(''))
const units = fc
  .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 40 })
  .map((codes) => String.fromCharCode(...codes))

const atext = fc.constantFrom(..."abzAZ09!#$%&'*+-/=?^_`{|}~\u00e9\u0434\u7528")
const atom = fc.string({ unit: atext, minLength: 1, maxLength: 12 })
const dotAtom = fc.array(atom, { minLength: 1, maxLength: 3 }).map((atoms) => atoms.join('.'))
const quotedString = fc
  .array(
    fc.oneof(fc.constantFrom(...'ab .@,;:()[]\\"\u00e9'), fc.string({ unit: 'grapheme', maxLength: 1 })),
    {
      maxLength: 14,
    },
  )
  .map((chars) => `"${chars.map((char) => (/^["\\a]$/.test(char) ? `\\${char}` : char)).join('')}"`)
const label = fc.oneof(
  fc.stringMatching(/^[A-Za-z0-9][a-z0-9-]{0,8}[A-Za-z0-9]$/),
  fc.constantFrom('M\u00dcnchen', 'xn--mnchen-3ya', '\u4f8b\u5b50', '\u05d0\u05d1', 'fa\u00df'),
)
const domain = fc.array(label, { minLength: 1, maxLength: 4 }).map((labels) => `${labels.join('.')}.com`)
const nearlyValid = fc
  .tuple(fc.oneof(dotAtom, quotedString), domain)
  .map(([local, name]) => `${local}@${name}`)

describe('any text', () => {
  for (const [name, text] of [
    ['of random UTF-16 units', units],
    ['of random graphemes', fc.string({ unit: 'grapheme', maxLength: 40 })],
    ['of meaningful pieces', pieces],
    ['that is an address or nearly', nearlyValid],
    ['around a good domain', fc.oneof(units, pieces).map((text) => `${text}@example.com`)],
    ['after a good local part', fc.oneof(units, pieces).map((text) => `a@${text}.com`)],
  ] as const) {
    test(`${name} gives a valid address or a problem`, async () => {
      await fc.assert(
        fc.asyncProperty(text, async (input) => {
          const result = parseAddress(input)
          if (!isAddress(result)) {
            assert.match(result.problem, /^[ -~…]+$/)
            return
          }
          assertSound(result)
          await assertSoundInHeader(result)
        }),
        runs,
      )
    })
  }

  test('the generator of addresses makes valid addresses', () => {
    const made = fc.sample(nearlyValid, 500).filter((text) => isAddress(parseAddress(text)))
    assert.ok(made.length > 250, `${made.length} of 500`)
  })

  test('a dot-atom is the same address with and without quotes', () => {
    fc.assert(
      fc.property(dotAtom, domain, (local, name) => {
        const plain = parseAddress(`${local}@${name}`)
        assert.deepEqual(parseAddress(`"${local}"@${name}`), plain)
      }),
      runs,
    )
  })

  test('the case of the domain makes no difference, that of the local part does', () => {
    fc.assert(
      fc.property(domain, (name) => {
        assert.deepEqual(parseAddress(`a@${name.toLowerCase()}`), parseAddress(`a@${name}`))
      }),
      runs,
    )
    assert.notEqual(accepted('A@example.com').email, accepted('a@example.com').email)
  })
})

describe('hostile length', () => {
  for (const part of [
    'a',
    'a.',
    '.',
    '@',
    '"',
    '"\\',
    '\\',
    '(',
    '<',
    '=?',
    '?=',
    '\u00e9.',
    'a@',
    '\u0301',
    'xn--',
    'xn--9ca.',
    '-',
    ' ',
  ]) {
    test(`${JSON.stringify(part)} repeated is answered quickly`, () => {
      const spent = cpuWatch()
      for (const length of [250, 990, 5_000_000]) {
        const text = part.repeat(Math.floor(length / part.length))
        for (const input of [
          text,
          `"${text}`,
          `"${text}"@example.com`,
          `a@${text}`,
          `a@${text}.com`,
          `${text}@b.org`,
        ]) {
          parseAddress(input)
        }
      }
      assert.ok(spent() < 1000)
    })
  }
})

test('an address is spelt with its domain in A-labels and in Unicode', () => {
  assert.deepEqual(spellingsOf('jo@x.example'), ['jo@x.example'])
  assert.deepEqual(spellingsOf('jo@xn--bcher-kva.example'), ['jo@xn--bcher-kva.example', 'jo@bücher.example'])
  assert.deepEqual(spellingsOf('Änn@x.example'), ['Änn@x.example', 'änn@x.example'])
})
