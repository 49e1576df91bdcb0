// Figures of what an HTTP port answered, by route and status.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { Distribution, type Figure, SECONDS } from '../lib/figures.ts'

interface Answers {
  readonly method: string
  readonly route: string
  readonly seconds: Distribution
  readonly byStatus: Map<number, number>
}

/** Names the route on a request itself: a WeakMap that each request enters is work for every collection of garbage. */
const ROUTE = Symbol('route')
type RoutedRequest = IncomingMessage & { [ROUTE]?: string }

/** A request that does not belong to a route. */
const NO_ROUTE = 'none'
/** Methods that have routes; any other is counted as `other`, because a client may invent names. */
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** Counts the answers of one HTTP port. */
export class HttpFigures {
  /** By route, then by method: both are of bounded number. */
  readonly #answers = new Map<string, Map<string, Answers>>()

  /** Notes the route of a request, such as `/v1/messages/:id`. */
  noteRoute(request: RoutedRequest, route: string | undefined): void {
    if (route !== undefined) request[ROUTE] = route
  }

  /** Counts an answer; `seconds` from the whole header to the last byte. */
  noteAnswer(request: IncomingMessage, response: ServerResponse, seconds: number): void {
    const answers = this.#answersOf(request)
    answers.seconds.observe(seconds)
    // The status that nginx made known for a client that went away before there was an answer.
    const status = response.headersSent ? response.statusCode : 499
    answers.byStatus.set(status, (answers.byStatus.get(status) ?? 0) + 1)
  }

  #answersOf(request: RoutedRequest): Answers {
    const route = request[ROUTE] ?? NO_ROUTE
    const given = request.method ?? ''
    const method = METHODS.has(given) ? given : 'other'
    const known = this.#answers.get(route)?.get(method)
    if (known !== undefined) return known
    const answers = { method, route, seconds: new Distribution(SECONDS), byStatus: new Map() }
    const byMethod = this.#answers.get(route) ?? new Map<string, Answers>()
    this.#answers.set(route, byMethod.set(method, answers))
    return answers
  }

  figures(): Figure[] {
    const all = (): Answers[] => [...this.#answers.values()].flatMap((byMethod) => [...byMethod.values()])
    return [
      {
        name: 'postrider_http_requests_total',
        help: 'HTTP requests, by method, route and status; 499 is a client that went away',
        kind: 'counter',
        labels: ['method', 'route', 'status'],
        read: () =>
          all().flatMap(({ method, route, byStatus }) =>
            [...byStatus].map(([status, count]) => [[method, route, String(status)], count] as const),
          ),
      },
      {
        name: 'postrider_http_request_seconds',
        help: 'Time from the header of an HTTP request to the end of its answer, by method and route',
        kind: 'histogram',
        labels: ['method', 'route'],
        read: () => all().map(({ method, route, seconds }) => [[method, route], seconds] as const),
      },
    ]
  }
}
