// A web host that publishes MTA-STS policies, or other answers of a test.

import { once } from 'node:events'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { certificateFor } from './authority.ts'

/** An answer other than a policy. */
export interface PolicyAnswer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** Start with `PolicyHost.start`; its certificate is for `mta-sts.` in front of the given domains. */
export class PolicyHost {
  /** Answer by domain; 404 for others. */
  readonly answers = new Map<string, string | PolicyAnswer>()
  /** Requested domains, oldest first. */
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

/** Returns a policy file. */
export const policyFile = (mode: string, mx: readonly string[], maxAge = 604_800): string =>
  ['version: STSv1', `mode: ${mode}`, ...mx.map((one) => `mx: ${one}`), `max_age: ${maxAge}`, ''].join('\n')
