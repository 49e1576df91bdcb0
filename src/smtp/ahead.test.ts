// Sending a message before the host has replied to the previous message: the order of commands and replies, and the
// message to which a failure belongs.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { messageOf, openTo, startHost } from '../../test/support/mail-host/client.ts'
import type { HostAnswer, HostScript } from '../../test/support/mail-host/script.ts'
import { sleep, until } from '../../test/support/test-clock.ts'
import type { SmtpConnection } from './connection.ts'
import { BLOCK } from './message-data.ts'

const to = (name: string) => ({ from: 'us@us.test', recipients: [`${name}@mx.test`] })
const message = messageOf('Subject: x\r\n\r\nHello\r\n')
const prompt = { silence: 5_000 }

/**
 * Returns a script for a host that sends `answer` to the BDAT of the message to `name`, and otherwise its usual
 * replies.
 */
const toMessageOf =
  (name: string, answer: string | HostAnswer | Promise<string>): HostScript =>
  ({ verb, recipients }) =>
    verb === 'BDAT' && recipients[0] === `${name}@mx.test` ? answer : undefined

/** Returns a connection over which the host has already accepted a message. */
async function proven(script?: HostScript) {
  const host = await startHost(script === undefined ? {} : { script })
  const connection = await openTo(host, prompt)
  assert.equal((await connection.send(to('first'), message)).recipients[0]?.reply?.code, 250)
  return { host, connection }
}

const stageAndWhy = async (sent: ReturnType<SmtpConnection['send']>) => {
  const [result] = (await sent).recipients
  const { stage, reply, error } = result?.failure ?? {}
  return stage === undefined ? result?.reply?.code : [stage, reply?.code ?? error?.code]
}

/**
 * Waits until a message may be sent ahead of a reply; a connection in another thread reports this state a moment later.
 */
const untilAhead = (connection: SmtpConnection): Promise<true> =>
  until('a message may be sent ahead', () => connection.canPipelineNext)

test('it is sent before the reply, after RSET, and each message has its own reply and transcript', async () => {
  const held = Promise.withResolvers<string>()
  const { host, connection } = await proven(toMessageOf('a', held.promise))
  const a = connection.send(to('a'), message)
  assert.equal(connection.usable, false)
  await untilAhead(connection)
  const b = connection.send(to('b'), message)
  const c = connection.send(to('c'), message)
  assert.equal(connection.canPipelineNext, false, 'at most three are unanswered')
  while (!host.connections[0]?.chunks.join('').includes('<c@mx.test>')) await new Promise(setImmediate)
  assert.equal(host.mails.length, 1)
  held.resolve('250 2.0.0 Ok: a')
  const texts = (await Promise.all([a, b, c])).map(({ transcript }) => transcript)
  assert.deepEqual(
    host.mails.map(({ recipients }) => recipients[0]),
    ['first@mx.test', 'a@mx.test', 'b@mx.test', 'c@mx.test'],
  )
  assert.match(texts[0] as string, /MAIL FROM.*RCPT TO:<a@mx\.test>.*250 2\.0\.0 Ok: a$/s)
  assert.match(texts[1] as string, /ahead of the reply.*> RSET\n.*RCPT TO:<b@mx\.test>.*250 /s)
  assert.doesNotMatch(texts[0] as string, /b@mx\.test|RSET/)
  assert.equal(connection.usable, true)
  assert.equal(connection.messagesSent, 4)
})

test('only to a host that is far away', async () => {
  const canPipelineNext = async (delayMs: number, aheadFromMs: number) => {
    const script: HostScript = () => sleep(delayMs, 'the host is far away')
    const connection = await openTo(await startHost({ script }), prompt, { aheadFromMs })
    await connection.send(to('first'), message)
    let ahead = false
    connection.whenAhead = () => {
      ahead = connection.canPipelineNext
    }
    await connection.send(to('second'), message)
    return ahead
  }
  assert.equal(await canPipelineNext(60, 50), true)
  assert.equal(await canPipelineNext(0, 60_000), false)
})

