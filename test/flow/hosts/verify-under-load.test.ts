// Thousands of concurrent verifications: every credit is used once, and mail hosts get no more connections than the
// settings allow.

// thorough: takes 2 CPU seconds for thousands of concurrent verifications

import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { listAccounts } from '../../../src/store/access/accounts.ts'
import {
  grantCredits,
  listCreditGrants,
  listCreditUses,
} from '../../../src/store/verification/verification-credits.ts'
import { TestApp } from '../../support/app.ts'
import type { DnsZone } from '../../support/dns-host.ts'
import { KEPT_BY_VERIFICATIONS_MS } from '../../support/limits.ts'
import { connectTo } from '../../support/raw-http.ts'
import { sleep } from '../../support/test-clock.ts'
import { callAsVerifier, onlyMailboxes } from '../../support/verification.ts'

const DOMAINS = 40
const PER_MX = 4

const SHARED = '127.0.2.1'
const OWN = Array.from({ length: DOMAINS / 2 }, (_, index) => `127.0.3.${2 * index + 1}`)
/** Zone with twenty domains whose mail hosts have separate addresses, and twenty domains that share one mail host. */
const zone: DnsZone = {
  'shared-host.example': { A: [SHARED] },
  ...Object.fromEntries(
    Array.from({ length: DOMAINS }, (_, index) =>
      index % 2 === 0
        ? [[`d${index}.example`, { MX: ['10 shared-host.example'] }]]
        : [
            [`d${index}.example`, { MX: [`10 mx${index}.example`] }],
            [`mx${index}.example`, { A: [`127.0.3.${index}`] }],
          ],
    ).flat(),
  ),
}

