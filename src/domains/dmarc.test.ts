// DMARC: validity of records, and the DNS tree walk that finds the inherited record.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { inheritedDmarc, isValidDmarc, namesAbove } from './dmarc.ts'

describe('a DMARC record', () => {
  for (const [value, valid] of [
    ['v=DMARC1; p=none', true],
    ['v=DMARC1;p=reject;rua=mailto:d@example.com', true],
    ['v=DMARC1', true],
    ['v=DMARC1; rua=mailto:d@example.com', true],
    ['v=DMARC1; p=QUARANTINE; np=reject; t=y; psd=n', true],
    ['v=DMARC1; p=reject; pct=50; rf=afrf; ri=86400; x=y', true],
    ['v = DMARC1 ; p = none ;', true],
    ['v=DMARC1; p=maybe; rua=mailto:d@example.com', true],
    ['v=DMARC1; p=maybe', false],
    ['v=DMARC1; p=', false],
    ['v=DMARC1; p=none; sp=perhaps', false],
    ['v=DMARC1; p=maybe; rua=d@example.com', false],
    ['v=dmarc1; p=none', false],
    ['p=none; v=DMARC1', false],
    ['v=DMARC12; p=none', false],
    ['v=spf1 -all', false],
  ] as const) {
    test(`${value}: ${valid ? 'valid' : 'not valid'}`, () => assert.equal(isValidDmarc(value), valid))
  }
})

describe('the inherited record', () => {
  const walk = async (domain: string, records: Readonly<Record<string, readonly string[] | undefined>>) => {
    const asked: string[] = []
    const found = await inheritedDmarc(async (name) => {
      asked.push(name.replace('_dmarc.', ''))
      return name in records ? records[name] : []
    }, domain)
    return { found, asked }
  }
  const A = 'v=DMARC1; p=none'
  const B = 'v=DMARC1; p=reject'

  test('is the highest one without psd', async () => {
    const { found, asked } = await walk('a.b.example.com', {
      '_dmarc.b.example.com': [A],
      '_dmarc.example.com': [B],
    })
    assert.deepEqual([found, asked], [B, ['b.example.com', 'example.com', 'com']])
  })

  test('is the one with psd=n, and names above are not queried', async () => {
    const own = `${A}; psd=n`
    const { found, asked } = await walk('a.b.example.com', {
      '_dmarc.b.example.com': [own],
      '_dmarc.example.com': [B],
    })
    assert.deepEqual([found, asked], [own, ['b.example.com']])
  })

  test('is the one below psd=y, or that one where there is none', async () => {
    const suffix = `${B}; psd=y`
    const below = { '_dmarc.shop.suffix.example': [A], '_dmarc.suffix.example': [suffix] }
    assert.equal((await walk('mail.shop.suffix.example', below)).found, A)
    assert.equal((await walk('shop.suffix.example', { '_dmarc.suffix.example': [suffix] })).found, suffix)
    const further = { '_dmarc.mail.shop.suffix.example': [A], '_dmarc.suffix.example': [suffix] }
    assert.equal((await walk('a.mail.shop.suffix.example', further)).found, suffix)
  })

  test('does not come from several records, invalid ones or other texts', async () => {
    for (const values of [[A, B], ['v=DMARC1; p=maybe'], ['v=spf1 -all'], []]) {
      assert.equal((await walk('mail.example.com', { '_dmarc.example.com': values })).found, undefined)
    }
    assert.equal((await walk('mail.example.com', { '_dmarc.example.com': ['v=spf1 -all', A] })).found, A)
  })

  test('is unknown if the DNS does not answer', async () => {
    assert.equal((await walk('mail.example.com', { '_dmarc.example.com': undefined })).found, 'unanswered')
  })

  test('takes at most seven queries', () => {
    assert.deepEqual(namesAbove('example.com'), ['com'])
    assert.deepEqual(namesAbove('a.b.c.d.e.f.g.h').slice(0, 2), ['b.c.d.e.f.g.h', 'c.d.e.f.g.h'])
    const deep = namesAbove('a.b.c.d.e.f.g.h.i.j.mail.example.com')
    assert.deepEqual([deep.length, deep[0]], [7, 'g.h.i.j.mail.example.com'])
  })
})
