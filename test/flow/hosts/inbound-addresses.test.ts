// The inbound port accepts mail only for the return paths of the installation and for the operator.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newId } from '../../../src/lib/ids.ts'
import { returnPath } from '../../../src/model/return-path.ts'
import type { TestApp } from '../../support/app.ts'
import { handOver, knock, RETURN_PATH_HOST, startInbound } from '../../support/inbound.ts'
import { createTenant } from '../../support/tenant.ts'

let app: TestApp

before(async () => {
  app = await startInbound()
})
after(() => app.stop())

async function answerTo(address: string): Promise<string> {
  const client = await knock(app)
  await client.ask('MAIL FROM:<>')
  const reply = await client.ask(`RCPT TO:<${address}>`)
  client.vanish()
  return reply
}

const NOBODY = '550 5.1.1 There is no such address here'

test('a token with any change is refused like any other unknown address', async () => {
  const { returnPath: path } = await handOver(app)
  const [local, domain] = path.split('@') as [string, string]
  assert.match(await answerTo(path), /^250 /)
  for (const at of [8, 20, 33, 35, 36, 40, 51]) {
    const changed = local[at] === '2' ? '3' : '2'
    assert.equal(await answerTo(`${local.slice(0, at)}${changed}${local.slice(at + 1)}@${domain}`), NOBODY)
  }
  const made = returnPath('a secret that is not ours', newId('msg'), 0, 'example.test')
  for (const address of [
    made,
    `${local}x@${domain}`,
    `${local.slice(0, -1)}@${domain}`,
    `bounces@${domain}`,
    `bounces+@${domain}`,
    `you@${domain}`,
    'hello@example.test',
    `hello@${RETURN_PATH_HOST}`,
    `abuse@${domain}`,
    'postmaster@example.test',
  ]) {
    assert.equal(await answerTo(address), NOBODY, address)
  }
})

test('a genuine token is accepted at its own domain and at the return-path host only', async () => {
  const { returnPath: path } = await handOver(app)
  const local = path.slice(0, path.indexOf('@'))
  const other = await createTenant(app.store, { domain: 'other.test' })
  assert.match(await answerTo(`${local}@${RETURN_PATH_HOST}`), /^250 /)
  for (const domain of [
    other.domain.name,
    `bounces.${other.domain.name}`,
    'example.test',
    'bounces.elsewhere.test',
  ]) {
    assert.equal(await answerTo(`${local}@${domain}`), NOBODY, domain)
  }
})

test("the operator's addresses are accepted, in any case, and so is RFC 5321’s postmaster", async () => {
  for (const address of [
    `abuse@${RETURN_PATH_HOST}`,
    `PostMaster@${RETURN_PATH_HOST}`,
    'postmaster',
    'POSTMASTER',
  ]) {
    assert.match(await answerTo(address), /^250 /, address)
  }
})

test('invalid addresses and unsupported commands are refused as such', async () => {
  const client = await knock(app)
  assert.match(await client.ask('RCPT TO:<postmaster>'), /^503 /)
  assert.match(await client.ask('AUTH PLAIN AGEAYg=='), /^500 5\.5\.1 /)
  assert.match(await client.ask('MAIL FROM:<> SIZE=100000000'), /^552 5\.3\.4 /)
  assert.match(await client.ask('MAIL FROM:<> RET=HDRS'), /^555 5\.5\.4 /)
  assert.match(await client.ask('MAIL FROM:<a@b.example>'), /^250 /)
  assert.match(await client.ask('MAIL FROM:<>'), /^503 /)
  assert.match(await client.ask('RCPT TO:<not an address>'), /^553 5\.1\.3 /)
  assert.match(await client.ask('RCPT TO:<postmaster> NOTIFY=NEVER'), /^555 /)
  assert.match(await client.ask('DATA'), /^503 /)
  assert.match(await client.ask('VRFY postmaster'), /^252 /)
  client.vanish()
})

test('a client that guesses is disconnected, and soon refused', async () => {
  const began = Date.now()
  let refused = 0
  let last = ''
  for (let connection = 0; connection < 10 && !last.startsWith('421 4.7.0 Too many unknown'); connection++) {
    const client = await knock(app)
    await client.ask('MAIL FROM:<>')
    for (let guess = 0; guess < 40; guess++) {
      last = await client.ask(`RCPT TO:<guess${guess}@${RETURN_PATH_HOST}>`)
      if (!last.startsWith('550')) break
      refused++
    }
    assert.match(last, /^421 4\.7\.0 /)
    client.vanish()
  }
  assert.match(last, /^421 4\.7\.0 Too many unknown recipients/)
  // The limit allows one more guess per second.
  assert.ok(refused <= 60 + Math.ceil((Date.now() - began) / 1_000), `${refused} guesses`)
})
