// A TCP proxy that delays all bytes in each direction, like a network path with a long round trip time.

import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { answerParent } from '../harness/child.ts'

/** Target port on 127.0.0.1, and the one-way delay in milliseconds. */
interface Line {
  readonly port: number
  readonly delayMs: number
}

function carry(from: Socket, to: Socket, delayMs: number): void {
  // Timers of equal length fire in the order of their creation, so the bytes keep their order.
  from.on('data', (chunk) => setTimeout(() => to.write(chunk), delayMs))
  from.on('end', () => setTimeout(() => to.end(), delayMs))
  from.on('error', () => to.destroy())
}

let server: ReturnType<typeof createServer> | undefined

/** Starts the proxy on a free port of 127.0.0.1; each client connection is forwarded to `port`. */
async function start({ port, delayMs }: Line): Promise<{ port: number }> {
  const listening = createServer({ noDelay: true, allowHalfOpen: true }, (near) => {
    const far = connect({ host: '127.0.0.1', port, noDelay: true, allowHalfOpen: true })
    carry(near, far, delayMs)
    carry(far, near, delayMs)
  })
  server = listening
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve))
  return { port: (listening.address() as AddressInfo).port }
}

const calls = { start }
export type DelayingProxyCalls = typeof calls
answerParent(calls, () => void server?.close())
