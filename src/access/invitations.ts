// Invitations: a user is asked by mail to join an account, and makes their own password.

import type { Clock } from '../lib/clock.ts'
import { newId, randomBase62 } from '../lib/ids.ts'
import type { PublicUrl } from '../lib/public-url.ts'
import { RateLimiter } from '../lib/rate-limiter.ts'
import { type Address, isAddress, parseAddress } from '../model/address.ts'
import { invalidFields, Problem } from '../model/problem.ts'
import type { Role } from '../model/role.ts'
import type { Account, User } from '../store/access/accounts.ts'
import {
  acceptInvitation,
  createInvitation,
  findInvitation,
  type Invitation,
  listInvitations,
  removeInvitation,
} from '../store/access/invitations.ts'
import { reading, type Store } from '../store/database/store.ts'
import { emailProblems, passwordProblems, requireName } from './accounts.ts'
import { hashPassword, hashSecret } from './secrets.ts'
import { FOOTER, inMail, type SendServiceMail } from './service-mail.ts'

const VALID_MS = 7 * 86_400_000
/** So many mails go out for one account: strangers get them who have not asked. */
const PER_ACCOUNT = { count: 50, perMs: 3_600_000 }

/** The user who invites. */
export interface Inviter {
  readonly user_id: string
  readonly account_id: string
  readonly account_name: string
  readonly account_status: Account['status']
  readonly email: string
  readonly role: Role
}

export interface InvitationOptions {
  readonly store: Store
  readonly clock: Clock
  readonly send: SendServiceMail
  /** Under which people reach the dashboard. */
  readonly publicUrl: PublicUrl
  /** Reason, in words, why a link to it works on this machine only; undefined when it works elsewhere. */
  readonly unreachable: string | undefined
}

/** Parses the address of an invitation. Throws `validation_failed`; `path` is the field that it came in. */
export function invitedAddress(given: string, path = 'email'): Address {
  const address = parseAddress(given.trim())
  if (isAddress(address)) return address
  throw invalidFields(emailProblems(given.trim()).map((problem) => ({ ...problem, path })))
}

/** Invitations to accounts. */
export class Invitations {
  readonly #options: InvitationOptions
  readonly #limiter = new RateLimiter()

  constructor(options: InvitationOptions) {
    this.#options = options
  }

  /** Invites; answers the link as well, so that it can be passed on by hand. Only owners invite owners. */
  async invite(
    by: Inviter,
    { email: given, role }: { readonly email: string; readonly role: Role },
  ): Promise<{ readonly invitation: Invitation; readonly url: string; readonly mailed: boolean }> {
    const { store, clock, send, publicUrl, unreachable } = this.#options
    const address = invitedAddress(given)
    if (unreachable !== undefined) {
      throw new Problem(
        'conflict',
        `The link of an invitation would not work: ${unreachable}. The operator sets it to the address at which people reach the dashboard.`,
      )
    }
    if (role === 'owner' && by.role !== 'owner') {
      throw new Problem('role_not_permitted', 'Only an owner invites another owner.')
    }
    // The mail goes out from the installation's own domain.
    if (by.account_status !== 'active') {
      throw new Problem(
        'account_suspended',
        'The account is suspended and cannot invite users; ask the operator.',
      )
    }
    const now = clock.now()
    const taken = this.#limiter.take(by.account_id, PER_ACCOUNT, now)
    if (!taken.allowed) {
      throw new Problem('rate_limit_exceeded', 'Too many invitations within an hour; try again later.', {
        retryAfter: Math.max(1, taken.resetSeconds),
      })
    }
    const token = randomBase62(43)
    const invitation: Invitation = {
      id: newId('inv', now),
      account_id: by.account_id,
      email: address.email.toLowerCase(),
      role,
      hash: hashSecret(token),
      invited_by: by.user_id,
      created_at: now,
      expires_at: now + VALID_MS,
    }
    const created = await store.write(createInvitation, { invitation, by: by.role })
    if (created === 'owners_only') throw ownersOnly()
    if (created !== 'created') {
      throw new Problem('conflict', `A user with the address ${invitation.email} already exists.`)
    }
    const url = `${publicUrl.value}/invitation?token=${token}`
    const mailed = await send({
      to: invitation.email,
      subject: `Join ${inMail(by.account_name)} on Postrider`,
      text: `${inMail(by.email)} invites you to ${inMail(by.account_name)} on Postrider, as ${role}.\n\nAccept within seven days:\n${url}\n\n${FOOTER}`,
    })
    return { invitation, url, mailed }
  }

  list(accountId: string): Promise<Invitation[]> {
    return reading(listInvitations(this.#options.store.read, accountId))
  }

  /** Takes an invitation back; false when the account has none such. Only owners take back an owner's. */
  async withdraw({ account_id: accountId, role: by }: Inviter, id: string): Promise<boolean> {
    const removed = await this.#options.store.write(removeInvitation, { accountId, id, by })
    if (removed === 'owners_only') throw ownersOnly()
    return removed === 'done'
  }

  /** The invitation behind a link. Throws `not_found` when it is used, withdrawn or too old. */
  async find(token: string): Promise<Invitation & { readonly account_name: string }> {
    const { store, clock } = this.#options
    const found = await reading(findInvitation(store.read, hashSecret(token)))
    if (found === undefined || found.expires_at <= clock.now()) throw notGood()
    return found
  }

  /** Makes the user. Throws `not_found` as `find` does, `conflict` when the address has got a login meanwhile. */
  async accept(given: {
    readonly token: string
    readonly name: string
    readonly password: string
  }): Promise<User> {
    const { store, clock } = this.#options
    const name = requireName(given.name.trim())
    const problems = passwordProblems(given.password)
    if (problems.length > 0) throw invalidFields(problems)
    await this.find(given.token)
    const now = clock.now()
    const result = await store.write(acceptInvitation, {
      hash: hashSecret(given.token),
      now,
      user: {
        id: newId('usr', now),
        name,
        password_hash: await hashPassword(given.password, false),
        created_at: now,
      },
    })
    if (result.kind === 'accepted') return result.user
    if (result.kind === 'not_found') throw notGood()
    throw new Problem('conflict', 'A user with this address already exists; log in instead.')
  }
}

const ownersOnly = (): Problem =>
  new Problem('role_not_permitted', 'This address is invited as an owner; only an owner can change that.')

const notGood = (): Problem =>
  new Problem('not_found', 'This invitation was used, removed or has expired; ask for a new one.')
