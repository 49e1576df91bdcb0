// Dashboard sessions of users; the cookie contains a random token, and the store contains the hash of the token.

import type { Clock } from '../lib/clock.ts'
import { newId, randomBase62 } from '../lib/ids.ts'
import type { Part } from '../lib/lifecycle.ts'
import type { Log } from '../lib/log.ts'
import { Problem } from '../model/problem.ts'
import { isOperator, type Role, roleCovers } from '../model/role.ts'
import type { User } from '../store/access/accounts.ts'
import {
  endSessions,
  findSession,
  type LiveSession,
  listSessions,
  openSession,
  type Session,
  type SessionUse,
  touchSession,
} from '../store/access/sessions.ts'
import { reading, type Store } from '../store/database/store.ts'
import { type Waiting, WriteBehind } from '../store/database/write-behind.ts'
import { hashSecret } from './secrets.ts'

export type { LiveSession }

const DAY_MS = 86_400_000
/** Time after which an unused session ends. */
const IDLE_MS = 7 * DAY_MS
/** Maximum lifetime of a session, even if the session is in use. */
export const MAX_MS = 30 * DAY_MS
/**
 * Maximum age of a session that may change the login of its user, so that access to an unattended browser is not
 * enough.
 */
const RECENT_MS = 10 * 60_000
/** Precision of the recorded last use of a session. */
const TOUCH_MS = 60_000
const TOKEN = /^[A-Za-z0-9]{43}$/

/** Client address and user agent of a request, as shown in the lists of sessions and in the audit log. */
export interface Origin {
  readonly address: string
  readonly userAgent: string
}

/** User who has authenticated. */
export type LoggedIn = Pick<User, 'id' | 'account_id' | 'password_hash'>

/**
 * True if the user of a session has the role `wanted`; the role `operator` belongs to owners of the operating account.
 */
export function sessionMay(session: LiveSession, wanted: Role | 'operator'): boolean {
  return wanted === 'operator' ? isOperator(session) : roleCovers(session.role, wanted)
}

/** Replaces each non-printable character with a question mark, so that lists show the position of the character. */
const legalText = (text: string): string => text.replace(/[^\x20-\x7e]/g, '?')

/** Times at which sessions were last used, kept until the times are written to the store. */
class UnwrittenUses implements Waiting<SessionUse> {
  readonly #waiting = new Map<string, number>()
  readonly #writing = new Map<string, number>()

  get size(): number {
    return this.#waiting.size
  }

  /** Returns the time of the last unwritten use in milliseconds since the epoch; 0 if all uses are written. */
  lastOf(id: string): number {
    return this.#waiting.get(id) ?? this.#writing.get(id) ?? 0
  }

  add({ id, now }: SessionUse): number {
    this.#waiting.set(id, now)
    return 0
  }

  take(most: number): SessionUse[] {
    const taken = [...this.#waiting].slice(0, most)
    for (const [id, now] of taken) {
      this.#waiting.delete(id)
      this.#writing.set(id, now)
    }
    return taken.map(([id, now]) => ({ id, now }))
  }

  requeue(uses: readonly SessionUse[]): number {
    for (const { id, now } of uses) if (!this.#waiting.has(id)) this.#waiting.set(id, now)
    return 0
  }

  /** Records that the write of these session uses has ended. */
  ended(uses: readonly SessionUse[]): void {
    for (const { id } of uses) this.#writing.delete(id)
  }
}

/**
 * Opens and finds sessions. Sessions are never cached between requests, so an ended session has ended on every node.
 * The last use of a session counts on this node immediately, and is written to the store after the response, or later
 * if the store is unreachable.
 */
export class Sessions implements Part {
  readonly name = 'sessions'
  readonly #store: Store
  readonly #clock: Clock
  readonly #uses = new UnwrittenUses()
  readonly #writing: WriteBehind<SessionUse>

  constructor(store: Store, clock: Clock, log: Log) {
    this.#store = store
    this.#clock = clock
    this.#writing = new WriteBehind<SessionUse>({
      ...{ name: this.name, log, waiting: this.#uses },
      write: async (uses) => {
        try {
          await Promise.all(uses.map((use) => store.write(touchSession, use)))
        } finally {
          this.#uses.ended(uses)
        }
      },
    })
  }

  start(): void {
    this.#writing.start()
  }

  /** Writes the pending last uses of sessions. */
  stop(): Promise<void> {
    return this.#writing.stop()
  }

  /**
   * Opens a session and returns its token, which is stored nowhere. Returns undefined if the user no longer exists, or
   * if the password has changed since the user was looked up.
   */
  async open(user: LoggedIn, { address, userAgent }: Origin): Promise<string | undefined> {
    const token = randomBase62(43)
    const now = this.#clock.now()
    const session = {
      id: newId('ses', now),
      user_id: user.id,
      account_id: user.account_id,
      hash: hashSecret(token),
      address,
      user_agent: legalText(userAgent.slice(0, 300)),
      created_at: now,
      last_seen_at: now,
    }
    const over = { seenBefore: now - IDLE_MS, madeBefore: now - MAX_MS }
    const passwordHash = user.password_hash
    // Opening a session removes the sessions whose stored last use is too old, so pending uses are written first.
    if (this.#uses.size > 0) await this.#writing.flush()
    const opened = await this.#store.write(openSession, { session, passwordHash, ...over })
    return opened ? token : undefined
  }

  /**
   * Returns the session with this token; undefined if the session has ended. Throws `unavailable` when the store cannot
   * be read.
   */
  async find(token: string | undefined): Promise<LiveSession | undefined> {
    if (token === undefined || !TOKEN.test(token)) return undefined
    const found = await reading(findSession(this.#store.read, hashSecret(token)))
    if (found === undefined || this.#isOver(found)) return undefined
    const now = this.#clock.now()
    // The request does not wait for the write of the last use, so the dashboard stays readable while the store refuses
    // writes.
    if (now - this.#lastUseOf(found) >= TOUCH_MS) this.#writing.add({ id: found.id, now })
    return found
  }

  /** Returns the sessions of a user that have not ended, newest first. */
  async list(userId: string): Promise<readonly Session[]> {
    const all = await reading(listSessions(this.#store.read, userId))
    return all.filter((session) => !this.#isOver(session))
  }

  #lastUseOf({ id, last_seen_at: written }: Pick<Session, 'id' | 'last_seen_at'>): number {
    return Math.max(written, this.#uses.lastOf(id))
  }

  #isOver(session: Pick<Session, 'id' | 'last_seen_at' | 'created_at'>): boolean {
    return this.#clock.now() >= Math.min(this.#lastUseOf(session) + IDLE_MS, session.created_at + MAX_MS)
  }

  /** Throws `recent_login_required` if the session is too old to change the login of the user. */
  requireRecent({ created_at: made }: Pick<Session, 'created_at'>): void {
    if (this.#clock.now() - made < RECENT_MS) return
    throw new Problem(
      'recent_login_required',
      'This change requires a login within the last ten minutes; log in again.',
    )
  }

  /** Ends the session; does nothing if no session is given. */
  async end(session: Pick<LiveSession, 'id' | 'user_id'> | undefined): Promise<void> {
    if (session === undefined) return
    await this.#store.write(endSessions, { userId: session.user_id, id: session.id })
  }
}
