// Hosts that reply at random, even out of step: the results of a dialog agree with the replies that the host sent and
// the messages that the host received.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { after, describe, test } from 'node:test'
import { messageOf } from '../../test/support/mail-host/client.ts'
import { pick, type Random, randomOf } from '../../test/support/mails/made.ts'
import { patience } from '../../test/support/patience.ts'
import { connect, type TransactionResult } from './connection.ts'

const SEEDS = Number(process.env.SMTP_SEEDS ?? 150)
/**
 * Timeout of a reply, in milliseconds, long enough for any reply of this process; a test waits this long for a host
 * that stops replying.
 */
const PATIENCE_MS = 150 * patience()

/**
 * A message as the host received it: the accepted recipients, whether the message was complete, and the code of the
 * reply.
 */
interface Seen {
  readonly taken: Set<string>
  isOpen: boolean
  whole: boolean
  said: number | undefined
}

/** A host for one connection whose replies are random. */
class RandomHost {
  readonly seen: Seen[] = []
  /** True once the host has sent an unsolicited reply, or the reply to another command. */
  isOutOfStep = false
  readonly #random: Random
  readonly #socket: Socket
  readonly #steady: number
  #bytes = Buffer.alloc(0)
  #mode: 'lines' | 'data' | number = 'lines'
  #isOver = false

  constructor(socket: Socket, random: Random) {
    this.#socket = socket
    this.#random = random
    // Some hosts nearly always send the right reply, so that dialogs complete.
    this.#steady = pick(random, [0.6, 0.9, 0.97])
    socket.on('error', () => {})
    socket.on('data', (chunk: Buffer) => this.#read(chunk))
    socket.setNoDelay()
    this.#answer(220, 'CONNECT')
  }

  end(): void {
    this.#socket.destroy()
  }

  get #message(): Seen {
    const last = this.seen.at(-1)
    if (last !== undefined) return last
    return this.#begin()
  }

  #begin(): Seen {
    const message: Seen = { taken: new Set<string>(), isOpen: false, whole: false, said: undefined }
    this.seen.push(message)
    return message
  }

  #read(chunk: Buffer): void {
    this.#bytes = Buffer.concat([this.#bytes, chunk])
    while (!this.#isOver && this.#step());
  }

  #step(): boolean {
    if (typeof this.#mode === 'number') {
      if (this.#bytes.length < this.#mode) return false
      this.#bytes = this.#bytes.subarray(this.#mode)
      return this.#end()
    }
    const mark = this.#mode === 'data' ? '\r\n.\r\n' : '\r\n'
    const at = this.#bytes.indexOf(mark)
    if (at < 0) return false
    const text = this.#bytes.toString('latin1', 0, at)
    this.#bytes = this.#bytes.subarray(at + mark.length)
    return this.#mode === 'data' ? this.#end() : this.#command(text)
  }

  #end(): boolean {
    this.#mode = 'lines'
    const message = this.#message
    message.whole = true
    message.said = this.#answer(message.taken.size > 0 ? 250 : 554, 'END')
    return true
  }

  #command(line: string): boolean {
    const [verb = ''] = line.split(/[ :]/, 1)
    if (verb === 'EHLO') {
      const offered = ['PIPELINING', 'CHUNKING', '8BITMIME', 'SIZE 1000000'].filter(
        () => this.#random() < 0.7,
      )
      this.#answer(250, verb, ['mx.test', ...offered])
    } else if (verb === 'MAIL') {
      this.#begin().isOpen = this.#answer(250, verb) === 250
    } else if (verb === 'RCPT') {
      const isOpen = this.#message.isOpen
      const code = this.#answer(isOpen ? 250 : 503, verb)
      if (code === 250 && isOpen) this.#message.taken.add(/<(.*?)>/.exec(line)?.[1] ?? '')
    } else if (verb === 'DATA') {
      if (this.#answer(this.#message.taken.size > 0 ? 354 : 554, verb) === 354) this.#mode = 'data'
    } else if (verb === 'BDAT') this.#mode = Number(/\d+/.exec(line)?.[0])
    else this.#answer(250, verb)
    return true
  }

  /** Sends a reply with this code or a random one; returns the code if the reply was sent completely. */
  #answer(usual: number, _verb: string, lines: readonly string[] = ['Ok']): number | undefined {
    if (this.#isOver) return undefined
    const random = this.#random
    if (random() < this.#steady) return this.#say(usual, lines)
    const socket = this.#socket
    const end = (how: 'end' | 'resetAndDestroy'): undefined => {
      this.#isOver = true
      socket[how]()
    }
    switch (Math.floor(random() * 12)) {
      case 0:
        return this.#say(pick(random, [421, 450, 451, 452, 550, 552, 554, 503, 500]), ['No'])
      case 1:
        return this.#say(usual, [...lines, ...Array<string>(Math.floor(random() * 50)).fill('more')])
      case 2:
        return end('end')
      case 3:
        return end('resetAndDestroy')
      case 4: {
        const said = this.#say(usual, lines)
        end(pick(random, ['end', 'resetAndDestroy'] as const))
        return said
      }
      case 5:
        socket.write(
          pick(random, ['nonsense\r\n', '99 x\r\n', '250_x\r\n', '\0\0\r\n', '250-a\r\n550 b\r\n']),
        )
        return undefined
      case 6:
        socket.write(`${usual} half of`)
        return end(pick(random, ['end', 'resetAndDestroy'] as const))
      case 7:
        this.isOutOfStep = true
        socket.write('250 Unasked\r\n'.repeat(1 + Math.floor(random() * 4)))
        return this.#say(usual, lines)
      case 8:
        this.isOutOfStep = true
        this.#say(usual, lines)
        socket.write('250 Unasked\r\n'.repeat(1 + Math.floor(random() * 4)))
        return usual
      case 9:
        this.isOutOfStep = true
        return this.#say(pick(random, [354, 200, 299, 251, 334]), lines)
      case 10:
        this.isOutOfStep = true
        return undefined
      default:
        socket.write(`${usual}-${'x'.repeat(Math.floor(random() * 3_000))}\r\n`)
        return this.#say(usual, lines)
    }
  }

  #say(code: number, lines: readonly string[]): number {
    const text = lines.map((line, at) => `${code}${at === lines.length - 1 ? ' ' : '-'}${line}\r\n`).join('')
    // Writes the reply in two pieces, split at a random position.
    const cut = Math.floor(this.#random() * text.length)
    this.#socket.write(text.slice(0, cut))
    this.#socket.write(text.slice(cut))
    return code
  }
}

