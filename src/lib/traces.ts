// Traces: the steps of messages and verifications, sent to a collector if one is configured.

/** A step that has ended. Times are in milliseconds since the epoch. */
export interface TracedStep {
  readonly name: 'accept' | 'deliver' | 'webhook' | 'verify'
  readonly startedAt: number
  readonly endedAt: number
  /**
   * Attributes without addresses, subjects and contents, because collectors store attributes unencrypted. Undefined
   * attributes are omitted.
   */
  readonly attributes: Readonly<Record<string, string | number | boolean | undefined>>
  /** ID of the message whose trace the step belongs to; undefined for the trace of the caller. */
  readonly messageId?: string
  /** `traceparent` of the request (W3C Trace Context §3.2). */
  readonly caller?: string | undefined
  /** One sentence about the failure, if the step has failed permanently. */
  readonly failure?: string | undefined
}

/** Reports a step. Never throws. */
export type Trace = (step: TracedStep) => void

/** Returns the current time for traced steps, in milliseconds since the epoch with fractions. */
export const traceTime = (): number => performance.timeOrigin + performance.now()

/** Returns the `traceparent` header of a request; undefined if the header is repeated. */
export const callerOfTrace = (header: string | string[] | undefined): string | undefined =>
  typeof header === 'string' ? header : undefined
