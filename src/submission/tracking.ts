// Tracking of one message: what it, its stream and its domain ask for, and the places in its HTML.

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
 * What of a message is tracked: what it says itself, else its stream, else its domain. While the tracking host is not
 * found, the defaults track nothing, since the links would lead nowhere.
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

/** Problems of a message that asks for tracking that cannot be had. */
export const refusedTracking = (wishes: TrackingWishes, { tracking }: SendingStream): FieldProblem[] =>
  trackingProblems(wishes, tracking.record)

/** True if a message has HTML and something in it is to be tracked. */
export function isTracked(request: SendRequest, stream: SendingStream): boolean {
  if (typeof request.html !== 'string' || request.html === '') return false
  const { opens, links } = trackedOf(request, stream)
  return opens || links
}

/** The request with the places in its HTML that are tracked. */
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
  // Mail that does not ask for it itself goes untracked rather than not at all.
  if (!wantsTracking(request)) return request
  const message =
    'It cannot be tracked: its elements are nested too deep, or it takes too long to parse. Simplify it, or set track_opens and track_links to false.'
  return [{ path: 'html', code: 'cannot_be_tracked', message }]
}

/** The URLs of the sender's own List-Unsubscribe fields (RFC 2369 §3.2). */
export function unsubscribeUrls(fields: readonly (readonly [name: string, value: string])[]): string[] {
  return fields
    .filter(([name]) => name.toLowerCase() === 'list-unsubscribe')
    .flatMap(([, value]) => [...value.matchAll(/<(https?:[^<>\s]{1,2000})>/gi)].map(([, url = '']) => url))
}

/** What is tracked of a request with HTML, as its events say it; undefined where nothing was to be. */
export function acceptedTracking(request: SendRequest, stream: SendingStream): AcceptedTracking | undefined {
  if (!isTracked(request, stream)) return undefined
  const { tracking } = request
  if (tracking === undefined) return { opens: false, links: false, skipped: 'html' }
  return { opens: tracking.opens !== null, links: trackedOf(request, stream).links }
}
