// Metrics of the responses of an HTTP port, by route and status.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { Distribution, type Figure, SECONDS } from '../lib/figures.ts'

interface Answers {
  readonly method: string
  readonly route: string
  readonly seconds: Distribution
  readonly byStatus: Map<number, number>
}

/**
 * Key under which a request stores its route, because a WeakMap of requests would slow down each garbage collection.
 */
const ROUTE = Symbol('route')
type RoutedRequest = IncomingMessage & { [ROUTE]?: string }

/** Label of a request without a route. */
const NO_ROUTE = 'none'
/** Methods that have routes. Any other method is counted as `other`, because a client may send any method name. */
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** Counts the responses of one HTTP port. */
export class HttpFigures {
  /** Counted responses by route, then by method; the numbers of routes and methods are limited. */
  readonly #answers = new Map<string, Map<string, Answers>>()

  /** Records the route of a request, such as `/v1/messages/:id`. */
  noteRoute(request: RoutedRequest, route: string | undefined): void {
    if (route !== undefined) request[ROUTE] = route
  }

  /** Counts a response; `seconds` is the time from the end of the request header to the last byte of the response. */
  noteAnswer(request: IncomingMessage, response: ServerResponse, seconds: number): void {
    const answers = this.#answersOf(request)
    answers.seconds.observe(seconds)
    // Status 499 is used by nginx for a client that closed the connection before the response.
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
        help: 'HTTP requests, by method, route and status; 499 is a client that closed the connection',
        kind: 'counter',
        labels: ['method', 'route', 'status'],
        read: () =>
          all().flatMap(({ method, route, byStatus }) =>
            [...byStatus].map(([status, count]) => [[method, route, String(status)], count] as const),
          ),
      },
      {
        name: 'postrider_http_request_seconds',
        help: 'Time from the header of an HTTP request to the end of its response, by method and route',
        kind: 'histogram',
        labels: ['method', 'route'],
        read: () => all().map(({ method, route, seconds }) => [[method, route], seconds] as const),
      },
    ]
  }
}
