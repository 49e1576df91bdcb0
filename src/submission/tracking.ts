// Determines the tracking of one message from the settings of the message, its stream and its domain, and finds the
// tracked places in the HTML.

import type { FieldProblem } from '../model/problem.ts'
import type { SendRequest } from '../model/send-request.ts'
import {
  type AcceptedTracking,
  type TrackingWishes,
  trackingProblems,
  wantsTracking,
} from '../model/tracking.ts'
import type { SendingStream } from '../streams/streams.ts'
import type { Templates } from '../templates/templates.ts'
import type { WorkFor } from '../templates/worker-pool.ts'

/** Parts of a message that are tracked. */
export interface Tracked {
  readonly opens: boolean
  readonly links: boolean
}

/**
 * Returns the tracking of a message: the setting of the message, or otherwise the setting of its stream or domain.
 * Nothing is tracked while the DNS record of the tracking host is missing, because the links would not work.
 */
export function trackedOf(wishes: TrackingWishes, { tracking }: SendingStream): Tracked {
  const isFound = tracking.record?.status === 'found'
  const one = (wish: unknown, byDefault: boolean): boolean =>
    isFound && (typeof wish === 'boolean' ? wish : byDefault)
  return {
    opens: one(wishes.track_opens, tracking.opens),
    links: one(wishes.track_links, tracking.links),
  }
}

/** Returns the problems of a message that requests impossible tracking. */
export const refusedTracking = (wishes: TrackingWishes, { tracking }: SendingStream): FieldProblem[] =>
  trackingProblems(wishes, tracking.record)

/** True if a message has HTML in which opens or links are to be tracked. */
export function isTracked(request: SendRequest, stream: SendingStream): boolean {
  if (typeof request.html !== 'string' || request.html === '') return false
  const { opens, links } = trackedOf(request, stream)
  return opens || links
}

/** Returns the request with the tracked places in its HTML. */
export async function withTrackedPlaces(
  request: SendRequest,
  stream: SendingStream,
  templates: Templates,
  workFor: WorkFor,
): Promise<SendRequest | readonly FieldProblem[]> {
  const { opens, links } = trackedOf(request, stream)
  const wanted = { opens, links, untracked: unsubscribeUrls(Object.entries(request.headers ?? {})) }
  const tracking = await templates.trackedPlaces(workFor, request.html ?? '', wanted)
  if (tracking !== undefined) return { ...request, tracking }
  // A message that does not request tracking itself is sent without tracking instead of being refused.
  if (!wantsTracking(request)) return request
  const message =
    'The HTML cannot be tracked: the elements are nested too deep, or parsing takes too long. Simplify the HTML, or set track_opens and track_links to false.'
  return [{ path: 'html', code: 'cannot_be_tracked', message }]
}

/** Returns the URLs of the sender's own List-Unsubscribe fields (RFC 2369 §3.2). */
export function unsubscribeUrls(fields: readonly (readonly [name: string, value: string])[]): string[] {
  return fields
    .filter(([name]) => name.toLowerCase() === 'list-unsubscribe')
    .flatMap(([, value]) => [...value.matchAll(/<(https?:[^<>\s]{1,2000})>/gi)].map(([, url = '']) => url))
}

/**
 * Returns the tracking of a request with HTML, as stored in the `accepted` events of the message; undefined if tracking
 * is off.
 */
export function acceptedTracking(request: SendRequest, stream: SendingStream): AcceptedTracking | undefined {
  if (!isTracked(request, stream)) return undefined
  const { tracking } = request
  if (tracking === undefined) return { opens: false, links: false, skipped: 'html' }
  return { opens: tracking.opens !== null, links: trackedOf(request, stream).links }
}
