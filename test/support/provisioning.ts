// The script of a platform that opens an account for a customer, up to the first mail, with one management key.

import assert from 'node:assert/strict'
import type { Answer } from './app.ts'
import type { DnsHost } from './dns-host.ts'

/** Domain that the script adds, and the ID of the customer in the system of the platform. */
export const PROVISIONED = { domain: 'books.example', external_id: 'customer-7' } as const

/** Services and keys that the script uses. */
export interface Platform {
  readonly dns: DnsHost
  /** Secret of a management key of the operating account. */
  readonly key: string
  /** URL that receives the webhook. */
  readonly hook: string
  /** Sends a request under an idempotency key, if one is given. */
  call(key: string, method: string, path: string, body?: object, once?: string): Promise<Answer>
}

type Body = Answer['body']
/** Bodies of the responses so far, by step. */
export type Provisioned = Map<string, Body>

/** A step: its name, its expected status, and its request. */
type Step = readonly [name: string, status: number, run: (platform: Platform, of: Known) => Promise<Answer>]
type Known = (step: string) => Body

/** The steps of the script in order. */
export const STEPS: readonly Step[] = [
  [
    'account',
    201,
    ({ call, key }) =>
      call(key, 'POST', '/v1/accounts', { name: 'Books', external_id: PROVISIONED.external_id }, 'account'),
  ],
  [
    'management key',
    201,
    ({ call, key }, of) => {
      const wanted = { name: 'Provisioning', scopes: ['domains:*', 'keys:*', 'webhooks:*'] }
      return call(key, 'POST', `/v1/accounts/${of('account').account_id}/keys`, wanted, 'management key')
    },
  ],
  [
    'domain',
    201,
    async ({ call, dns }, of) => {
      const { domain } = PROVISIONED
      const added = await call(of('management key').key, 'POST', '/v1/domains', { domain }, 'domain')
      dns.publish(added.body.records)
      return added
    },
  ],
  [
    'verification',
    200,
    ({ call }, of) =>
      call(of('management key').key, 'POST', `/v1/domains/${PROVISIONED.domain}/verify?wait=60s`),
  ],
  [
    'sending key',
    201,
    ({ call }, of) => {
      const scopes = ['messages:send', 'messages:read']
      const wanted = { kind: 'sending', name: 'Books', domains: [PROVISIONED.domain], scopes }
      return call(of('management key').key, 'POST', '/v1/keys', wanted, 'sending key')
    },
  ],
  [
    'webhook',
    201,
    ({ call, hook }, of) => {
      const wanted = { url: hook, event_types: ['delivered'] }
      return call(of('management key').key, 'POST', '/v1/webhooks', wanted, 'webhook')
    },
  ],
  [
    'message',
    202,
    ({ call }, of) => {
      const message = { from: `hello@${PROVISIONED.domain}`, subject: 'Hello', text: 'Hello, Ann.' }
      const to = [{ email: 'ann@receiver.example' }]
      return call(of('sending key').key, 'POST', '/v1/messages', { ...message, to }, 'message')
    },
  ],
]

/** Runs the first steps of the script; returns the bodies of the responses. */
export async function provision(platform: Platform, steps = STEPS.length): Promise<Provisioned> {
  const known: Provisioned = new Map()
  const of: Known = (step) => known.get(step) ?? assert.fail(`the step ${step} has not run`)
  for (const [name, expected, run] of STEPS.slice(0, steps)) {
    const { status, body } = await run(platform, of)
    assert.equal(status, expected, `${name}: ${JSON.stringify(body)}`)
    known.set(name, body)
  }
  return known
}
