// A client for server-sent events, compatible with the EventSource of browsers.

import { Agent, request } from 'undici'

/** A received server-sent event. */
export interface ReceivedEvent {
  readonly id: string
  readonly type: string
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any event
  readonly data: any
}

/** An open event stream. */
export class StreamClient {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly events: ReceivedEvent[] = []
  /** ID of the last event, which a client sends in `Last-Event-ID`. */
  lastId = ''
  /** Resolves when the client or the server has ended the stream. */
  readonly ended: Promise<void>
  readonly #agent: Agent
  readonly #onEvent: (event: ReceivedEvent) => void
  #more = (): void => {}

  private constructor(
    agent: Agent,
    answer: Awaited<ReturnType<typeof request>>,
    onEvent: (event: ReceivedEvent) => void,
  ) {
    this.#agent = agent
    this.#onEvent = onEvent
    this.status = answer.statusCode
    this.headers = answer.headers
    this.ended = this.#read(answer.body).catch(() => {})
  }

  /**
   * Opens an event stream.
   * @param onEvent called with each event, after the event was stored in `events`
   */
  static async open(
    url: URL | string,
    headers: Readonly<Record<string, string>>,
    onEvent: (event: ReceivedEvent) => void = () => {},
  ): Promise<StreamClient> {
    const agent = new Agent({ bodyTimeout: 0 })
    return new StreamClient(agent, await request(url, { headers, dispatcher: agent }), onEvent)
  }

  /** Waits until the stream has received this many events. */
  async has(count: number): Promise<readonly ReceivedEvent[]> {
    while (this.events.length < count) {
      const more = new Promise<'more'>((resolve) => {
        this.#more = () => resolve('more')
      })
      if ((await Promise.race([more, this.ended])) === undefined && this.events.length < count)
        throw new Error(`the stream ended after ${this.events.length} of ${count} events`)
    }
    return this.events
  }

  async close(): Promise<void> {
    await this.#agent.destroy()
    await this.ended
  }

  async #read(body: AsyncIterable<Buffer>): Promise<void> {
    let text = ''
    for await (const piece of body) {
      text += piece.toString()
      const frames = text.split('\n\n')
      text = frames.pop() ?? ''
      for (const frame of frames) this.#take(frame)
    }
  }

  #take(frame: string): void {
    const fields = new Map(
      frame
        .split('\n')
        .filter((line) => !line.startsWith(':'))
        .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
    )
    this.lastId = fields.get('id') ?? this.lastId
    const data = fields.get('data')
    if (data !== undefined) {
      const event = { id: this.lastId, type: fields.get('event') ?? '', data: JSON.parse(data) }
      this.events.push(event)
      this.#onEvent(event)
    }
    this.#more()
  }
}
