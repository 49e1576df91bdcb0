import assert from 'node:assert/strict'
import { hash, X509Certificate } from 'node:crypto'
import { before, describe, test } from 'node:test'
import { certificateFor, testAuthority } from '../../test/support/authority.ts'
import type { TlsaRecord } from '../model/tlsa.ts'
import { daneDemand, matchesChain, usableTlsa } from './dane.ts'

const spki = (certificate: X509Certificate): Buffer =>
  certificate.publicKey.export({ type: 'spki', format: 'der' })

function record(usage: number, selector: number, matchingType: number, of: X509Certificate): TlsaRecord {
  const selected = selector === 0 ? of.raw : spki(of)
  const algorithm = [undefined, 'sha256', 'sha512'][matchingType]
  const data = algorithm === undefined ? Buffer.from(selected) : hash(algorithm, selected, 'buffer')
  return { usage, selector, matchingType, data }
}

describe('records', () => {
  const data = Buffer.alloc(32)
  const TABLE: [record: TlsaRecord, usable: boolean][] = [
    [{ usage: 3, selector: 1, matchingType: 1, data }, true],
    [{ usage: 2, selector: 0, matchingType: 1, data }, true],
    [{ usage: 3, selector: 0, matchingType: 2, data: Buffer.alloc(64) }, true],
    [{ usage: 3, selector: 0, matchingType: 0, data: Buffer.alloc(1) }, true],
    [{ usage: 0, selector: 1, matchingType: 1, data }, false],
    [{ usage: 1, selector: 1, matchingType: 1, data }, false],
    [{ usage: 4, selector: 1, matchingType: 1, data }, false],
    [{ usage: 3, selector: 2, matchingType: 1, data }, false],
    [{ usage: 3, selector: 1, matchingType: 3, data }, false],
    [{ usage: 3, selector: 1, matchingType: 2, data }, false],
    [{ usage: 3, selector: 1, matchingType: 1, data: Buffer.alloc(31) }, false],
    [{ usage: 3, selector: 1, matchingType: 0, data: Buffer.alloc(0) }, false],
  ]
  for (const [one, usable] of TABLE) {
    const { usage, selector, matchingType, data: bytes } = one
    test(`${usage} ${selector} ${matchingType} of ${bytes.length} bytes: ${usable ? '' : 'un'}usable`, () => {
      assert.equal(usableTlsa([one]).length, usable ? 1 : 0)
    })
  }
})

describe('a chain', () => {
  let own: X509Certificate
  let expired: X509Certificate
  let authority: X509Certificate
  let stranger: X509Certificate
  before(async () => {
    own = new X509Certificate((await certificateFor(['mx.example.com'])).cert)
    expired = new X509Certificate((await certificateFor(['mx.example.com'], { expired: true })).cert)
    stranger = new X509Certificate((await certificateFor(['stranger.test'])).cert)
    authority = new X509Certificate((await testAuthority()).cert)
  })

  const matches = (
    chain: readonly X509Certificate[],
    records: readonly TlsaRecord[],
    hostName = 'mx.example.com',
    destination = 'example.org',
  ) => matchesChain(chain, daneDemand(records, hostName, destination))

  test('of an authority names the host, or the domain that the mail is for (RFC 7672 §3.2.2)', () => {
    const records = [record(2, 0, 1, authority)]
    assert.equal(matches([own, authority], records, 'mx.other.example', 'mx.example.com'), true)
    assert.equal(matches([own, authority], records, 'mx.other.example'), false)
  })

  for (const selector of [0, 1]) {
    for (const matchingType of [0, 1, 2]) {
      test(`is matched by 3 ${selector} ${matchingType}, and only its own certificate`, () => {
        assert.equal(matches([own, authority], [record(3, selector, matchingType, own)]), true)
        assert.equal(matches([own, authority], [record(3, selector, matchingType, stranger)]), false)
        assert.equal(matches([own, authority], [record(3, selector, matchingType, authority)]), false)
      })
      test(`is matched by 2 ${selector} ${matchingType} of an authority in it`, () => {
        assert.equal(matches([own, authority], [record(2, selector, matchingType, authority)]), true)
        assert.equal(matches([own, authority], [record(2, selector, matchingType, stranger)]), false)
        assert.equal(matches([own, authority], [record(2, selector, matchingType, own)]), false)
      })
    }
  }

  test('needs only one of the records', () => {
    assert.equal(matches([own], [record(3, 1, 1, stranger), record(3, 1, 1, own)]), true)
  })

  test('needs no valid name or date if the record names its own certificate', () => {
    assert.equal(matches([expired], [record(3, 1, 1, expired)], 'other.test'), true)
  })

  test('needs both if the record names an authority', () => {
    const records = [record(2, 0, 1, authority)]
    assert.equal(matches([own, authority], records, 'other.test'), false)
    assert.equal(matches([expired, authority], records), false)
  })

  test('need not hold an authority whose record is the whole certificate', () => {
    assert.equal(matches([own], [record(2, 0, 0, authority)]), true)
    // One of the two certificates in the records has signed the other.
    const rollOver = [record(2, 0, 0, stranger), record(2, 0, 0, authority)]
    assert.equal(matches([own], rollOver), true)
    assert.equal(matches([own], rollOver.toReversed()), true)
    assert.equal(matches([own], [record(2, 0, 1, authority)]), false)
    assert.equal(matches([stranger], [record(2, 0, 0, authority)]), false)
  })

  test('is matched by one record even if another record holds no certificate', () => {
    const broken: TlsaRecord = { usage: 2, selector: 0, matchingType: 0, data: Buffer.from('no certificate') }
    assert.equal(matches([own, authority], [broken, record(2, 0, 1, authority)]), true)
    assert.equal(matches([own], [broken, record(2, 0, 0, authority)]), true)
    assert.equal(matches([own, authority], [broken]), false)
  })

  test('is not accepted if it contains an authority that did not sign', async () => {
    const other = new X509Certificate((await certificateFor(['mx.example.com'])).cert)
    assert.equal(matches([own, other], [record(2, 0, 1, other)]), false)
    assert.equal(matches([], [record(3, 1, 1, own)]), false)
  })
})
