// Tests of the verification of webhook requests, with the library of Standard Webhooks as the signer.

import assert from 'node:assert/strict'
import { generateKeyPairSync, sign } from 'node:crypto'
import { describe, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { WebhookVerificationError, webhooks } from './index.ts'

const SECRET = `whsec_${Buffer.from('a secret of the tests, 32 bytes.').toString('base64')}`
const NOW = Date.parse('2026-01-31T12:00:00Z')
const BODY = JSON.stringify({
  type: 'delivered',
  timestamp: '2026-01-31T12:00:00.000Z',
  data: { id: 'evt_1' },
})

const headersFor = (body: string, secret = SECRET, at = NOW): Record<string, string> => ({
  'webhook-id': 'evt_1',
  'webhook-timestamp': String(at / 1_000),
  'webhook-signature': new Webhook(secret).sign('evt_1', new Date(at), body),
})
const rejected = (promise: Promise<unknown>, message: RegExp): Promise<void> =>
  assert.rejects(promise, (error) => error instanceof WebhookVerificationError && message.test(error.message))

describe('a webhook request', () => {
  const headers = headersFor(BODY)

  test('is genuine as text or bytes, with headers of fetch and of Node', async () => {
    const bytes = new TextEncoder().encode(BODY)
    const upper = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.toUpperCase(), [value]]),
    )
    for (const body of [BODY, bytes, bytes.buffer, Buffer.from(BODY)]) {
      for (const given of [headers, new Headers(headers), upper]) {
        assert.deepEqual(await webhooks.verify(body, given, SECRET, { now: NOW }), JSON.parse(BODY))
      }
    }
  })

  test('is refused if a single byte of the body, the ID or the time was changed', async () => {
    const bytes = new TextEncoder().encode(BODY)
    for (const [index, byte] of bytes.entries()) {
      const changed = bytes.with(index, byte ^ 1)
      await rejected(webhooks.verify(changed, headers, SECRET, { now: NOW }), /^No signature/)
    }
    for (const shorter of [bytes.subarray(1), bytes.subarray(0, -1), new Uint8Array()]) {
      await rejected(webhooks.verify(shorter, headers, SECRET, { now: NOW }), /^No signature/)
    }
    await rejected(
      webhooks.verify(BODY, { ...headers, 'webhook-id': 'evt_2' }, SECRET, { now: NOW }),
      /^No signature/,
    )
    const later = { ...headers, 'webhook-timestamp': String(NOW / 1_000 + 1) }
    await rejected(webhooks.verify(BODY, later, SECRET, { now: NOW }), /^No signature/)
  })

  test('is refused by a clock an hour off, and the error tells the difference', async () => {
    await rejected(
      webhooks.verify(BODY, headers, SECRET, { now: NOW + 3_600_000 }),
      /is 3600 s old by the clock of this/,
    )
    await rejected(webhooks.verify(BODY, headers, SECRET, { now: NOW - 3_600_000 }), /is -3600 s old/)
    await webhooks.verify(BODY, headers, SECRET, { now: NOW + 3_600_000, toleranceSeconds: 3_600 })
    await rejected(webhooks.verify(BODY, headers, SECRET), /s old/)
  })

  test('is refused without a usable header', async () => {
    for (const name of Object.keys(headers)) {
      const { [name]: _, ...others } = headers
      await rejected(
        webhooks.verify(BODY, others, SECRET, { now: NOW }),
        new RegExp(`^The header ${name} is missing`),
      )
    }
    for (const time of ['x', '-1', '1e3', '99999999999999', ' 1']) {
      await rejected(
        webhooks.verify(BODY, { ...headers, 'webhook-timestamp': time }, SECRET, { now: NOW }),
        /time/,
      )
    }
    for (const value of [
      'v1',
      'v1,',
      'v1,%%%',
      'v2,abcd',
      headers['webhook-signature']?.slice(3) as string,
    ]) {
      const given = { ...headers, 'webhook-signature': value }
      await rejected(webhooks.verify(BODY, given, SECRET, { now: NOW }), /^No signature/)
    }
  })

  test('may have signatures of an old secret and of a key pair', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519')
    const raw = publicKey.export({ type: 'spki', format: 'der' }).subarray(-32)
    const signed = sign(null, Buffer.from(`evt_1.${NOW / 1_000}.${BODY}`), privateKey).toString('base64')
    const other = headersFor(BODY, `whsec_${Buffer.from('another secret').toString('base64')}`)
    const all = {
      ...headers,
      'webhook-signature': `${other['webhook-signature']} v1a,${signed} ${headers['webhook-signature']}`,
    }
    await webhooks.verify(BODY, all, SECRET, { now: NOW })
    await webhooks.verify(BODY, all, `whpk_${raw.toString('base64')}`, { now: NOW })
    await rejected(
      webhooks.verify(BODY, headers, `whpk_${raw.toString('base64')}`, { now: NOW }),
      /^No signature/,
    )
  })

  test('needs a secret and a body that was not parsed', async () => {
    for (const secret of ['', 'secret', 'whsec_', 'whsec_%']) {
      await assert.rejects(webhooks.verify(BODY, headers, secret, { now: NOW }), TypeError)
    }
    await assert.rejects(webhooks.verify(JSON.parse(BODY), headers, SECRET, { now: NOW }), TypeError)
  })
})
