// The outcome of an attempt for each kind of end: one pure policy for every stage, reply and error.

import { DELIVERED, type Outcome, type Signal } from '../model/attempt.ts'
import type { BounceCategory } from '../model/bounce-category.ts'
import type { Reply } from '../model/reply.ts'
import { meaningOf } from '../smtp/reply-meaning.ts'
import type { DialogErrorCode, StageFailure } from '../smtp/stage.ts'

/** End of an attempt: the host accepted the message, the dialog stopped, or no host was found. */
export type AttemptEnd =
  | { readonly kind: 'accepted'; readonly reply: Reply }
  | { readonly kind: 'stopped'; readonly failure: StageFailure }
  | {
      readonly kind: 'no_route'
      readonly permanent: boolean
      readonly reason: string
      readonly category?: BounceCategory
    }

/** Errors that would recur at the next attempt, because the host cannot accept this message. */
const PERMANENT_ERRORS: ReadonlySet<DialogErrorCode> = new Set(['size', 'smtputf8', 'eight-bit', 'loop'])

/**
 * Stages at which a reply concerns the recipient or the message; a reply at an earlier stage concerns this
 * installation.
 */
const ABOUT_THE_MAIL: ReadonlySet<StageFailure['stage']> = new Set([
  'mail',
  'rcpt',
  'data',
  'message',
  'end-of-data',
])

/** Returns the outcome of an attempt. The retry schedule decides whether another attempt follows a deferral. */
export function outcomeOf(end: AttemptEnd): Outcome {
  switch (end.kind) {
    case 'accepted':
      return DELIVERED
    case 'no_route':
      if (!end.permanent) return { status: 'deferred', reason: end.reason, category: 'dns', hard: false }
      return {
        status: 'bounced',
        reason: end.reason,
        category: end.category ?? 'domain_invalid',
        hard: end.category === undefined,
      }
    case 'stopped':
      return stopped(end.failure)
  }
}

/** True if this failure is final for the message. */
export const isPermanent = (failure: StageFailure): boolean => stopped(failure).status === 'bounced'

function stopped(failure: StageFailure): Outcome {
  const { stage, reply, error } = failure
  const { category, hard } = meaningOf(failure)
  if (reply !== undefined) {
    // RFC 5321 §4.2.1: a 5yz reply is final for the command; a 5yz reply before MAIL refuses this installation,
    // possibly only for a while. A host that refuses this installation at RCPT or later also ends the message. The
    // bounce is not hard, because the refusal does not concern the address.
    const final = reply.code >= 500 && ABOUT_THE_MAIL.has(stage)
    return {
      status: final ? 'bounced' : 'deferred',
      reason: `The receiving host ${final ? 'refused' : 'deferred'} the message at ${stageInWords(stage)}.`,
      category,
      hard: final && hard,
      stage,
    }
  }
  const unknown = stage === 'end-of-data'
  const maybe = unknown ? ' The host may have the message.' : ''
  return {
    status: error !== undefined && PERMANENT_ERRORS.has(error.code) ? 'bounced' : 'deferred',
    reason: `At ${stageInWords(stage)}: ${error?.message ?? 'no answer'}.${maybe}`,
    category,
    hard,
    ...(unknown ? { unknown } : {}),
  }
}

const WORDS: Partial<Record<StageFailure['stage'], string>> = {
  connect: 'connecting',
  greeting: 'its greeting',
  ehlo: 'EHLO',
  starttls: 'STARTTLS',
  auth: 'login',
  mail: 'MAIL FROM',
  rcpt: 'RCPT TO',
  data: 'DATA',
  message: 'sending the message',
  'end-of-data': 'the end of the message',
}

const stageInWords = (stage: StageFailure['stage']): string => WORDS[stage] ?? stage

/**
 * Errors that concern this installation, the message or the TLS rules of one destination; other destinations of the
 * same site are not affected.
 */
const NOT_OF_THE_SITE: ReadonlySet<DialogErrorCode> = new Set([
  ...PERMANENT_ERRORS,
  'local',
  'withdrawn',
  'tls-policy',
  'certificate',
  'no-tls',
])

/** Categories of replies with which a host asks for less mail for a while. */
const PUSHBACKS: ReadonlySet<BounceCategory> = new Set(['rate_limited', 'blocked'])

/** Returns the signal that an end of an attempt gives to the limits of the site. */
export function signalOf(end: AttemptEnd): Signal {
  if (end.kind === 'accepted') return 'success'
  if (end.kind === 'no_route') return end.permanent ? 'neutral' : 'unreachable'
  const { stage, reply, error } = end.failure
  if (error !== undefined) {
    return NOT_OF_THE_SITE.has(error.code) ? 'neutral' : 'unreachable'
  }
  const { category, greylisted } = meaningOf(end.failure)
  if (greylisted) return 'success'
  const passing = reply !== undefined && reply.code < 500
  // RFC 5321 §3.8: a host may reply 421 at any time, when the host shuts down or limits its clients.
  if (reply?.code === 421 || (passing && PUSHBACKS.has(category))) return 'pushback'
  return ABOUT_THE_MAIL.has(stage) ? 'success' : 'pushback'
}

/**
 * True if another host of the same domain may accept the message, so that the same attempt should try another host.
 */
export function worthAnotherHost({ stage, reply, error }: StageFailure): boolean {
  // RFC 5321 §5.1: the next host is tried if a host cannot be reached or does not accept mail at present.
  if (reply !== undefined) return reply.code === 421 || !ABOUT_THE_MAIL.has(stage)
  if (error !== undefined && PERMANENT_ERRORS.has(error.code)) return true
  return stage !== 'end-of-data'
}
