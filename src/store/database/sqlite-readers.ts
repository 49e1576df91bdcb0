// Readers of the embedded database: a thread for short statements, and a thread for heavy readers.

import type { CompiledQuery, DatabaseConnection, Driver } from 'kysely'
import { OF_THE_SERVICE, type ReadTurn, ReadTurns } from './read-turns.ts'
import { Thread } from './sqlite-thread.ts'

const PROGRAM = './sqlite-reader-thread.ts'

/**
 * Maximum numbers of concurrent statements; a thread runs its statements one after the other. Statements of heavy
 * readers share one thread.
 */
const PLACES = { all: 5, heavy: 1, each: 1, eachHeavy: 1 }

/** The reader threads, from `open` to `close`. */
export class SqliteReaders {
  readonly #path: string
  readonly #turns = new ReadTurns(PLACES)
  readonly #short = new Thread(PROGRAM, 'store reader')
  /**
   * Thread for long statements. The first heavy reader starts the thread, because many installations have no heavy
   * reader.
   */
  #long: Thread | undefined
  #opening: Promise<void> | undefined

  constructor(path: string) {
    this.#path = path
  }

  /** Opens the database; throws an error with the reason if the database cannot be opened. */
  async open(): Promise<void> {
    await this.#short.open(this.#path)
    await this.#short.ask({ checkpoints: true })
  }

  async close(): Promise<void> {
    await this.#opening
    await Promise.all([this.#short.close(), this.#long?.close()])
  }

  /** Returns a driver whose statements wait for the turns of their accounts. */
  inTurns(): Driver {
    return new ReaderDriver(
      () => this.#turns.take(),
      (turn) => this.#threadFor(turn),
    )
  }

  /** Returns a driver whose statements do not wait. */
  urgent(): Driver {
    return new ReaderDriver(
      async () => OF_THE_SERVICE,
      (turn) => this.#threadFor(turn),
    )
  }

  /**
   * Returns the thread for a statement. A short statement goes to an idle thread, or else to the thread without heavy
   * readers.
   */
  #threadFor({ isHeavy }: ReadTurn): Thread | Promise<Thread> {
    const long = this.#long
    if (isHeavy) return long ?? this.#longOrShort()
    return long?.asked === 0 && this.#short.asked > 0 ? long : this.#short
  }

  /**
   * Returns the thread for long statements once this thread is open; no long statement starts in the other thread until
   * then.
   */
  async #longOrShort(): Promise<Thread> {
    this.#opening ??= this.#openLong()
    await this.#opening
    return this.#long ?? this.#short
  }

  /** Opens the thread for long statements; a later statement tries again after a failure. */
  async #openLong(): Promise<void> {
    const long = new Thread(PROGRAM, 'long reader')
    try {
      await long.open(this.#path)
      this.#long = long
    } catch {
      this.#opening = undefined
    }
  }
}

/** A connection for one statement. */
interface Reading extends DatabaseConnection {
  readonly turn: ReadTurn
  usedMs: number
}

/** Query builder driver that only reads the database, in other threads. */
class ReaderDriver implements Driver {
  readonly #take: () => Promise<ReadTurn>
  readonly #threadFor: (turn: ReadTurn) => Thread | Promise<Thread>

  constructor(take: () => Promise<ReadTurn>, threadFor: (turn: ReadTurn) => Thread | Promise<Thread>) {
    this.#take = take
    this.#threadFor = threadFor
  }

  async acquireConnection(): Promise<Reading> {
    const turn = await this.#take()
    const reading: Reading = {
      ...{ turn, usedMs: 0 },
      executeQuery: async <Row>({ sql: text, parameters }: CompiledQuery) => {
        const thread = await this.#threadFor(turn)
        const { rows, error, ms = 0 } = await thread.ask({ text, parameters })
        reading.usedMs += ms
        if (error !== undefined) throw Object.assign(new Error(error.message), { errcode: error.errcode })
        return { rows: rows as Row[] }
      },
      streamQuery(): never {
        throw new Error('the embedded store does not stream results')
      },
    }
    return reading
  }

  async releaseConnection(connection: DatabaseConnection): Promise<void> {
    const { turn, usedMs } = connection as Reading
    turn.end(usedMs)
  }

  async init(): Promise<void> {}
  async beginTransaction(): Promise<void> {
    throw new Error('reading needs no transaction; writes go through Store.write')
  }
  async commitTransaction(): Promise<void> {}
  async rollbackTransaction(): Promise<void> {}
  async destroy(): Promise<void> {}
}
