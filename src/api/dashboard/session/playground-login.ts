// The login of the playground, which the login page shows to a browser on the same machine.

import type { FastifyRequest } from 'fastify'
import { isLoopback } from '../../../lib/setting-kinds.ts'
import type { PeopleServices } from '../services.ts'

/** Header fields that a proxy or a tunnel adds; the client of such a request may be on another machine. */
const OF_PROXIES = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip']

/**
 * Returns the login of the playground; undefined in production, if the HTTP port is open to other machines, and for a
 * request that a proxy forwards. The requested host must be this machine as well, so that a foreign web page whose name
 * leads here (DNS rebinding) reads nothing.
 */
export function playgroundLoginFor(
  { headers }: Pick<FastifyRequest, 'headers'>,
  { playgroundLogin }: Pick<PeopleServices, 'playgroundLogin'>,
): PeopleServices['playgroundLogin'] {
  if (OF_PROXIES.some((name) => headers[name] !== undefined)) return undefined
  const url = `http://${headers.host}`
  if (headers.host === undefined || !URL.canParse(url)) return undefined
  return isLoopback(new URL(url).hostname.replace(/^\[|\]$/g, '')) ? playgroundLogin : undefined
}
