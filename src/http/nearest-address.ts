// Finds the endpoint that a request for an unknown address most likely means.

import { editDistance, nearest } from '../lib/nearest.ts'

/** Base path of all addresses that are suggested. */
const BASE = '/v1'
/** Maximum length of an unknown path; no address is suggested for longer paths. */
const MAX_PATH = 200

/**
 * Returns the URL of the endpoint that a path most likely means, such as `/v1/messages` for `/v1/message`, `/messages`,
 * `/api/v1/messages` or `/v1/v1/messages`; undefined if there is none. Parameters of the path stay as names in braces.
 *
 * @param urls URLs of the known endpoints, with parameters such as `:message_id`
 */
export function nearestAddress(path: string, urls: Iterable<string>): string | undefined {
  if (path.length > MAX_PATH) return undefined
  const steps = path.split('/').filter((step) => step !== '')
  const given = steps.slice(steps.lastIndexOf(BASE.slice(1)) + 1)
  let best: string | undefined
  let bestDistance = Number.POSITIVE_INFINITY
  for (const url of urls) {
    if (!url.startsWith(`${BASE}/`)) continue
    const distance = distanceOf(given, url.slice(BASE.length + 1).split('/'))
    if (distance === undefined || distance >= bestDistance) continue
    best = url
    bestDistance = distance
  }
  return best?.replace(/:(\w+)/g, '{$1}')
}

/**
 * Returns the number of letters that differ in the fixed segments of two paths; undefined if a segment differs too
 * much.
 */
function distanceOf(given: readonly string[], known: readonly string[]): number | undefined {
  if (given.length !== known.length) return undefined
  let sum = 0
  for (const [index, step] of known.entries()) {
    if (step.startsWith(':')) continue
    const word = given[index] ?? ''
    if (nearest(word, [step]) === undefined) return undefined
    sum += editDistance(word.toLowerCase(), step.toLowerCase())
  }
  return sum
}
