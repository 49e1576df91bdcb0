// The limit of unanswered messages to a host that usually replies at once: a process that is killed loses the replies
// that it has not read.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { messageOf, openTo, startHost } from '../../test/support/mail-host/client.ts'
import type { MailHost } from '../../test/support/mail-host/mail-host.ts'
import type { HostScript } from '../../test/support/mail-host/script.ts'
import { stays, until } from '../../test/support/test-clock.ts'

const to = { from: 'us@us.test', recipients: ['a@mx.test'] }
const message = messageOf('Subject: x\r\n\r\nHello\r\n')
/** Every round trip is below the limit, so that the host is near on a busy machine, too. */
const near = { aheadFromMs: 600_000 }

/** Returns a script for a host that holds the replies to all messages. */
const holding =
  (held: Promise<string>): HostScript =>
  ({ verb }) =>
    verb === 'BDAT' || verb === 'MESSAGE' ? held : undefined

const messagesAt = ({ connections }: MailHost): number =>
  connections.filter(({ chunks }) => chunks.join('').includes('Hello')).length

for (const extensions of [['PIPELINING', 'CHUNKING'], ['PIPELINING'], []]) {
  test(`a prompt host owes at most two replies (${extensions.join(' and ') || 'no extensions'})`, async () => {
    const held = Promise.withResolvers<string>()
    const paused = await startHost({ script: holding(held.promise), extensions })
    const connections = await Promise.all(Array.from({ length: 6 }, () => openTo(paused, {}, near)))
    const sent = connections.map((connection) => connection.send(to, message))
    await until('two messages arrive', () => messagesAt(paused) === 2)
    await stays('two messages are at the host', () => messagesAt(paused) === 2, 200)
    held.resolve('250 2.0.0 Ok')
    const results = await Promise.all(sent)
    assert.deepEqual(
      results.map(({ recipients }) => recipients[0]?.reply?.code),
      Array.from({ length: 6 }, () => 250),
    )
  })
}

test('a host that owes two replies for a second gets the other messages, too', async () => {
  const held = Promise.withResolvers<string>()
  const silent = await startHost({ script: holding(held.promise) })
  const connections = await Promise.all(Array.from({ length: 4 }, () => openTo(silent, {}, near)))
  const sent = connections.map((connection) => connection.send(to, message))
  await until('all messages arrive', () => messagesAt(silent) === 4)
  held.resolve('250 2.0.0 Ok')
  await Promise.all(sent)
})
