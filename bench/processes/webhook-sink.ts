// A webhook receiver that counts the received events and records their delays.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { answerParent } from '../harness/child.ts'

let events = 0
let requests = 0
let firstAt = 0
let lastAt = 0
let lags: number[] = []
const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const now = Date.now()
    const payload = JSON.parse(Buffer.concat(chunks).toString())
    for (const { timestamp } of Array.isArray(payload) ? payload : [payload]) {
      events++
      lags.push(now - Date.parse(timestamp))
    }
    requests++
    firstAt ||= now
    lastAt = now
    response.statusCode = 204
    response.end()
  })
})

/** Starts the receiver on a free port of 127.0.0.1. */
async function start(_: undefined): Promise<{ url: string }> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook` }
}

/** Returns the numbers of events and requests, and their delays, since the last `reset`; times are in milliseconds. */
const figures = (_: undefined) => ({ events, requests, tookMs: lastAt - firstAt, lags })

function reset(_: undefined): void {
  events = 0
  requests = 0
  firstAt = 0
  lags = []
}

const calls = { start, figures, reset }
export type WebhookSinkCalls = typeof calls
answerParent(calls, () => {
  server.closeAllConnections()
  server.close()
})