describe('5,000 requests at once', () => {
  let app: TestApp
  before(async () => {
    app = await TestApp.start({
      host: { address: '0.0.0.0' },
      zone,
      env: {
        POSTRIDER_VERIFICATION_RATE: '1000000/s',
        POSTRIDER_VERIFY_MX_CONNECTIONS: String(PER_MX),
        POSTRIDER_VERIFY_DESTINATION_RATE: '100000/s',
        POSTRIDER_VERIFY_TIMEOUT_MS: String(KEPT_BY_VERIFICATIONS_MS),
      },
    })
  })
  after(() => app.stop())

  /** Sends requests on one connection, each after the response to the previous request. */
  async function askAll(paths: readonly string[], from: string): Promise<{ status: number; left: number }[]> {
    const socket = connectTo(app.app.url, from)
    const fields = `Host: localhost\r\nAuthorization: Bearer ${app.playground.verification_key}\r\n`
    const answers: { status: number; left: number }[] = []
    for (const path of paths) {
      socket.write(`GET ${path} HTTP/1.1\r\n${fields}\r\n`)
      const answer = await answerOf(socket)
      answers.push({
        status: Number(answer.slice(9, 12)),
        left: Number(/^x-verification-credits-remaining: (\d+)/im.exec(answer)?.[1]),
      })
    }
    socket.destroy()
    return answers
  }

  /** Reads one response with its body from a connection that stays open. */
  async function answerOf(socket: Socket): Promise<string> {
    let answer = ''
    for (;;) {
      const [chunk] = (await once(socket, 'data')) as [Buffer]
      answer += chunk.toString('latin1')
      const end = answer.indexOf('\r\n\r\n')
      const length = /^content-length: (\d+)/im.exec(answer)?.[1]
      if (end >= 0 && answer.length >= end + 4 + Number(length ?? 0)) return answer
    }
  }

  /** Returns the number of open connections to one address that have not sent QUIT. */
  const openAt = (address: string): number =>
    app.host.connections.filter(
      ({ localAddress, closed, commands }) =>
        localAddress === address && !closed && commands.at(-1) !== 'QUIT',
    ).length

  async function inFlight(): Promise<number> {
    const { body } = await app.call('GET', '/metrics')
    return Number(/^postrider_verifications_in_flight (\d+)/m.exec(body)?.[1])
  }

  test('take exactly one credit each, never more than there are, and spare the hosts', async () => {
    const exists = onlyMailboxes('a', 'b', 'c')
    const { promise: allThere, resolve: goOn } = Promise.withResolvers<void>()
    /** Maximum number of concurrent connections by address of the mail host. */
    const most = new Map<string, number>()
    app.host.script = async (command) => {
      if (command.verb === 'CONNECT') {
        const { localAddress } = command.connection
        most.set(localAddress, Math.max(most.get(localAddress) ?? 0, openAt(localAddress)))
      }
      if (command.verb === 'RCPT') await allThere
      return exists(command)
    }
    // There are 4,500 credits for 5,000 requests, of which 400 are refused as invalid.
    const { id: accountId } = (await listAccounts(app.store.read))[0] as { id: string }
    await app.store.write(grantCredits, { accountId, credits: -5_500, note: 'taken back', now: 0 })
    const paths = Array.from({ length: 5_000 }, (_, index) => {
      if (index % 25 === 0) return '/v1/verifyEmail'
      if (index % 25 === 1) return `/v1/verifyEmailDetailed?email=nonsense${index}`
      const local = ['a', 'b', 'c', 'd', `x${index % 100}`][index % 5]
      return `/v1/verifyEmailDetailed?email=${local}@d${index % DOMAINS}.example`
    })
    const asked = Promise.all(
      Array.from({ length: 2_500 }, (_, index) =>
        // The requests come from four addresses, because the number of connections from one network is limited.
        askAll(paths.slice(2 * index, 2 * index + 2), `127.0.0.${1 + (index % 4)}`),
      ),
    )
    // The mail host replies to RCPT only when most connections are open; a verification waits for a reply for at most
    // 15 s.
    const end = Date.now() + 12_000
    let mostInFlight = 0
    while (mostInFlight < 2_300 && Date.now() < end) {
      // The metrics of a process with thousands of sockets are expensive, so the test reads them with pauses.
      await sleep(250, 'the pause between two expensive reads of the metrics')
      mostInFlight = Math.max(mostInFlight, await inFlight())
    }
    goOn()
    assert.ok(mostInFlight >= 2_000, String(mostInFlight))
    const answers = (await asked).flat()
    const count = (status: number): number => answers.filter((answer) => answer.status === status).length
    assert.deepEqual([count(200), count(403), count(422)], [4_500, 300, 200])
    const left = answers.filter(({ status }) => status === 200).map((answer) => answer.left)
    assert.deepEqual(
      left.toSorted((a, b) => a - b),
      Array.from({ length: 4_500 }, (_, index) => index),
    )
    const account = (await listAccounts(app.store.read))[0]
    assert.equal(account?.verification_credits, 0)
    const granted = (await listCreditGrants(app.store.read, accountId, 10)).reduce(
      (sum, it) => sum + it.credits,
      0,
    )
    const used = (await listCreditUses(app.store.read, accountId, 10)).reduce(
      (sum, it) => sum + it.credits,
      0,
    )
    assert.deepEqual([granted, used], [4_500, 4_500])
    // Some domains have only one tested address, which gets one probe or, on a slow machine, no probe.
    assert.deepEqual(
      [...most.keys()].filter((address) => address !== SHARED && !OWN.includes(address)),
      [],
    )
    assert.ok(most.size > OWN.length / 2, String(most.size))
    for (const [address, count] of most) {
      // A domain with a separate mail host gets two concurrent probes.
      assert.ok(count <= (address === SHARED ? PER_MX : 2), `${address}: ${count}`)
    }
    assert.equal(most.get(SHARED), PER_MX)
  })

  test('are all refused after that until there are credits', async () => {
    const path = '/v1/verifyEmail?email=a@d0.example'
    const refused = await callAsVerifier(app, 'GET', path)
    assert.deepEqual([refused.status, refused.body.code], [403, 'verification_credits_exhausted'])
    const { id: accountId } = (await listAccounts(app.store.read))[0] as { id: string }
    await app.store.write(grantCredits, { accountId, credits: 1, note: null, now: 0 })
    assert.equal((await callAsVerifier(app, 'GET', path)).status, 200)
    assert.equal((await callAsVerifier(app, 'GET', path)).status, 403)
  })
})
