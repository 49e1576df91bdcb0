// Misspelt domains are recognised, and genuine ones left alone: on samples of which a third was held out.

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
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

/** True if the domain of a line is answered with the one beside it. */
function isRight(line: string, result: 'domain_not_found' | 'catch_all'): boolean {
  const [typed, meant] = line.split(' | ')
  return didYouMean(`ann@${typed}`, result, isFree) === (meant === '-' ? undefined : `ann@${meant}`)
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
      assert.ok(taken.length <= lines.length * 0.03, taken.join(', '))
    })
  }

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
