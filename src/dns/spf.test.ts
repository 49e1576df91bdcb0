// SPF: a pass is one by the RFC, as another implementation sees it; what is not evaluated here passes nobody.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { spf } from 'mailauth/lib/spf/index.js'
import type { DnsAnswer, Resolver } from './resolver.ts'
import { checkSpf, type SpfResult } from './spf.ts'

/** Records by `TYPE name`; an error code in place of an answer. */
type Zone = Readonly<Record<string, readonly string[] | string>>

function resolverOf(zone: Zone): Pick<Resolver, 'a' | 'aaaa' | 'mx' | 'txt'> {
  const ask = async (key: string): Promise<DnsAnswer<readonly string[]>> => {
    const records = zone[key]
    if (typeof records === 'string') return { kind: 'failure', code: records }
    return records === undefined ? { kind: 'nxdomain' } : { kind: 'found', records }
  }
  return {
    a: (name) => ask(`A ${name}`),
    aaaa: (name) => ask(`AAAA ${name}`),
    txt: (name) => ask(`TXT ${name}`),
    async mx(name) {
      const answer = await ask(`MX ${name}`)
      if (answer.kind !== 'found') return answer
      return { kind: 'found', records: answer.records.map((exchange) => ({ exchange, preference: 10 })) }
    },
  }
}

/** The result of the other implementation, by the letter of the RFC. */
async function oracle(zone: Zone, domain: string, ip: string): Promise<string> {
  const resolver = async (name: string, type: string): Promise<string[]> => {
    const records = zone[`${type} ${name}`]
    if (typeof records === 'string') throw Object.assign(new Error(records), { code: records })
    if (records === undefined) throw Object.assign(new Error('none'), { code: 'ENOTFOUND' })
    const of = (one: string): unknown =>
      type === 'TXT' ? [one] : type === 'MX' ? { exchange: one, priority: 10 } : one
    // Its types know texts alone.
    return records.map(of) as string[]
  }
  const { status } = await spf({ ip, sender: `a@${domain}`, helo: 'x.example', strict: true, resolver })
  return status.result
}

const ZONE: Zone = {
  'TXT a.example': ['v=spf1 a mx/24 -all', 'another text'],
  'A a.example': ['192.0.2.1'],
  'MX a.example': ['mx.a.example'],
  'A mx.a.example': ['198.51.100.7'],
  'AAAA mx.a.example': ['2001:db8::7'],
  'TXT nets.example': ['v=spf1 ip4:203.0.113.0/24 ip6:2001:db8:1::/48 ?all'],
  'TXT include.example': ['v=spf1 include:nets.example ~all'],
  'TXT redirect.example': ['v=spf1 redirect=nets.example'],
  'TXT two.example': ['v=spf1 +all', 'v=spf1 -all'],
  'TXT macro.example': ['v=spf1 exists:%{i}.spf.example +all'],
  'TXT ptr.example': ['v=spf1 ptr +all'],
  'TXT wrong.example': ['v=spf1 ip4:203.0.113.0/33 +all'],
  'TXT unknown-term.example': ['v=spf1 ipv4:203.0.113.1 +all'],
  'TXT loop.example': ['v=spf1 include:loop.example +all'],
  'TXT void.example': ['v=spf1 a:n1.example a:n2.example a:n3.example +all'],
  'TXT nothing-included.example': ['v=spf1 include:none.example +all'],
  'TXT fails.example': 'ESERVFAIL',
  'TXT host-fails.example': ['v=spf1 a:fails.example +all'],
  'A fails.example': 'ETIMEOUT',
  'TXT wide.example': ['v=spf1 a:a.example/16 mx:a.example//32 -all'],
}

