// The outcome of an attempt by its end: one pure policy for every stage, reply and error.

import { DELIVERED, type Outcome, type Signal } from '../model/attempt.ts'
import type { BounceCategory } from '../model/bounce-category.ts'
import type { Reply } from '../model/reply.ts'
import { meaningOf } from '../smtp/reply-meaning.ts'
import type { DialogErrorCode, StageFailure } from '../smtp/stage.ts'

/** End of an attempt: accepted, stopped in the dialog, or not begun because no host was found. */
export type AttemptEnd =
  | { readonly kind: 'accepted'; readonly reply: Reply }
  | { readonly kind: 'stopped'; readonly failure: StageFailure }
  | {
      readonly kind: 'no_route'
      readonly permanent: boolean
      readonly reason: string
      readonly category?: BounceCategory
    }

/** Errors that would repeat at the next attempt, because this host cannot take this message. */
const PERMANENT_ERRORS: ReadonlySet<DialogErrorCode> = new Set(['size', 'smtputf8', 'eight-bit', 'loop'])

/** Stages at which a reply is about the recipient or the message; before these it is about this installation. */
const ABOUT_THE_MAIL: ReadonlySet<StageFailure['stage']> = new Set([
  'mail',
  'rcpt',
  'data',
  'message',
  'end-of-data',
])

/** Returns the outcome of an attempt. The schedule decides whether a deferred one is attempted again. */
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

/** True if the message ends with this failure. */
export const isPermanent = (failure: StageFailure): boolean => stopped(failure).status === 'bounced'

function stopped(failure: StageFailure): Outcome {
  const { stage, reply, error } = failure
  const { category, hard } = meaningOf(failure)
  if (reply !== undefined) {
    // RFC 5321 §4.2.1: 5yz is final for the command; before MAIL it refuses this installation, possibly only for a
    // while. A host that refuses this installation at RCPT or later ends this message too, but says nothing against
    // the address, so the bounce is not hard.
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
  const maybe = unknown ? ' It may have the message.' : ''
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
 * Errors about this installation, the message, or a rule of one destination; other destinations of the site are not
 * affected.
 */
const NOT_OF_THE_SITE: ReadonlySet<DialogErrorCode> = new Set([
  ...PERMANENT_ERRORS,
  'local',
  'withdrawn',
  'tls-policy',
  'certificate',
  'no-tls',
])

/** Categories by which a host asks for less mail for now. */
const PUSHBACKS: ReadonlySet<BounceCategory> = new Set(['rate_limited', 'blocked'])

/** Returns the signal for the limits of the site. */
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
  // RFC 5321 §3.8: 421 may come at any time, from a host that is shutting down or limits its clients.
  if (reply?.code === 421 || (passing && PUSHBACKS.has(category))) return 'pushback'
  return ABOUT_THE_MAIL.has(stage) ? 'success' : 'pushback'
}

/** True if another host of the same domain may succeed, so that it is tried within the same attempt. */
export function worthAnotherHost({ stage, reply, error }: StageFailure): boolean {
  // RFC 5321 §5.1: the next host is tried when this one cannot be reached or does not accept mail now.
  if (reply !== undefined) return reply.code === 421 || !ABOUT_THE_MAIL.has(stage)
  if (error !== undefined && PERMANENT_ERRORS.has(error.code)) return true
  return stage !== 'end-of-data'
}
