// Sends hostile mails to an inbound stream from many networks, one after another on each network, and also mails with
// endless headers.

import { once } from 'node:events'
import { connect } from 'node:net'
import { HOSTILE_MAILS } from '../../support/mails/made.ts'
import { RawSmtpClient } from '../../support/raw-smtp-client.ts'
import { answerAttack } from '../load.ts'

export interface InboundMails {
  readonly port: number
  /** Address of the inbound stream. */
  readonly to: string
  /** Number of client addresses in 127.0.0.0/8. */
  readonly networks: number
  /** Number of bytes to send of an endless header; two additional client addresses send such headers repeatedly. */
  readonly headerBytes: number
  readonly forMs: number
}

const REPLY_MS = 30_000

answerAttack<InboundMails>(async ({ port, to, networks, headerBytes, forMs }, answers) => {
  const until = Date.now() + forMs
  const mails = Object.values(HOSTILE_MAILS)
  let next = 0

  const begin = async (client: RawSmtpClient): Promise<string> => {
    let reply = await client.reply(REPLY_MS)
    for (const line of [
      'EHLO mx.author.example',
      'MAIL FROM:<jo@author.example>',
      `RCPT TO:<${to}>`,
      'DATA',
    ]) {
      if (!/^[23]/.test(reply)) return reply
      client.send(`${line}\r\n`)
      reply = await client.reply(REPLY_MS)
    }
    return reply
  }

  async function bring(address: string): Promise<void> {
    while (Date.now() < until) {
      const mail = mails[next++ % mails.length]?.() ?? Buffer.alloc(0)
      const client = await RawSmtpClient.connect(port, address)
      let reply = await begin(client)
      if (reply.startsWith('354')) {
        client.send(mail.toString('latin1').replace(/^\./gm, '..').replace(/\r\n$/, ''))
        client.send('\r\n.\r\n')
        reply = await client.reply(REPLY_MS)
      }
      answers.count(reply.slice(0, 3))
      client.vanish()
    }
  }

  /** Sends header fields as fast as the server reads; counts the last reply, or the end of the connection. */
  async function header(localAddress: string): Promise<void> {
    const fields = Buffer.from(`X-Field: ${'y'.repeat(900)}\r\n`.repeat(70))
    while (Date.now() < until) {
      const socket = connect({ host: '127.0.0.1', port, localAddress })
      let heard = ''
      socket.on('error', () => {})
      socket.on('data', (chunk: Buffer) => {
        heard = (heard + chunk.toString('latin1')).slice(-1_000)
      })
      const over = once(socket, 'close')
      socket.write(`EHLO mx\r\nMAIL FROM:<jo@author.example>\r\nRCPT TO:<${to}>\r\nDATA\r\n`)
      for (let sent = 0; sent < headerBytes && !socket.destroyed; sent += fields.length) {
        if (!socket.write(fields)) await Promise.race([once(socket, 'drain'), over]).catch(() => {})
        if (Date.now() > until + REPLY_MS) break
      }
      if (!socket.destroyed) socket.end('\r\n.\r\nQUIT\r\n')
      await Promise.race([over, new Promise((resolve) => setTimeout(resolve, REPLY_MS))])
      socket.destroy()
      const replies = heard
        .split('\r\n')
        .filter((line) => /^[245]\d\d /.test(line) && !line.startsWith('221'))
      answers.count(`header ${replies.at(-1)?.slice(0, 3) ?? 'closed'}`)
    }
  }

  await Promise.all([
    ...Array.from({ length: networks }, (_, index) => bring(`127.0.2.${index + 1}`)),
    header('127.0.3.1'),
    header('127.0.4.1'),
  ])
})
