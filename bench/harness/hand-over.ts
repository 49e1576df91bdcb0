// The load on a node, by the door that was chosen.

import type { HttpLoadCalls, LoadResult } from '../processes/http-load.ts'
import type { SmtpLoadCalls } from '../processes/smtp-load.ts'
import type { Options } from './options.ts'
import type { Node, Rig } from './rig.ts'

/** So many messages, at most `rate` a second (over HTTP only). */
export interface Counted {
  readonly count: number
  readonly rate?: number | undefined
}

/** Messages that are counted, or as many as there is time for. */
type Batch = Counted | { readonly seconds: number }

/** Hands a batch over; resolves when the last of it was answered. */
export type HandOver = (batch: Batch) => Promise<LoadResult>

/** The role of a node that takes messages by the chosen door. */
export const doorRole = ({ door }: Options): string => (door === 'smtp' ? 'smtp' : 'api')

/** A load on one node, in a process of its own. */
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

/** A load on an SMTP server; without a login it speaks plaintext. */
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
