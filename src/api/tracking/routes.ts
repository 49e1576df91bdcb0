// GET /c/{token} and /o/{token}: tracked links and tracking pixels, on the tracking hosts of all domains.

import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { cacheOf } from '../../lib/caches.ts'
import type { Clock } from '../../lib/clock.ts'
import { OPEN_LINK, readTrackingToken, trackingKey } from '../../model/tracking-link.ts'
import type { HitLog } from '../../tracking/hit-log.ts'
import type { Machines } from '../../tracking/machines.ts'

export interface TrackingOptions {
  /** Secret from which the keys of the tracking tokens are derived. */
  readonly secret: string
  readonly hits: HitLog
  readonly machines: Machines
  readonly clock: Clock
}

interface OfToken {
  Params: { readonly token: string }
}

/** Transparent GIF image of one pixel. */
const GIF = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')
const MAX_USER_AGENT = 300
const NOT_VALID = 'This link is not valid. Please use the link exactly as it appears in the email.\n'
const options = { schema: { hide: true }, config: { hits: true } }

/**
 * Adds the routes for tracked links and for the tracking pixel. A response needs no query, because the token contains
 * the target URL. A token is valid only on the host for which it was created; any other token gets status 404.
 */
export const trackingPages =
  ({ secret, hits, machines, clock }: TrackingOptions): FastifyPluginAsync =>
  async (server) => {
    const keys = cacheOf<Buffer>('tracking_keys')
    const keyOf = (host: string): Buffer => {
      let key = keys.get(host)
      if (key === undefined) {
        key = trackingKey(secret, host)
        keys.set(host, key, key.length)
      }
      return key
    }
    const take = (request: FastifyRequest<OfToken>, isOpen: boolean): string | undefined => {
      const hit = readTrackingToken(keyOf(request.hostname), request.params.token)
      if (hit === undefined || (hit.link === OPEN_LINK) !== isOpen) return undefined
      const { method, headers, ip: address } = request
      hits.add({
        ...hit,
        at: clock.now(),
        userAgent: String(headers['user-agent'] ?? '').slice(0, MAX_USER_AGENT),
        machine: machines.reason({ method, headers, address }, isOpen),
        more: 0,
      })
      return hit.url
    }

    server.get<OfToken>('/c/:token', options, async (request, reply) => {
      const url = take(request, false)
      if (url === undefined) return notValid(reply)
      return answering(reply).code(302).header('location', url).send()
    })

    server.get<OfToken>('/o/:token', options, async (request, reply) => {
      if (take(request, true) === undefined) return notValid(reply)
      return answering(reply).type('image/gif').send(GIF)
    })
  }

const answering = (reply: FastifyReply): FastifyReply =>
  reply
    .header('cache-control', 'no-store, max-age=0')
    .header('referrer-policy', 'no-referrer')
    .header('x-robots-tag', 'noindex')
    .header('x-content-type-options', 'nosniff')

const notValid = (reply: FastifyReply): FastifyReply =>
  answering(reply).code(404).type('text/plain; charset=utf-8').send(NOT_VALID)
