// Outcome of an attempt by its end: one pure policy for every stage, reply and error.

import { DELIVERED, type Outcome, type Signal } from '../model/attempt.ts'
import type { BounceCategory } from '../model/bounce-category.ts'
import type { Reply } from '../model/reply.ts'
import { meaningOf } from '../smtp/reply-meaning.ts'
import type { DialogErrorCode, StageFailure } from '../smtp/stage.ts'

/** End of an attempt: accepted, stopped in the dialog, or never begun because no host was found. */
export type AttemptEnd =
  | { readonly kind: 'accepted'; readonly reply: Reply }
  | { readonly kind: 'stopped'; readonly failure: StageFailure }
  | {
      readonly kind: 'no_route'
      readonly permanent: boolean
      readonly reason: string
      readonly category?: BounceCategory
    }

/** Errors that will be the same at the next try: this host cannot take this message. */
const PERMANENT_ERRORS: ReadonlySet<DialogErrorCode> = new Set(['size', 'smtputf8', 'eight-bit', 'loop'])

/** Stages at which a reply speaks of one recipient or of the message; before them it speaks of us. */
const ABOUT_THE_MAIL: ReadonlySet<StageFailure['stage']> = new Set([
  'mail',
  'rcpt',
  'data',
  'message',
  'end-of-data',
])

/** The outcome of an attempt. Whether a deferred one is worth another try is the schedule's to say. */
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
    // RFC 5321 §4.2.1: 5yz is final for the command; before MAIL it is a refusal of us, which may pass. A host that
    // refuses us at RCPT or later ends this message too, but says nothing against the address: that is not hard.
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
  const maybe = unknown ? ' It may have the message all the same.' : ''
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

/** Errors that are about us, the message, or a rule of one destination: a site that others share has no part in them. */
const NOT_OF_THE_SITE: ReadonlySet<DialogErrorCode> = new Set([
  ...PERMANENT_ERRORS,
  'local',
  'withdrawn',
  'tls-policy',
  'certificate',
  'no-tls',
])

/** Categories by which a host says that it wants less from us, for now. */
const PUSHBACKS: ReadonlySet<BounceCategory> = new Set(['rate_limited', 'blocked'])

/** Signal for the limits of the site, by the end of an attempt. */
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
  // RFC 5321 §3.8: 421 may come at any time, from a host that is closing down or has enough of us.
  if (reply?.code === 421 || (passing && PUSHBACKS.has(category))) return 'pushback'
  return ABOUT_THE_MAIL.has(stage) ? 'success' : 'pushback'
}

/** True if another host of the same domain may do better, so that it is tried within the same attempt. */
export function worthAnotherHost({ stage, reply, error }: StageFailure): boolean {
  // RFC 5321 §5.1: the next host is for when this one cannot be reached or is not ready to take mail.
  if (reply !== undefined) return reply.code === 421 || !ABOUT_THE_MAIL.has(stage)
  if (error !== undefined && PERMANENT_ERRORS.has(error.code)) return true
  return stage !== 'end-of-data'
}
