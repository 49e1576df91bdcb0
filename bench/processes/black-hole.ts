// A mail host that accepts connections and never sends data.

import { createServer } from 'node:net'
import { answerParent } from '../harness/child.ts'

let open = 0
const server = createServer((socket) => {
  open++
  socket.on('error', () => {})
  socket.on('close', () => open--)
  socket.resume()
})

/** Length of the kernel's accept queue; small, so that a stopped process soon leaves new connections unaccepted. */
const BACKLOG = 1

async function start({ host, port }: { readonly host: string; readonly port: number }): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port, backlog: BACKLOG }, resolve)
  })
}

const calls = { start, open: (_: undefined): number => open }
export type BlackHoleCalls = typeof calls
answerParent(calls, () => void server.close())
