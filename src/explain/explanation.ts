// An explanation of why mail to an address did not arrive: the verdicts, the facts and the next steps.

/**
 * Verdicts in order of their weight: the weightiest verdict of all messages and requests in question is the verdict of
 * the explanation.
 *
 * - `erased`: the data about the recipient were erased;
 * - `never_asked`: no message to the address was submitted;
 * - `refused_at_the_door`: a request or a row of a bulk with this recipient was refused;
 * - `cancelled`: the message was cancelled before an attempt delivered it;
 * - `held`: no attempt is made until the account, the owner of the domain or the operator ends a hold;
 * - `scheduled`: the sender chose a later time;
 * - `suppressed`: the address was on a suppression list, and no attempt was made;
 * - `bounced_afterwards`: a host accepted the message, and a later bounce report says that it was not delivered;
 * - `refused`: a host refused the message for good;
 * - `given_up`: the attempts ended without a delivery, for example because the retry schedule ended;
 * - `waiting`: an attempt is in progress or follows;
 * - `delivered_by_receiver`: the receiving host accepted the message;
 * - `test`: the message was sent with a test credential and went to a test inbox.
 */
export const VERDICTS = [
  'erased',
  'never_asked',
  'refused_at_the_door',
  'cancelled',
  'held',
  'scheduled',
  'suppressed',
  'bounced_afterwards',
  'refused',
  'given_up',
  'waiting',
  'delivered_by_receiver',
  'test',
] as const
export type Verdict = (typeof VERDICTS)[number]

/** Returns the rank of a verdict; the weightiest verdict has rank 0. */
export const rankOf = (verdict: Verdict): number => VERDICTS.indexOf(verdict)

/** Kinds of facts. */
export type FactKind =
  | 'recipient_erased'
  | 'erased_suppression'
  | 'no_message'
  | 'unknown_message'
  | 'other_recipients'
  | 'similar_address'
  | 'other_domain'
  | 'record_removed'
  | 'records_removed'
  | 'request_refused'
  | 'row_refused'
  | 'row_waits'
  | 'bulk_paused'
  | 'bulk_cancelled'
  | 'cancelled'
  | 'held'
  | 'scheduled'
  | 'suppressed'
  | 'suppression'
  | 'suppression_removed'
  | 'bounced_afterwards'
  | 'refused'
  | 'given_up'
  | 'deferred'
  | 'queued'
  | 'sending'
  | 'delivered'
  | 'test'
  | 'authentication'
  | 'opened'
  | 'clicked'
  | 'not_opened'
  | 'complained'
  | 'dialog'
  | 'accepted'
  | 'other_message'
  | 'verified'

/** Values in the sentence of a fact, by name. */
export type Values = Readonly<Record<string, string>>

/** A recorded fact about the mail in question. */
export interface Fact {
  readonly kind: FactKind
  /** Time of the fact in milliseconds since the epoch; null for a fact without a time. */
  readonly at: number | null
  readonly values: Values
  /** Path of the API at which the object of the fact can be retrieved; null without such a path. */
  readonly refersTo: string | null
}

/** Kinds of next steps. */
export const STEP_CODES = [
  'send_message',
  'use_similar_address',
  'name_domain',
  'correct_request',
  'remove_suppression',
  'verify_address',
  'resume_domain',
  'look_again',
  'look_at_message',
  'look_at_bulk',
  'ask_recipient',
] as const
export type StepCode = (typeof STEP_CODES)[number]

/** The next step of a person or a program: an operation of the API with its arguments. */
export interface NextStep {
  readonly code: StepCode
  /** Operation ID of the OpenAPI document. */
  readonly operation: string
  readonly args: Readonly<Record<string, unknown>>
}
