// Meaning of the results of a verification, in words.

import type { Tone } from '../../parts/status-badge.tsx'
import { verification as words } from '../../texts/en/verification.ts'
import { fill } from '../../texts/texts.ts'
import type { Detailed } from './calls.ts'

const details = words.details

/** All results, in their usual order. */
export const RESULTS = ['deliverable', 'risky', 'undeliverable', 'unknown'] as const

export const TONES: Readonly<Record<string, Tone>> = {
  deliverable: 'good',
  risky: 'waiting',
  undeliverable: 'bad',
  unknown: 'quiet',
}

export const meaningOf = (result: string): string =>
  (words.results as Readonly<Record<string, string>>)[result] ?? result

const REASONS: Readonly<Record<string, string>> = words.reasons

export const reasonOf = ({ internalResult }: Detailed): string => REASONS[internalResult] ?? internalResult

/** Returns the reason of a result, and the address that the user probably meant. */
export const explanationOf = (answer: Detailed): string =>
  answer.didYouMean === undefined
    ? reasonOf(answer)
    : `${reasonOf(answer)} ${fill(words.check.didYouMean, { address: answer.didYouMean })}`

const yes = (value: boolean | undefined, so: string, otherwise: string): string | undefined =>
  value === undefined ? undefined : value ? so : otherwise

/** Returns all details of a verification with their meaning; undefined for an unknown detail. */
export function detailsOf(answer: Detailed): readonly (readonly [name: string, value: string | undefined])[] {
  const { smtpCode, latencyMs } = answer
  return [
    [details.internalResult, answer.internalResult],
    [details.account, answer.account],
    [details.tag, answer.tag],
    [details.esp, answer.esp],
    [details.mxServer, answer.mxServer],
    [details.mxServerIp, answer.mxServerIp],
    [details.smtpCode, smtpCode === undefined ? undefined : `${smtpCode} (${replyOf(smtpCode)})`],
    [details.catchAll, yes(answer.catchAll, details.isCatchAll, details.isNoCatchAll)],
    [details.isRole, yes(answer.isRole, details.hasRole, details.no)],
    [details.isFree, yes(answer.isFree, details.hasFree, details.no)],
    [details.isNoReply, yes(answer.isNoReply, details.hasNoReply, details.no)],
    [details.duration, `${latencyMs} ms`],
  ]
}

const replyOf = (code: number): string =>
  details.replies[
    code < 300 ? 'accepted' : code < 400 ? 'intermediate' : code < 500 ? 'temporary' : 'rejected'
  ]
