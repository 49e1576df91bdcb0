// The readers of the embedded database: one thread, and another for accounts that read much.

import type { CompiledQuery, DatabaseConnection, Driver } from 'kysely'
import { OF_THE_SERVICE, type ReadTurn, ReadTurns } from './read-turns.ts'
import { Thread } from './sqlite-thread.ts'

const PROGRAM = './sqlite-reader-thread.ts'

/** Statements under way: a thread has them one after the other. Those of accounts that read much are in one thread. */
const PLACES = { all: 5, heavy: 1, each: 1, eachHeavy: 1 }

/** The threads, from `open` to `close`. */
export class SqliteReaders {
  readonly #path: string
  readonly #turns = new ReadTurns(PLACES)
  readonly #short = new Thread(PROGRAM, 'store reader')
  /** Made when an account reads much for the first time: in many installations none does. */
  #long: Thread | undefined
  #opening: Promise<void> | undefined

  constructor(path: string) {
    this.#path = path
  }

  /** Throws what keeps the database from being opened. */
  async open(): Promise<void> {
    await this.#short.open(this.#path)
    await this.#short.ask({ checkpoints: true })
  }

  async close(): Promise<void> {
    await this.#opening
    await Promise.all([this.#short.close(), this.#long?.close()])
  }

  /** Has the statements of accounts wait for their turns. */
  inTurns(): Driver {
    return new ReaderDriver(
      () => this.#turns.take(),
      (turn) => this.#threadFor(turn),
    )
  }

  /** Has none wait. */
  urgent(): Driver {
    return new ReaderDriver(
      async () => OF_THE_SERVICE,
      (turn) => this.#threadFor(turn),
    )
  }

  /** What is short goes to a thread that does nothing, else where no account is that reads much. */
  #threadFor({ isHeavy }: ReadTurn): Thread | Promise<Thread> {
    const long = this.#long
    if (isHeavy) return long ?? this.#longOrShort()
    return long?.asked === 0 && this.#short.asked > 0 ? long : this.#short
  }

  /** The thread for what is long, once it is open: until then nothing long is begun in the other one. */
  async #longOrShort(): Promise<Thread> {
    this.#opening ??= this.#openLong()
    await this.#opening
    return this.#long ?? this.#short
  }

  /** Where it cannot be opened now, a later statement tries again. */
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

/** The query builder's driver for a database that is only read, in other threads. */
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
        throw new Error('the embedded store answers whole results')
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
