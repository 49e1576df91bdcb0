// Traces: the steps of messages and verifications, sent to a collector if one is configured.

/** A step that has ended. Times in milliseconds since the epoch. */
export interface TracedStep {
  readonly name: 'accept' | 'deliver' | 'webhook' | 'verify'
  readonly startedAt: number
  readonly endedAt: number
  /** No addresses, subjects or contents, which collectors store unencrypted. Undefined attributes are omitted. */
  readonly attributes: Readonly<Record<string, string | number | boolean | undefined>>
  /** Message whose trace the step belongs to; undefined for the trace of the caller. */
  readonly messageId?: string
  /** `traceparent` of the request (W3C Trace Context §3.2). */
  readonly caller?: string | undefined
  /** One sentence, if the step has failed for good. */
  readonly failure?: string | undefined
}

/** Reports a step. Never throws. */
export type Trace = (step: TracedStep) => void

/** Returns the time for steps: milliseconds since the epoch with fractions. */
export const traceTime = (): number => performance.timeOrigin + performance.now()

/** Returns the `traceparent` of a request; undefined if it is repeated. */
export const callerOfTrace = (header: string | string[] | undefined): string | undefined =>
  typeof header === 'string' ? header : undefined
