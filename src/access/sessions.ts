// Sessions of people in the dashboard: a random token in their cookie, its hash in the store.

import type { Clock } from '../lib/clock.ts'
import { newId, randomBase62 } from '../lib/ids.ts'
import { Problem } from '../model/problem.ts'
import { type Role, roleCovers } from '../model/role.ts'
import type { User } from '../store/access/accounts.ts'
import {
  endSessions,
  findSession,
  type LiveSession,
  listSessions,
  openSession,
  type Session,
  touchSession,
} from '../store/access/sessions.ts'
import { reading, type Store } from '../store/database/store.ts'
import { hashSecret } from './secrets.ts'

export type { LiveSession }

const DAY_MS = 86_400_000
/** An unused session ends after so long. */
const IDLE_MS = 7 * DAY_MS
/** No session lasts longer, used or not. */
export const MAX_MS = 30 * DAY_MS
/** Age of a login that may still change how a user logs in: an unattended browser does not suffice. */
const RECENT_MS = 10 * 60_000
/** Precision with which the last use of a session is kept. */
const TOUCH_MS = 60_000
const TOKEN = /^[A-Za-z0-9]{43}$/

/** Origin of a request, as the lists of sessions and the audit log show it. */
export interface Origin {
  readonly address: string
  readonly userAgent: string
}

/** A user who has shown who they are. */
export type LoggedIn = Pick<User, 'id' | 'account_id' | 'password_hash'>

/** True if the holder of a session may do what is only for `wanted`; `operator`: for owners of the first account. */
export function sessionMay(session: LiveSession, wanted: Role | 'operator'): boolean {
  return wanted === 'operator' ? isOperator(session) : roleCovers(session.role, wanted)
}

export const isOperator = (session: LiveSession): boolean =>
  session.role === 'owner' && session.account_id === session.operating_account_id

/** Printable, so that the list shows what is there. */
const legalText = (text: string): string => text.replace(/[^\x20-\x7e]/g, '?')

/** Opens and finds sessions. Nothing is remembered between requests, so what is ended is ended on every node. */
export class Sessions {
  readonly #store: Store
  readonly #clock: Clock

  constructor(store: Store, clock: Clock) {
    this.#store = store
    this.#clock = clock
  }

  /**
   * Opens a session; answers its token, which is nowhere else. Undefined when the user is gone, or has got another password
   * since they were looked up.
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
    const opened = await this.#store.write(openSession, { session, passwordHash, ...over })
    return opened ? token : undefined
  }

  /** The session of this token, if it has not ended. Throws `unavailable` when the store cannot be read. */
  async find(token: string | undefined): Promise<LiveSession | undefined> {
    if (token === undefined || !TOKEN.test(token)) return undefined
    const found = await reading(findSession(this.#store.read, hashSecret(token)))
    if (found === undefined || this.#isOver(found)) return undefined
    const now = this.#clock.now()
    // Nobody waits for it: while nothing can be written the dashboard shows what there is to read.
    if (now - found.last_seen_at >= TOUCH_MS)
      void this.#store.write(touchSession, { id: found.id, now }).catch(() => {})
    return found
  }

  /** The sessions of a user that have not ended, the newest first. */
  async list(userId: string): Promise<readonly Session[]> {
    const all = await reading(listSessions(this.#store.read, userId))
    return all.filter((session) => !this.#isOver(session))
  }

  #isOver({ last_seen_at: seen, created_at: made }: Pick<Session, 'last_seen_at' | 'created_at'>): boolean {
    return this.#clock.now() >= Math.min(seen + IDLE_MS, made + MAX_MS)
  }

  /** Throws `recent_login_required` when it was opened too long ago for what changes how its user gets in. */
  requireRecent({ created_at: made }: Pick<Session, 'created_at'>): void {
    if (this.#clock.now() - made < RECENT_MS) return
    throw new Problem(
      'recent_login_required',
      'This change requires a login within the last ten minutes; log in again.',
    )
  }

  /** Ends the session; without one nothing happens. */
  async end(session: Pick<LiveSession, 'id' | 'user_id'> | undefined): Promise<void> {
    if (session === undefined) return
    await this.#store.write(endSessions, { userId: session.user_id, id: session.id })
  }
}
