// A collector of traces, which accepts OTLP over HTTP as JSON and returns the spans.

import { type ReceivedRequest, WebhookReceiver } from './webhook-receiver.ts'

/** A received span. */
export interface CollectedSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: Readonly<Record<string, unknown>>
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[]
  readonly status: { readonly code?: number; readonly message?: string }
  readonly resource: Readonly<Record<string, unknown>>
}

type Attributes = readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[]

const read = (attributes: Attributes = []): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))

const spansIn = ({ body }: ReceivedRequest): CollectedSpan[] =>
  JSON.parse(body).resourceSpans.flatMap(
    ({ resource, scopeSpans }: { resource: { attributes: Attributes }; scopeSpans: { spans: [] }[] }) =>
      scopeSpans.flatMap(({ spans }) =>
        spans.map((span: CollectedSpan & { attributes: Attributes }) => ({
          ...span,
          links: span.links ?? [],
          attributes: read(span.attributes),
          resource: read(resource.attributes),
        })),
      ),
  )

export class TraceCollector {
  readonly receiver: WebhookReceiver

  private constructor(receiver: WebhookReceiver) {
    this.receiver = receiver
  }

  static async start(): Promise<TraceCollector> {
    return new TraceCollector(await WebhookReceiver.start(() => 200))
  }

  get url(): string {
    return new URL('/v1/traces', this.receiver.url).href
  }

  /** Bodies of all received requests. */
  get text(): string {
    return this.receiver.requests.map(({ body }) => body).join('\n')
  }

  get spans(): CollectedSpan[] {
    return this.receiver.requests.flatMap(spansIn)
  }

  stop(): Promise<void> {
    return this.receiver.stop()
  }
}
