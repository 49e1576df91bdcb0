// Recognition of misspelt domains, and of genuine domains that must not be corrected; a third of the samples was not
// used while the rules were written.

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { randomOf } from '../../test/support/mails/made.ts'
import { DomainLists } from './lists.ts'
import { didYouMean } from './misspelt-domain.ts'

const lists = new DomainLists()
const isFree = (domain: string): boolean => lists.isFree(domain)

const linesOf = (file: string): string[] =>
  readFileSync(new URL(file, import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))

const isHeldOut = (line: string): boolean => createHash('sha256').update(line).digest()[0]! % 3 === 0

const MISSPELT = linesOf('misspelt-domains.samples.txt')
const GENUINE = linesOf('genuine-domains.samples.txt')
/**
 * Samples of typed domains and of company domains. The samples were not inspected one by one while the rules were
 * written.
 */
const TYPED = linesOf('typed-domains.samples.txt')
const COMPANIES = linesOf('company-domains.samples.txt')

/** True if the suggestion for the typed domain of a line equals the meant domain; `-` stands for no suggestion. */
function isRight(line: string, result: 'domain_not_found' | 'catch_all'): boolean {
  const [typed, meant] = line.split(' | ')
  return didYouMean(`ann@${typed}`, result, isFree) === (meant === '-' ? undefined : `ann@${meant}`)
}

const ROWS = ['1234567890', 'qwertyuiop', 'asdfghjkl', 'zxcvbnm'] as const
const MEANT =
  'gmail.com gmail.com yahoo.com hotmail.com outlook.com icloud.com aol.com live.com gmx.de web.de'
    .concat(
      ' t-online.de orange.fr libero.it comcast.net verizon.net yahoo.co.uk btinternet.com protonmail.com',
    )
    .split(' ')

/**
 * Returns a domain as a hurried person types it: with a neighbouring key, or with a key omitted, doubled, or swapped
 * with the next.
 */
function slipOfTheFinger(random: () => number): { typed: string; meant: string } {
  const pick = <T>(from: readonly T[] | string): T | string => from[Math.floor(random() * from.length)]!
  const meant = pick(MEANT) as string
  let typed = meant
  for (let slips = random() < 0.3 ? 2 : 1; slips > 0; slips--) {
    const at = Math.floor(random() * typed.length)
    const key = typed[at]!
    const row = ROWS.find((keys) => keys.includes(key))
    const beside =
      row && [row[row.indexOf(key) - 1], row[row.indexOf(key) + 1]].filter((one) => one !== undefined)
    const kinds = [
      typed.slice(0, at) + typed.slice(at + 1),
      typed.slice(0, at) + key + typed.slice(at),
      typed.slice(0, at) + (typed[at + 1] ?? '') + key + typed.slice(at + 2),
      typed.slice(0, at) + (beside === undefined ? key : pick(beside)) + typed.slice(at + 1),
    ]
    typed = pick(kinds) as string
  }
  return { typed, meant }
}

describe('didYouMean', () => {
  for (const [name, rows] of [
    ['the rows that the rules were tuned on', (line: string) => !isHeldOut(line)],
    ['the third that was held out', isHeldOut],
  ] as const) {
    test(`misspelt domains without mail, ${name}`, (t) => {
      const lines = MISSPELT.filter(rows)
      const missed = lines.filter((line) => !isRight(line, 'domain_not_found'))
      t.diagnostic(`${lines.length - missed.length} of ${lines.length}; missed: ${missed.join(', ')}`)
      assert.ok(missed.length <= lines.length * 0.05, missed.join(', '))
    })

    test(`genuine domains, ${name}`, (t) => {
      const lines = GENUINE.filter(rows)
      const taken = lines.filter((line) => didYouMean(`ann@${line}`, 'catch_all', isFree) !== undefined)
      t.diagnostic(`${taken.length} of ${lines.length} taken for others: ${taken.join(', ')}`)
      assert.deepEqual(taken, [])
    })
  }

  test('domains as people typed them, which others have published', (t) => {
    const missed = TYPED.filter((line) => !isRight(line, 'domain_not_found'))
    t.diagnostic(`${TYPED.length - missed.length} of ${TYPED.length}; missed: ${missed.join(', ')}`)
    assert.ok(missed.length <= TYPED.length * 0.03, missed.join(', '))
  })

  test('fingers that slip on a keyboard: the right domain for nine of ten, another for two of a hundred at most', (t) => {
    const random = randomOf(4711)
    const slips = Array.from({ length: 2_000 }, () => slipOfTheFinger(random))
    const answers = slips
      .filter(({ typed, meant }) => typed !== meant && !isFree(typed))
      .map(({ typed, meant }) => {
        const found = didYouMean(`ann@${typed}`, 'domain_not_found', isFree)?.slice('ann@'.length)
        return {
          line: `${typed} > ${found} (${meant})`,
          is: found === meant ? 'right' : found ? 'another' : 'none',
        }
      })
    const count = (is: string): number => answers.filter((one) => one.is === is).length / answers.length
    t.diagnostic(`right ${count('right')}, another ${count('another')} of ${answers.length}`)
    const wrong = answers.filter(({ is }) => is !== 'right').map(({ line }) => line)
    assert.ok(count('right') >= 0.9 && count('another') <= 0.02, wrong.join(', '))
  })

  test('domains of companies, towns and small providers are no slips', () => {
    assert.ok(COMPANIES.length >= 300)
    const isUnknown = (): boolean => false
    for (const result of ['catch_all', 'catch_all_unknown', 'mailbox_not_found', 'blocked'] as const) {
      const taken = COMPANIES.filter((domain) => didYouMean(`ann@${domain}`, result, isUnknown) !== undefined)
      assert.deepEqual(taken, [], result)
    }
  })

  test('a mailbox that exists is not doubted', () => {
    assert.equal(didYouMean('ann@gmial.com', 'mailbox_exists', isFree), undefined)
  })

  test('a provider in one country is no slip of the same in another', () => {
    const isUnknown = (): boolean => false
    for (const domain of [
      'hotmail.se',
      'hotmail.com.ar',
      'hotmail.rs',
      'yahoo.com.tr',
      'yahoo.at',
      'yahoo.pt',
    ])
      assert.equal(didYouMean(`ann@${domain}`, 'mailbox_not_found', isUnknown), undefined, domain)
    assert.equal(didYouMean('ann@hotmail.co', 'mailbox_not_found', isFree), 'ann@hotmail.com')
    assert.equal(didYouMean('ann@hotmial.es', 'mailbox_not_found', isFree), 'ann@hotmail.es')
  })

  test('the local part stays as it is, and must be one', () => {
    assert.equal(didYouMean('Ann.Lee+news@gmial.com', 'disposable', isFree), 'Ann.Lee+news@gmail.com')
    for (const given of ['gmial.com', '@gmial.com', 'ann lee@gmail,com', 'ann@', '', 'a@b@gmail,com']) {
      assert.equal(didYouMean(given, 'invalid_syntax', isFree), undefined, given)
    }
  })

  test('a text of any length is read quickly', () => {
    assert.equal(didYouMean(`ann@${'gmail.'.repeat(50_000)}`, 'invalid_syntax', isFree), undefined)
  })
})