const CASES: readonly (readonly [domain: string, address: string, expected: SpfResult])[] = [
  ['a.example', '192.0.2.1', 'pass'],
  ['a.example', '::ffff:192.0.2.1', 'pass'],
  ['a.example', '192.0.2.2', 'other'],
  ['a.example', '198.51.100.99', 'pass'],
  ['a.example', '2001:db8::7', 'pass'],
  ['a.example', '2001:db8::8', 'other'],
  ['nets.example', '203.0.113.200', 'pass'],
  ['nets.example', '203.0.114.1', 'other'],
  ['nets.example', '2001:db8:1:2::3', 'pass'],
  ['include.example', '203.0.113.1', 'pass'],
  ['include.example', '203.0.114.1', 'other'],
  ['redirect.example', '203.0.113.1', 'pass'],
  ['redirect.example', '192.0.2.1', 'other'],
  ['wide.example', '192.0.99.1', 'pass'],
  ['wide.example', '2001:db8:ffff::1', 'pass'],
  ['two.example', '192.0.2.1', 'unknown'],
  ['macro.example', '192.0.2.1', 'unknown'],
  ['ptr.example', '192.0.2.1', 'unknown'],
  ['wrong.example', '192.0.2.1', 'unknown'],
  ['unknown-term.example', '203.0.113.1', 'unknown'],
  ['loop.example', '192.0.2.1', 'unknown'],
  ['void.example', '192.0.2.1', 'unknown'],
  ['nothing-included.example', '192.0.2.1', 'unknown'],
  ['fails.example', '192.0.2.1', 'unknown'],
  ['host-fails.example', '192.0.2.1', 'unknown'],
  ['none.example', '192.0.2.1', 'unknown'],
]

describe('SPF', () => {
  for (const [domain, address, expected] of CASES) {
    test(`${address} of ${domain}: ${expected}`, async () => {
      assert.equal(await checkSpf(resolverOf(ZONE), domain, address), expected)
      if (expected !== 'unknown') {
        assert.equal((await oracle(ZONE, domain, address)) === 'pass', expected === 'pass')
      }
    })
  }

  test('no record passes a host that another implementation does not', async () => {
    const names = ['d0.example', 'd1.example', 'd2.example']
    const name = fc.constantFrom(...names)
    const bits = fc.constantFrom('', '/8', '/24', '/32', '/33', '//64', '/24//64')
    const address = fc.constantFrom('192.0.2.1', '198.51.100.1', '2001:db8::1')
    const odd = fc.constantFrom('ptr', 'ip4:x', 'exists:d1.example', 'a:%{d}', 'exp=d1.example', 'b', '')
    const valued = fc.tuple(
      fc.constantFrom('a', 'mx', 'ip4', 'ip6', 'include'),
      fc.oneof(name, address),
      bits,
    )
    const mechanism = fc.oneof(
      { weight: 1, arbitrary: odd },
      { weight: 4, arbitrary: fc.constantFrom('all', 'a', 'mx', 'a:d1.example/24', 'ip4:192.0.2.0/24') },
      { weight: 4, arbitrary: name.map((one) => `include:${one}`) },
      { weight: 2, arbitrary: name.map((one) => `redirect=${one}`) },
      { weight: 2, arbitrary: valued.map(([kind, value, length]) => `${kind}:${value}${length}`) },
    )
    const term = fc
      .tuple(fc.constantFrom('', '', '+', '-', '~', '?'), mechanism)
      .map(([qualifier, rest]) => (rest.includes('=') ? rest : qualifier + rest))
    const record = fc
      .array(term, { maxLength: 4 })
      .map((terms) => (terms.length === 0 ? 'v=spf1' : `v=spf1 ${terms.join(' ')}`))
    const zone = fc.tuple(record, record, record).map((records): Zone => {
      const texts = names.map((one, at) => [`TXT ${one}`, [records[at] as string]])
      return {
        ...Object.fromEntries(texts),
        ...{ 'A d0.example': ['192.0.2.1'], 'A d1.example': ['198.51.100.200'] },
        ...{ 'AAAA d1.example': ['2001:db8::1'], 'MX d2.example': ['d0.example', 'd1.example'] },
      }
    })
    let passes = 0
    await fc.assert(
      fc.asyncProperty(zone, address, async (given, ip) => {
        const own = await checkSpf(resolverOf(given), 'd0.example', ip)
        if (own === 'unknown') return
        assert.equal((await oracle(given, 'd0.example', ip)) === 'pass', own === 'pass')
        if (own === 'pass') passes++
      }),
      { numRuns: 2_000 },
    )
    assert.ok(passes > 50, String(passes))
  })
})
