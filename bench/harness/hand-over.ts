// Generates the load on a node, over HTTP or SMTP as chosen by the option `door`.

import type { HttpLoadCalls, LoadResult } from '../processes/http-load.ts'
import type { SmtpLoadCalls } from '../processes/smtp-load.ts'
import type { Options } from './options.ts'
import type { Node, Rig } from './rig.ts'

/** Number of messages to send, and the maximum rate per second (HTTP only). */
export interface Counted {
  readonly count: number
  readonly rate?: number | undefined
}

/** Size of a batch: a number of messages, or a duration in seconds. */
type Batch = Counted | { readonly seconds: number }

/** Function that sends a batch of messages; resolves after the response to the last message. */
export type HandOver = (batch: Batch) => Promise<LoadResult>

/** Returns the role of a node that accepts messages by the protocol of the option `door`. */
export const doorRole = ({ door }: Options): string => (door === 'smtp' ? 'smtp' : 'api')

/** Starts a load generator for one node, in its own process. */
export async function loadOn(
  { started }: Node,
  rig: Rig,
  { door, connections }: Options,
  destinations = rig.destinations,
): Promise<HandOver> {
  if (door === 'smtp') {
    if (started.smtpPort === undefined) throw new Error('SMTP submission is not listening')
    return smtpLoadOn(rig, started.smtpPort, connections, started.playground.smtp)
  }
  const load = rig.child<HttpLoadCalls>('http-load.ts')
  const target = { url: started.url, key: started.playground.sending_key, connections, destinations }
  return (batch) => load.ask('run', { ...target, ...batch })
}

/** Starts a load generator for an SMTP server; a load without a login uses no TLS. */
export async function smtpLoadOn(
  rig: Rig,
  port: number,
  connections: number,
  login?: { readonly username: string; readonly password: string },
): Promise<HandOver> {
  const load = rig.child<SmtpLoadCalls>('smtp-load.ts')
  await load.ask('start', { port, login, connections, destinations: rig.destinations })
  return (batch) => load.ask('run', batch)
}
