// Verifies the addresses of a CSV as a list of an installation elsewhere, and waits for the results.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Static } from 'typebox'
import type { ListView } from '../api/contract/verification.ts'
import { inAnyCase } from '../model/address.ts'
import { Problem } from '../model/problem.ts'
import type { AddressRow } from '../verification/csv.ts'
import type { Verification } from '../verification/verify.ts'
import { type Api, pathOf } from './api.ts'
import type { Progress } from './progress.ts'

/** Pause between two questions for the progress of a list, in milliseconds. */
const POLL_MS = 2_000

/**
 * Returns the result of each row, in the order of the rows. Throws `conflict` if the list is cancelled or waits for
 * credits.
 */
export async function verifyList(
  api: Api,
  rows: readonly AddressRow[],
  progress: Progress,
): Promise<Verification[]> {
  const addresses = rows.map(({ email }) => email)
  const { verification_id: id } = await api.post<{ verification_id: string }>('/v1/verifications', addresses)
  const path = pathOf`/v1/verifications/${id}`
  for (;;) {
    const { status, done, waiting_for: cause } = await api.get<Static<typeof ListView>>(path)
    progress.reach(done)
    if (status === 'done') break
    if (status === 'cancelled') throw new Problem('conflict', `The list ${id} was cancelled.`)
    if (cause === 'credits') {
      throw new Problem(
        'verification_credits_exhausted',
        `The account has no credits left after ${done} addresses; the list ${id} goes on when the account has credits.`,
      )
    }
    await sleep(POLL_MS)
  }
  progress.end()
  const results = new Map<string, Verification>()
  for await (const page of api.pages<Verification>(`${path}/results`)) {
    for (const one of page) results.set(nameOf(one.email), one)
  }
  return addresses.map((email) => {
    const found = results.get(nameOf(email))
    if (found === undefined) throw new Problem('not_found', `The list ${id} has no result for ${email}.`)
    return found
  })
}

/** Returns the same text for all spellings of an address, which a list verifies once. */
const nameOf = (email: string): string => inAnyCase(email.trim())
