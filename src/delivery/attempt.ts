// One attempt: the hosts of a route in turn, until one of them settles it.

import type { Attempt } from '../model/attempt.ts'
import { Deadline } from './deadline.ts'
import type { AttemptOptions, Errand } from './errand.ts'
import { type HopResult, tryHop } from './hop.ts'
import { type AttemptEnd, outcomeOf, worthAnotherHost } from './outcome.ts'
import type { Hop, NotTried, Route } from './route.ts'

export type { AttemptOptions }

/** How it ended, and its record for the history. */
export interface AttemptResult {
  readonly end: AttemptEnd
  readonly attempt: Attempt
}

const MOST_TRANSCRIPT = 16_384

/** Tries to hand the message to one recipient. Never throws for anything a remote host does. */
export async function attemptDelivery(
  route: Route,
  { envelope, message, isOurs }: Pick<Errand, 'envelope' | 'message' | 'isOurs'>,
  options: AttemptOptions,
): Promise<AttemptResult> {
  const startedAt = options.clock.now()
  const record: Recorder = (more, transcript) => ({
    startedAt,
    durationMs: options.clock.now() - startedAt,
    transcript: transcript.slice(0, MOST_TRANSCRIPT),
    ...more,
  })
  if (route.kind === 'no_route') return { end: route, attempt: record({}, route.reason) }
  const deadline = new Deadline(options.clock, options.stopping)
  try {
    return await tryHops(route.hops, { envelope, message, isOurs, options, deadline }, record)
  } finally {
    deadline.end()
  }
}

type Recorder = (more: Partial<Attempt>, transcript: string) => Attempt

async function tryHops(
  hops: AsyncIterable<Hop | NotTried>,
  errand: Errand,
  record: Recorder,
): Promise<AttemptResult> {
  let transcript = ''
  let last: AttemptResult | undefined
  for await (const hop of hops) {
    if (last !== undefined && (errand.deadline.late || errand.options.stopping?.aborted)) break
    const tried = 'failure' in hop ? notTried(hop) : await tryHop(hop, errand)
    transcript += transcript === '' ? tried.transcript : `\n${tried.transcript}`
    const { failure } = tried.result
    const end: AttemptEnd =
      failure === undefined ? { kind: 'accepted', reply: tried.result.reply } : { kind: 'stopped', failure }
    const ended: AttemptResult = { end, attempt: record(shown(hop, tried), transcript) }
    if (failure === undefined || !worthAnotherHost(failure)) return ended
    // That one host cannot take such a message says nothing of another that was only out of reach.
    const permanent = outcomeOf(end).status === 'bounced'
    last = permanent && last !== undefined ? { ...last, attempt: record(last.attempt, transcript) } : ended
    // RFC 5321 §5.1: the hosts behind ourselves would only send it here.
    if (failure.error?.code === 'loop') break
  }
  if (last !== undefined) return last
  const reason = 'No host could be found.'
  return { end: { kind: 'no_route', permanent: false, reason }, attempt: record({}, reason) }
}

/** A host that may not be spoken to. */
function notTried({ hostName, failure }: NotTried): HopResult {
  return { result: { failure }, transcript: `${hostName}: ${failure.error?.message}` }
}

/** What the history shows of a host. */
function shown(hop: Hop | NotTried, { result, address, tls }: HopResult): Partial<Attempt> {
  const reply = result.reply ?? result.failure?.reply
  return {
    mx: hop.hostName,
    ...(address === undefined ? {} : { address }),
    ...(tls === undefined ? {} : { tls }),
    ...(reply === undefined ? {} : { reply }),
  }
}
