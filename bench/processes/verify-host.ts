// Mail hosts for the measurement of verification: a process that accepts every second mailbox and delays each reply by
// a round trip time.

import { type AddressInfo, createServer, type Socket } from 'node:net'
import { answerParent } from '../harness/child.ts'

/** Numbers of connections and RCPT commands since the last `reset`. */
export interface VerifyHostReport {
  readonly connections: number
  readonly mostOpen: number
  readonly recipients: number
}

const EHLO_REPLY = '250-host.test\r\n250-PIPELINING\r\n250-8BITMIME\r\n250-SMTPUTF8\r\n250 SIZE 52428800\r\n'

let roundTripMs = 0
let connections = 0
let open = 0
let mostOpen = 0
let recipients = 0

/** Returns the reply to a command. Mailboxes such as `u8@…` exist if the number is even; all other mailboxes do not. */
function replyTo(line: string): string {
  switch (line.slice(0, 4).toUpperCase()) {
    case 'EHLO':
      return EHLO_REPLY
    case 'RCPT': {
      recipients++
      const number = /<u(\d+)@/.exec(line)?.[1]
      return number !== undefined && Number(number) % 2 === 0
        ? '250 2.1.5 Ok\r\n'
        : '550 5.1.1 No such user\r\n'
    }
    case 'QUIT':
      return '221 2.0.0 Bye\r\n'
    default:
      return '250 2.0.0 Ok\r\n'
  }
}

function say(socket: Socket, text: string): void {
  if (roundTripMs === 0) socket.write(text)
  else setTimeout(() => socket.write(text), roundTripMs)
}

const server = createServer({ noDelay: true }, (socket) => {
  connections++
  mostOpen = Math.max(mostOpen, ++open)
  let pending = ''
  socket.on('error', () => socket.destroy())
  socket.once('close', () => open--)
  socket.setEncoding('latin1').on('data', (chunk) => {
    pending += chunk
    let replies = ''
    for (let end = pending.indexOf('\r\n'); end >= 0; end = pending.indexOf('\r\n')) {
      replies += replyTo(pending.slice(0, end))
      pending = pending.slice(end + 2)
    }
    if (replies !== '') say(socket, replies)
  })
  say(socket, '220 host.test ESMTP\r\n')
})

/** Starts the server on all loopback addresses, so that each mail host can have its own address. */
async function start(_: undefined): Promise<{ port: number }> {
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', 4_096, resolve))
  return { port: (server.address() as AddressInfo).port }
}

/** Resets the counters and sets the round trip time. */
function reset(given: { readonly roundTripMs: number }): void {
  roundTripMs = given.roundTripMs
  connections = recipients = 0
  mostOpen = open
}

const report = (_: undefined): VerifyHostReport => ({ connections, mostOpen, recipients })

const calls = { start, reset, report }
export type VerifyHostCalls = typeof calls
answerParent(calls, () => void server.close())
