// The hash of send requests, by which a repeat under an Idempotency-Key is told from another request.

import { createHash } from 'node:crypto'
import { hashOfJson } from '../lib/json-hash.ts'
import type { SendRequest } from '../model/send-request.ts'

/** Hashes what requests mean: a field that is null or an empty list is one that is left out (contract §8). */
export const hashOfRequests = (requests: readonly SendRequest[]): Promise<string> =>
  hashOfJson(createHash('sha256'), requests.map(withoutEmpty))

function withoutEmpty(request: SendRequest): object {
  const entries = Object.entries(request) as [string, unknown][]
  return Object.fromEntries(
    entries.filter(([, value]) => value !== null && !(Array.isArray(value) && value.length === 0)),
  )
}