describe('a host that replies at random', () => {
  let draw: Random = () => 0
  const hosts: RandomHost[] = []
  const server = createServer((socket) => hosts.push(new RandomHost(socket, draw)))
  server.listen(0, '127.0.0.1')
  after(() => {
    for (const host of hosts) host.end()
    server.close()
  })

  /** Sends messages over one connection; returns the host and the results of the messages. */
  async function dialogOf(
    seed: number,
  ): Promise<{ host: RandomHost | undefined; sent: TransactionResult[] }> {
    const random = randomOf(seed)
    draw = randomOf(seed + 1_000_000)
    const before = hosts.length
    const { port } = server.address() as AddressInfo
    const ms = PATIENCE_MS
    const { connection } = await connect({
      ...{
        address: '127.0.0.1',
        port,
        hostName: 'mx.test',
        heloName: 'us.test',
        tls: 'never',
        aheadFromMs: 0,
      },
      timeouts: {
        ...{ connect: 5_000, greeting: ms, ehlo: ms, mail: ms, rcpt: ms, dataInit: ms, envelope: 3 * ms },
        ...{ dataEnd: ms, quit: ms },
      },
    })
    const sent: TransactionResult[] = []
    for (let n = 0; n < 3 && connection?.usable; n++) {
      const recipients = ['one@mx.test', 'two@mx.test', 'three@mx.test'].slice(
        0,
        1 + Math.floor(random() * 3),
      )
      const message = messageOf('Subject: x\r\n\r\n', 'y'.repeat(pick(random, [10, 5_000, 300_000])), '\r\n')
      const host = hosts[before]
      const seenBefore = host?.seen.length
      const result = await connection.send({ from: 'us@us.test', recipients }, message)
      sent.push(result)
      assert.equal(result.recipients.length, recipients.length)
      if (host?.isOutOfStep === false) check(host.seen.slice(seenBefore), recipients, result)
    }
    await connection?.close()
    return { host: hosts[before], sent }
  }

  /** @param transactions transactions of the host for this message: two if the host does not recognise BDAT */
  function check(
    transactions: readonly Seen[],
    recipients: readonly string[],
    result: TransactionResult,
  ): void {
    for (const [index, address] of recipients.entries()) {
      const { reply, failure } = result.recipients[index] ?? {}
      const wasGiven = transactions.some(
        ({ taken, whole, said = 0 }) => taken.has(address) && whole && said >= 200 && said < 300,
      )
      const seen = transactions.map(({ taken, ...rest }) => ({ ...rest, taken: [...taken] }))
      const what = `${address}: ${JSON.stringify({ reply, failure, seen })}\n${result.transcript}`
      if (reply !== undefined) assert.ok(wasGiven, `told as taken, and was not: ${what}`)
      else if (wasGiven) {
        // The outcome must be unknown, never a refusal, if the reply of the host was lost.
        assert.equal(failure?.stage, 'end-of-data', `taken, and told as failed: ${what}`)
        assert.ok(failure?.error !== undefined, `taken, and told as refused: ${what}`)
      }
    }
  }

  test(`reports the truth of ${SEEDS} dialogs`, async () => {
    await (server.listening ? undefined : once(server, 'listening'))
    let taken = 0
    let failed = 0
    for (let seed = 0; seed < SEEDS; seed++) {
      const { sent } = await dialogOf(seed).catch((error: Error) => {
        throw new Error(`seed ${seed}: ${error.message}`, { cause: error })
      })
      for (const { recipients } of sent) {
        for (const { reply } of recipients) reply === undefined ? failed++ : taken++
      }
    }
    // The seeds must produce both results often.
    assert.ok(taken > SEEDS / 4 && failed > SEEDS / 4, `${taken} taken, ${failed} failed`)
  })
})
