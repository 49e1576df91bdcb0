// Sends OpenTelemetry traces by OTLP over HTTP. This module is loaded only if a collector is configured.

import { hash } from 'node:crypto'
import {
  diag,
  ROOT_CONTEXT,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api'
import { parseTraceParent } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources'
import {
  BatchSpanProcessor,
  type IdGenerator,
  ParentBasedSampler,
  RandomIdGenerator,
  SamplingDecision,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import type { Part } from '../lib/lifecycle.ts'
import type { Log } from '../lib/log.ts'
import { packageVersion } from '../lib/package-version.ts'
import type { TracedStep } from '../lib/traces.ts'

const KINDS = {
  accept: SpanKind.SERVER,
  deliver: SpanKind.CLIENT,
  webhook: SpanKind.CLIENT,
  verify: SpanKind.SERVER,
} as const
/** Maximum time for which a stopping node waits for the collector. */
const STOP_MS = 3_000
/** Minimum time between two reports of an unreachable collector. */
const REPORT_EVERY_MS = 60_000

export interface OpenTelemetryOptions {
  /** URL of the OTLP collector: `http://…/v1/traces`. */
  readonly url: string
  /** Inverse of the sampling rate: one of this many messages or verifications is traced. */
  readonly oneIn: number
  readonly hostName: string
  readonly log: Log
}

type Ids = Pick<SpanContext, 'traceId' | 'spanId'>

/**
 * Derives the IDs of the trace and the root span of a message from the message ID. Every node can derive the same IDs,
 * even after a restart, so no trace ID is stored or passed on.
 */
function idsOf(messageId: string): Ids {
  const digest = hash('sha256', messageId)
  return { traceId: digest.slice(0, 32), spanId: digest.slice(32, 48) }
}

/** Sends the spans of recorded steps. Spans that the collector does not accept in time are dropped. */
export class OpenTelemetry implements Part {
  readonly name = 'traces'
  readonly #ids = new DerivedIds()
  readonly #sampler: TraceIdRatioBasedSampler
  readonly #provider: TracerProvider
  readonly #tracer

  constructor({ url, oneIn, hostName, log }: OpenTelemetryOptions) {
    diag.setLogger(loggerOf(log), { suppressOverrideMessage: true })
    this.#sampler = new TraceIdRatioBasedSampler(1 / oneIn)
    this.#provider = new TracerProvider({
      resource: defaultResource()
        .merge(resourceFromAttributes({ 'service.name': 'postrider', 'service.version': packageVersion() }))
        .merge(resourceFromAttributes({ 'service.instance.id': hostName }))
        .merge(detectResources({ detectors: [envDetector] })),
      sampler: new ParentBasedSampler({ root: this.#sampler }),
      idGenerator: this.#ids,
      spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter({ url }) })],
    })
    this.#tracer = this.#provider.getTracer('postrider')
  }

  async stop(): Promise<void> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, STOP_MS)
    })
    await Promise.race([this.#provider.shutdown().catch(() => {}), late])
    clearTimeout(timer)
    diag.disable()
  }

  /**
   * Records a step. The span of an acceptance is the root span of a trace and has a link to the caller's span; the span
   * of a verification is a child of the caller's span.
   */
  readonly record = (step: TracedStep): void => {
    const caller = step.caller === undefined ? undefined : (parseTraceParent(step.caller) ?? undefined)
    const ids = step.messageId === undefined ? undefined : idsOf(step.messageId)
    const isRoot = step.name === 'accept'
    const parent = ids === undefined ? caller : isRoot ? undefined : this.#withFlags(ids)
    const span = this.#ids.with(isRoot ? ids : undefined, () =>
      this.#tracer.startSpan(
        step.name,
        {
          kind: KINDS[step.name],
          startTime: step.startedAt,
          attributes: step.attributes,
          links: ids !== undefined && caller !== undefined ? [{ context: caller }] : [],
        },
        parent === undefined
          ? ROOT_CONTEXT
          : trace.setSpanContext(ROOT_CONTEXT, { ...parent, isRemote: true }),
      ),
    )
    if (step.failure !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: step.failure })
    span.end(step.endedAt)
  }

  /** Adds the sampling decision to the IDs; every node decides like the node that accepted the message. */
  #withFlags(ids: Ids): SpanContext {
    const { decision } = this.#sampler.shouldSample(ROOT_CONTEXT, ids.traceId)
    const isSampled = decision === SamplingDecision.RECORD_AND_SAMPLED
    return { ...ids, traceFlags: isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE }
  }
}

/** Generates random span and trace IDs, or uses given IDs for the span of an acceptance. */
class DerivedIds implements IdGenerator {
  readonly #random = new RandomIdGenerator()
  #given: Ids | undefined

  generateTraceId(): string {
    return this.#given?.traceId ?? this.#random.generateTraceId()
  }

  generateSpanId(): string {
    return this.#given?.spanId ?? this.#random.generateSpanId()
  }

  /** Runs `start`, and uses these IDs for the span that `start` creates. */
  with<Span>(ids: Ids | undefined, start: () => Span): Span {
    this.#given = ids
    try {
      return start()
    } finally {
      this.#given = undefined
    }
  }
}

function loggerOf(log: Log) {
  let reportedAt = Number.NEGATIVE_INFINITY
  const report = (message: string): void => {
    if (performance.now() - reportedAt < REPORT_EVERY_MS) return
    reportedAt = performance.now()
    log.warn({ collector: message }, 'traces could not be sent')
  }
  const silent = (): void => {}
  return { error: report, warn: report, info: silent, debug: silent, verbose: silent }
}