test('a refused recipient or message does not affect the others', async () => {
  const script: HostScript = (command) =>
    command.verb === 'RCPT' && command.address === 'b@mx.test'
      ? '550 5.1.1 No such user'
      : toMessageOf('c', '552 5.3.4 Too large')(command)
  const { host, connection } = await proven(script)
  const sent = ['a', 'b', 'c'].map((name) => connection.send(to(name), message))
  assert.deepEqual(await Promise.all(sent.map(stageAndWhy)), [250, ['rcpt', 550], ['end-of-data', 552]])
  assert.equal(await stageAndWhy(connection.send(to('d'), message)), 250)
  assert.deepEqual(
    host.mails.map(({ recipients }) => recipients[0]),
    ['first@mx.test', 'a@mx.test', 'd@mx.test'],
  )
})

test('a 421 to one message also refuses those after it, of which the host accepted nothing', async () => {
  const { host, connection } = await proven(toMessageOf('a', { reply: '421 4.3.2 Closing', after: 'close' }))
  const sent = ['a', 'b'].map((name) => connection.send(to(name), message))
  assert.deepEqual(await Promise.all(sent.map(stageAndWhy)), [
    ['end-of-data', 421],
    ['mail', 421],
  ])
  assert.equal(connection.lostAhead, false)
  assert.equal(host.mails.length, 1)
})

test('a connection that breaks after a reply leaves the next message unknown, which is remembered', async () => {
  const { connection } = await proven(toMessageOf('a', { reply: '250 2.0.0 Ok', after: 'close' }))
  const sent = ['a', 'b'].map((name) => connection.send(to(name), message))
  assert.deepEqual(await Promise.all(sent.map(stageAndWhy)), [250, ['end-of-data', 'closed']])
  assert.equal(connection.lostAhead, true)
})

test('a refused RSET is a breach of the protocol; messages that the host accepts nevertheless are delivered', async () => {
  const refusing: HostScript = ({ verb }) => (verb === 'RSET' ? '500 5.5.1 What?' : undefined)
  const { connection } = await proven(refusing)
  const sent = ['a', 'b'].map((name) => connection.send(to(name), message))
  assert.deepEqual(await Promise.all(sent.map(stageAndWhy)), [250, 250])
  const strict = await proven((command) =>
    command.connection.commands.includes('RSET') && command.verb !== 'QUIT'
      ? '503 5.5.1 Sequence'
      : undefined,
  )
  const lost = ['a', 'b'].map((name) => strict.connection.send(to(name), message))
  assert.deepEqual(await Promise.all(lost.map(stageAndWhy)), [250, ['mail', 'protocol']])
})

test('a large message waits for its turn, and so do those after it', async () => {
  const { host, connection } = await proven()
  const large = messageOf('Subject: x\r\n\r\n', `${'x'.repeat(998)}\r\n`.repeat(BLOCK / 1000 + 1))
  const sent = [
    connection.send(to('a'), message),
    connection.send(to('b'), large),
    connection.send(to('c'), message),
  ]
  assert.equal(connection.canPipelineNext, false)
  assert.deepEqual(await Promise.all(sent.map(stageAndWhy)), [250, 250, 250])
  assert.equal(host.mails[2]?.data.length, large.size)
  assert.equal(host.connections[0]?.commands.filter((line) => line === 'RSET').length, 0)
})

test('nothing is sent ahead before the host accepted a message by BDAT, without PIPELINING, or when the host is silent', async () => {
  const held = Promise.withResolvers<string>()
  const unproven = await startHost({ script: toMessageOf('a', held.promise) })
  const fresh = await openTo(unproven, prompt)
  const first = fresh.send(to('a'), message)
  assert.equal(fresh.canPipelineNext, false)
  held.resolve('250 2.0.0 Ok')
  await first
  const stepwise = await openTo(await startHost({ extensions: ['CHUNKING', 'SIZE'] }), prompt)
  await stepwise.send(to('a'), message)
  const second = stepwise.send(to('b'), message)
  assert.equal(stepwise.canPipelineNext, false)
  await second
  const slow = Promise.withResolvers<string>()
  const { connection } = await proven(toMessageOf('a', slow.promise))
  const waiting = connection.send(to('a'), message)
  await untilAhead(connection)
  await until('the host is silent for too long', () => !connection.canPipelineNext)
  slow.resolve('250 2.0.0 Ok')
  assert.equal(await stageAndWhy(waiting), 250)
})
