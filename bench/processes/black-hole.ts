// A mail host that takes connections and never says a word.

import { createServer } from 'node:net'
import { answerParent } from '../harness/child.ts'

let open = 0
const server = createServer((socket) => {
  open++
  socket.on('error', () => {})
  socket.on('close', () => open--)
  socket.resume()
})

/** Connections that the system takes for us before we look; one that is stopped takes no more than these. */
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
