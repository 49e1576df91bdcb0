// A web server that publishes MTA-STS policies, or other responses that a test sets.

import { once } from 'node:events'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { certificateFor } from './authority.ts'

/** A response other than a policy. */
export interface PolicyAnswer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** The web server; `PolicyHost.start` creates one with a certificate for `mta-sts.<domain>` of each given domain. */
export class PolicyHost {
  /** Response by domain; 404 for all other domains. */
  readonly answers = new Map<string, string | PolicyAnswer>()
  /** Domains in received requests, oldest first. */
  readonly asked: string[] = []
  readonly #server: Server

  private constructor(server: Server) {
    this.#server = server
    server.on('request', (request, response) => {
      const domain = (request.headers.host ?? '').replace(/^mta-sts\.|:\d+$/g, '')
      this.asked.push(domain)
      const answer = request.url === '/.well-known/mta-sts.txt' ? this.answers.get(domain) : undefined
      const { status = 200, headers, body } = asAnswer(answer)
      response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', ...headers })
      response.end(body)
    })
  }

  static async start(domains: readonly string[]): Promise<PolicyHost> {
    const certificate = await certificateFor(domains.map((domain) => `mta-sts.${domain}`))
    const host = new PolicyHost(createServer(certificate))
    host.#server.listen(0, '127.0.0.1')
    await once(host.#server, 'listening')
    return host
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }
}

function asAnswer(answer: string | PolicyAnswer | undefined): PolicyAnswer {
  if (answer === undefined) return { status: 404 }
  return typeof answer === 'string' ? { body: answer } : answer
}

/** Returns the text of an MTA-STS policy. */
export const policyFile = (mode: string, mx: readonly string[], maxAge = 604_800): string =>
  ['version: STSv1', `mode: ${mode}`, ...mx.map((one) => `mx: ${one}`), `max_age: ${maxAge}`, ''].join('\n')
