// Traces: the steps on the way of a message, and verifications, told to a collector where one is configured.

/** A step that has ended. Times in milliseconds since the epoch. */
export interface TracedStep {
  readonly name: 'accept' | 'deliver' | 'webhook' | 'verify'
  readonly startedAt: number
  readonly endedAt: number
  /** No addresses, subjects or contents: collectors keep them in the clear. Undefined ones are left out. */
  readonly attributes: Readonly<Record<string, string | number | boolean | undefined>>
  /** The message whose trace it belongs to. Undefined: the step belongs to the caller's trace. */
  readonly messageId?: string
  /** `traceparent` of the request (W3C Trace Context §3.2). */
  readonly caller?: string | undefined
  /** One sentence, where the step has failed for good. */
  readonly failure?: string | undefined
}

/** Tells a step. Never throws. */
export type Trace = (step: TracedStep) => void

/** Time of steps: milliseconds since the epoch with fractions. */
export const traceTime = (): number => performance.timeOrigin + performance.now()

/** The `traceparent` of a request; a repeated one is none. */
export const callerOfTrace = (header: string | string[] | undefined): string | undefined =>
  typeof header === 'string' ? header : undefined
