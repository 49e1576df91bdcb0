// A scripted webhook receiver on a loopback port, which records requests.

import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { until } from './test-clock.ts'

/** A received request. */
export interface ReceivedRequest {
  readonly headers: IncomingHttpHeaders
  readonly body: string
  readonly at: number
  readonly path: string
}

/** Returns the status of the response to a request; there is no response if the result is undefined. */
export type ReceiverScript = (
  request: ReceivedRequest,
  response: ServerResponse,
  count: number,
) => number | undefined | Promise<number | undefined>

export class WebhookReceiver {
  readonly requests: ReceivedRequest[] = []
  script: ReceiverScript
  readonly #server = createServer((request, response) => void this.#answer(request, response))

  private constructor(script: ReceiverScript) {
    this.script = script
  }

  static async start(script: ReceiverScript = () => 204): Promise<WebhookReceiver> {
    const receiver = new WebhookReceiver(script)
    receiver.#server.listen(0, '127.0.0.1')
    await once(receiver.#server, 'listening')
    return receiver
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/hook`
  }

  /** Waits until this many matching requests have arrived. */
  received(
    count: number,
    matches: (request: ReceivedRequest) => boolean = () => true,
  ): Promise<ReceivedRequest[]> {
    return until(`${count} requests have arrived`, () => {
      const found = this.requests.filter(matches)
      return found.length >= count && found
    })
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on('error', () => {})
    const chunks: Buffer[] = []
    try {
      for await (const chunk of request) chunks.push(chunk)
    } catch {
      return
    }
    const received = {
      headers: request.headers,
      body: Buffer.concat(chunks).toString(),
      at: Date.now(),
      path: request.url ?? '',
    }
    this.requests.push(received)
    const status = await this.script(received, response, this.requests.length)
    if (status === undefined) return
    response.statusCode = status
    response.end()
  }
}
